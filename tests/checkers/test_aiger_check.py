"""Tests of the evidence checker and its SAT solver: python3 -m unittest discover -s tests/checkers"""

import contextlib
import io
import itertools
import os
import random
import tempfile
import unittest
from unittest import mock

import aiger_check
import tiny_sat
from aiger_check import FormatError, Rejected, parse_aiger


def aig(text):
    """A circuit from ASCII AIGER; leading blanks on the lines are dropped."""
    return parse_aiger("\n".join(x.strip() for x in text.strip().split("\n")).encode() + b"\n")


def builtin():
    return mock.patch.dict(os.environ, AIGER_CHECK_SAT="builtin")


class Reader(unittest.TestCase):
    def test_binary_is_ascii(self):
        text = aig("""aag 5 1 2 0 2 1 1 1 1
            2
            4 11 1
            6 8 6
            10
            3
            2
            4
            7
            6
            8 4 2
            10 9 7
            i0 some name
            c
            free text""")
        data = b"aig 5 1 2 0 2 1 1 1 1\n11 1\n8 6\n10\n3\n2\n4\n7\n6\n" + bytes([4, 2, 1, 2]) + \
            b"i0 some name\nc\nfree text\n"
        binary = parse_aiger(data)
        self.assertEqual(vars(text), vars(binary))
        self.assertEqual(binary.latches, [(4, 11, 1), (6, 8, 6)])
        self.assertEqual(binary.justice, [[4, 7]])

    def test_long_delta(self):
        many = 200
        data = b"aig %d %d 0 1 1\n%d\n" % (many + 1, many, 2 * many + 2) + bytes([0x82, 0x02, 0x0e])
        self.assertEqual(parse_aiger(data).gates, [(402, 144, 130)])

    def test_any_order_and_numbering(self):
        circuit = aig("""aag 9 1 1 1 2
            18
            4 9 1
            8
            8 7 4
            6 18 5""")
        self.assertEqual([gate[0] for gate in circuit.gates], [6, 8])

    def test_broken_files(self):
        for text in ("", "aag 1 1", "aag 1 1 0 0 0", "aag 1 1 0 0 0\n3", "aag 1 1 0 1 0\n2\n4", "aag 1 0 0 1 0\n2",
                     "aag 2 2 0 0 0\n2\n2", "aag 1 0 0 0 1\n2 2 1", "aag 2 0 0 0 2\n2 4 1\n4 3 1", "aag 0 0 0 0 0\nx",
                     "aag 0 1 0 0 0\n2", "aag 1 1 0 0 0\n2\ni1 name", "aig 2 1 0 0 1\n", "aag 1 0 1 0 0\n2 0 0 0"):
            with self.assertRaises(FormatError, msg=text):
                parse_aiger(text.encode())


class Witness(unittest.TestCase):
    # a = 6 takes the input 2 and starts with 0; b = 8 takes a and starts anyhow; bad: a & b; input 4 must be 1
    shift = """aag 5 2 2 0 1 1 1
        2
        4
        6 2
        8 6 8
        10
        4
        10 6 8"""

    def accept(self, model, trace):
        return aiger_check.check_witness(aig(model), trace.replace(" ", "\n") + "\n")

    def reject(self, model, trace, why):
        with self.assertRaisesRegex(Rejected, why):
            self.accept(model, trace)

    def test_valid(self):
        self.accept(self.shift, "1 b0 00 11 11 01 .")
        self.accept(self.shift, "1 b0 01 11 11 11 .")
        self.accept(self.shift, "c comment\n1 b0 00 11 c-comment 11 01 .")

    def test_flipped_input(self):
        self.reject(self.shift, "1 b0 00 11 01 01 .", "b0 is 0 in the last step")

    def test_wrong_initial_latch(self):
        self.reject(self.shift, "1 b0 11 01 .", "latch 0 starts with 1")
        one = "aag 2 1 1 0 0 1\n2\n4 4 1\n4"
        self.accept(one, "1 b0 1 0 .")
        self.reject(one, "1 b0 0 0 .", "latch 0 starts with 0")

    def test_constraint(self):
        self.reject(self.shift, "1 b0 00 11 11 00 .", "constraint 0 is 0 in step 2")
        self.reject(self.shift, "1 b0 00 10 11 01 .", "constraint 0 is 0 in step 0")

    def test_bad_must_be_last(self):
        self.reject(self.shift, "1 b0 00 11 11 .", "b0 is 0 in the last step")
        self.reject(self.shift, "1 b0 00 11 11 01 01 .", "b0 is 0 in the last step")  # bad one step before

    def test_x(self):
        self.accept(self.shift, "1 b0 0x 11 11 x1 .")
        self.accept(self.shift, "1 b0 xx 11 11 x1 .")  # filled in, this is a trace from the reset
        self.reject(self.shift, "1 b0 0x 11 x1 01 .", "b0 is x")
        self.reject(self.shift, "1 b0 0x 11 11 xx .", "constraint 0 is x")

    def test_reset_to_a_literal(self):
        model = "aag 3 1 2 0 0 1\n2\n4 4 3\n6 6 5\n6"  # latch 0 starts as not input, latch 1 as not latch 0
        self.accept(model, "1 b0 01 1 .")
        self.reject(model, "1 b0 x1 1 .", "latch 1 starts with 1, its reset value is x")
        self.reject(model, "1 b0 11 0 .", "latch 1 starts with 1")
        self.reject(model, "1 b0 01 0 .", "latch 0 starts with 0")
        self.reject(model, "1 b0 01 x .", "latch 0 starts with 0, its reset value is x")
        self.reject("aag 1 0 1 1 0\n2 2 3\n2", "1 b0 x \n.", "stratification")

    def test_naming(self):
        outputs = "aag 1 1 0 2 0\n2\n2\n3"
        self.accept(outputs, "1 b1 \n0 .")
        self.accept(outputs, "1 o1 \n0 .")
        self.reject(outputs, "1 b2 \n0 .", "no bad signal")
        self.reject("aag 1 1 0 1 0 1\n2\n2\n3", "1 o0 \n1 .", "no bad signal")
        self.reject("aag 1 1 0 1 0 0 0 1\n2\n2\n1\n2", "1 b0 \n1 .", "no bad signal")
        self.reject(outputs, "1 j0 \n0 .", "no justice property")

    def test_lassos(self):
        # Latch 0 flips, latch 1 follows the input; the input is constrained by latch 0, fairness is latch 1.
        model = "aag 4 1 2 0 1 0 1 1 1\n2\n4 5\n6 2\n9\n1\n4\n6\n8 4 2"
        self.accept(model, "1 j0 00 1 0 1 .")
        self.accept(model, "1 j0 00 1 0 1 0 1 .")
        self.accept(model, "1 j0 00 1 0 .")
        self.reject(model, "1 j0 00 1 .", "none that the trace was in before")
        self.reject(model, "1 j0 00 0 0 .", "signal 1 of j0 does not hold from step 0 on")
        self.reject(model, "1 j0 00 1 1 1 .", "constraint 0 is 0 in step 1")
        self.reject(model, "1 j0 10 1 0 1 .", "latch 0 starts with 1")
        self.reject(model, "1 j1 00 1 0 1 .", "no justice property")

    def test_empty_lines_count(self):
        toggle = "aag 1 0 1 1 0\n2 3\n2"  # no inputs: a step is an empty line
        aiger_check.check_witness(aig(toggle), "1\nb0\n0\n\n\n.\n")
        for steps in ("", "\n", "\n\n\n"):
            with self.assertRaises(Rejected):
                aiger_check.check_witness(aig(toggle), f"1\nb0\n0\n{steps}.\n")

    def test_malformed(self):
        for trace in ("", "0", "2", "0 b0 .", "1", "1 x0", "1 b0 00 11 11 01", "1 b0 0 11 .", "1 b0 00 1 .",
                      "1 b0 00 12 .", "1 b0 00 .", "1 b0 .", "1 b0 00 11 11 01 . 1"):
            self.reject(self.shift, trace, "")


class Certificates(unittest.TestCase):
    # Two latches swap; bad: 2 & !4. Safe, since both start with 0, but not inductive.
    swap = """aag 3 0 2 1 1
        2 4
        4 2
        6
        6 2 5"""
    swap_certificate = """aag 5 0 2 1 3
        2 4
        4 2
        11
        6 2 5
        8 4 3
        10 7 9"""
    toggle = "aag 1 0 1 1 0\n2 3\n2"  # bad after one step

    def setUp(self):
        patch = builtin()
        patch.start()
        self.addCleanup(patch.stop)

    def accept(self, model, cert):
        return aiger_check.check_certificate(aig(model), aig(cert))

    def reject(self, model, cert, why):
        with self.assertRaisesRegex(Rejected, "^" + why):
            self.accept(model, cert)

    def test_valid(self):
        self.accept(self.swap, self.swap_certificate)
        self.accept(self.swap, self.swap_certificate + "\nl0 = 2\nl1 = 4")
        self.accept(self.swap, self.swap_certificate + "\nl0 = 4\nl1 = 2\nl1 = 2")
        self.accept(self.swap, self.swap_certificate + "\nc\nMAPPING 2\n2 2\n4 4")

    def test_negated_mapping(self):
        negated = self.swap_certificate.replace("2 4\n", "2 4 1\n").replace("4 2\n", "4 2 1\n")
        for mapping in ("l0 = 3\nl1 = 5", "c\nMAPPING 2\n3 2\n4 5"):
            self.accept(self.swap, negated + "\n" + mapping)
            self.reject(self.swap, self.swap_certificate + "\n" + mapping, "reset")
        self.reject(self.swap, negated + "\nl0 = 3\nl1 = 4", "reset")

    def test_not_inductive(self):
        self.reject(self.swap, self.swap, "induction")

    def test_wrong_reset(self):
        self.reject(self.swap, self.swap_certificate.replace("4 2\n", "4 2 1\n"), "reset: .* latch 4")
        # The model may start in more states than the certificate knows.
        self.reject(self.swap.replace("4 2\n", "4 2 4\n"), self.swap_certificate, "reset")
        self.reject(self.swap.replace("4 2\n", "4 2 1\n"), self.swap_certificate, "reset")

    def test_wrong_next_state(self):
        self.reject(self.swap, self.swap_certificate.replace("4 2\n", "4 4\n"), "transition: .* latch 4")
        self.reject(self.toggle, "aag 1 0 1 1 0\n2 2\n2", "transition")

    def test_too_weak_and_too_strong(self):
        self.reject(self.swap, self.swap_certificate.replace("11\n", "0\n"), "safety")
        self.reject(self.swap, self.swap_certificate.replace("11\n", "1\n"), "base")
        self.reject(self.toggle, self.toggle, "induction")

    def test_constraints(self):
        free = "aag 2 1 1 0 0 1\n2\n4 2\n4"
        bound = "aag 2 1 1 0 0 1 1\n2\n4 2\n4\n3"
        self.accept(bound, bound)
        self.reject(bound, free, "induction")
        self.reject(free, bound, "reset: the certificate fails constraint 0")
        # The constraint holds at first but is lost: the latch 4 follows the input.
        lost = "aag 2 1 1 0 0 1 1\n2\n4 2\n4\n5"
        self.reject(free, lost, "transition: the certificate fails constraint 0")
        # A constraint that the model's own one implies is fine.
        self.accept("aag 2 1 1 0 0 1 1\n2\n4 2\n4\n5", lost)

        # So is one that stays true once it is.
        self.accept("aag 1 0 1 1 0\n2 2\n2", "aag 1 0 1 0 0 1 1\n2 2\n2\n3")

    def test_free_latches_of_the_certificate_cannot_carry_constraints(self):
        self.reject("aag 1 0 1 1 0\n2 2\n2", "aag 2 0 2 0 0 1 1\n2 2\n4 4\n2\n5", "reset")

    def test_double_mapping(self):
        for mapping in ("l0 = 2\nl0 = 4", "c\nMAPPING 2\n2 2\n2 4", "c\nMAPPING 2\n2 2\n3 2",
                        "l0 = 2\nc\nMAPPING 1\n2 4"):
            self.reject(self.swap, self.swap_certificate + "\n" + mapping, "mapping: literal 2 .* two literals")

    def test_one_literal_for_two_latches(self):
        # Both latches of the certificate stand for literal 2: nothing then links them to latch 4.
        self.reject(self.swap, self.swap_certificate + "\nl0 = 2\nl1 = 2", "transition")

    def test_malformed_mapping(self):
        for mapping in ("l0 = 8", "l0 =", "l0 = x", "c\nMAPPING 1\n12 2", "c\nMAPPING 2\n2 2", "c\nMAPPING 1\n2"):
            self.reject(self.swap, self.swap_certificate + "\n" + mapping, "mapping")

    def test_missing_mapping(self):
        self.reject(self.swap, self.swap_certificate + "\nc\nMAPPING 0", "safety")
        self.reject(self.swap, self.swap_certificate + "\nl0 = 2", "transition")

    def test_constant_or_gate_mapped_unsoundly(self):
        self.reject(self.toggle, "aag 0 0 0 0 0\nc\nMAPPING 1\n0 2", "mapping at transition")
        self.reject(self.toggle, "aag 0 0 0 0 0\nc\nMAPPING 1\n1 2", "mapping at reset")
        self.reject(self.toggle, "aag 0 0 0 0 0\nc\nMAPPING 2\n0 2\n1 2", "mapping at reset")
        self.reject(self.toggle, "aag 2 0 1 0 1\n2 0\n4 2 2\nc\nMAPPING 1\n4 2", "mapping at transition")
        # An input of the model that is said to be constant.
        self.reject("aag 1 1 0 1 0\n2\n2", "aag 0 0 0 0 0\nc\nMAPPING 1\n0 2", "mapping at reset")

    def test_leaf_mapped_to_a_constant(self):
        stays = "aag 1 0 1 1 0\n2 2\n2"
        self.accept(stays, "aag 1 0 1 1 0\n2 2\n2\nc\nMAPPING 2\n2 2\n0 2")
        self.reject(self.toggle, self.toggle + "\nl0 = 0", "transition")

    def test_gate_mapped_soundly(self):
        twins = "aag 3 0 2 1 1\n2 3\n4 3\n6\n6 2 5"  # two latches toggle; bad: 2 & !4
        gate = "aag 2 0 1 1 1\n2 3\n0\n4 2 2\nc\nMAPPING 2\n4 2\n4 4"
        self.accept(twins, gate)
        self.reject(twins.replace("4 3\n", "4 3 1\n"), gate, "mapping at reset")
        self.reject(twins.replace("4 3\n", "4 4\n"), gate, "mapping at transition")
        self.reject(twins.replace("6 2 5", "6 2 4"), gate, "safety")

        # Twins that start as the input; the certificate's own latch does too.
        twins = "aag 4 1 2 1 1\n2\n4 4 2\n6 6 2\n8\n8 4 7"
        gate = "aag 3 1 1 1 1\n2\n4 4 2\n0\n6 4 4\nc\nMAPPING 3\n2 2\n6 4\n6 6"
        self.accept(twins, gate)
        self.reject(twins, gate.replace("4 4 2", "4 4 3"), "mapping at reset")

    def test_gate_that_needs_a_choice(self):
        model = "aag 1 0 1 1 0\n2 0 2\n0"  # the gate equals the model's latch only for one value of the input
        cert = "aag 6 1 2 0 3\n2\n4 1 0\n6 0 0\n8 6 4\n10 5 2\n12 11 9\nc\nMAPPING 1\n12 2"
        self.reject(model, cert, "mapping at reset")
        self.assertIn("no property", self.accept("aag 1 0 1 0 0\n2 0 2", cert))

    def test_mapping_to_gates_and_inputs(self):
        # The model's toggling latch becomes an input: nothing is known about it, nothing needed.
        model = "aag 3 0 2 1 1\n2 3\n4 6\n4\n6 4 2"
        self.accept(model, "aag 3 1 1 1 1\n2\n4 6\n4\n6 4 2\ni0 = 2\nl0 = 4")
        # A latch that stands for a gate of the model, here 6 = 2 & 4, which is never 1.
        model = "aag 3 0 2 1 1\n2 6\n4 0\n6\n6 2 4"
        cert = "aag 3 0 3 1 0\n2 6\n4 0\n6 0\n6\nl0 = 2\nl1 = 4\nl2 = 6"
        self.accept(model, cert)
        self.reject(model.replace("4 0", "4 1"), cert.replace("4 0", "4 1"), "transition: .* latch 6")
        self.reject("aag 3 2 0 1 1\n2\n4\n6\n6 2 4", "aag 1 0 1 1 0\n2 0\n2\nl0 = 6", "reset")

    def test_stratification(self):
        model = "aag 1 0 1 1 0\n2 2\n3"
        self.reject(model, "aag 1 0 1 1 0\n2 2 3\n0", "stratification")
        self.reject(model, "aag 2 0 2 1 0\n2 2 4\n4 4 2\n0", "stratification")
        self.reject(model, "aag 2 0 1 1 1\n2 2 4\n0\n4 2 2", "stratification")
        chain = "aag 3 1 2 1 0\n2\n4 4 2\n6 6 4\n0"  # latch 0 starts as the input, latch 1 as latch 0
        self.reject(chain, chain.replace("6 6 4", "6 6 5"), "reset")
        self.accept(chain, chain)

    def test_history_latches(self):
        # 2 takes 4, 4 takes 4 & 2, both start with 0; bad: 2. This is 2-inductive.
        model = "aag 3 0 2 1 1\n2 4\n4 6\n2\n6 4 2"
        self.reject(model, model, "induction")
        # Latch 6 says whether 8 and 10 are the last values of 2 and 4. Bad: 2, or 6 and not a step from
        # there with 8 = 0, or not 6 and not the reset state.
        cert = """aag 20 0 5 1 15
            2 4
            4 12
            6 1
            8 2
            10 4
            41
            12 4 2
            14 10 8
            16 2 11
            18 3 10
            20 4 15
            22 5 14
            24 9 17
            26 24 19
            28 26 21
            30 28 23
            32 6 31
            34 3 5
            36 7 35
            38 33 37
            40 38 3"""
        self.accept(model, cert)
        self.reject(model, cert.replace("38 33 37", "38 33 1"), "induction")  # the first step forgotten
        self.reject(model, cert.replace("38 33 37", "38 37 1"), "induction")  # the others forgotten
        self.reject(model, cert.replace("8 2\n", "8 3\n"), "induction")  # a wrong history

    def test_chosen_property(self):
        two = self.swap.replace("3 0 2 1 1", "3 0 2 0 1 2").replace("6\n", "6\n3\n", 1)  # b1: literal 3, violated
        cert = self.swap_certificate
        self.reject(two, cert, "safety")
        self.assertIn("b0 only", self.accept(two, cert + "\nc\nWITNESS b0 model.aag"))
        self.reject(two, cert + "\nc\nWITNESS b1 model.aag", "safety")
        self.reject(two, cert + "\nc\nWITNESS b2 model.aag", "the model has no bad signal")
        self.reject(two, cert + "\nc\nWITNESS o0 model.aag", "the model has no bad signal")
        self.assertNotIn("only", self.accept(self.swap, cert + "\nc\nWITNESS o0 model.aag"))

    def test_liveness(self):
        # A counter that stops at 3; its lowest bit rises again and again. The certificate compares counters: the
        # gates 22 and 24 stand for the bits of the second state.
        model = """aag 10 1 2 0 7 0 0 1
            2
            4 15
            6 19
            1
            20
            8 2 5
            10 2 7
            12 4 11
            14 9 13
            16 4 10
            18 7 17
            20 5 15"""
        cert = """aag 17 1 2 0 14 0 0 1
            2
            4 15
            6 19
            1
            35
            8 2 5
            10 2 7
            12 4 11
            14 9 13
            16 4 10
            18 7 17
            20 5 15
            22 1 1
            24 1 1
            26 24 7
            28 25 6
            30 22 5
            32 29 30
            34 27 33
            c
            INTERVENTION 2
            4 22
            6 24"""
        self.assertIn("live", self.accept(model, cert))
        self.accept(model, cert.replace("c\n", "c\nWITNESS j0 model.aag\n"))
        self.reject(model, cert.replace("c\n", "c\nWITNESS j1 m\n"), "the model has no justice property")
        self.reject(model, cert.replace("34 27 33", "34 27 32"), "")  # the order is another
        self.reject(model, cert.replace("35\n", "34\n", 1), "liveness|decrease")  # the signal negated
        self.reject(model, cert[:-4] + "4 24", "")  # a bit of the second state mistaken
        self.reject(model, cert.replace("INTERVENTION 2", "INTERVENTION 3"), "interventions")
        self.reject(model, cert.replace("4 22", "4 0"), "interventions")
        # A model whose signal is met for ever: a signal more, which never is, certifies nothing.
        violated = "aag 1 0 1 0 0 0 0 1\n2 2\n1\n3"
        self.reject(violated, violated, "decrease")
        self.reject(violated, "aag 1 0 1 0 0 0 0 1\n2 2\n2\n3\n0", "extension")
        self.reject(violated, "aag 1 0 1 0 0 0 0 1\n2 2\n1\n0", "liveness")
        self.reject(violated, "aag 1 0 1 0 0 0 0 1 1\n2 2\n1\n3\n0", "extension")

    def test_numbering(self):
        self.reject("aag 1 1 0 1 0\n2\n0", "aag 2 1 0 1 0\n4\n0", "format")


class WithAnotherSolver(Certificates):
    def setUp(self):
        try:
            import pysat.solvers  # noqa: F401
        except ImportError:
            self.skipTest("python-sat is not installed")
        patch = mock.patch.dict(os.environ, AIGER_CHECK_SAT="")
        patch.start()
        self.addCleanup(patch.stop)


# --------------------------------------------------------------------------- against explicit-state search

def random_circuit(rng, inputs, latches, gates, constraint):
    lines = [f"{2 * (k + 1)}" for k in range(inputs)]
    top = inputs + latches + gates
    pick = lambda limit: rng.randrange(2 * limit + 2)
    for k in range(latches):
        own = 2 * (inputs + k + 1)
        lines.append(f"{own} {pick(top)} {rng.choice([0, 0, 1, own, 2 * rng.randrange(inputs + k + 1)])}")
    lines.append(str(pick(top)))
    lines += [str(pick(top))] * constraint
    lines += [f"{2 * k} {pick(k - 1)} {pick(k - 1)}" for k in range(inputs + latches + 1, top + 1)]
    return f"aag {top} {inputs} {latches} 0 {gates} 1 {constraint}", lines


def explore(model):
    """All runs by brute force: (reachable states, a shortest trace as (initial state, inputs) or None)."""
    words = lambda n: ["".join(bits) for bits in itertools.product("01", repeat=n)]
    inputs, queue, seen, trace = words(len(model.inputs)), [], set(), None
    for state in words(len(model.latches)):
        for first in inputs:
            at = aiger_check.simulate(model, first, state)
            if all(value == at(reset) for value, (_, _, reset) in zip(state, model.latches)):
                queue.append((state, state, [], first))
    while queue:
        state, start, steps, only = queue.pop(0)
        if (state, only) in seen:
            continue
        seen.add((state, only))
        for values in inputs if only is None else [only]:
            at = aiger_check.simulate(model, values, state)
            if any(at(lit) != "1" for lit in model.constraints):
                continue
            if at(model.bads()[0]) == "1" and trace is None:
                trace = start, steps + [values]
            queue.append(("".join(at(x[1]) for x in model.latches), start, steps + [values], None))
    return {state for state, _ in seen}, trace


class AgainstSearch(unittest.TestCase):
    def test_everything(self):
        """Shortest traces are accepted, and what is accepted is true, with random changes to both."""
        rng = random.Random(1)
        traces = proofs = wrong = 0
        with builtin():
            for _ in range(300):
                header, lines = random_circuit(rng, *(rng.randint(*x) for x in ((0, 2), (1, 3), (1, 5), (0, 1))))
                model = aig("\n".join([header] + lines))
                states, trace = explore(model)
                if trace:
                    text = "\n".join(["1", "b0", trace[0], *trace[1], ".", ""])
                    aiger_check.check_witness(model, text)
                    traces += 1
                elif not any(reset in model.inputs for _, _, reset in model.latches):
                    aiger_check.check_certificate(model, self.reachable(model, header, lines, states))
                    proofs += 1
                for _ in range(5):  # certificates that are the model with something changed
                    changed = list(lines)
                    place = rng.randrange(len(changed))
                    changed[place] = " ".join(w if rng.random() < 0.6 else str(rng.randrange(2 * model.max_var + 2))
                                              for w in changed[place].split())
                    mapping = [f"{rng.randrange(2 * model.max_var + 2)} {rng.randrange(2 * model.max_var + 2)}"
                               for _ in range(rng.randint(1, 4))]
                    mapping = ["c", f"MAPPING {len(mapping)}"] + mapping if rng.random() < 0.5 else []
                    try:
                        aiger_check.check_certificate(model, aig("\n".join([header] + changed + mapping)))
                    except (Rejected, FormatError):
                        wrong += 1
                    else:
                        self.assertIsNone(trace, "an unsafe model was certified")
        self.assertGreater(min(traces, proofs, wrong), 50)

    @staticmethod
    def reachable(model, header, lines, states):
        """The model with "bad or not a reachable state" as bad signal."""
        gates, top = [], model.max_var

        def land(lits):
            nonlocal top
            result = 1
            for lit in lits:
                top += 1
                gates.append(f"{2 * top} {result} {lit}")
                result = 2 * top
            return result

        latches = [x[0] for x in model.latches]
        cubes = [land(lit ^ (value == "0") for lit, value in zip(latches, state)) for state in sorted(states)]
        outside = land(cube ^ 1 for cube in cubes)
        good = land([outside ^ 1, model.bad[0] ^ 1])
        words = header.split()
        words[1], words[5] = str(top), str(len(model.gates) + len(gates))
        place = len(model.inputs) + len(latches)
        return aig("\n".join([" ".join(words)] + lines[:place] + [str(good ^ 1)] + lines[place + 1:] + gates))


class CommandLine(unittest.TestCase):
    def run_main(self, *args):
        output = io.StringIO()
        with contextlib.redirect_stdout(output), builtin():
            code = aiger_check.main(list(args))
        self.assertEqual(output.getvalue().count("\n"), 1)
        return code

    def test_exit_codes(self):
        with tempfile.TemporaryDirectory() as folder:
            def file(name, text):
                path = os.path.join(folder, name)
                with open(path, "w") as out:
                    out.write(text)
                return path

            model = file("model.aag", Certificates.toggle)
            swap = file("swap.aag", aiger_text(Certificates.swap))
            proof = file("proof.aag", aiger_text(Certificates.swap_certificate))
            live = file("live.aag", "aag 1 0 1 0 0 0 0 1\n2 3\n1\n2\n")
            self.assertEqual(self.run_main("witness", model, file("good", "1\nb0\n0\n\n\n.\n")), 0)
            self.assertEqual(self.run_main("witness", model, file("short", "1\nb0\n0\n\n.\n")), 1)
            self.assertEqual(self.run_main("certificate", swap, proof), 0)
            self.assertEqual(self.run_main("certificate", swap, swap), 1)
            self.assertEqual(self.run_main("certificate", swap, file("junk", "junk")), 1)
            self.assertEqual(self.run_main("certificate", swap, live), 1)
            self.assertEqual(self.run_main("certificate", file("junk", "junk"), proof), 2)
            self.assertEqual(self.run_main("certificate", swap, os.path.join(folder, "missing")), 2)
            self.assertEqual(self.run_main("certificate", swap), 2)
            self.assertEqual(self.run_main("other", swap, proof), 2)


def aiger_text(text):
    return "\n".join(x.strip() for x in text.split("\n")) + "\n"


class TinySat(unittest.TestCase):
    def check_model(self, clauses, model):
        for clause in clauses:
            self.assertTrue(any(model[abs(l)] == (l > 0) for l in clause))

    def test_against_brute_force(self):
        rng = random.Random(7)
        answers = {True: 0, False: 0}
        for _ in range(300):
            n = rng.randint(3, 10)
            clauses = [[rng.choice((-1, 1)) * v for v in rng.sample(range(1, n + 1), 3)]
                       for _ in range(round(n * rng.uniform(3, 7)))]
            expected = any(all(any((bits >> abs(l) & 1) == (l > 0) for l in c) for c in clauses)
                           for bits in range(0, 2 << n, 2))
            model = tiny_sat.solve(n, clauses)
            self.assertEqual(model is not None, expected)
            answers[expected] += 1
            if model:
                self.check_model(clauses, model)
        self.assertGreater(min(answers.values()), 50)

    def test_edge_cases(self):
        self.assertEqual(tiny_sat.solve(0, []), [False])
        self.assertIsNone(tiny_sat.solve(1, [[]]))
        self.assertIsNone(tiny_sat.solve(2, [[1], [-1], [2]]))
        self.assertIsNotNone(tiny_sat.solve(2, [[1, -1], [2, 2]]))

    def test_pigeons(self):
        """n + 1 pigeons do not fit into n holes, n do; long enough for restarts and forgetting."""
        for pigeons, holes in ((7, 6), (7, 7)):
            at = lambda p, h: p * holes + h + 1
            clauses = [[at(p, h) for h in range(holes)] for p in range(pigeons)]
            clauses += [[-at(p, h), -at(q, h)] for h in range(holes) for p in range(pigeons) for q in range(p)]
            model = tiny_sat.solve(pigeons * holes, clauses)
            self.assertEqual(model is None, pigeons > holes)
            if model:
                self.check_model(clauses, model)


if __name__ == "__main__":
    unittest.main()
