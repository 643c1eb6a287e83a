#!/bin/sh
# Makes the models of link.v anew. Needs Yosys (Debian: apt-get install yosys). What golden tests expect of a model
# stands in comments at its end.
set -e
cd "$(dirname "$0")"

words() { # defines, options of write_btor, file
    yosys -q -p "read_verilog -formal $1 link.v; prep -flatten -top link; async2sync; dffunmap; opt_clean; write_btor $2 $3"
    # Without the version of Yosys and the folder, which Yosys writes into the first line.
    sed -i '1s/.*/; Made of link.v by from-verilog.sh./' "$3"
}

words "" "" link.btor2
cat >> link.btor2 <<END
; RUN check -v --engine bmc
; EXPECT exit 10
; EXPECT b0 no_overflow: falsified at step 5
; EXPECT far.held 0 1 2 3 4 5
; EXPECT near.credits 4
END

words -DFIXED "" link-fixed.btor2
cat >> link-fixed.btor2 <<END
; RUN check
; EXPECT exit 0
; EXPECT b0 no_overflow: proved
END

words -DFIXED -c link-cover.btor2
cat >> link-cover.btor2 <<END
; RUN check --cover all_held --property all_held
; EXPECT exit 0
; EXPECT b0 all_held: reached at step 4
; RUN check --cover all
; EXPECT exit 10
; EXPECT b0 all_held: reached at step 4
; EXPECT b1 overfull: unreachable: proved
; EXPECT 0 proved, 0 falsified, 1 reached, 1 unreachable, 0 undecided
END

yosys -q -p "read_verilog -formal link.v; prep -flatten -top link; async2sync; delete t:\$cover; techmap; dffunmap; aigmap;
             opt_clean; write_aiger -ascii -symbols -zinit -ywmap link.ywmap link.aag"
cat >> link.aag <<END
RUN check -v --engine bmc --names link.ywmap
EXPECT exit 10
EXPECT b0 ... falsified at step 5
EXPECT far.held 0 1 2 3 4 5
END
