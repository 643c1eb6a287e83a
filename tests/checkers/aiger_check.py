"""Checks the evidence of a hardware model checker: AIGER witnesses and AIGER certificates.

    python3 aiger_check.py witness MODEL WITNESS          a trace into a bad state, or one that goes round
    python3 aiger_check.py certificate MODEL CERTIFICATE  a witness circuit of a safe or live model

Exit code 0: accepted; 1: rejected (ill-formed evidence included); 2: usage, unreadable file or model. One line
on the standard output says why.

A witness is accepted if its initial latch values agree with the resets, all constraints are 1 in every
step, the last one included, and the bad signal is 1 in the last step. Values may be x; the simulation is
three-valued, and every judged signal must be definitely 1. So each way to fill in the x that agrees with
the resets gives a real trace, and since resets have no cycles there is one.

A certificate of the model M is a circuit W. Some inputs and latches of W stand for literals of M; K is the
set of mapped latches (in W: those that are mapped; in M: those that anything is mapped to). With C
constraints, R reset, F next-state, P "no bad signal", primes for W, and s and t two time points, these must
be valid:

    reset       R_s{K} & C_s               ->  R'_s{K} & C'_s
    transition  F_st{K} & C_s & C_t & C'_s ->  F'_st{K} & C'_t
    safety      C_s & C'_s & P'_s          ->  P_s
    base        R'_s{all} & C'_s           ->  P'_s
    induction   F'_st{all} & C'_s & C'_t & P'_s -> P'_t

and the resets of W must be stratified: no latch depends on itself, but one reset to its own literal is
just uninitialised. Why this is sound: give W beside any run of M the values of M at the mapped leaves, any
values at its other inputs, and let its other latches follow R' and F'. By reset and transition this is a
run of W; by base and induction P' holds in it; by safety P holds in M. A mapping is only ever used to
substitute a leaf of W, so it assumes nothing about M.

A mapping may also say that a gate (or constant) of W stands for a literal of M. Call E the conjunction of
these equalities. With U the unmapped latches of W, two more checks make E an invariant of the runs above,
after which E_s joins the premises of transition and safety:

    mapping at reset       R_s{K} & C_s & R'_s{U}                       ->  E_s
    mapping at transition  F_st{K} & C_s & C_t & C'_s & F'_st{U} & E_s  ->  E_t

A gate that equals the literal of M only for a clever choice of W's free inputs is therefore rejected.

Liveness. A justice property holds if on each infinite run one of its signals, or of fairness, is met only
finitely often. q is such a signal negated. A signal of W is about two states: q'_ij is its value in state i,
where literals that the circuit names (INTERVENTION, symbols with <, or else next-state literals) are replaced
by what stands for them in state j. Q' is the disjunction of the signals of W of one property, own ones and
fairness; the first ones stand for those of M. With C' and P' in each of the states s, t, u:

    liveness    F'_st & C_s & C_t & E          ->  (q'_st -> q_s) for each q of M; q' is true where W has none
    extension   F'_st & Q'_st                  ->  some q'_st that stands for a signal of M
    decrease    F'_st                          ->  Q'_ts
    closure     F'_st & Q'_su                  ->  Q'_tu
    consistency F'_st & F'_tu & Q'_st & Q'_tu  ->  (q'_st -> q'_tu) for each q of W

Why this is sound: by decrease and closure, Q' holds from each state of a run of W to every earlier one. After
some time each next state is one of the earlier ones, as there are finitely many; so Q' holds from each state
to its next, by consistency one and the same q' for ever, by extension one that stands for a signal of M, which by
liveness is never met again.

SAT solver: python-sat if it can be imported, else tiny_sat; AIGER_CHECK_SAT=builtin forces the latter.
"""

import os
import re
import sys


class FormatError(Exception):
    """The file does not follow its format."""


class Rejected(Exception):
    """The evidence does not hold."""


# ---------------------------------------------------------------------------------------------- AIGER files

class Aig:
    """A circuit. Literals are AIGER's: 2v and 2v+1, with 0 false and 1 true."""

    def __init__(self):
        self.max_var = 0
        self.inputs = []  # literals
        self.latches = []  # (literal, next, reset)
        self.outputs, self.bad, self.constraints = [], [], []
        self.justice, self.fairness = [], []
        self.gates = []  # (literal, left, right), operands before their users
        self.symbols = []  # (kind, index, name)
        self.comments = []  # lines

    def bads(self):
        """The bad signals: outputs stand in where there is neither a bad nor a justice section."""
        return self.bad if self.bad or self.justice else self.outputs


def numbers(line, least, most):
    if not re.fullmatch(rb"[0-9]+( +[0-9]+)*", line):
        raise FormatError(f"expected numbers, found {line[:40]!r}")
    found = [int(word) for word in line.split()]
    if not least <= len(found) <= most:
        raise FormatError(f"wrong number of fields in {line[:40]!r}")
    return found


def parse_aiger(data):
    """Reads AIGER 1.9, ASCII or binary, from bytes."""
    pos = 0

    def line():
        nonlocal pos
        if pos >= len(data):
            raise FormatError("the file ends too early")
        end = data.find(b"\n", pos)
        end = len(data) if end < 0 else end
        text, pos = data[pos:end], end + 1
        return text.rstrip()

    def delta():  # seven bits a byte, least significant first; the top bit says that more follow
        nonlocal pos
        value = shift = 0
        while True:
            if pos >= len(data):
                raise FormatError("the file ends within the gates")
            byte = data[pos]
            pos += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    header = line()
    binary = header.startswith(b"aig ")
    if not binary and not header.startswith(b"aag "):
        raise FormatError("not an AIGER file")
    m, i, l, o, a, b, c, j, f = (numbers(header[4:], 5, 9) + [0] * 4)[:9]
    if m < i + l + a or (binary and m != i + l + a):
        raise FormatError("the header's numbers contradict each other")
    aig = Aig()
    aig.max_var = m

    if binary:
        aig.inputs = [2 * (k + 1) for k in range(i)]
    else:
        aig.inputs = [numbers(line(), 1, 1)[0] for _ in range(i)]
    for k in range(l):
        own = [2 * (i + k + 1)] if binary else []
        fields = own + numbers(line(), 2 - len(own), 3 - len(own))
        aig.latches.append(tuple((fields + [0])[:3]))  # reset to 0 where the line does not say
    aig.outputs = [numbers(line(), 1, 1)[0] for _ in range(o)]
    aig.bad = [numbers(line(), 1, 1)[0] for _ in range(b)]
    aig.constraints = [numbers(line(), 1, 1)[0] for _ in range(c)]
    sizes = [numbers(line(), 1, 1)[0] for _ in range(j)]
    aig.justice = [[numbers(line(), 1, 1)[0] for _ in range(size)] for size in sizes]
    aig.fairness = [numbers(line(), 1, 1)[0] for _ in range(f)]
    for k in range(a):
        if binary:
            gate = 2 * (i + l + k + 1)
            left = gate - delta()
            right = left - delta()
            if left >= gate or right < 0:
                raise FormatError(f"gate {gate} uses what is not before it")
            aig.gates.append((gate, left, right))
        else:
            aig.gates.append(tuple(numbers(line(), 3, 3)))

    while pos < len(data):
        text = line()
        if text == b"c":
            aig.comments = [x.rstrip() for x in data[pos:].decode("utf-8", "replace").split("\n")]
            break
        symbol = re.fullmatch(rb"([ilobcjf])([0-9]+)(?: (.*))?", text)
        if not symbol:
            raise FormatError(f"neither a symbol nor a comment: {text[:40]!r}")
        kind, index = symbol[1].decode(), int(symbol[2])
        if index >= dict(i=i, l=l, o=o, b=b, c=c, j=j, f=f)[kind]:
            raise FormatError(f"symbol for {kind}{index}, which is not there")
        aig.symbols.append((kind, index, (symbol[3] or b"").decode("utf-8", "replace")))

    validate(aig)
    return aig


def validate(aig):
    """Every variable is defined at most once, every used one exactly once; sorts the gates."""
    defined = bytearray(aig.max_var + 1)
    defined[0] = 1
    for lit in aig.inputs + [x[0] for x in aig.latches] + [x[0] for x in aig.gates]:
        if lit & 1 or lit >> 1 > aig.max_var or defined[lit >> 1]:
            raise FormatError(f"literal {lit} cannot be defined here")
        defined[lit >> 1] = 1
    used = [aig.outputs, aig.bad, aig.constraints, aig.fairness, *aig.justice]
    used += [x[1:] for x in aig.latches] + [x[1:] for x in aig.gates]
    for group in used:
        for lit in group:
            if lit >> 1 > aig.max_var or not defined[lit >> 1]:
                raise FormatError(f"literal {lit} is used but not defined")
    operands = {gate >> 1: (left >> 1, right >> 1) for gate, left, right in aig.gates}
    rank, cyclic = topological(operands)
    if cyclic:
        raise FormatError(f"gate {2 * cyclic} depends on itself")
    aig.gates.sort(key=lambda gate: rank[gate[0] >> 1])


def topological(successors):
    """(rank of every node after its successors, None), or (None, a node that reaches itself)."""
    rank, active = {}, set()
    for root in successors:
        stack = [root]
        while stack:
            node = stack[-1]
            if node in rank or node not in successors:
                stack.pop()
            elif node in active:  # back from its successors
                active.discard(node)
                rank[node] = len(rank)
                stack.pop()
            else:
                active.add(node)
                for succ in successors[node]:
                    if succ in active:
                        return None, succ
                    stack.append(succ)
    return rank, None


def check_stratified(aig, whose):
    """The resets may depend on each other, through gates too, but not in a cycle."""
    successors = {gate >> 1: (left >> 1, right >> 1) for gate, left, right in aig.gates}
    for lit, _, reset in aig.latches:
        if reset != lit:  # reset to its own literal: uninitialised
            successors[lit >> 1] = (reset >> 1,)
    _, cyclic = topological(successors)
    if cyclic:
        raise Rejected(f"stratification: the resets of the {whose} have a cycle through literal {2 * cyclic}")


# ------------------------------------------------------------------------------------------------ witnesses

def simulate(aig, inputs, latches):
    """Three-valued simulation of one step; returns a function from literals to '0', '1' or 'x'."""
    flip = {"0": "1", "1": "0", "x": "x"}
    value = dict(zip([0] + aig.inputs + [x[0] for x in aig.latches], ["0", *inputs, *latches]))

    def at(lit):
        return flip[value[lit ^ 1]] if lit & 1 else value[lit]

    for gate, left, right in aig.gates:
        pair = at(left) + at(right)
        value[gate] = "0" if "0" in pair else "1" if pair == "11" else "x"
    return at


def check_witness(model, text):
    lines = [x.strip() for x in text.split("\n") if not x.startswith("c")]
    while lines and not lines[0]:
        lines.pop(0)
    if not lines or lines[0] != "1":
        raise Rejected("the file does not claim a trace: its first line is not 1")
    prop = re.fullmatch(r"([boj])([0-9]+)", lines[1]) if len(lines) > 1 else None
    if not prop:
        raise Rejected("the second line does not name a property")
    target = None if prop[1] == "j" else find_property(model, prop[0])
    if target is None and int(prop[2]) >= len(model.justice):
        raise Rejected(f"the model has no justice property {prop[0]}")
    # A model without latches or inputs has empty lines here, so those count.
    if "." not in lines:
        raise Rejected("the final dot is missing")
    dot = lines.index(".")
    if any(lines[dot + 1:]):
        raise Rejected("something follows the final dot")
    if dot < 4:
        raise Rejected("there is no step")
    check_stratified(model, "model")

    state = check_values(lines[2], len(model.latches), "initial state")
    signals = [] if target is not None else model.justice[int(prop[2])] + model.fairness
    states, last_met = [], [-1] * len(signals)
    for step, values in enumerate(lines[3:dot]):
        states.append(state)
        at = simulate(model, check_values(values, len(model.inputs), f"step {step}"), state)
        if step == 0:
            for k, (lit, _, reset) in enumerate(model.latches):
                if reset != lit and state[k] not in ("x", at(reset)):
                    raise Rejected(f"latch {k} starts with {state[k]}, its reset value is {at(reset)}")
        for k, lit in enumerate(model.constraints):
            if at(lit) != "1":
                raise Rejected(f"constraint {k} is {at(lit)} in step {step}")
        last_met = [step if at(lit) == "1" else before for lit, before in zip(signals, last_met)]
        state = "".join(at(x[1]) for x in model.latches)
    if target is None:
        return check_round(prop[0], states, state, last_met)
    if at(target) != "1":
        raise Rejected(f"{prop[0]} is {at(target)} in the last step, {step}")
    return f"{prop[0]} is violated in step {step}"


def check_round(name, states, after, last_met):
    """After the last step comes a step that was there before, and each signal holds between the two."""
    if "x" in after or after not in states:
        raise Rejected("the state after the last step is none that the trace was in before")
    back = states.index(after)
    for k, step in enumerate(last_met):
        if step < back:
            raise Rejected(f"signal {k} of {name} does not hold from step {back} on")
    return f"{name} is violated, round and round from step {back}"


def check_values(line, count, what):
    if len(line) != count or line.strip("01x"):
        raise Rejected(f"{what}: expected {count} values 0, 1 or x")
    return line


def find_property(model, name):
    """The bad signal b<i>; or o<i>, or b<i>, where outputs stand in for a missing bad section."""
    kind, index = name[0], int(name[1:])
    bads = model.bads()
    if index >= len(bads) or (kind == "o" and model.bad):
        raise Rejected(f"the model has no bad signal {name}")
    return bads[index]


# ------------------------------------------------------------------------------- validity of circuit formulas

def sat_solver():
    """A function (number of variables, clauses) -> None or a model indexed by variable."""
    if os.environ.get("AIGER_CHECK_SAT") != "builtin":
        try:
            from pysat.solvers import Solver, SolverNames
        except ImportError:
            pass
        else:
            name = "cadical153" if hasattr(SolverNames, "cadical153") else "glucose3"

            def external(num_vars, clauses):
                with Solver(name=name, bootstrap_with=clauses) as solver:
                    if not solver.solve():
                        return None
                    true = {lit for lit in solver.get_model() if lit > 0}
                return [v in true for v in range(num_vars + 1)]
            return external
    from tiny_sat import solve
    return solve


class Formula:
    """A growing and-inverter graph with structural hashing; its literals are like AIGER's."""

    def __init__(self):
        self.nodes = [None]  # by variable: None for the constant and free variables, else the two operands
        self.table = {}

    def free(self):
        self.nodes.append(None)
        return 2 * len(self.nodes) - 2

    def land(self, a, b):
        if a > b:
            a, b = b, a
        if a == 0 or a ^ b == 1:
            return 0
        if a == 1 or a == b:
            return b
        lit = self.table.get((a, b))
        if lit is None:
            lit = self.table[a, b] = self.free()
            self.nodes[-1] = (a, b)
        return lit

    def iff(self, a, b):
        return self.land(self.land(a, b ^ 1) ^ 1, self.land(a ^ 1, b) ^ 1)

    def frame(self, aig, leaf):
        """One time point of the circuit: a function from its literals to ours. leaf(v) gives the value of
        the input or latch variable v."""
        value = [0] * (aig.max_var + 1)
        for lit in aig.inputs + [x[0] for x in aig.latches]:
            value[lit >> 1] = leaf(lit >> 1)
        for gate, a, b in aig.gates:
            value[gate >> 1] = self.land(value[a >> 1] ^ (a & 1), value[b >> 1] ^ (b & 1))
        return lambda lit: value[lit >> 1] ^ (lit & 1)

    def prove(self, check, premises, goals):
        """Rejects unless the premises imply all goals, pairs of what it says and a literal."""
        goals = [(what, lit) for what, lit in goals if lit != 1]
        if not goals or 0 in premises:
            return
        number = {}  # our variables -> the solver's, for the cone of the formula (never the constant)
        lits = [lit for lit in premises if lit != 1] + [lit for _, lit in goals]
        stack = [lit >> 1 for lit in lits if lit > 1]
        clauses = []
        while stack:
            v = stack.pop()
            if v in number:
                continue
            number[v] = len(number) + 1
            if self.nodes[v]:
                stack += [self.nodes[v][0] >> 1, self.nodes[v][1] >> 1]

        def dimacs(lit):
            return -number[lit >> 1] if lit & 1 else number[lit >> 1]

        for v in number:
            if self.nodes[v]:
                g, a, b = dimacs(2 * v), dimacs(self.nodes[v][0]), dimacs(self.nodes[v][1])
                clauses += [[-g, a], [-g, b], [g, -a, -b]]
        clauses += [[dimacs(lit)] for lit in premises if lit != 1]
        if all(lit != 0 for _, lit in goals):  # a goal that is constantly false needs no clause
            clauses.append([-dimacs(lit) for _, lit in goals])
        found = sat_solver()(len(number), clauses)
        if found is None:
            return
        for what, lit in goals:
            if lit == 0 or found[number[lit >> 1]] == bool(lit & 1):
                raise Rejected(f"{check}: {what}")
        raise Rejected(check)  # not reached: one goal is false in every model of the clauses


# --------------------------------------------------------------------------------------------- certificates

def read_mapping(model, cert):
    """({leaf variable of W: literal of M}, [(other literal of W, literal of M)])."""
    pairs, explicit = [], False
    for kind, index, name in cert.symbols:
        if kind in "il" and name.startswith("="):
            explicit = True
            target = re.fullmatch(r"= *([0-9]+)", name)
            if not target:
                raise Rejected(f"mapping: symbol {kind}{index} does not name a literal")
            pairs.append((cert.inputs[index] if kind == "i" else cert.latches[index][0], int(target[1])))
    for k, text in enumerate(cert.comments):
        block = re.fullmatch(r"MAPPING +([0-9]+)", text)
        if block:
            explicit = True
            rows = [re.fullmatch(r"([0-9]+) +([0-9]+)", x) for x in cert.comments[k + 1:k + 1 + int(block[1])]]
            if len(rows) < int(block[1]) or not all(rows):
                raise Rejected("mapping: the MAPPING block does not have the lines it promises")
            pairs += [(int(row[1]), int(row[2])) for row in rows]
    if not explicit:
        pairs = list(zip(cert.inputs, model.inputs))
        pairs += [(w[0], m[0]) for w, m in zip(cert.latches, model.latches)]

    def known(aig):
        return {0} | {lit >> 1 for lit in aig.inputs} | {x[0] >> 1 for x in aig.latches + aig.gates}

    w_known, m_known = known(cert), known(model)
    leaves = {lit >> 1 for lit in cert.inputs} | {x[0] >> 1 for x in cert.latches}
    mapped, others = {}, []
    for w, m in pairs:
        if w >> 1 not in w_known or m >> 1 not in m_known:
            raise Rejected(f"mapping: {w} to {m} is about a literal that is not there")
        if w >> 1 not in leaves:
            others.append((w, m))
        elif mapped.setdefault(w >> 1, m ^ (w & 1)) != m ^ (w & 1):
            raise Rejected(f"mapping: literal {w & ~1} of the certificate stands for two literals of the model")
    return mapped, others


def read_property(model, cert):
    """(names of the certified properties or None for all, their bad literals, numbers of justice properties)."""
    names = []
    for text in cert.comments:
        named = re.match(r"WITNESS +([boj][0-9]+)(?:\s|$)", text)
        if named and named[1] not in names:
            names.append(named[1])
    if not names:
        return None, model.bads(), list(range(len(model.justice)))
    live = [int(name[1:]) for name in names if name[0] == "j"]
    if any(j >= len(model.justice) for j in live):
        raise Rejected(f"the model has no justice property j{max(live)}")
    return names, [find_property(model, name) for name in names if name[0] != "j"], live


def read_interventions(cert):
    """[(what is read of the second state, the literal that it replaces)]."""
    pairs = []
    for k, text in enumerate(cert.comments):
        block = re.fullmatch(r"INTERVENTION +([0-9]+)", text)
        if block:
            rows = [re.fullmatch(r"([0-9]+) +([0-9]+)", x) for x in cert.comments[k + 1:k + 1 + int(block[1])]]
            if len(rows) < int(block[1]) or not all(rows):
                raise Rejected("interventions: the block does not have the lines it promises")
            pairs = [(int(row[1]), int(row[2])) for row in rows]
            break
    else:
        for kind, index, name in cert.symbols:
            target = re.fullmatch(r"< *([0-9]+)", name)
            if kind in "il" and name.startswith("<"):
                if not target:
                    raise Rejected(f"interventions: symbol {kind}{index} does not name a literal")
                pairs.append((cert.inputs[index] if kind == "i" else cert.latches[index][0], int(target[1])))
    if not pairs:
        return [(lit, following) for lit, following, _ in cert.latches if following > 1]
    known = {lit >> 1 for lit in cert.inputs} | {x[0] >> 1 for x in cert.latches + cert.gates}
    for second, replaced in pairs:
        if second >> 1 not in known | {0} or replaced >> 1 not in known:
            raise Rejected(f"interventions: {second} for {replaced} is about a literal that cannot be replaced")
    return pairs


def conjunction(what, lits):
    return [(f"{what} {k}", lit) for k, lit in enumerate(lits)]


class Certificate:
    """The checks. A time point of a circuit is a function from its literals to those of a formula."""

    def __init__(self, model, cert, mapped, others, bads):
        self.model, self.cert, self.mapped, self.others, self.bads = model, cert, mapped, others, bads
        images = {m >> 1 for m in mapped.values()} | {m >> 1 for _, m in others}
        self.k_model = [x for x in model.latches if x[0] >> 1 in images]
        self.k_cert = [x for x in cert.latches if x[0] >> 1 in mapped]
        self.unmapped = [x for x in cert.latches if x[0] >> 1 not in mapped]

    # Time points. A latch that a premise sets to a constant or to a next state gets that value at once
    # rather than by an equation, which says the same and leaves less to the solver.

    @staticmethod
    def at_start(f, aig, latches, leaf):
        """A time point with the resets of these latches, and premises for those it cannot put in."""
        constant = {lit >> 1: reset for lit, _, reset in latches if reset < 2}
        at = f.frame(aig, lambda v: constant[v] if v in constant else leaf(v))
        return at, [f.iff(at(lit), at(reset)) for lit, _, reset in latches if reset > 1 and reset != lit]

    @staticmethod
    def after(f, aig, at, latches, leaf):
        """A time point where these latches have the next-state values of the time point `at`."""
        step = {lit >> 1: at(following) for lit, following, _ in latches}
        return f.frame(aig, lambda v: step[v] if v in step else leaf(v))

    def leaf(self, f, m):
        """Leaves of W beside the time point m of M: substituted where mapped, else free."""
        return lambda v: m(self.mapped[v]) if v in self.mapped else f.free()

    def equalities(self, f, w, m):
        return [(f"literal {x} of the certificate is not literal {y} of the model", f.iff(w(x), m(y)))
                for x, y in self.others]

    def constraints(self, w):
        return conjunction("the certificate fails constraint", map(w, self.cert.constraints))

    def safe(self, w):
        return [w(lit) ^ 1 for lit in self.cert.bads()]

    # The checks, named as in the head of this file.

    def reset(self):
        f = Formula()
        m, premises = self.at_start(f, self.model, self.k_model, lambda v: f.free())
        premises += map(m, self.model.constraints)
        w = f.frame(self.cert, self.leaf(f, m))
        goals = [(f"the value of the certificate's latch {lit} is not its reset value", f.iff(w(lit), w(reset)))
                 for lit, _, reset in self.k_cert]
        f.prove("reset", premises, goals + self.constraints(w))
        if self.others:
            w, more = self.at_start(f, self.cert, self.unmapped, self.leaf(f, m))
            f.prove("mapping at reset", premises + more, self.equalities(f, w, m))

    def transition(self):
        f = Formula()
        m_s = f.frame(self.model, lambda v: f.free())
        w_s = f.frame(self.cert, self.leaf(f, m_s))
        m_t = self.after(f, self.model, m_s, self.k_model, lambda v: f.free())
        w_t = f.frame(self.cert, self.leaf(f, m_t))
        premises = [*map(m_s, self.model.constraints), *map(m_t, self.model.constraints),
                    *map(w_s, self.cert.constraints), *(lit for _, lit in self.equalities(f, w_s, m_s))]
        goals = [(f"the value of the certificate's latch {lit} is not its next-state value",
                  f.iff(w_t(lit), w_s(following))) for lit, following, _ in self.k_cert]
        f.prove("transition", premises, goals + self.constraints(w_t))
        if self.others:
            w_t = self.after(f, self.cert, w_s, self.unmapped, self.leaf(f, m_t))
            f.prove("mapping at transition", premises, self.equalities(f, w_t, m_t))

    def safety(self):
        f = Formula()
        m = f.frame(self.model, lambda v: f.free())
        w = f.frame(self.cert, self.leaf(f, m))
        premises = [*map(m, self.model.constraints), *map(w, self.cert.constraints), *self.safe(w),
                    *(lit for _, lit in self.equalities(f, w, m))]
        goals = [(f"the model's bad literal {bad} is not excluded", m(bad) ^ 1) for bad in self.bads]
        f.prove("safety", premises, goals)

    def base(self):
        f = Formula()
        w, premises = self.at_start(f, self.cert, self.cert.latches, lambda v: f.free())
        premises += map(w, self.cert.constraints)
        f.prove("base", premises, conjunction("an initial state has the certificate's bad signal", self.safe(w)))

    def induction(self):
        f = Formula()
        w_s = f.frame(self.cert, lambda v: f.free())
        w_t = self.after(f, self.cert, w_s, self.cert.latches, lambda v: f.free())
        premises = [*map(w_s, self.cert.constraints), *map(w_t, self.cert.constraints), *self.safe(w_s)]
        f.prove("induction", premises, conjunction("a safe state's successor has bad signal", self.safe(w_t)))


class Ranking:
    """The checks of liveness. An edge is a function from literals of W to those of a formula."""

    def __init__(self, safety, justice, interventions):
        self.base, self.justice, self.interventions = safety, justice, interventions
        self.model, self.cert = safety.model, safety.cert
        self.every = [lit for j in justice for lit in self.own(j)] + self.cert.fairness

    def own(self, j):
        return self.cert.justice[j] if j < len(self.cert.justice) else []

    def signals(self, j):
        return self.own(j) + self.cert.fairness

    def edge(self, f, here, there):
        """W in the state `here`, where what is replaced has the values of the state `there`."""
        value = {0: 0}
        for lit in self.cert.inputs + [x[0] for x in self.cert.latches]:
            value[lit >> 1] = here(lit)
        replaced = {old >> 1: there(second) ^ (old & 1) for second, old in self.interventions}
        value.update(replaced)
        for gate, a, b in self.cert.gates:
            if gate >> 1 not in replaced:
                value[gate >> 1] = f.land(value[a >> 1] ^ (a & 1), value[b >> 1] ^ (b & 1))
        return lambda lit: value[lit >> 1] ^ (lit & 1)

    @staticmethod
    def some(f, lits):
        none = 1
        for lit in lits:
            none = f.land(none, lit ^ 1)
        return none ^ 1

    def ranked(self, f, edge):
        """Q' of each property."""
        return [self.some(f, [edge(q) ^ 1 for q in self.signals(j)]) for j in self.justice]

    def states(self, f, count):
        """The first `count` states of a path of W, and premises about each."""
        path = [f.frame(self.cert, lambda v: f.free())]
        while len(path) < count:
            path.append(self.base.after(f, self.cert, path[-1], self.cert.latches, lambda v: f.free()))
        return path, [lit for w in path for lit in self.premises(w)]

    def premises(self, w):
        return [*map(w, self.cert.constraints), *self.base.safe(w)]

    def liveness(self):
        # Mapped leaves of W have their values by substitution, so the step of W is said by equations.
        f = Formula()
        m_s, m_t = (f.frame(self.model, lambda v: f.free()) for _ in range(2))
        w_s, w_t = (f.frame(self.cert, self.base.leaf(f, m)) for m in (m_s, m_t))
        premises = [*map(m_s, self.model.constraints), *map(m_t, self.model.constraints)]
        premises += self.premises(w_s) + self.premises(w_t)
        for w, m in ((w_s, m_s), (w_t, m_t)):
            premises += [lit for _, lit in self.base.equalities(f, w, m)]
        premises += [f.iff(w_t(lit), w_s(following)) for lit, following, _ in self.cert.latches]
        edge = self.edge(f, w_s, w_t)
        goals = []
        groups = [(f"j{j}", self.model.justice[j], self.own(j)) for j in self.justice]
        for name, signals, own in [("fairness", self.model.fairness, self.cert.fairness), *groups]:
            for k, lit in enumerate(signals):
                met = edge(own[k]) if k < len(own) else 0
                goals.append((f"signal {k} of {name} is met unexpectedly", f.land(met ^ 1, m_s(lit)) ^ 1))
        f.prove("liveness", premises, goals)

    def extension(self):
        f = Formula()
        (s, t), premises = self.states(f, 2)
        edge = self.edge(f, s, t)
        goals = []
        for j in self.justice:
            mapped = self.own(j)[:len(self.model.justice[j])] + self.cert.fairness[:len(self.model.fairness)]
            some = self.some(f, [edge(q) ^ 1 for q in mapped])
            goals.append((f"no signal of j{j} in the model is behind the certificate's", some))
        f.prove("extension", premises + self.ranked(f, edge), goals)

    def decrease(self):
        f = Formula()
        (s, t), premises = self.states(f, 2)
        goals = conjunction("a step does not decrease the rank of property", self.ranked(f, self.edge(f, t, s)))
        f.prove("decrease", premises, goals)

    def closure(self):
        f = Formula()
        (s, t), premises = self.states(f, 2)
        u = f.frame(self.cert, lambda v: f.free())
        premises += self.premises(u) + self.ranked(f, self.edge(f, s, u))
        goals = conjunction("a step leaves the rank of property", self.ranked(f, self.edge(f, t, u)))
        f.prove("closure", premises, goals)

    def consistency(self):
        f = Formula()
        (s, t, u), premises = self.states(f, 3)
        first, second = self.edge(f, s, t), self.edge(f, t, u)
        premises += self.ranked(f, first) + self.ranked(f, second)
        goals = [f.land(first(q) ^ 1, second(q)) ^ 1 for q in self.every]
        f.prove("consistency", premises, conjunction("a step changes signal", goals))


def check_certificate(model, cert):
    names, bads, justice = read_property(model, cert)
    leaves = cert.inputs + [x[0] for x in cert.latches]
    if leaves != [2 * (k + 1) for k in range(len(leaves))]:
        raise Rejected("format: inputs and then latches of a certificate must be numbered consecutively")
    check_stratified(model, "model")
    check_stratified(cert, "certificate")
    mapped, others = read_mapping(model, cert)
    if not model.bads() and not model.justice:
        return "the model has no property, so there is nothing to prove"
    checks = Certificate(model, cert, mapped, others, bads)
    for check in (checks.reset, checks.transition, checks.safety, checks.base, checks.induction):
        check()
    if justice:
        ranking = Ranking(checks, justice, read_interventions(cert))
        for check in (ranking.liveness, ranking.extension, ranking.decrease, ranking.closure, ranking.consistency):
            check()
    count = len(model.bads()) + len(model.justice)
    if names and count > 1 and len(names) < count:
        return f"the model is right for {', '.join(names)} only, of its {count} properties"
    return "the model is live" if justice and not bads else "the model is safe"


# --------------------------------------------------------------------------------------------- command line

def main(args):
    if len(args) != 3 or args[0] not in ("witness", "certificate"):
        print("usage: aiger_check.py (witness | certificate) MODEL EVIDENCE")
        return 2
    try:
        data = []
        for path in args[1:]:
            with open(path, "rb") as file:
                data.append(file.read())
        model = parse_aiger(data[0])
    except (OSError, FormatError) as error:
        print(f"unreadable: {error}")
        return 2
    try:
        if args[0] == "witness":
            print("accepted:", check_witness(model, data[1].decode("ascii", "replace")))
        else:
            print("accepted:", check_certificate(model, parse_aiger(data[1])))
        return 0
    except (Rejected, FormatError) as error:
        print(f"rejected: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
