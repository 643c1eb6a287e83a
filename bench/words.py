"""Prints a BTOR2 design for measurements: python3 bench/words.py registers WORDS | python3 bench/words.py products WORDS

registers: WORDS registers of 32 bits, each the sum of two others or itself; one property.
products:  WORDS products of 64 bits of registers, summed up; one property. A product is some 28,000 gates.
"""

import random
import sys

last = 0


def line(text):
    global last
    last += 1
    print(last, text)
    return last


def registers(count):
    bit, word = line("sort bitvec 1"), line("sort bitvec 32")
    enable, zero, one = line(f"input {bit} enable"), line(f"zero {word}"), line(f"one {word}")
    states = [line(f"state {word} r{i}") for i in range(count)]
    for i, state in enumerate(states):
        line(f"init {word} {state} {one if i == 0 else zero}")
    for state in states:
        total = line(f"add {word} {random.choice(states)} {random.choice(states)}")
        kept = line(f"ite {word} {enable} {total} {state}")
        line(f"next {word} {state} {kept}")
    all_of = states[0]
    for state in states[1:]:
        all_of = line(f"and {word} {all_of} {state}")
    line(f"bad {line(f'redand {bit} {all_of}')} all_ones")


def products(count):
    bit, word = line("sort bitvec 1"), line("sort bitvec 64")
    one = line(f"one {word}")
    states = [line(f"state {word} r{i}") for i in range(16)]
    total = states[0]
    for _ in range(count):
        # Odd, so that no two products are the same.
        factor = line(f"constd {word} {random.getrandbits(62) | 1}")
        mixed = line(f"xor {word} {random.choice(states)} {factor}")
        product = line(f"mul {word} {mixed} {random.choice(states)}")
        total = line(f"add {word} {total} {product}")
    for state in states:
        line(f"init {word} {state} {one}")
        line(f"next {word} {state} {total}")
    line(f"bad {line(f'redand {bit} {total}')} all_ones")


if len(sys.argv) != 3 or sys.argv[1] not in ("registers", "products"):
    sys.exit(__doc__)
random.seed(1)
{"registers": registers, "products": products}[sys.argv[1]](int(sys.argv[2]))
