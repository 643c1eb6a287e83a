"""Another reading of MoXI: unrolls queries into SMT-LIB by text and asks z3 for the least n.

    python3 moxi_bmc.py Z3 FILE [STEPS]

For each query without fairness: the least n such that it is n-satisfiable, or `none up to STEPS`. Parts are written out
by names (`path::local`), formulas stay text. Nothing is shared with Buttress.
"""
import re
import subprocess
import sys


def tokens(text):
    return re.findall(r'\|[^|]*\||"[^"]*"|[()]|[^\s()]+', re.sub(r';[^\n]*', '', text))


def parse(toks):
    stack = [[]]
    for t in toks:
        if t == '(':
            stack.append([])
        elif t == ')':
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(t)
    return stack[0]


def text(e):
    return e if isinstance(e, str) else '(' + ' '.join(map(text, e)) + ')'


def strip(e):
    while isinstance(e, list) and len(e) == 1 and isinstance(e[0], list):
        e = e[0]
    return e


def rename(e, names, bound=frozenset()):
    if isinstance(e, str):
        if e in bound:
            return e
        if e == '!=':
            return 'distinct'
        return names.get(e, e)
    if e and e[0] == 'let':
        inner = bound | {b[0] for b in e[1]}
        return ['let', [[b[0], rename(b[1], names, bound)] for b in e[1]], rename(e[2], names, inner)]
    return [rename(x, names, bound) for x in e]


def attributes(rest):
    return list(zip(rest[::2], rest[1::2]))


def get(attrs, key):
    return [v for k, v in attrs if k == key]


class Model:
    def __init__(self, path):
        self.systems, self.checks, self.prelude = {}, [], []
        for c in parse(tokens(open(path).read())):
            if c[0] == 'define-system':
                self.systems[c[1]] = attributes(c[2:])
            elif c[0] == 'check-system':
                self.checks.append((c[1], attributes(c[2:])))
            elif c[0] == 'declare-enum-sort':
                self.prelude.append(f'(declare-datatypes (({c[1]} 0)) (({" ".join(f"({x})" for x in c[2])})))')
            elif c[0] != 'set-logic':
                self.prelude.append(text(c))

    def flat(self, name, actual, path, out):
        """actual: formal name to global name; adds (init, trans, inv) formulas over global names."""
        a = self.systems[name]
        names = dict(actual)
        if path:
            for v, sort in (get(a, ':local') or [[]])[0]:
                names[v] = path + v
                out['vars'].append((path + v, sort))
        both = dict(names)
        both.update({v + "'": g + "'" for v, g in names.items()})
        out['init'] += [rename(strip(f), both) for f in get(a, ':init')]
        out['inv'] += [rename(strip(f), both) for f in get(a, ':inv')]
        trans = [rename(strip(f), both) for f in get(a, ':trans')]
        if trans:
            out['trans'].append(['or'] + trans if len(trans) > 1 else trans[0])
        for n, call in get(a, ':subsys'):
            s = self.systems[call[0]]
            formal = [v for v, _ in (get(s, ':input') or [[]])[0] + (get(s, ':output') or [[]])[0]]
            self.flat(call[0], dict(zip(formal, [names[x] for x in call[1:]])), path + n + '::', out)


class Query:
    """The least n such that a query is n-satisfiable."""

    def __init__(self, model, flat, conditions):
        self.model, self.flat, self.conditions = model, flat, conditions

    def at(self, formula, t):
        names = {v: f'{v}@{t}' for v, _ in self.flat['vars']}
        names.update({f"{v}'": f'{v}@{t + 1}' for v, _ in self.flat['vars']})
        return re.sub(r'(?<=[(\s])([^\s()]+@\d+)', r'|\1|', ' ' + text(rename(formula, names)))

    def script(self, n):
        """I(v_0), P(v_t) for t <= n+1, T and A for t <= n, each goal for some t <= n."""
        flat, lines = self.flat, list(self.model.prelude)
        for t in range(n + 2):
            lines += [f'(declare-fun |{v}@{t}| () {text(sort)})' for v, sort in flat['vars']]
        of = lambda kind: [f for k, f in self.conditions if k == kind]
        facts = [self.at(f, 0) for f in of(':current') or flat['init']]
        facts += [self.at(f, t) for f in flat['inv'] for t in range(n + 2)]
        facts += [self.at(f, t) for f in flat['trans'] + of(':assumption') for t in range(n + 1)]
        facts += ['(or ' + ' '.join(self.at(f, t) for t in range(n + 1)) + ')' for f in of(':reachable')]
        return '\n'.join(lines + [f'(assert {f})' for f in facts] + ['(check-sat)'])

    def answer(self, z3, most):
        for n in range(most + 1):
            run = subprocess.run([z3, '-in', '-T:20'], input=self.script(n), capture_output=True, text=True)
            said = run.stdout.strip()
            if said == 'sat':
                return f'falsified at step {n}'
            if said != 'unsat':
                return f'z3 says {said}'
        return f'none up to {most}'


def queries(model):
    for system, attrs in model.checks:
        defined, actual = model.systems[system], {}
        flat = {'vars': [], 'init': [], 'trans': [], 'inv': []}
        for key in (':input', ':output', ':local'):
            own, given = (get(defined, key) or [[]])[0], get(attrs, key)
            for (v, sort), (w, _) in zip(own, given[0] if given else own):
                actual[v] = w
                flat['vars'].append((w, sort))
        model.flat(system, actual, '', flat)
        named = {}
        for key in (':assumption', ':reachable', ':fairness', ':current'):
            named.update({name: (key, strip(f)) for name, f in get(attrs, key)})
        for name, of in get(attrs, ':query') + [q for all in get(attrs, ':queries') for q in all]:
            conditions = [named[g] for g in of]
            if all(kind != ':fairness' for kind, _ in conditions):
                yield name, Query(model, flat, conditions)


def main():
    z3, path, most = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 10
    for name, query in queries(Model(path)):
        print(name, query.answer(z3, most), sep=': ')


if __name__ == '__main__':
    main()
