// A server for two clients: who is served stays so until it is done, then it is the other one's turn. With BAD,
// both may be served at once.
module arbiter(input clk, input [1:0] want, input done, output reg [1:0] grant);
    reg turn;
    initial grant = 0;
    initial turn = 0;
    wire [1:0] mine = turn ? 2'b10 : 2'b01;
    always @(posedge clk) begin
        if (grant == 0 || done) begin
`ifdef BAD
            grant <= want;
`else
            grant <= |(want & mine) ? mine : want & ~mine;
`endif
            turn <= !turn;
        end
    end
    always @* begin
        exclusive: assert (grant != 2'b11);
        first: cover (grant == 2'b01);
        second: cover (grant == 2'b10);
`ifdef BAD
        never: cover (grant == 2'b10 && grant == 2'b01);
`endif
    end
endmodule
