"""Table I and Fig. 5 of the FSIS paper again (Bradley & Manna, FMCAD 2007), and what its parts are worth.

    python3 fsis.py BUTTRESS MODELS [--part table,threads,options,memory] [--seeds 3] [--seconds 20]
    python3 fsis.py BUTTRESS MODELS --part redis [--redis-files pj2018,vis4arbitp1] [--processes 1,2,4,8] [--delay 0.1]

MODELS is the folder that holds mc/picojava and mc/hwmcc08. Writes OUT.csv (every run), OUT-memory.csv (the memory
curves), OUT.svg (time against threads), OUT-memory.svg and OUT.md (the tables). Parts that are not named keep the runs of
an earlier time, which OUT.csv holds.

* table: FSIS with one thread on the PicoJava files (pj20nn is the paper's PJnn) and on the VIS files, several seeds:
  clauses, SAT queries, CPU seconds, peak memory, as mean (deviation), beside the paper's.
* threads: the same with 1, 2 and 4 threads on the slowest files that are solved. On a machine that others use, and with
  fewer cores than threads, elapsed time says little, so time is the CPU seconds of the process divided by its threads.
* options: LIC against the naive fixpoint, the ways to minimal implicates, relative against absolute generation.
* memory: resident memory over the queries of FSIS and of IC3.
* redis: Fig. 5 with processes on hosts of their own, in network namespaces, which meet at a Redis server, and a model of
  the cost, fitted and extrapolated. Needs root. Writes OUT-redis.csv, which it continues where a run was cut short,
  OUT-redis.md and OUT-redis.svg. See `fsis_redis.py`.

SAT queries are questions about a step. Lifting a counterexample to induction, which is a query or a few for each, is
not counted, nor is the test whether a cube meets the resets, which takes none where resets are constants.
"""

import argparse
import csv
import json
import math
import os
import resource
import statistics
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))

# Table I: variables in the cone, clauses, SAT queries, time, MB; times in seconds, (mean, deviation).
PAPER = {
    "pj2003": (306, (6, 3), (201, 78), (37, 3), (213, 9)),
    "pj2005": (88, (159, 27), (12e3, 3.4e3), (30, 9), (50, 3)),
    "pj2006": (318, (414, 85), (32e3, 7.5e3), (5400, 1320), (589, 39)),
    "pj2007": (67, (63, 9), (4e3, 1e3), (10, 2), (41, 3)),
    "pj2008": (90, (70, 8), (3.5e3, 800), (13, 3), (43, 3)),
    "pj2009": (46, (27, 5), (1e3, 200), (4, 1), (35, 2)),
    "pj2010": (54, (6, 3), (213, 110), (6, 1), (48, 1)),
    "pj2013": (352, (8, 6), (234, 149), (165, 69), (379, 15)),
    "pj2016": (290, (241, 186), (18e3, 22e3), (3000, 4200), (539, 96)),
    "pj2017": (211, (1200, 153), (337e3, 51e3), (58800, 10800), (1250, 110)),
    "pj2018": (143, (740, 152), (91e3, 23e3), (9600, 3000), (673, 83)),
    "pj2019": (52, (83, 11), (4e3, 400), (660, 300), (237, 31)),
    "pdtvisheap06": (30, (2600, 237), (58e3, 60e3), (15600, 2700), (330, 25)),
    "pdtvisheap11": (30, (2600, 237), (58e3, 60e3), (15600, 2700), (330, 25)),
    "pdtvispeterson": (16, (4, 0), (140, 11), (2, 0), (44, 0)),
}
# Read from Fig. 5 and its text: seconds with one process, and with 32.
FIGURE = {"pj2006": (5400, 480), "pj2017": (58800, 4200), "pj2018": (9600, 540), "pdtvisheap": (15600, 360)}
VIS = ["vis4arbitp1", "viscoherencep1", "viscoherencep2", "viseisenberg", "viselevatorp3", "visprodcellp01", "visprodcellp22"]
# A hundredth of the paper's time, at least 2 s; the other VIS files have 20 s.
BAR = {name: max(2.0, row[3][0] / 100) for name, row in PAPER.items()} | {name: 20.0 for name in VIS}
WAYS = {
    "as it is": [],
    "naive down": ["--fsis-down", "naive"],
    "minimal: linear": ["--fsis-minimal", "linear"],
    "minimal: optimal": ["--fsis-minimal", "optimal"],
    "minimal: with cores": ["--fsis-minimal", "cores"],
    "absolute": ["--fsis-generate", "absolute"],
}
COLUMNS = ["part", "file", "way", "threads", "seed", "verdict", "clauses", "queries", "cpu", "wall", "mb"]


def model(models, name):
    folder = "mc/picojava" if name.startswith("pj") else "mc/hwmcc08"
    if name.startswith("vis_arrays"):
        folder = os.path.join("mc/hwmcc20/aig/2019/goel/opensource", name)
    return os.path.join(models, folder, name + ".aig")


def run(args, path, flags, seconds, engine="fsis"):
    """One run, with at most so many CPU seconds: verdict, clauses, queries, CPU and wall seconds, peak MB."""
    command = [args.buttress, "check", "--json", "--engine", engine, *flags, path]
    limit = math.ceil(seconds)
    set_limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    start = time.monotonic()
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, preexec_fn=set_limit)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        out.seek(0)
        text = out.read().decode()
    row = {"verdict": "undecided", "clauses": "", "queries": "", "wall": f"{time.monotonic() - start:.2f}"}
    row |= {"cpu": f"{usage.ru_utime + usage.ru_stime:.2f}", "mb": f"{usage.ru_maxrss / 1024:.1f}"}
    if text:
        report = json.loads(text)
        far = [engine for engine in report["engines"] if engine["engine"] in ("fsis", "ic3")]
        row["verdict"] = report["properties"][0]["verdict"]
        # Threads share their clauses: each has all, or nearly.
        row["clauses"] = max((e["size"] for e in far), default=0)
        row["queries"] = sum(e.get("queries", 0) for e in far)
    return row


def record(rows, args, part, name, way, threads, seed, seconds, flags):
    flags = [*flags, "--seed", str(seed), "--jobs", str(threads)]
    row = {"part": part, "file": name, "way": way, "threads": threads, "seed": seed}
    row |= run(args, model(args.models, name), flags, seconds * threads)
    rows.append(row)
    print(*row.values(), sep="\t", flush=True)
    return row


def table(rows, args):
    """Table I. A file that its first seed does not solve is not tried again."""
    for name in [*PAPER, *VIS]:
        for seed in range(args.seeds):
            limit = max(args.seconds, BAR[name] if args.patience else 0)
            row = record(rows, args, "table", name, "as it is", 1, seed, limit, [])
            if row["verdict"] == "undecided":
                break


def slowest(rows, count, limit):
    """The solved files that took longest, by mean, and no longer than the limit."""
    mine = [r for r in rows if r["part"] == "table"]
    solved = [n for n in [*PAPER, *VIS] if (of := [r for r in mine if r["file"] == n]) and all(r["verdict"] != "undecided" for r in of)]
    cpu = lambda n: mean([float(r["cpu"]) for r in mine if r["file"] == n])
    return sorted((n for n in solved if cpu(n) <= limit), key=lambda n: -cpu(n))[:count]


def threads(rows, args):
    for name in slowest(rows, args.thread_files, args.thread_limit):
        for count in (1, 2, 4):
            for seed in range(args.thread_seeds):
                record(rows, args, "threads", name, "as it is", count, 100 * seed, args.seconds, [])
        for seed in range(args.thread_seeds):
            flags = ["--fsis-share", "ctis"]
            record(rows, args, "threads", name, "CTIs shared", 2, 100 * seed, args.seconds, flags)


def options(rows, args):
    names = ["pdtvispeterson", "viscoherencep1", "viscoherencep2", "visprodcellp22", "viseisenberg", "pj2009", "pj2007", "pj2010", "pj2019", "pj2008", "pj2003"]
    for name in names[:args.option_files]:
        for way, flags in WAYS.items():
            for seed in range(args.option_seeds):
                record(rows, args, "options", name, way, 1, seed, args.seconds, flags)


def memory(args):
    """Curves of resident memory by queries: (engine, file, queries, MB)."""
    curves = []
    for engine, first in (("fsis", "vis4arbitp1"), ("ic3", "vis_arrays_buf_bug")):
        for name in [first, "pj2018", "pj2017", "pj2006"][:args.memory_files]:
            with tempfile.NamedTemporaryFile(suffix=".csv") as out:
                flags = ["--statistics", out.name, "--timeout", str(args.memory_seconds)]
                row = run(args, model(args.models, name), flags, 100 * args.memory_seconds, engine)
                lines = [line for line in csv.DictReader(open(out.name)) if line["queries"] != "0"]
            print("memory", engine, name, row, flush=True)
            step = max(1, len(lines) // 200)
            curves += [(engine, name, int(l["queries"]), int(l["bytes"]) / 2**20) for l in lines[::step] + lines[-1:]]
    return curves


def mean(values):
    return statistics.fmean(values) if values else math.nan


def deviation(values):
    return statistics.stdev(values) if len(values) > 1 else 0.0


def figure(values, digits=0):
    """mean (deviation), as in the paper."""
    shown = lambda v: f"{v:,.{digits}f}" if v < 10000 else f"{v / 1000:,.0f}K"
    return f"{shown(mean(values))} ({shown(deviation(values))})" if values else "–"


def numbers(rows, column):
    return [float(row[column]) for row in rows if row[column] != "" and row["verdict"] != "undecided"]


def time_of(seconds):
    if seconds >= 3600:
        return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60)} m"
    return f"{seconds / 60:.0f} m" if seconds >= 600 else f"{seconds:g} s"


def table_text(rows):
    lines = ["| file | clauses | paper | queries | paper | CPU s | paper | MB | paper | bar | met |", "|---|" + "---:|" * 10]
    for name in [*PAPER, *VIS]:
        mine = [r for r in rows if r["part"] == "table" and r["file"] == name]
        if not mine:
            continue
        solved = all(r["verdict"] != "undecided" for r in mine)
        paper = PAPER.get(name)
        theirs = [f"{m:g} ({d:g})" if m < 1e4 else f"{m / 1e3:g}K ({d / 1e3:g}K)" for m, d in paper[1:3]] if paper else ["–", "–"]
        theirs += [time_of(paper[3][0]), f"{paper[4][0]}"] if paper else ["–", "–"]
        seconds = numbers(mine, "cpu")
        ours = [figure(numbers(mine, "clauses")), figure(numbers(mine, "queries")), figure(seconds, 2), figure(numbers(mine, "mb"))]
        if not solved:
            ours = ["–", "–", f"> {max(float(r['cpu']) for r in mine):.0f}", f"{max(float(r['mb']) for r in mine):.0f}"]
        cells = [c for pair in zip(ours, theirs) for c in pair]
        met = "yes" if solved and max(seconds) <= BAR[name] else "**no**"
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {BAR[name]:.0f} s | {met} |")
    return "\n".join(lines)


def threads_text(rows):
    mine = [r for r in rows if r["part"] == "threads"]
    lines = ["| file | threads | solved | CPU s a thread | against 1 | clauses | queries, all threads |", "|---|---|---|---:|---:|---:|---:|"]
    for name in dict.fromkeys(r["file"] for r in mine):
        one = None
        for count, way in dict.fromkeys((r["threads"], r["way"]) for r in mine if r["file"] == name):
            here = [r for r in mine if (r["file"], r["threads"], r["way"]) == (name, count, way)]
            seconds = [s / int(count) for s in numbers(here, "cpu")]
            one = one or mean(seconds)
            label = f"{count}" + (", CTIs shared" if way != "as it is" else "")
            faster = f"{one / mean(seconds):.2f}" if seconds else "–"
            row = [name, label, f"{len(seconds)} of {len(here)}", figure(seconds, 2), faster]
            lines.append("| " + " | ".join([*row, figure(numbers(here, "clauses")), figure(numbers(here, "queries"))]) + " |")
    return "\n".join(lines)


def options_text(rows):
    mine = [r for r in rows if r["part"] == "options"]
    lines = ["| file | " + " | ".join(WAYS) + " |", "|---|" + "---:|" * len(WAYS)]
    for name in dict.fromkeys(r["file"] for r in mine):
        cells = []
        for way in WAYS:
            here = [r for r in mine if (r["file"], r["way"]) == (name, way)]
            queries, seconds, clauses = (numbers(here, c) for c in ("queries", "cpu", "clauses"))
            far = len(queries) == len(here) and here
            cells.append(f"{mean(queries):,.0f} ({mean(clauses):.0f}), {mean(seconds):.2f} s" if far else "–")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#e377c2", "#17becf"]


class Plot:
    """A plot of lines, in SVG."""

    LEFT, TOP, WIDTH, HEIGHT = 64, 34, 520, 300

    def __init__(self, title, across, up, log):
        self.title, self.across, self.up, self.log, self.lines = title, across, up, log, []

    def add(self, label, points, dashed=False):
        self.lines.append((label, points, dashed))

    def ticks(self, low, high, axis):
        if self.log[axis]:
            if axis == 0 and high <= 64:
                return [2.0**k for k in range(int(math.log2(high)) + 1)]
            first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
            return [10.0**k for k in range(first, last + 1)]
        step = 10 ** math.floor(math.log10(high or 1))
        step = next(step * f for f in (0.2, 0.5, 1, 2, 5) if high / (step * f) <= 6)
        return [step * k for k in range(int(high / step) + 2)]

    def svg(self):
        every = [p for _, points, _ in self.lines for p in points]
        axes = []
        for axis in (0, 1):
            values = [p[axis] for p in every]
            axes.append(self.ticks(min(values), max(values), axis))
        scale = lambda v, ticks, log: (math.log(v) - math.log(ticks[0])) / (math.log(ticks[-1]) - math.log(ticks[0])) if log else v / ticks[-1]
        x = lambda v: self.LEFT + self.WIDTH * scale(v, axes[0], self.log[0])
        y = lambda v: self.TOP + self.HEIGHT * (1 - scale(v, axes[1], self.log[1]))
        bottom, right = self.TOP + self.HEIGHT, self.LEFT + self.WIDTH
        total = bottom + 52 + 16 * ((len(self.lines) + 1) // 2)
        out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="620" height="{total}" font-family="sans-serif" font-size="12">']
        out.append(f'<rect width="620" height="{total}" fill="white"/><text x="{self.LEFT}" y="20" font-size="14">{self.title}</text>')
        for tick in axes[0]:
            out.append(f'<path d="M{x(tick):.1f} {self.TOP}V{bottom}" stroke="#ddd"/><text x="{x(tick):.1f}" y="{bottom + 16}" text-anchor="middle">{tick:,.10g}</text>')
        for tick in axes[1]:
            out.append(f'<path d="M{self.LEFT} {y(tick):.1f}H{right}" stroke="#ddd"/><text x="{self.LEFT - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:,.10g}</text>')
        out.append(f'<text x="{(self.LEFT + right) / 2}" y="{bottom + 34}" text-anchor="middle">{self.across}</text>')
        out.append(f'<text transform="translate(14 {(self.TOP + bottom) / 2}) rotate(-90)" text-anchor="middle">{self.up}</text>')
        for k, (label, points, dashed) in enumerate(self.lines):
            colour, dash = COLOURS[k % len(COLOURS)], ' stroke-dasharray="5 4"' if dashed else ""
            path = "L".join(f"{x(a):.1f} {y(b):.1f}" for a, b in points)
            out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.8"{dash}/>')
            if len(points) < 20:
                out += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3" fill="{colour}"/>' for a, b in points]
            left, top = self.LEFT + 270 * (k % 2), bottom + 54 + 16 * (k // 2)
            out.append(f'<path d="M{left} {top - 4}h22" stroke="{colour}" stroke-width="1.8"{dash}/><text x="{left + 28}" y="{top}">{label}</text>')
        return "\n".join([*out, "</svg>", ""])


def threads_plot(rows):
    plot = Plot("Time against threads (Fig. 5)", "threads", "seconds a thread", (True, True))
    mine = [r for r in rows if r["part"] == "threads" and r["way"] == "as it is"]
    for name in dict.fromkeys(r["file"] for r in mine):
        points = []
        for count in sorted({int(r["threads"]) for r in mine if r["file"] == name}):
            seconds = numbers([r for r in mine if r["file"] == name and int(r["threads"]) == count], "cpu")
            points += [(count, mean(seconds) / count)] if seconds else []
        plot.add(name, points)
    for name, (one, many) in FIGURE.items():
        plot.add(f"{name}, the paper (1 and 32)", [(1, one), (32, many)], dashed=True)
    return plot.svg()


def memory_plot(curves):
    plot = Plot("Memory over queries", "SAT queries", "MB resident", (False, False))
    for engine, name in dict.fromkeys((c[0], c[1]) for c in curves):
        points = [(q, mb) for e, n, q, mb in curves if (e, n) == (engine, name)]
        plot.add(f"{engine}, {name}", points, dashed=engine == "ic3")
    return plot.svg()


def write(path, header, rows):
    with open(path, "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def known(path):
    """The runs of parts that are not done again."""
    return list(csv.DictReader(open(path))) if os.path.exists(path) else []


def save(args, rows):
    write(args.out + ".csv", COLUMNS, [[r[c] for c in COLUMNS] for r in rows])


def memory_text(curves):
    lines = ["| engine | file | queries | MB at a tenth of them | MB at the end | peak |", "|---|---|---:|---:|---:|---:|"]
    for engine, name in dict.fromkeys((c[0], c[1]) for c in curves):
        points = [(q, mb) for e, n, q, mb in curves if (e, n) == (engine, name)]
        last, early = points[-1], next(p for p in points if p[0] >= points[-1][0] / 10)
        lines.append(f"| {engine} | {name} | {last[0]:,} | {early[1]:.0f} | {last[1]:.0f} | {max(mb for _, mb in points):.0f} |")
    return "\n".join(lines)


PREFACE = """# FSIS: the paper's figures again

Made by `bench/papers/fsis.py`; its head says what is measured and how. Every run is in `fsis.csv`, the curves are in
`fsis-memory.csv`. A figure is a mean over the seeds that were run, its deviation in parentheses; a dash is a run that the
limit on CPU time ended. The paper's machine had cores of 1.8 GHz and took the mean of 16 runs. "met" is whether the
slowest seed took a hundredth of the paper's time, or 2 s where that is more; of VIS files that the paper does not have,
20 s.
"""


def report(args, rows, curves):
    parts = {
        "Table I": table_text(rows),
        "Fig. 5: threads": threads_text(rows),
        "What the parts are worth: queries (clauses) and CPU seconds": options_text(rows),
        "Memory over queries": memory_text(curves),
    }
    body = "\n\n".join(f"## {title}\n\n{body}" for title, body in parts.items() if body.count("\n") > 1)
    print(body)
    with open(args.out + ".md", "w") as out:
        out.write(f"{PREFACE}\n{body}\n")
    if any(r["part"] == "threads" for r in rows):
        open(args.out + ".svg", "w").write(threads_plot(rows))
    if curves:
        open(args.out + "-memory.svg", "w").write(memory_plot(curves))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("buttress")
    parser.add_argument("models")
    parser.add_argument("--part", default="table,threads,options,memory")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--thread-seeds", type=int, default=5)
    parser.add_argument("--option-seeds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=20, help="CPU seconds for a thread")
    parser.add_argument("--patience", action="store_true", help="as many as the bar allows, where that is more")
    parser.add_argument("--thread-files", type=int, default=3)
    parser.add_argument("--thread-limit", type=float, default=math.inf, help="only files that took no longer")
    parser.add_argument("--option-files", type=int, default=11)
    parser.add_argument("--memory-files", type=int, default=4)
    parser.add_argument("--memory-seconds", type=float, default=60)
    parser.add_argument("--redis-files", default="pj2018,pj2016,vis4arbitp1")
    parser.add_argument("--redis-seeds", type=int, default=3)
    parser.add_argument("--processes", default="1,2,4,8")
    parser.add_argument("--delay", default="", help="seconds that each message takes longer, in runs beside those without")
    parser.add_argument("--delayed", default="4", help="numbers of processes of these runs")
    parser.add_argument("--out", default=os.path.join(HERE, "..", "results", "fsis"))
    args = parser.parse_args()
    parts = [p for p in args.part.split(",") if p]
    if "redis" in parts:
        import fsis_redis

        fsis_redis.experiment(args)
        fsis_redis.report(args)
        if parts == ["redis"]:
            return
    rows = [r for r in known(args.out + ".csv") if r["part"] not in parts]
    for part, go in {"table": table, "threads": threads, "options": options}.items():
        if part in parts:
            go(rows, args)
            save(args, rows)
    if "memory" in parts:
        curves = memory(args)
        write(args.out + "-memory.csv", ["engine", "file", "queries", "mb"], [(e, n, q, f"{mb:.1f}") for e, n, q, mb in curves])
    curves = [(c["engine"], c["file"], int(c["queries"]), float(c["mb"])) for c in known(args.out + "-memory.csv")]
    report(args, rows, curves)


if __name__ == "__main__":
    main()
