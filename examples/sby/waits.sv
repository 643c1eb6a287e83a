// A client that waits for at most three steps. With BAD, it is held up for as long as anybody likes.
module waits(input clk, input want, input hold);
    reg [1:0] left;
    initial left = 0;
    always @(posedge clk) begin
        if (want && left == 0) left <= 3;
`ifdef BAD
        else if (left != 0 && !hold) left <= left - 1;
`else
        else if (left != 0) left <= left - 1;
`endif
    end
    served: assert property (eventually left == 0);
endmodule
