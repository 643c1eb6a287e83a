"""Replays a BTOR2 witness: a second parser, a second simulator, no line shared with the first.

    python3 btor2_check.py MODEL WITNESS

Exit code 0: accepted; 1: rejected (ill-formed evidence included); 2: usage, unreadable file or model, or
liveness, which is not checked. One line on the standard output says why.

A witness is accepted if the values it gives to states at the start are those of their `init`, all constraints are 1 in
every step, the last one included, and the bad property that it names is 1 in the last step. A value that the witness
does not give is 0, and so is a digit x. Words are Python's integers, arrays are dictionaries with a default.
"""

import sys


class FormatError(Exception):
    """The file does not follow its format."""


class Rejected(Exception):
    """The evidence does not hold."""


class OutOfScope(Exception):
    """Nothing this checker could judge."""


# ---------------------------------------------------------------------------------------------- models

class Model:
    def __init__(self):
        self.sorts = {}  # line -> ("bitvec", width) or ("array", index sort, element sort)
        self.nodes = {}  # line -> (operator, sort, operands, numbers)
        self.inputs, self.states = [], []  # lines, in the order of the file
        self.init, self.next = {}, {}  # state -> node
        self.bad, self.constraints = [], []
        self.justice, self.fairness = [], []


ARITY = {name: 1 for name in "not inc dec neg redand redor redxor slice sext uext".split()}
ARITY.update({name: 2 for name in (
    "iff implies eq neq ugt ugte ult ulte sgt sgte slt slte and or xor nand nor xnor rol ror sll sra srl add mul udiv "
    "sdiv urem srem smod sub uaddo saddo sdivo umulo smulo usubo ssubo concat read").split()})
ARITY.update(ite=3, write=3)
NUMBERS = {"slice": 2, "sext": 1, "uext": 1}
CONSTANTS = {"const": 2, "constd": 10, "consth": 16}


def parse_model(text):
    model = Model()
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if not words or words[0].startswith(";"):
            continue
        try:
            statement(model, int(words[0]), words[1], words[2:])
        except (ValueError, IndexError, KeyError) as error:
            raise FormatError(f"line {number}: {line!r}: {error!r}")
    return model


def statement(model, line, word, rest):
    if word == "sort":
        if rest[0] == "bitvec":
            model.sorts[line] = ("bitvec", int(rest[1]))
        else:
            model.sorts[line] = ("array", model.sorts[int(rest[1])], model.sorts[int(rest[2])])
    elif word == "bad":
        model.bad.append(int(rest[0]))
    elif word == "constraint":
        model.constraints.append(int(rest[0]))
    elif word in ("init", "next"):
        table = model.init if word == "init" else model.next
        table[int(rest[1])] = int(rest[2])
    elif word == "fair":
        model.fairness.append(int(rest[0]))
    elif word == "justice":
        model.justice.append([int(node) for node in rest[1:1 + int(rest[0])]])
    elif word != "output":
        model.nodes[line] = node(model, line, word, model.sorts[int(rest[0])], rest[1:])


def node(model, line, word, sort, rest):
    if word in ("input", "state"):
        (model.inputs if word == "input" else model.states).append(line)
        return (word, sort, [], [])
    if word in ("zero", "one", "ones"):
        value = {"zero": 0, "one": 1, "ones": -1}[word]
        return ("value", sort, [], [value % 2 ** sort[1]])
    if word in CONSTANTS:
        return ("value", sort, [], [int(rest[0], CONSTANTS[word]) % 2 ** sort[1]])
    count = ARITY[word]
    operands = [int(operand) for operand in rest[:count]]
    for operand in operands:
        model.nodes[abs(operand)]
    return (word, sort, operands, [int(n) for n in rest[count:count + NUMBERS.get(word, 0)]])


# ---------------------------------------------------------------------------------------------- values

class Array:
    """A total function: some places, and one value everywhere else."""

    def __init__(self, default, places=()):
        self.default, self.places = default, dict(places)

    def read(self, index):
        return self.places.get(index, self.default)

    def write(self, index, element):
        return Array(self.default, {**self.places, index: element})

    def same(self, other, size):
        touched = set(self.places) | set(other.places)
        rest = len(touched) == size or self.default == other.default
        return rest and all(self.read(i) == other.read(i) for i in touched)


def zero(sort):
    return 0 if sort[0] == "bitvec" else Array(zero(sort[2]))


def signed(value, width):
    return value - 2 ** width if value >> (width - 1) else value


def truncated(a, b):
    """Division that rounds to zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def apply(op, width, args, widths, numbers):
    """The value of an operator; `width` is the result's, `widths` are the operands'."""
    a = args[0]
    b = args[1] if len(args) > 1 else None
    n = widths[0]
    top = 2 ** n if n else None
    if op in ("eq", "iff", "neq"):
        equal = a.same(b, 2 ** n) if isinstance(a, Array) else a == b
        return int(equal != (op == "neq"))
    if op == "ite":
        return args[1] if a else args[2]
    if op == "read":
        return a.read(b)
    if op == "write":
        return a.write(b, args[2])
    if op == "concat":
        return a << widths[1] | b
    if op == "slice":
        return a >> numbers[1] & 2 ** width - 1
    if op == "uext":
        return a
    if op == "sext":
        return signed(a, n) % 2 ** width
    if op == "implies":
        return int(not a or b)
    if op == "redand":
        return int(a == top - 1)
    if op == "redor":
        return int(a != 0)
    if op == "redxor":
        return bin(a).count("1") % 2
    sa, sb = signed(a, n), signed(b, n) if b is not None else None
    comparisons = {
        "ugt": lambda: a > b, "ugte": lambda: a >= b, "ult": lambda: a < b, "ulte": lambda: a <= b,
        "sgt": lambda: sa > sb, "sgte": lambda: sa >= sb, "slt": lambda: sa < sb, "slte": lambda: sa <= sb,
    }
    if op in comparisons:
        return int(comparisons[op]())
    exact = {
        "uaddo": lambda: a + b, "usubo": lambda: a - b, "umulo": lambda: a * b,
        "saddo": lambda: sa + sb, "ssubo": lambda: sa - sb, "smulo": lambda: sa * sb,
        "sdivo": lambda: truncated(sa, sb) if sb else 0,
    }
    if op in exact:
        low, high = (0, top - 1) if op[0] == "u" else (-(top // 2), top // 2 - 1)
        return int(not low <= exact[op]() <= high)
    results = {
        "not": lambda: ~a, "inc": lambda: a + 1, "dec": lambda: a - 1, "neg": lambda: -a,
        "and": lambda: a & b, "or": lambda: a | b, "xor": lambda: a ^ b,
        "nand": lambda: ~(a & b), "nor": lambda: ~(a | b), "xnor": lambda: ~(a ^ b),
        "add": lambda: a + b, "sub": lambda: a - b, "mul": lambda: a * b,
        "udiv": lambda: a // b if b else -1, "urem": lambda: a % b if b else a,
        "sdiv": lambda: truncated(sa, sb) if sb else (1 if sa < 0 else -1),
        "srem": lambda: sa - sb * truncated(sa, sb) if sb else sa,
        "smod": lambda: sa % sb if sb else sa,
        "sll": lambda: a << b if b < n else 0, "srl": lambda: a >> b if b < n else 0,
        "sra": lambda: sa >> min(b, n),
        "rol": lambda: a << b % n | a >> n - b % n, "ror": lambda: a >> b % n | a << n - b % n,
    }
    return results[op]() % top


class Step:
    """The values of one step: inputs and states are given, the rest is computed on demand."""

    def __init__(self, model, given):
        self.model, self.values = model, dict(given)

    def value(self, reference):
        stack = [abs(reference)]
        while stack:
            line = stack[-1]
            op, sort, operands, numbers = self.model.nodes[line]
            missing = [abs(o) for o in operands if abs(o) not in self.values]
            if line in self.values:
                stack.pop()
            elif op == "value":
                self.values[line] = numbers[0]
            elif op in ("input", "state"):
                raise FormatError(f"an init reads line {line}, which has no value yet")
            elif missing:
                stack.extend(missing)
            else:
                args = [self.signed_reference(o) for o in operands]
                widths = [self.width(o) for o in operands]
                self.values[line] = apply(op, sort[1], args, widths, numbers)
        return self.signed_reference(reference)

    def signed_reference(self, reference):
        value = self.values[abs(reference)]
        return value if reference > 0 else ~value % 2 ** self.width(reference)

    def width(self, reference):
        """Of a word its width, of an array that of its index."""
        sort = self.model.nodes[abs(reference)][1]
        return sort[1] if sort[0] == "bitvec" else sort[1][1]


# ---------------------------------------------------------------------------------------------- witnesses

class Witness:
    def __init__(self):
        self.bad = None
        self.justice = None
        self.states = {}  # step -> {number: value, or {index: element}}
        self.inputs = {}


def digits(text):
    return int(text.replace("x", "0").replace("X", "0"), 2)


def parse_witness(text):
    lines = [line.strip() for line in text.split("\n")]
    lines = [line for line in lines if line and not line.startswith(";")]
    if lines[:1] != ["sat"]:
        raise OutOfScope("the witness claims no violation")
    witness = Witness()
    if not lines[1:] or lines[1][0] not in "bj" or not lines[1][1:].isdigit():
        raise FormatError("expected the violated property")
    if lines[1].startswith("j"):
        witness.justice = int(lines[1][1:])
    else:
        witness.bad = int(lines[1][1:])
    frame = None
    for line in lines[2:]:
        if line == ".":
            return witness
        if line[0] in "#@":
            table = witness.states if line[0] == "#" else witness.inputs
            frame = table.setdefault(int(line[1:]), {})
            continue
        words = line.split()
        if frame is None:
            raise FormatError("a value before the first step")
        if words[1].startswith("["):
            frame.setdefault(int(words[0]), {})[digits(words[1].strip("[]"))] = digits(words[2])
        else:
            frame[int(words[0])] = digits(words[1])
    raise FormatError("the witness does not end with a dot")


def given(sort, value):
    """A value of the witness, or 0."""
    if value is None:
        return zero(sort)
    if sort[0] == "array":
        if not isinstance(value, dict):
            raise FormatError("an array is given element by element")
        return Array(0, value)
    if isinstance(value, dict) or not 0 <= value < 2 ** sort[1]:
        raise FormatError("a value does not fit its sort")
    return value


def same(sort, a, b):
    return a.same(b, 2 ** sort[1][1]) if sort[0] == "array" else a == b


def first_step(model, witness):
    """States in an order in which each init reads only what has a value."""
    sort = lambda line: model.nodes[line][1]
    said = witness.states.get(0, {})
    step = Step(model, inputs(model, witness, 0))
    waiting = []
    for number, line in enumerate(model.states):
        if line in model.init:
            waiting.append((number, line))
        else:
            step.values[line] = given(sort(line), said.get(number))
    while waiting:
        later = []
        for number, line in waiting:
            try:
                value = step.value(model.init[line])
            except FormatError:
                later.append((number, line))
                continue
            init_sort = model.nodes[abs(model.init[line])][1]
            value = Array(value) if sort(line)[0] == "array" and init_sort[0] == "bitvec" else value
            if number in said and not same(sort(line), given(sort(line), said[number]), value):
                raise Rejected(f"state {number} does not start with its init")
            step.values[line] = value
        if len(later) == len(waiting):
            raise FormatError("inits depend on each other")
        waiting = later
    return step


def inputs(model, witness, t):
    said = witness.inputs.get(t, {})
    return {line: given(model.nodes[line][1], said.get(i)) for i, line in enumerate(model.inputs)}


def later_step(model, witness, before, t):
    values = inputs(model, witness, t)
    said = witness.states.get(t, {})
    for number, line in enumerate(model.states):
        if line in model.next:
            values[line] = before.value(model.next[line])
        else:
            values[line] = given(model.nodes[line][1], said.get(number))
    return Step(model, values)


def check(model, witness):
    """Returns what was found; raises Rejected."""
    if witness.justice is not None and witness.justice >= len(model.justice):
        raise Rejected(f"there is no justice property {witness.justice}")
    if witness.justice is None and witness.bad >= len(model.bad):
        raise Rejected(f"there is no property {witness.bad}")
    frames = set(witness.inputs) | set(witness.states)
    if not frames:
        raise Rejected("the witness has no step")
    last = max(frames)
    step = first_step(model, witness)
    steps = []
    for t in range(last + 1):
        if t > 0:
            step = later_step(model, witness, step, t)
        for number, constraint in enumerate(model.constraints):
            if step.value(constraint) != 1:
                raise Rejected(f"constraint {number} does not hold in step {t}")
        steps.append(step)
    if witness.justice is not None:
        return check_round(model, witness.justice, steps)
    if step.value(model.bad[witness.bad]) != 1:
        raise Rejected(f"property {witness.bad} is not violated in step {last}, the last")
    return f"property {witness.bad} is violated in step {last}"


def behind(model, roots):
    """The states that these nodes depend on, through any number of steps."""
    seen, todo = set(), [abs(root) for root in roots]
    while todo:
        line = todo.pop()
        if line not in seen:
            seen.add(line)
            todo += [abs(operand) for operand in model.nodes[line][2]]
            todo += [abs(table[line]) for table in (model.init, model.next) if line in table]
    return [line for line in model.states if line in seen]


def check_round(model, justice, steps):
    """After the last step comes a step that was there before, and each signal holds between the two. States without next
    take the values that they had then."""
    signals = model.justice[justice] + model.fairness
    states = [line for line in behind(model, signals + model.constraints) if line in model.next]
    after = {line: steps[-1].value(model.next[line]) for line in states}
    for back, step in enumerate(steps):
        closes = all(same(model.nodes[line][1], after[line], step.value(line)) for line in states)
        if closes and all(any(s.value(signal) == 1 for s in steps[back:]) for signal in signals):
            return f"justice property {justice} is violated, round and round from step {back}"
    raise Rejected("the trace does not go round with each signal met")


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.split("\n\n")[1].strip())
        return 2
    try:
        with open(arguments[0], encoding="utf-8", errors="replace") as file:
            model = parse_model(file.read())
    except (OSError, FormatError) as error:
        print(f"unreadable model: {error}")
        return 2
    try:
        with open(arguments[1], encoding="utf-8", errors="replace") as file:
            print("accepted:", check(model, parse_witness(file.read())))
        return 0
    except (OutOfScope, OSError) as error:
        print(f"not checked: {error}")
        return 2
    except (Rejected, FormatError, ValueError, IndexError) as error:
        print(f"rejected: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
