"""A small CDCL SAT solver in plain Python.

solve(num_vars, clauses) takes clauses as iterables of non-zero integers (DIMACS style) and returns None
if they are unsatisfiable, else a list `model` with model[v] True or False for v = 1..num_vars.

Two watched literals, first-UIP learning with local minimisation, activities with decay (VSIDS), saved
phases, Luby restarts, and learnt clauses of high LBD (number of decision levels) thrown away at restarts.
Internally variable v has the literals 2v (positive) and 2v+1 (negative).
"""

from heapq import heapify, heappop, heappush


def luby(i):
    """The i-th element (from 1) of 1 1 2 1 1 2 4 1 1 2 ..."""
    while True:
        k = i.bit_length()
        if i == (1 << k) - 1:
            return 1 << (k - 1)
        i -= (1 << (k - 1)) - 1


class Solver:
    def __init__(self, num_vars):
        n = num_vars + 1
        self.n = n
        self.val = [0] * (2 * n)  # by literal: 1 true, -1 false, 0 unassigned
        self.watches = [[] for _ in range(2 * n)]  # clauses whose first two literals include this one
        self.level = [0] * n
        self.reason = [None] * n
        self.phase = [1] * n  # saved sign: 1 means "false first"
        self.activity = [0.0] * n
        self.bump = 1.0
        self.heap = [(0.0, v) for v in range(1, n)]  # (-activity, variable), stale entries allowed
        self.trail, self.limits, self.head = [], [], 0
        self.learnt = []  # (lbd, clause)
        self.ok = True

    def add(self, clause):
        """Adds an input clause; only before any decision."""
        if not self.ok:
            return
        lits = {2 * l if l > 0 else -2 * l + 1 for l in clause}
        if any(l ^ 1 in lits or self.val[l] > 0 for l in lits):
            return  # a tautology, or true already
        lits = [l for l in lits if self.val[l] == 0]
        if not lits:
            self.ok = False
        elif len(lits) == 1:
            self.assign(lits[0], None)
            self.ok = self.propagate() is None
        else:
            self.watch(lits)

    def watch(self, lits):
        self.watches[lits[0]].append(lits)
        self.watches[lits[1]].append(lits)

    def assign(self, lit, reason):
        self.val[lit], self.val[lit ^ 1] = 1, -1
        self.level[lit >> 1] = len(self.limits)
        self.reason[lit >> 1] = reason
        self.trail.append(lit)

    def propagate(self):
        """Unit propagation; returns a clause that is false, or None."""
        val, watches, trail = self.val, self.watches, self.trail
        while self.head < len(trail):
            false = trail[self.head] ^ 1
            self.head += 1
            old, kept = watches[false], []
            for pos, c in enumerate(old):
                if c[0] == false:
                    c[0], c[1] = c[1], false
                first = c[0]
                if val[first] > 0:
                    kept.append(c)
                    continue
                for k in range(2, len(c)):
                    if val[c[k]] >= 0:  # watch this one instead
                        c[1], c[k] = c[k], false
                        watches[c[1]].append(c)
                        break
                else:
                    kept.append(c)
                    if val[first] < 0:
                        kept.extend(old[pos + 1:])
                        watches[false] = kept
                        return c
                    self.assign(first, c)
            watches[false] = kept
        return None

    def bump_variable(self, v):
        """For assigned variables only: they enter the heap again when they lose their value."""
        self.activity[v] += self.bump
        if self.activity[v] > 1e100:
            self.activity = [a * 1e-100 for a in self.activity]
            self.bump *= 1e-100
            self.rebuild_heap()

    def rebuild_heap(self):
        self.heap = [(-self.activity[v], v) for v in range(1, self.n) if self.val[2 * v] == 0]
        heapify(self.heap)

    def analyze(self, conflict):
        """Learns the first-UIP clause: (clause with the asserting literal first, level to go back to)."""
        level, reason, trail = self.level, self.reason, self.trail
        current, seen, rest = len(self.limits), set(), []
        pos, open_lits, clause, uip = len(trail) - 1, 0, conflict, None
        while True:
            for lit in clause:
                v = lit >> 1
                if lit != uip and v not in seen and level[v] > 0:
                    seen.add(v)
                    self.bump_variable(v)
                    if level[v] == current:
                        open_lits += 1
                    else:
                        rest.append(lit)
            while trail[pos] >> 1 not in seen:
                pos -= 1
            uip = trail[pos]
            pos -= 1
            open_lits -= 1
            if open_lits == 0:
                break
            clause = reason[uip >> 1]
        # Drop the literals that are implied by the other ones in one step.
        rest = [l for l in rest if reason[l >> 1] is None
                or any(level[q >> 1] > 0 and q >> 1 not in seen for q in reason[l >> 1])]
        rest.sort(key=lambda l: -level[l >> 1])  # the second watch needs the highest level
        self.bump /= 0.95
        return [uip ^ 1] + rest, level[rest[0] >> 1] if rest else 0

    def backtrack(self, target):
        if len(self.limits) <= target:
            return
        limit = self.limits[target]
        for lit in self.trail[limit:]:
            v = lit >> 1
            self.val[lit] = self.val[lit ^ 1] = 0
            self.phase[v] = lit & 1
            heappush(self.heap, (-self.activity[v], v))
        del self.trail[limit:], self.limits[target:]
        self.head = limit

    def decide(self):
        """Assigns an unassigned variable of high activity; False if there is none."""
        while self.heap:
            v = heappop(self.heap)[1]
            if self.val[2 * v] == 0:
                self.limits.append(len(self.trail))
                self.assign(2 * v + self.phase[v], None)
                return True
        return False

    def reduce(self):
        """Forgets the worse half of the learnt clauses; only at level 0, where no reason is looked at."""
        self.learnt.sort(key=lambda entry: (entry[0], len(entry[1])))
        half = len(self.learnt) // 2
        dead = {id(c) for lbd, c in self.learnt[half:] if lbd > 2}
        self.watches = [[c for c in ws if id(c) not in dead] for ws in self.watches]
        self.learnt = [entry for entry in self.learnt if id(entry[1]) not in dead]

    def run(self):
        """True if satisfiable."""
        restarts, conflicts, limit, budget = 1, 0, 2000, 64
        while self.ok:
            conflict = self.propagate()
            if conflict is not None:
                if not self.limits:
                    return False
                conflicts += 1
                clause, target = self.analyze(conflict)
                lbd = len({self.level[l >> 1] for l in clause})
                self.backtrack(target)
                if len(clause) > 1:
                    self.watch(clause)
                    self.learnt.append((lbd, clause))
                self.assign(clause[0], clause if len(clause) > 1 else None)
            elif conflicts >= budget:
                restarts += 1
                budget = conflicts + 64 * luby(restarts)
                self.backtrack(0)
                if len(self.learnt) > limit:
                    self.reduce()
                    limit += 300
                self.rebuild_heap()
            elif not self.decide():
                return True
        return False


def solve(num_vars, clauses):
    solver = Solver(num_vars)
    for clause in clauses:
        solver.add(clause)
    if not solver.run():
        return None
    return [False] + [solver.val[2 * v] > 0 for v in range(1, num_vars + 1)]
