// A queue with four places: a pointer to the oldest entry, one behind the newest, and how many places are used.
// The memory does not matter here. A push into a full queue must be refused, unless somebody pops at the same time.
//
// The comparison in `full` is off by one, as it easily is. With -DFIXED it is right.
//
// How fifo.aag and fifo-fixed.aag were made (Yosys 0.23; the comments at their ends were added by hand):
//
//   yosys -p "read_verilog -formal fifo.v; prep -top fifo; async2sync; techmap; dffunmap; aigmap; opt_clean;
//             write_aiger -ascii -symbols fifo.aag"
//   yosys -p "read_verilog -formal -DFIXED fifo.v; prep -top fifo; async2sync; techmap; dffunmap; aigmap; opt_clean;
//             write_aiger -ascii -map fifo-fixed.map fifo-fixed.aag"

module fifo(input clk, input push, input pop);
  reg [1:0] oldest = 0, behind = 0;
  reg [2:0] used = 0;

  wire empty = used == 0;
`ifdef FIXED
  wire full = used == 4;
`else
  wire full = used > 4;
`endif
  wire give = pop && !empty;
  wire take = push && (!full || give);

  always @(posedge clk) begin
    if (give) oldest <= oldest + 1;
    if (take) behind <= behind + 1;
    used <= used + take - give;
  end

  always @* begin
    no_overflow: assert (used <= 4);
    pointers_agree: assert (used[1:0] == behind - oldest);
  end
endmodule
