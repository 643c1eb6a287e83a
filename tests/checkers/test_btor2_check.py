"""Tests of the replay of BTOR2 witnesses: python3 -m unittest discover -s tests/checkers"""

import unittest

from btor2_check import FormatError, OutOfScope, Rejected, Step, apply, check, parse_model, parse_witness

COUNTER = """1 sort bitvec 4
2 sort bitvec 1
3 sort array 2 1
4 input 2 en
5 state 1 cnt
6 state 1 noise
7 state 3 mem ; comment
8 add 1 5 6
9 next 1 5 8
10 next 3 7 7
11 zero 1
12 init 3 7 11
13 constd 1 11
14 eq 2 5 13
15 read 1 7 4
16 eq 2 15 11
17 constraint 16
18 bad 14
"""
GOOD = "sat\nb0\n#0\n0 0101 cnt#0\n@0\n0 1 en@0\n#1\n1 0110 noise#1\n@1\n#2\n@2\n.\n"


def judge(witness, model=COUNTER):
    return check(parse_model(model), parse_witness(witness))


class Replay(unittest.TestCase):
    def test_a_violation_is_accepted(self):
        self.assertIn("step 2", judge(GOOD))

    def test_what_is_wrong_is_rejected(self):
        wrong = {
            "not violated": GOOD.replace("0110", "0111"),
            "no property 1": GOOD.replace("b0", "b1"),
            "no step": "sat\nb0\n.\n",
            "state 2 does not start": GOOD.replace("@0\n", "2 [1] 0001\n@0\n", 1),
        }
        for why, witness in wrong.items():
            with self.assertRaisesRegex(Rejected, why):
                judge(witness)

    def test_lassos(self):
        # A counter of two bits that counts where it is told to; the other state nobody reads.
        model = ("1 sort bitvec 1\n2 sort bitvec 2\n3 input 1 go\n4 state 2 cnt\n5 zero 2\n6 init 2 4 5\n7 uext 2 3 1\n"
                 "8 add 2 4 7\n9 next 2 4 8\n10 state 2 other\n11 inc 2 10\n12 next 2 10 11\n13 ones 2\n"
                 "14 eq 1 4 13\n15 justice 1 14 top\n16 fair 3\n")
        lasso = lambda *go: "sat\nj0\n" + "".join(f"#{t}\n@{t}\n0 {g}\n" for t, g in enumerate(go)) + ".\n"
        self.assertIn("from step 0", judge(lasso(1, 1, 1, 1), model))
        self.assertIn("from step 0", judge(lasso(1, 0, 1, 1, 1), model))
        for go in [(1, 1, 1), (0, 0), (1, 1, 1, 0)]:  # it does not close; never at the top; at the top without fairness
            with self.assertRaisesRegex(Rejected, "does not go round"):
                judge(lasso(*go), model)
        with self.assertRaisesRegex(Rejected, "no justice property"):
            judge(lasso(1, 1, 1, 1).replace("j0", "j1"), model)

    def test_a_broken_constraint_is_rejected(self):
        model = COUNTER.replace("12 init 3 7 11\n", "")
        judge(GOOD, model)
        with self.assertRaisesRegex(Rejected, "constraint 0 does not hold in step 0"):
            judge(GOOD.replace("@0\n", "2 [1] 0001\n@0\n", 1), model)

    def test_ill_formed_files(self):
        for text in ("sat\nb0\n#0\n0 01", "sat\n", "sat\nb0\n0 1\n."):
            with self.assertRaises(FormatError):
                judge(text)
        with self.assertRaises(OutOfScope):
            judge("unsat\n")
        with self.assertRaises(FormatError):
            parse_model("1 sort bitvec 1\n2 frob 1 1\n")
        with self.assertRaises(FormatError):
            parse_model("1 sort bitvec 1\n2 not 1 3\n")


class Operators(unittest.TestCase):
    def test_against_definitions_on_all_small_words(self):
        n = 3
        to_signed = lambda v: v - 8 if v > 3 else v
        for a in range(8):
            for b in range(8):
                sa, sb = to_signed(a), to_signed(b)
                of = lambda op, width=n: apply(op, width, [a, b], [n, n], [])
                if b:
                    self.assertEqual(of("udiv") * b + of("urem"), a)
                    quotient, rest = to_signed(of("sdiv")), to_signed(of("srem"))
                    self.assertEqual((quotient * sb + rest) % 8, a)
                    self.assertTrue(rest == 0 or (rest < 0) == (sa < 0))
                    modulus = to_signed(of("smod"))
                    self.assertTrue(modulus == 0 or (modulus < 0) == (sb < 0))
                    self.assertEqual((sa - modulus) % sb, 0)
                else:
                    self.assertEqual([of(o) for o in ("udiv", "urem", "srem", "smod")], [7, a, a, a])
                    self.assertEqual(of("sdiv"), 1 if sa < 0 else 7)
                self.assertEqual(of("saddo", 1), int(sa + sb not in range(-4, 4)))
                self.assertEqual(of("umulo", 1), int(a * b > 7))
                bits = [a >> i & 1 for i in range(n)]
                self.assertEqual([of("rol") >> i & 1 for i in range(n)], [bits[(i - b) % n] for i in range(n)])
                self.assertEqual([of("ror") >> i & 1 for i in range(n)], [bits[(i + b) % n] for i in range(n)])
                self.assertEqual(of("sra"), (sa >> min(b, 3)) % 8)
                self.assertEqual(of("concat", 6), 8 * a + b)

    def test_negative_references_invert(self):
        model = parse_model("1 sort bitvec 4\n2 constd 1 5\n3 and 1 -2 -2\n")
        self.assertEqual(Step(model, {}).value(-3), 5)


if __name__ == "__main__":
    unittest.main()
