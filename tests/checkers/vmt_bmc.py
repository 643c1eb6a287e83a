#!/usr/bin/env python3
"""Another reader of VMT-LIB: the shortest violation of a model's properties, by unrolling it with z3's Python module.

usage: vmt_bmc.py MODEL [STEPS]

It shares no code with Buttress. A symbol with a `:next` value gets a copy for each step, another symbol without arguments is an
input and gets one too; functions and sorts that are only declared stay what they are, uninterpreted and the same in every
step. Prints `step N: sat` for the first step at which some property fails, or that there is none up to STEPS (default 20).
Needs the package z3-solver. Not supported: maps and lambda, annotations other than those below.
"""

import re
import sys

import z3

TOKEN = re.compile(r'\|[^|]*\||"[^"]*"|;[^\n]*|[()]|[^\s()]+')


def expressions(text):
    """The top-level expressions of the file: strings and lists."""
    stack = [[]]
    for token in TOKEN.findall(text):
        if token.startswith(";"):
            continue
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return stack[0]


def show(expression):
    return expression if isinstance(expression, str) else "(" + " ".join(map(show, expression)) + ")"


class Model:
    """Declarations as text, the symbols without arguments, and what is annotated."""

    def __init__(self, text):
        self.declarations, self.symbols, self.current = [], [], {}
        self.annotated = {":init": [], ":trans": [], ":invar-property": []}
        for command in expressions(text):
            if command[0].startswith("set-") or command[0] == "assert":
                continue
            command = self.strip(command)
            if command[0] == "declare-const" or command[0] == "declare-fun" and command[2] == []:
                self.symbols.append(command[1])
            self.declarations.append(show(command))

    def strip(self, expression):
        """The expression without its annotations, which are noted."""
        if isinstance(expression, str):
            return expression
        if expression[:1] != ["!"]:
            return [self.strip(part) for part in expression]
        body = self.strip(expression[1])
        for name, value in zip(expression[2::2], expression[3::2]):
            if name == ":next":
                self.current[show(value)] = show(body)
            else:
                self.annotated.setdefault(name, []).append(show(body))
        return body

    def terms(self):
        """The symbols, and the conjunctions of what is annotated as start, step and property."""
        wanted = [self.annotated[kind] for kind in (":init", ":trans", ":invar-property")]
        formulas = [formula for kind in wanted for formula in kind]
        lines = [*self.declarations]
        lines += [f"(declare-fun formula!{n} () Bool)(assert (= formula!{n} {f}))" for n, f in enumerate(formulas)]
        lines += [f"(assert (= {symbol} {symbol}))" for symbol in self.symbols]
        read = list(z3.parse_smt2_string("\n".join(lines)))
        bodies = iter(equation.arg(1) for equation in read)
        parts = [z3.And([next(bodies) for _ in kind]) for kind in wanted]
        return dict(zip(self.symbols, bodies)), *parts


def main():
    path, steps = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20
    with open(path) as file:
        model = Model(file.read())
    symbols, start, step, good = model.terms()

    def at(formula, time):
        def copy(name, term):
            base, when = (model.current[name], time + 1) if name in model.current else (name, time)
            return term, z3.Const(f"{base}@{when}", term.sort())

        return z3.substitute(formula, *[copy(name, term) for name, term in symbols.items()])

    solver = z3.Solver()
    solver.set("timeout", 60_000)
    solver.add(at(start, 0))
    for time in range(steps + 1):
        answer = solver.check(*[z3.Not(at(good, time))])
        if answer != z3.unsat:
            print(f"step {time}: {answer}")
            return
        solver.add(at(step, time))
    print(f"no violation up to step {steps}")


main()
