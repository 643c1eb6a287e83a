// A link with credits. The sender may have four words on their way or waiting; each word that is taken at the other
// end gives a credit back, so the receiver's buffer of four places never overflows.
//
// Here `take` gives a credit even if there is nothing to take. With -DFIXED it does not.
//
// examples/from-verilog.sh makes link.btor2, link-fixed.btor2, link-cover.btor2 (the goals) and link.aag with link.ywmap
// of it, with Yosys 0.23.

module sender(input clk, input want, input credit, output send);
  reg [2:0] credits = 4;
  assign send = want && credits != 0;
  always @(posedge clk) credits <= credits - send + credit;
endmodule

module receiver(input clk, input arrive, input take, output credit, output reg [2:0] held);
  initial held = 0;
  wire taken = take && held != 0;
`ifdef FIXED
  assign credit = taken;
`else
  assign credit = take;
`endif
  always @(posedge clk) held <= held + arrive - taken;
endmodule

module link(input clk, input want, input take);
  wire send, credit;
  wire [2:0] held;
  sender near(.clk(clk), .want(want), .credit(credit), .send(send));
  receiver far(.clk(clk), .arrive(send), .take(take), .credit(credit), .held(held));

  always @* begin
    no_overflow: assert (held <= 4);
    all_held: cover (held == 4);
    overfull: cover (held == 5);
  end
endmodule
