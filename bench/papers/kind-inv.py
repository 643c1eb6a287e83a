"""The experiment of the KIND-INV paper again (Kahsai, Ge & Tinelli, NFM 2011, Section 4, Figures 3 and 4).

    python3 kind-inv.py BUTTRESS CLASSIC EXPECTED.csv [--every 5] [--seconds 60] [--generate 30] [--out kind-inv] [--tables] [--verify]

CLASSIC is the folder of Lustre files, EXPECTED.csv says which are valid; every n-th valid file is taken. Writes OUT.csv
(every run) and, with --tables, OUT.md (the tables beside the paper's) and OUT.svg (the scatter plots). What OUT.csv has is not run
again, unless it was undecided with a smaller limit; so a long run may be cut into pieces.

* precision: k-induction alone; with Boolean invariants; with inequalities of numbers; with both, at SECONDS of CPU time of all
  threads and solvers together. `bool` and `int` are run where k-induction alone does
  not prove; what it proves alone counts for them, too. Columns of Figure 3: A solved
  without invariants; B with either kind; C only with int; D only with bool; E only with both together; F not solved.
* with --verify nothing but `invariants --verify` on every file of EXPECTED.csv, valid or not, at GENERATE seconds: how many invariants
  were printed, how many were proved again by themselves, and whether the check rejected any, to OUT-verify.csv.
* generation: `invariants --compare bool` and `--compare int`, at GENERATE seconds of elapsed time: sizes and times.
* Figure 4: seconds of k-induction alone against generation plus k-induction with the invariants (sequential), and against the
  smaller of the two (parallel). Here discovery and k-induction do run side by side, so the measured time stands for
  the parallel one; for the sequential one the generation time is added to the time of k-induction, which is that of the
  run less the time at which the last invariants came. That is an upper bound.

The paper has one timeout for generation (300 s, in the text on run times 120 s) and one for KIND (120 s or 300 s); here both are
what the command line says.
"""

import argparse
import csv
import json
import os
import resource
import signal
import statistics
import subprocess
import tempfile
import time

PAPER = {"alone": 61, "bool": 77, "int": 82, "both": 85}
PAPER_DEEP = {"alone": 14.5, "bool": 6.7, "int": 8.7, "both": 3.8}
WAYS = {
    "alone": [],
    "bool": ["--engine", "inv", "--discover", "bool"],
    "int": ["--engine", "inv", "--discover", "int"],
    "both": ["--engine", "inv"],
}
COLUMNS = ["file", "way", "verdict", "k", "wall", "cpu", "size", "complete", "limit"]


def seconds_of(group):
    """CPU seconds of the living processes of a group, and of their children that ended."""
    ticks = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[2]) == group:
            ticks += sum(int(field) for field in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


def measured(command, cpu_limit):
    """The report, or None where the limit of CPU time ended it; seconds by the clock and of CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    with tempfile.TemporaryFile("w+") as output:
        child = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, process_group=0)
        late = False
        while True:
            try:
                child.wait(0.05)
                break
            except subprocess.TimeoutExpired:
                late = late or seconds_of(child.pid) > cpu_limit
                if late:
                    os.killpg(child.pid, signal.SIGKILL)
        wall = time.monotonic() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        output.seek(0)
        return None if late else json.load(output), wall, max(cpu, cpu_limit if late else 0)


def check(args, path, way):
    command = [args.buttress, "check", "--json", "--engine", "kind", *WAYS[way], path]
    report, wall, cpu = measured(command, args.seconds)
    times = {"wall": round(wall, 3), "cpu": round(cpu, 3), "limit": args.seconds}
    if report is None:
        return {"verdict": "undecided"} | times
    verdicts = [p.get("verdict") for p in report["properties"]]
    proved = bool(verdicts) and all(v == "proved" for v in verdicts)
    ks = [p.get("k") for p in report["properties"] if p.get("k")]
    verdict = "proved" if proved else "falsified" if "falsified" in verdicts else "undecided"
    return {"verdict": verdict, "k": max(ks, default="")} | times


def generate(args, path, kind):
    command = [args.buttress, "invariants", "--json", "--timeout", str(args.generate), "--compare", kind, path]
    report, wall, cpu = measured(command, 10 * args.generate)
    if report["rejected"]:
        raise SystemExit(f"{path}: rejected: {report['rejected']}")
    return {
        "verdict": "generated",
        "size": len(report["invariants"]),
        "complete": report["stopped"] is None,
        "wall": round(wall, 3),
        "cpu": round(cpu, 3),
        "limit": args.generate,
    }


def verify(args, files):
    """Every file that the table does not have yet."""
    name = args.out + "-verify.csv"
    done = set()
    if os.path.exists(name):
        with open(name) as table:
            done = {row["file"] for row in csv.DictReader(table)}
    with open(name, "a", newline="") as out:
        writer = csv.DictWriter(out, ["file", "invariants", "with copies", "proved alone", "rejected", "stopped", "wall", "cpu"])
        if not done:
            writer.writeheader()
        for file in files:
            if file in done:
                continue
            path = os.path.join(args.classic, file)
            command = [args.buttress, "invariants", "--json", "--verify", "--timeout", str(args.generate), path]
            report, wall, cpu = measured(command, 10 * args.generate)
            row = {"file": file, "invariants": len(report["invariants"]), "rejected": report["rejected"] or ""}
            row["with copies"] = row["invariants"] + report["not_shown"]
            row |= {"proved alone": report["proved_alone"], "stopped": report["stopped"] or ""}
            writer.writerow(row | {"wall": round(wall, 3), "cpu": round(cpu, 3)})
            out.flush()


def known(args):
    """The rows of earlier runs, the last of each file and way; what was undecided with a smaller limit is run again."""
    if not os.path.exists(args.out + ".csv"):
        return {}
    with open(args.out + ".csv") as table:
        rows = {(row["file"], row["way"]): row for row in csv.DictReader(table)}
    number = lambda text: float(text) if text else ""
    numbers = lambda row: {name: number(row[name]) for name in ["k", "wall", "cpu", "size", "limit"]}
    return {key: row | numbers(row) | {"complete": row["complete"] == "True"} for key, row in rows.items()}


def is_done(args, row):
    return row is not None and (row["verdict"] != "undecided" or float(row["limit"]) >= args.seconds)


def run(args, files):
    rows = known(args)
    with open(args.out + ".csv", "a", newline="") as out:
        writer = csv.DictWriter(out, COLUMNS)
        if not rows:
            writer.writeheader()
        for name in files:
            path = os.path.join(args.classic, name)
            jobs = [(way, lambda way=way: check(args, path, way)) for way in WAYS]
            jobs += [("generate " + kind, lambda kind=kind: generate(args, path, kind)) for kind in ["bool", "int"]]
            for way, job in jobs:
                if way not in args.ways or is_done(args, rows.get((name, way))):
                    continue
                if way in ["bool", "int"] and rows.get((name, "alone"), {}).get("verdict") == "proved":
                    continue
                row = {"file": name, "way": way} | job()
                rows[name, way] = row
                writer.writerow(row)
                out.flush()
    return list(rows.values())


def median(values):
    return statistics.median(values) if values else float("nan")


def tables(args, rows, total):
    solved = {way: {r["file"] for r in rows if r["way"] == way and r["verdict"] == "proved"} for way in WAYS}
    files = {r["file"] for r in rows}
    open_ = files - solved["alone"]
    b, i, both = (solved[w] & open_ for w in ["bool", "int", "both"])
    columns = {
        "A": solved["alone"],
        "B": b & i,
        "C": i - b,
        "D": b - i,
        "E": both - b - i,
        "F": open_ - both - b - i,
    }
    limits = {way: sorted({f"{float(r['limit']):g}" for r in rows if r["way"] == way}, key=float) for way in args.ways}
    said = "; ".join(f"{way} {' and '.join(limits[way])}" for way in args.ways)
    lines = [
        "# KIND-INV again",
        "",
        f"{len(files)} of the {total} valid classic files. Limits in seconds, of CPU time for k-induction and of elapsed time for "
        f"generation: {said}. {args.note}",
        "",
        "| k-induction | solved | share | the paper |",
        "|---|---:|---:|---:|",
    ]
    for way in WAYS:
        own = solved[way] | solved["alone"] if way in ["bool", "int"] else solved[way]
        lines.append(f"| {way} | {len(own)} | {100 * len(own) / len(files):.0f} % | {PAPER[way]} % |")
    lost = solved["alone"] - solved["both"]
    lines += ["", f"Proved alone and not with both at the limits above: {', '.join(sorted(lost)) or 'none'}."]
    lines += ["", "Figure 3, files in each column:", "", "| A | B | C | D | E | F |", "|---:|---:|---:|---:|---:|---:|"]
    lines.append("| " + " | ".join(str(len(columns[c])) for c in "ABCDEF") + " |")
    lines += ["", f"Not solved: {', '.join(sorted(columns['F'])) or 'none'}.", ""]
    lines += ["Share of k > 1 among the files solved without invariants:", "", "| alone | both |", "|---:|---:|"]
    shares = []
    for way in ["alone", "both"]:
        own = [r for r in rows if r["way"] == way and r["file"] in solved["alone"] & solved[way] and r["k"]]
        deep = sum(float(r["k"]) > 1 for r in own)
        shares.append(f"{100 * deep / max(1, len(own)):.1f} % (paper: {PAPER_DEEP[way]} %)")
    lines += ["| " + " | ".join(shares) + " |", "", "Generation:", ""]
    lines += ["| kind | files | median size | largest | empty | stopped by the limit | longest s | median s | median CPU s | the paper's median s |"]
    lines += ["|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    for kind, paper in [("bool", 6.3), ("int", 22.4)]:
        own = [r for r in rows if r["way"] == "generate " + kind]
        sizes = [r["size"] for r in own]
        late = sum(not r["complete"] for r in own)
        lines.append(
            f"| {kind} | {len(own)} | {median(sizes):.0f} | {max(sizes):.0f} | {sizes.count(0)} | {late} | "
            f"{max(r['wall'] for r in own):.1f} | "
            f"{median([r['wall'] for r in own]):.2f} | {median([r['cpu'] for r in own]):.2f} | {paper} |"
        )
    with open(args.out + ".md", "w") as out:
        out.write("\n".join(lines) + "\n")


def scatter(points, left, title, limit):
    parts = [f'<g transform="translate({left},30)"><text x="150" y="-10" text-anchor="middle">{title}</text>']
    parts.append('<rect width="300" height="300" fill="none" stroke="black"/><line y1="300" x2="300" stroke="gray"/>')
    parts.append(f'<text x="300" y="316" text-anchor="end">{limit:g}</text><text x="-4" y="8" text-anchor="end">{limit:g}</text>')
    parts.append('<text y="316">0</text><text x="-4" y="300" text-anchor="end">0</text>')
    parts += [f'<circle cx="{300 * min(x, limit) / limit:.1f}" cy="{300 - 300 * min(y, limit) / limit:.1f}" r="3" fill-opacity="0.5"/>' for x, y in points]
    parts.append('<text x="150" y="330" text-anchor="middle">k-induction alone, s</text>')
    parts.append('<text transform="translate(-12,150) rotate(-90)" text-anchor="middle">with invariants, s</text></g>')
    return parts


def plot(args, rows):
    """Seconds of CPU time, which a loaded machine does not change; files whose generation was not run are left out."""
    limit = args.seconds
    by = {(r["file"], r["way"]): r for r in rows}
    files = sorted({f for f, way in by if way == "generate int" and (f, "alone") in by and (f, "both") in by})
    seconds = lambda f, way: by[f, way]["cpu"] if by[f, way]["verdict"] == "proved" else limit
    generated = lambda f: sum(by[f, way]["cpu"] for way in ["generate int", "generate bool"] if (f, way) in by)
    sequential = [(seconds(f, "alone"), generated(f) + seconds(f, "both")) for f in files]
    parallel = [(seconds(f, "alone"), min(seconds(f, "alone"), seconds(f, "both"))) for f in files]
    body = scatter(sequential, 50, "sequential", limit) + scatter(parallel, 430, "parallel", limit)
    with open(args.out + ".svg", "w") as out:
        out.write('<svg xmlns="http://www.w3.org/2000/svg" width="760" height="380" font-family="sans-serif" font-size="12"><rect width="760" height="380" fill="white"/>')
        out.write("".join(body) + "</svg>\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("buttress")
    parser.add_argument("classic")
    parser.add_argument("expected")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--generate", type=float, default=30)
    parser.add_argument("--out", default="kind-inv")
    parser.add_argument("--ways", nargs="*", default=[*WAYS, "generate bool", "generate int"])
    parser.add_argument("--only", nargs="*", help="these files and no others")
    parser.add_argument("--tables", action="store_true", help="write the tables and plots, too")
    parser.add_argument("--verify", action="store_true", help="prove what is printed again, on all files, and nothing else")
    parser.add_argument("--note", default="")
    args = parser.parse_args()
    with open(args.expected) as table:
        expected = list(csv.DictReader(table))
    valid = [row["file"] for row in expected if row["expected"] == "valid"]
    if args.verify:
        return verify(args, [row["file"] for row in expected])
    rows = run(args, args.only or valid[:: args.every])
    if args.tables:
        tables(args, rows, len(valid))
        plot(args, rows)


if __name__ == "__main__":
    main()
