"""Makes the models of this folder that no other tool makes.

    python3 make.py            writes them
    python3 make.py --check    says whether the files are as this script would write them

Each model is a circuit with a few named registers; its story, how to run it and what to expect stand at the end
of the file, where AIGER has its comments.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


class Model:
    """A circuit in the making. Literals are AIGER's: 2v and 2v+1, with 0 false and 1 true."""

    def __init__(self, inputs, registers):
        """Names of inputs; names of registers, each with its width."""
        self.inputs = [bit for name, width in inputs for bit in bits(name, width)]
        self.latches = [bit for name, width in registers for bit in bits(name, width)]
        self.next, self.reset = {}, {}
        self.gates, self.shared = [], {}
        self.bad, self.constraints = [], []

    def signal(self, name):
        """The literals of an input or register, the lowest bit first."""
        found = [2 * (k + 1) for k, bit in enumerate(self.inputs + self.latches) if bit.split("[")[0] == name]
        assert found, name
        return found

    def both(self, a, b):
        if a > b:
            a, b = b, a
        if a == 0 or a ^ b == 1:
            return 0
        if a == 1 or a == b:
            return b
        if (a, b) not in self.shared:
            gate = 2 * (1 + len(self.inputs) + len(self.latches) + len(self.gates))
            self.gates.append((gate, b, a))
            self.shared[a, b] = gate
        return self.shared[a, b]

    def all(self, *lits):
        result = 1
        for lit in lits:
            result = self.both(result, lit)
        return result

    def any(self, *lits):
        return self.all(*(lit ^ 1 for lit in lits)) ^ 1

    def differ(self, a, b):
        return self.all(self.both(a, b) ^ 1, self.both(a ^ 1, b ^ 1) ^ 1)

    def choose(self, condition, then, otherwise):
        return self.any(self.both(condition, then), self.both(condition ^ 1, otherwise))

    def equals(self, word, value):
        return self.all(*(lit ^ (value >> k & 1 == 0) for k, lit in enumerate(word)))

    def increment(self, word):
        carry, result = 1, []
        for lit in word:
            result.append(self.differ(lit, carry))
            carry = self.both(lit, carry)
        return result

    def update(self, name, cases):
        """The register's next value: the first of the cases (condition, value) that applies, else unchanged. A
        value is a number or a list of literals."""
        word = self.signal(name)
        result = word
        for condition, value in reversed(cases):
            if isinstance(value, int):
                value = [value >> k & 1 for k in range(len(word))]
            result = [self.choose(condition, new, old) for new, old in zip(value, result)]
        for lit, following in zip(word, result):
            self.next[lit] = following

    def start(self, name, value):
        for k, lit in enumerate(self.signal(name)):
            self.reset[lit] = value >> k & 1

    def text(self, story):
        counts = [len(self.inputs), len(self.latches), 0, len(self.gates), len(self.bad), len(self.constraints)]
        if not self.constraints:
            counts.pop()
        first = 1 + len(self.inputs)
        latches = [2 * (first + k) for k in range(len(self.latches))]
        lines = [" ".join(map(str, ["aag", len(self.inputs) + len(self.latches) + len(self.gates), *counts]))]
        lines += [str(2 * (k + 1)) for k in range(len(self.inputs))]
        for lit in latches:
            reset = f" {self.reset[lit]}" if self.reset.get(lit) else ""
            lines.append(f"{lit} {self.next.get(lit, lit)}{reset}")
        lines += [str(lit) for _, lit in self.bad + self.constraints]
        lines += [" ".join(map(str, gate)) for gate in self.gates]
        lines += [f"i{k} {name}" for k, name in enumerate(self.inputs)]
        lines += [f"l{k} {name}" for k, name in enumerate(self.latches)]
        lines += [f"b{k} {name}" for k, (name, _) in enumerate(self.bad)]
        lines += [f"c{k} {name}" for k, (name, _) in enumerate(self.constraints)]
        return "\n".join(lines + ["c", *story.strip().split("\n")]) + "\n"


def bits(name, width):
    return [name] if width == 1 else [f"{name}[{k}]" for k in range(width)]


def traffic():
    """Two roads, each with a light and a sensor."""
    red, green, yellow = 0, 1, 2
    m = Model([("car_main", 1), ("car_side", 1)],
              [("main", 2), ("side", 2), ("timer", 2), ("main_before", 2)])
    main, side, timer = m.signal("main"), m.signal("side"), m.signal("timer")
    is_ = m.equals
    late = is_(timer, 3)
    main_leaves = m.all(is_(main, green), late, m.signal("car_side")[0])
    side_leaves = m.all(is_(side, green), late, m.any(m.signal("car_main")[0], m.signal("car_side")[0] ^ 1))
    m.update("main", [(main_leaves, yellow), (is_(main, yellow), red), (is_(side, yellow), green)])
    m.update("side", [(side_leaves, yellow), (is_(side, yellow), red), (is_(main, yellow), green)])
    changes = m.any(main_leaves, side_leaves, is_(main, yellow), is_(side, yellow))
    m.update("timer", [(changes, 0), (late ^ 1, m.increment(timer))])
    m.update("main_before", [(1, main)])
    m.start("main", green)
    m.start("main_before", green)
    m.bad = [
        ("both_open", m.all(is_(main, red) ^ 1, is_(side, red) ^ 1)),
        ("both_red", m.all(is_(main, red), is_(side, red))),
        ("no_yellow", m.all(is_(m.signal("main_before"), green), is_(main, red))),
    ]
    return m.text("""
A crossing of a main road and a side road. Lights are 0 red, 1 green, 2 yellow. The main road is green until a car
waits on the side road and the timer has run up; the side road gives way when its cars are gone or others wait.
Not both roads are ever open, not both are ever closed, and no light goes from green to red at once.
RUN check
EXPECT exit 0
EXPECT b0 both_open: proved
EXPECT b1 both_red: proved
EXPECT b2 no_yellow: proved
RUN simulate --steps 10 --seed 1
EXPECT exit 0
REFUSE violated
""")


def arbiter():
    """One resource, two clients, fair turns."""
    m = Model([("request", 2)], [("grant", 2), ("last", 1), ("asked", 2), ("waited", 2)])
    first, second = m.signal("request")
    last = m.signal("last")[0]
    to_first = m.all(first, m.any(second ^ 1, last))
    to_second = m.all(second, m.any(first ^ 1, last ^ 1))
    m.update("grant", [(1, [to_first, to_second])])
    m.update("last", [(to_first, 0), (to_second, 1)])
    m.update("asked", [(1, [first, second])])
    waited = m.signal("waited")
    waits = m.all(first, to_first ^ 1)
    m.update("waited", [(waits, m.increment(waited)), (1, 0)])
    grant, asked = m.signal("grant"), m.signal("asked")
    m.bad = [
        ("both_granted", m.all(*grant)),
        ("granted_unasked", m.any(m.all(grant[0], asked[0] ^ 1), m.all(grant[1], asked[1] ^ 1))),
        ("waited_twice", m.equals(waited, 2)),
    ]
    return m.text("""
An arbiter with round robin: of two clients that ask, the one that was not served last is served next. Never both,
never without asking, and the first client never waits twice in a row.
The last property needs to know that whoever waited was not served last, so it is not inductive by itself.
RUN check
EXPECT exit 0
EXPECT b0 both_granted: proved
EXPECT b1 granted_unasked: proved
EXPECT b2 waited_twice: proved
RUN check --engine kind
EXPECT b0 both_granted: proved (k-induction, k = 1,
EXPECT b2 waited_twice: proved
""")


def mutex(swapped):
    """Peterson's protocol for two processes; `swapped` exchanges its first two statements."""
    idle, first, second, wait, critical = range(5)
    m = Model([("who", 1)], [("at0", 3), ("at1", 3), ("flag0", 1), ("flag1", 1), ("turn", 1)])
    who, turn = m.signal("who")[0], m.signal("turn")[0]
    turn_cases = []
    for me, moves in ((0, who ^ 1), (1, who)):
        at, other = m.signal(f"at{me}"), 1 - me
        here = [m.all(moves, m.equals(at, place)) for place in range(5)]
        other_flag = m.signal(f"flag{other}")[0]
        enters = m.all(here[wait], m.any(other_flag ^ 1, turn ^ 1 ^ me))
        set_flag, set_turn = (here[second], here[first]) if swapped else (here[first], here[second])
        m.update(f"at{me}", [(here[idle], first), (here[first], second), (here[second], wait),
                             (enters, critical), (here[critical], idle)])
        m.update(f"flag{me}", [(set_flag, 1), (here[critical], 0)])
        turn_cases.append((set_turn, other))
    m.update("turn", turn_cases)
    m.bad = [("both_critical", m.all(m.equals(m.signal("at0"), critical), m.equals(m.signal("at1"), critical)))]
    return m


def mutex_right():
    return mutex(False).text("""
Mutual exclusion after Peterson (1981): raise your flag, give the turn to the other, wait until the other has no flag
up or the turn is yours. The input says who moves. at0 and at1 are 0 idle, 1 and 2 on the way, 3 waiting, 4 critical.
RUN check
EXPECT exit 0
EXPECT b0 both_critical: proved
RUN check --engine ic3
EXPECT b0 both_critical: proved (IC3,
""")


def mutex_wrong():
    return mutex(True).text("""
The protocol of mutex.aag with its first two statements exchanged: give the turn to the other, then raise your flag.
That looks harmless and is wrong: the trace shows in eight moves how both get in.
RUN check --engine bmc -v
EXPECT exit 10
EXPECT b0 both_critical: falsified at step 8
EXPECT   at0 0
EXPECT   at1 0
RUN check
EXPECT exit 10
EXPECT b0 both_critical: falsified
""")


MODELS = {
    "traffic.aag": traffic,
    "arbiter.aag": arbiter,
    "mutex.aag": mutex_right,
    "mutex-swapped.aag": mutex_wrong,
}


def main(arguments):
    differ = []
    for name, make in MODELS.items():
        path = os.path.join(HERE, name)
        if arguments == ["--check"]:
            with open(path, encoding="ascii") as file:
                if file.read() != make():
                    differ.append(name)
        else:
            with open(path, "w", encoding="ascii") as file:
                file.write(make())
    if differ:
        print("not as make.py writes them:", ", ".join(differ))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
