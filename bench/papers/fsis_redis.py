"""Fig. 5 of the FSIS paper over Redis: processes that are hosts of their own. See `fsis.py`, part redis.

The figures that do not depend on how busy the machine is are counted: CPU seconds and queries of each process, the
clauses that it told, and how many of these were redundant when the server got them: implied, by unit propagation, by
the clauses that the server had already. (A clause that is implied, but not so easily, is not counted, so the share is
a lower bound; a repeated or subsumed clause always is.) Closed subgoals are told as clauses, too, and may be implied by
what was told before, so a process alone has redundant ones; those that others made redundant are told apart.
"""

import csv
import json
import math
import os
import random
import resource
import statistics
import subprocess
import tempfile
import time

from fsis import FIGURE, Plot, figure, mean, model, write
from fsis_hosts import Hosts

COLUMNS = ["file", "processes", "delay", "seed", "process", "verdict", "cpu", "queries", "told", "repeated", "subsumed",
           "implied", "by_itself", "wall", "load"]
FAR = (60, 1000)
# Seconds between two questions for news.
ROUND = 0.01


def integers(data):
    """The integers of variable length in these bytes, one after the other."""
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


# The head of a message: three letters, a version, the hash of the model; then which kind it is.
HEAD, EXCLUDED = 36, 1


def told(entries):
    """(process, cube) of each clause of the stream, in the order in which the server got them."""
    for _, fields in entries:
        named = dict(zip(fields[::2], fields[1::2]))
        body = named[b"m"][HEAD:]
        if body[:1] == bytes([EXCLUDED]):
            _, property, length, *cube = integers(body)
            assert length == len(cube), "a message that is read wrongly"
            process = named[b"w"].decode().split("process ")[1].split()[0]
            yield int(process), frozenset(cube)


class Known:
    """Clauses, and what follows from them by unit propagation. A clause is the cube that it excludes."""

    def __init__(self):
        self.cubes, self.units, self.watching, self.by_literal = set(), [], {}, {}

    def add(self, cube):
        if cube in self.cubes:
            return
        self.cubes.add(cube)
        self.by_literal.setdefault(min(cube), []).append(cube)
        if len(cube) == 1:
            self.units.append(*cube)
        else:
            lits = list(cube)
            for lit in lits[:2]:
                self.watching.setdefault(lit, []).append(lits)

    def subsumes(self, cube):
        return any(known <= cube for lit in cube for known in self.by_literal.get(lit, ()))

    def implies(self, cube):
        """Whether the states of the cube are all excluded: its literals hold, and a clause has none left."""
        true = set(cube)
        ahead = list(cube)
        for lit in self.units:
            if lit in true:
                return True
            if lit ^ 1 not in true:
                true.add(lit ^ 1)
                ahead.append(lit ^ 1)
        while ahead:
            lit = ahead.pop()
            # Of a cube at least one literal is to be false: two that are not yet true are watched.
            stay, watching = [], self.watching.get(lit, [])
            for position, lits in enumerate(watching):
                if lits[0] == lit:
                    lits[0], lits[1] = lits[1], lits[0]
                other = lits[0]
                free = None if other ^ 1 in true else next((k for k in range(2, len(lits)) if lits[k] not in true), None)
                if free is not None:
                    lits[1], lits[free] = lits[free], lits[1]
                    self.watching.setdefault(lits[1], []).append(lits)
                    continue
                stay.append(lits)
                if other in true:
                    self.watching[lit] = stay + watching[position + 1:]
                    return True
                if other ^ 1 not in true:
                    true.add(other ^ 1)
                    ahead.append(other ^ 1)
            if watching:
                self.watching[lit] = stay
        return False


def count_told(entries):
    """For each process: the clauses that it told, and of these the repeated, the subsumed, the implied, and those that
    are implied by what the process itself told before."""
    known, own, counts = Known(), {}, {}
    for process, cube in told(entries):
        mine, before = counts.setdefault(process, [0] * 5), own.setdefault(process, Known())
        repeated = cube in known.cubes
        subsumed = repeated or known.subsumes(cube)
        implied = subsumed or known.implies(cube)
        for place, it_is in enumerate([True, repeated, subsumed, implied, implied and before.implies(cube)]):
            mine[place] += it_is
        known.add(cube)
        before.add(cube)
    return counts


def together(args, hosts, name, count, seed, delay):
    """One run: the rows of its processes. The first reports, the others are workers; the first one's end is `wall`."""
    hosts.ask("FLUSHALL")
    port = hosts.slow(delay)
    limit = math.ceil(args.seconds)
    set_limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    started, rows, start = [], [], time.monotonic()
    for host in range(1, count + 1):
        out = tempfile.TemporaryFile()
        command = [args.buttress, "check" if host == 1 else "worker", "--json", "--engine", "fsis", "--seed", str(seed)]
        command += ["--board", f"redis://{hosts.address(0)}:{port}", "--timeout", str(40 * limit)]
        command.append(model(args.models, name))
        started.append((hosts.start(host, command, stdout=out, stderr=subprocess.DEVNULL, preexec_fn=set_limit), out))
    wall = None
    for place, (process, out) in enumerate(started):
        _, process.returncode, usage = os.wait4(process.pid, 0)
        wall = wall or time.monotonic() - start
        out.seek(0)
        text = out.read()
        row = {"file": name, "processes": count, "delay": delay, "seed": seed, "process": place + 1, "verdict": "undecided"}
        row |= {"cpu": f"{usage.ru_utime + usage.ru_stime:.2f}", "queries": "", "wall": f"{wall:.2f}"}
        if text:
            report = json.loads(text)
            row["verdict"] = report["properties"][0]["verdict"]
            row["queries"] = sum(e.get("queries", 0) for e in report["engines"] if e["engine"] == "fsis")
        rows.append(row)
    keys = [key for key in hosts.ask("KEYS", "buttress:*") if key.count(b":") == 2]
    counts = count_told(hosts.ask("XRANGE", keys[0].decode(), "-", "+") if keys else [])
    for (process, _), row in zip(started, rows):
        row |= dict(zip(COLUMNS[8:13], counts.get(process.pid, [0] * 5)))
        row["load"] = f"{os.getloadavg()[0]:.1f}"
    hosts.fast()
    return rows


def numbers(text, kind):
    return [kind(word) for word in text.split(",") if word]


def experiment(args):
    """Runs what is not in the CSV file yet."""
    path = args.out + "-redis.csv"
    names, counts, delayed = args.redis_files.split(","), numbers(args.processes, int), numbers(args.delayed, int)
    rows = list(csv.DictReader(open(path))) if os.path.exists(path) else []
    key = lambda r: (r["file"], int(r["processes"]), float(r["delay"]), int(r["seed"]))
    # Seeds outside: a run that is cut short has some of everything.
    wanted = [(name, count, delay, 100 * seed) for seed in range(1, args.redis_seeds + 1) for name in names
              for count in counts for delay in [0.0, *(numbers(args.delay, float) if count in delayed else [])]]
    done = {key(r) for r in rows}
    with Hosts(max(counts)) as hosts:
        for name, count, delay, seed in wanted:
            if (name, count, delay, seed) in done:
                continue
            new = together(args, hosts, name, count, seed, delay)
            rows += new
            write(path, COLUMNS, [[r[c] for c in COLUMNS] for r in rows])
            sums = [sum(int(r[c] or 0) for r in new) for c in ("queries", "told", "implied")]
            print(name, count, delay, seed, {r["verdict"] for r in new}, *sums, new[0]["wall"], new[0]["load"],
                  max(float(r["cpu"]) for r in new), sep="\t", flush=True)


class Run:
    """The processes of one run, put together."""

    def __init__(self, rows):
        first = rows[0]
        self.file, self.n, self.delay = first["file"], int(first["processes"]), float(first["delay"])
        self.seed, self.wall, self.load, self.rows = int(first["seed"]), float(first["wall"]), float(first["load"]), rows
        self.solved = all(r["verdict"] != "undecided" for r in rows)
        self.cpu, self.queries = ([float(r[c] or 0) for r in rows] for c in ("cpu", "queries"))
        self.told, self.repeated, _, self.implied, by_itself = (sum(int(r[c]) for r in rows) for c in COLUMNS[8:13])
        told = max(self.told, 1)
        self.redundant, self.share = self.implied / told, (self.implied - by_itself) / told
        # How often a process asked for news: every 10 ms, and when the answer to the question before is there.
        self.rounds = self.wall / (ROUND + 2 * self.delay)


def runs_of(path):
    by_run = {}
    for row in csv.DictReader(open(path)):
        by_run.setdefault(tuple(row[c] for c in COLUMNS[:4]), []).append(row)
    return [Run(rows) for rows in by_run.values()]


def least_squares(points):
    """Coefficients of the (inputs, output) pairs, none below zero: who would be is left out."""
    used = list(range(len(points[0][0])))
    while True:
        a = [[sum(x[i] * x[j] for x, _ in points) for j in used] + [sum(x[i] * y for x, y in points)] for i in used]
        for column in range(len(used)):
            pivot = max(range(column, len(used)), key=lambda r: abs(a[r][column]))
            a[column], a[pivot] = a[pivot], a[column]
            if abs(a[column][column]) < 1e-12:
                a[column][column] = math.inf
            for r in range(len(used)):
                if r != column:
                    factor = a[r][column] / a[column][column]
                    a[r] = [v - factor * w if w else v for v, w in zip(a[r], a[column])]
        found = {i: (row[-1] / row[k] if row[k] != math.inf else 0.0) for k, (i, row) in enumerate(zip(used, a))}
        if min(found.values(), default=0) >= 0:
            return [found.get(i, 0.0) for i in range(len(points[0][0]))]
        used.remove(min(found, key=found.get))


def slope(points):
    """Intercept and slope of a line."""
    x, y = [p[0] for p in points], [p[1] for p in points]
    if len(set(x)) < 2:
        return mean(y), 0.0
    up = statistics.linear_regression(x, y)
    return up.intercept, up.slope


class Model:
    """The cost of n processes on one file, as `TEXT` has it."""

    def __init__(self, runs):
        still = [r for r in runs if not r.delay]
        logs = lambda value: slope([(math.log(r.n), math.log(max(value(r), 1e-9))) for r in still])
        queries, self.told = logs(lambda r: mean(r.queries)), logs(lambda r: max(r.told, 1))
        self.queries = (queries[0], -queries[1])
        logged = [(math.log(r.n), -math.log(max(1 - r.share, 1e-6))) for r in still]
        self.redundant = sum(x * y for x, y in logged) / (sum(x * x for x, _ in logged) or 1)
        inputs = lambda r, row, q: [1.0, q, r.told - int(row["told"]), r.rounds]
        points = [(inputs(r, row, q), c) for r in runs for row, q, c in zip(r.rows, r.queries, r.cpu)]
        self.start, self.query, self.clause, self.round = least_squares(points)
        # Beside runs of as many processes without a delay.
        logged = lambda runs: mean([math.log(mean(r.queries)) for r in runs])
        late = [(r.delay, logged([r]) - logged([s for s in still if s.n == r.n])) for r in runs if r.delay]
        self.latency = sum(d * more for d, more in late) / sum(d * d for d, _ in late) if late else None

    def queries_at(self, n):
        return math.exp(self.queries[0] - self.queries[1] * math.log(n))

    def told_at(self, n):
        return math.exp(self.told[0] + self.told[1] * math.log(n))

    def share_at(self, n):
        return 1 - n**-self.redundant

    def seconds_at(self, n):
        """On a core of its own, where time that passes is time that is used."""
        work = self.start + self.query * self.queries_at(n) + self.clause * self.told_at(n) * (n - 1) / n
        return work / (1 - min(self.round / ROUND, 0.9))


def spread(runs, value, times=300):
    """The middle four fifths of a value of the model, fitted to runs drawn at random from those of each count."""
    draw, found = random.Random(1), []
    groups = {}
    for run in runs:
        groups.setdefault((run.n, run.delay), []).append(run)
    for _ in range(times):
        found.append(value(Model([draw.choice(group) for group in groups.values() for _ in group])))
    found.sort()
    return found[times // 10], found[-times // 10]


def runs_text(runs):
    head = ["file", "processes", "delay ms", "solved", "largest CPU s of a process", "against 1", "queries a process",
            "queries, all", "told, all", "redundant", "by others", "elapsed s", "load"]
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    one = {}
    for name, n, delay in sorted({(r.file, r.n, r.delay) for r in runs}):
        here = [r for r in runs if (r.file, r.n, r.delay) == (name, n, delay)]
        solved = [r for r in here if r.solved]
        seconds = mean([max(r.cpu) for r in solved])
        one.setdefault(name, seconds)
        cells = [name, str(n), f"{1000 * delay:g}", f"{len(solved)} of {len(here)}", figure([max(r.cpu) for r in solved], 2)]
        cells += [f"{one[name] / seconds:.2f}", figure([mean(r.queries) for r in solved]), figure([sum(r.queries) for r in solved])]
        shares = [r.redundant for r in solved], [r.share for r in solved]
        cells += [figure([r.told for r in solved]), *(f"{100 * mean(values):.0f} %" for values in shares)]
        cells += [figure([r.wall for r in solved], 1), f"{mean([r.load for r in here]):.0f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def fit_text(fits):
    lines = ["| file | a: q(n) = q(1)·n^−a | q(1) | b: told(n) = told(1)·n^b | c: 1 − r(n) = n^−c | start s | ms a query "
             "| ms a clause heard | ms a question for news | queries, for a delay of 0.1 s |", "|---|" + "---:|" * 9]
    for name, (fit, runs) in fits.items():
        low, high = spread(runs, lambda m: m.queries[1])
        late = "–" if fit.latency is None else f"× {math.exp(0.1 * fit.latency):.2f}"
        lines.append(f"| {name} | {fit.queries[1]:.2f} ({low:.2f} to {high:.2f}) | {fit.queries_at(1):,.0f} | {fit.told[1]:.2f} | "
                     f"{fit.redundant:.2f} | {fit.start:.2f} | {1000 * fit.query:.3f} | {1000 * fit.clause:.3f} | {1000 * fit.round:.3f} | {late} |")
    return "\n".join(lines)


def far_text(fits):
    lines = ["| file | workers | queries a process | told, all | redundant by others | seconds | range | against 1 |", "|---|" + "---:|" * 7]
    for name, (fit, runs) in fits.items():
        for n in (1, 8, *FAR):
            low, high = spread(runs, lambda m: m.seconds_at(n))
            label = f"**{n:,}**, extrapolated" if n in FAR else f"{n}, fitted"
            lines.append(f"| {name} | {label} | {fit.queries_at(n):,.0f} | {fit.told_at(n):,.0f} | {100 * fit.share_at(n):.0f} % | "
                         f"{fit.seconds_at(n):.2f} | {low:.2f} to {high:.2f} | {fit.seconds_at(1) / fit.seconds_at(n):.2f} |")
    return "\n".join(lines)


TEXT = """# FSIS over Redis: Fig. 5 with processes

Made by `bench/papers/fsis.py --part redis`. Each process is `buttress check` or `buttress worker`, with `--engine fsis` and
`--board`, on a host of its own: a network namespace with its own address, joined to the others by a bridge. The Redis server
is on one more host. Every process of every run is a row of `fsis-redis.csv`.

All hosts share the {cores} cores of one machine, which others use too (the column "load" is the mean of the machine's
average over a minute at the end of each run). So elapsed time says nothing about a cluster. Counted is what does not
depend on it: the CPU seconds and the queries of each process. "Largest CPU s of a process" is the time that the run would take
if each process had a core of its own and never waited; its preparation and the check of the proof are in it. A figure is
a mean over the seeds, its deviation in parentheses. "Redundant" is the share of the clauses told that were implied, by unit
propagation, by those that the server had already: a lower bound of what was implied. Clauses of the same process may
imply one, too; "by others" are those where they do not.

{runs}

![CPU seconds against processes](fsis-redis.svg)

## A model of the cost

Fitted by least squares to these runs, file by file, n being the number of processes:

* queries of a process: q(n) = q(1) · n^−a. With a = 1 nothing is done twice, with a = 0 processes do not help each other;
* clauses told by all: told(n) = told(1) · n^b;
* the share of those that others made redundant: r(n) = 1 − n^−c;
* CPU seconds of a process: start + queries · (time of a query) + clauses heard · (time to ask one again) + questions
  for news · (time of one), where a process hears told(n) · (n − 1) / n and asks for news every 10 ms of elapsed time: on a busy
  machine more often for the same work. No coefficient is below zero;
* latency: the logarithm of the queries of several processes changes in proportion to the delay of a message.

{fit}

The range behind a is the middle four fifths of fits to runs drawn again at random. The paper's plot has, from 1 to 32 processes,
an exponent of time of {paper}.

## Extrapolation to 60 and 1,000 workers

**This is an extrapolation**, from at most {most} processes to 60, as many as the paper's largest run had, and to 1,000. Nothing of
that size was run. "Seconds" is the time of a process in the mean (the table above has the largest), with a core of its own,
questions for news every 10 ms of it included.

{far}

## What this does not show

* Power laws from 1 to {most} say little about 1,000: the range is of the fit alone, and does not hold what the model leaves out.
  Where a process of more has more queries than one of fewer, no power law fits, and the extrapolation is worth least.
* Processes that share cores progress slowly beside messages, which take as long as ever: a message comes early, measured
  by the work that is done meanwhile, and fewer clauses are found twice than on a real cluster. Runs with a delay are
  there to see how much this matters; in these, elapsed time was {slow} times a process's CPU time, so a delay there is as
  one of that part of it on a core of its own. (The kernel delays messages, or where it cannot a relay beside the server.)
* The four costs of a process grow together with the number of processes, and with it the load, so how the fit divides
  them is not certain; caches that are shared make each query dearer with more processes, and count as something else.
* The server is never busy here. With 1,000 workers it sends each clause a thousand times, and every process asks for news
  every 10 ms.
* Clauses are asked again by a thread beside that of the engine; with a second core for it this would not add up.
* Files that take a few CPU seconds are small: preparation, which no number of processes shortens, is much of their time.
  The paper's took hours, nearly all of them for queries; there the exponent a is what counts.
"""


def plot(fits):
    out = Plot("CPU seconds of a process against processes, over Redis", "processes", "largest CPU s of a process", (True, True))
    for name, (fit, runs) in fits.items():
        counts = sorted({r.n for r in runs})
        out.add(name, [(n, mean([max(r.cpu) for r in runs if r.n == n and not r.delay])) for n in counts])
        model = [(n, fit.seconds_at(n)) for n in (1, 2, 4, 8, 16, 32, 60, 125, 250, 500, 1000)]
        out.add(f"{name}, the model, extrapolated from 8 on", model, dashed=True)
    return out.svg()


def report(args):
    runs = runs_of(args.out + "-redis.csv")
    solved = [r for r in runs if r.solved]
    fits = {}
    for name in dict.fromkeys(r.file for r in runs):
        mine = [r for r in solved if r.file == name]
        fits[name] = (Model(mine), mine)
    exponents = {n: math.log(one / many) / math.log(32) for n, (one, many) in FIGURE.items()}
    paper = ", ".join(f"−{e:.2f} ({n})" for n, e in exponents.items())
    slow = f"{mean([r.wall / mean(r.cpu) for r in solved if r.delay]):.0f}" if any(r.delay for r in solved) else "–"
    text = TEXT.format(slow=slow, cores=os.cpu_count(), runs=runs_text(runs), fit=fit_text(fits), far=far_text(fits), paper=paper,
                       most=max(r.n for r in runs))
    print(text)
    open(args.out + "-redis.md", "w").write(text)
    open(args.out + "-redis.svg", "w").write(plot(fits))
