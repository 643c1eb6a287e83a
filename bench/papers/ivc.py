#!/usr/bin/env python3
"""Inductive validity cores beside their paper (Ghassabani, Gacek & Whalen, FSE 2016): tables 1-7, figures 6-8.

    bench/papers/ivc.py --program target/release/buttress --out bench/results/ivc
    bench/papers/ivc.py --every 4 --timeout 20 ...      a sample

Runs `core` on every model of ../shared/bench/lustre/ivc, with z3 and with Yices, and writes OUT.csv (one row for each
run), OUT.md (the paper's tables beside ours, and how sizes agree with the published ones in ivc.csv) and OUT-fig6.svg,
OUT-fig7.svg and OUT-fig8.svg (time of each method, sizes, distances between cores). Rows that OUT.csv has already stay,
unless their run is named again. Elements are
those of the flattened main node, as published. What was not decided in time is counted, not left out in silence.

What is compared is processor time, of Buttress and its solvers: of the proof, all engines that ran side by side and the
check of the proof; of the core, all of IVC_UC. The core goes on in the solver's process that checked the proof: its start
counts for the check, which needs it anyway, `(reset)` and all that follows for the core. As in the paper, the time in which
the reduced model is proved again is not part of it; it is a column of its own. A file's own
rows are one after the other; `--jobs` files are run at a time.
"""

import argparse
import concurrent.futures
import csv
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time

SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared/bench/lustre"
FIELDS = ["model", "run", "verdict", "engine", "elements", "slice", "core", "minimal", "undecided", "must",
          "must_undecided", "cores", "complete", "smallest", "proof_s", "core_s", "minimal_s", "check_s",
          "proof_cpu_s", "core_cpu_s", "minimal_cpu_s", "check_cpu_s", "wall_s", "names"]
# Engine and solver of each run; the first two are what is compared with the paper.
UC = {"uc z3": ["--solver", "z3"], "uc yices": ["--solver", "yices"]}
# k-induction with invariants that are discovered beside it, as in the paper.
ENGINES = {"kind+inv": ["--engine", "kind", "--engine", "inv"], "ic3": ["--engine", "ic3"]}
DIVERSE = {f"uc {e} {s}": ["--solver", s, *flags] for e, flags in ENGINES.items() for s in ("z3", "yices")}
ALL = {"all": ["--method", "ucbf", "--must", "--all", "40"]}
BF = {"bf": ["--method", "bf"], "ucbf": ["--method", "ucbf"]}


def run(program, model, name, flags, timeout):
    command = [program, "core", str(SHARED / "ivc" / model), "--json", "--granularity", "flattened",
               "--timeout", str(timeout), "--patience", str(min(timeout, 5)), *flags]
    start = time.time()
    row = {"model": model, "run": name}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout + 30)
        report = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return {**row, "verdict": "no answer", "wall_s": round(time.time() - start, 3)}
    row["wall_s"] = round(time.time() - start, 3)
    # The published figures are about one property a model; with several, the first.
    p = report["properties"][0]
    row |= {"verdict": p["verdict"], "elements": len(report["elements"])}
    if p["verdict"] != "proved":
        return row
    seconds = {f"{key}_s": round(value, 4) for key, value in p["seconds"].items()}
    seconds |= {f"{key}_cpu_s": round(value, 4) for key, value in p["cpu_seconds"].items()}
    row |= {"engine": p["engine"], "slice": len(p["slice"]), "core": len(p["core"]), "minimal": p["minimal"],
            "undecided": "" if p["undecided"] is None else len(p["undecided"]), "names": ";".join(p["core"]), **seconds}
    if p["must"]:
        row |= {"must": len(p["must"]["elements"]), "must_undecided": len(p["must"]["undecided"])}
    if p["all"]:
        found = p["all"]
        row |= {"cores": len(found["cores"]), "complete": found["complete"],
                "smallest": min(map(len, found["cores"]), default="")}
    return row


def spread(values):
    if not values:
        return "–"
    return f"min {min(values):.3f}, max {max(values):.3f}, mean {statistics.mean(values):.3f}, stdev " \
           f"{statistics.pstdev(values):.3f}"


def overhead(rows, part, unit):
    proof = sum(r["proof" + unit] for r in rows)
    return 100 * sum(r[part + unit] for r in rows) / proof if proof else 0


def times(rows):
    """Tables 1 to 4."""
    paper = {"uc z3": "mean 0.192 s, 17.38 %", "uc yices": "52.20 %", "ucbf": "mean about 92 s, about 3190 %"}
    yield "| run | proved | core, processor seconds | mean proof | mean check of the core | all cores / all proofs | " \
          "the same by the clock | mean of core / proof | paper |\n|---|---|---|---|---|---|---|---|---|"
    for name in [*UC, *DIVERSE, *BF, *ALL]:
        chosen = [r for r in rows if r["run"] == name]
        proved = [r for r in chosen if r["verdict"] == "proved"]
        if proved:
            part = "core" if name.startswith("uc ") else "minimal"
            clock = f"{overhead(proved, part, '_s'):.1f} %"
            if not any(r["proof_cpu_s"] for r in proved):
                # Rows of an older run, by the clock alone.
                yield f"| {name} | {len(proved)} of {len(chosen)} | – | – | – | – | {clock} | – | {paper.get(name, '–')} |"
                continue
            mean = {key: statistics.mean(r[key + "_cpu_s"] for r in proved) for key in ("proof", "check")}
            each = statistics.mean(overhead([r], part, "_cpu_s") for r in proved)
            yield f"| {name} | {len(proved)} of {len(chosen)} | {spread([r[part + '_cpu_s'] for r in proved])} | " \
                  f"{mean['proof']:.3f} | {mean['check']:.3f} | {overhead(proved, part, '_cpu_s'):.1f} % | " \
                  f"{clock} | {each:.1f} % | {paper.get(name, '–')} |"


def aggregate(rows):
    """Table 5: sizes of all cores together, by engine and solver, on the models that all of them prove."""
    done = {}
    for r in rows:
        if r["run"] in DIVERSE and r["verdict"] == "proved":
            done.setdefault(r["model"], {})[r["run"]] = r["core"]
    both = [cores for cores in done.values() if len(cores) == len(DIVERSE)]
    if both:
        total = {name: sum(cores[name] for cores in both) for name in DIVERSE}
        yield f"- sizes of all cores together, {len(both)} models that k-induction and IC3 prove with both solvers: " + \
              ", ".join(f"{name[3:]} {size}" for name, size in total.items()) + \
              " (paper, 304 models: PDR 2378 and 2384, k-induction 2379 and 2376)."


def sizes(rows, published):
    """Table 6, Figure 7: how much larger than minimal, and the static slice; minimal as in the paper, what IVC_UCBF makes of
    a core, and the smallest of all that are known."""
    ours = {r["model"]: r["core"] for r in rows if r["run"] == "ucbf" and r["minimal"] == "minimal"}
    yield from compare(rows, ours, "than the core of IVC_UCBF")
    smallest = {model: int(p["min_mivc_size"]) for model, p in published.items() if p["min_mivc_size"]}
    smallest |= {r["model"]: min(r["core"], smallest.get(r["model"], r["core"])) for r in rows
                 if r["run"] in ("all", "ucbf") and r["minimal"] == "minimal"}
    yield from compare(rows, smallest, "than the smallest core that is known")


def compare(rows, minimal, than):
    for name in UC:
        pairs = [(r, minimal[r["model"]]) for r in rows
                 if r["run"] == name and r["verdict"] == "proved" and minimal.get(r["model"])]
        if not pairs:
            continue
        more = [100 * (r["core"] - m) / m for r, m in pairs]
        total = 100 * (sum(r["core"] for r, _ in pairs) / sum(m for _, m in pairs) - 1)
        slices = [r["slice"] / m for r, m in pairs]
        whole = [r["elements"] / m for r, m in pairs]
        yield f"- {name}, {len(pairs)} models: larger {than} by {statistics.mean(more):.1f} % in the mean, " \
              f"{max(more):.0f} % at most (paper: 20.5–20.8 %, 725 %), {total:.1f} % in all; minimal on " \
              f"{sum(x <= 0 for x in more)}; the static slice is {statistics.mean(slices):.2f} times that core " \
              f"(paper: 4.06–4.65), the whole model {statistics.mean(whole):.2f} times (paper: about 25)."


def agreement(rows, published):
    """With ivc.csv: sizes and numbers of minimal cores."""
    found = [(r, published[r["model"]]) for r in rows if r["run"] == "all" and r["verdict"] == "proved"]
    one = [(r, p) for r, p in found if p["n_mivcs"] == "1" and r["minimal"] == "minimal"]
    same = [r["model"] for r, p in one if r["core"] == int(p["min_mivc_size"])]
    yield f"- published n_mivcs = 1: our minimal core has the published size on {len(same)} of {len(one)} models."
    many = [(r, p) for r, p in found if p["n_mivcs"] not in ("", "1") and r["minimal"] == "minimal"]
    enough = sum(r["core"] >= int(p["min_mivc_size"]) for r, p in many)
    yield f"- published n_mivcs > 1: our minimal core is at least min_mivc_size on {enough} of {len(many)}."
    complete = [(r, p) for r, p in found if r["complete"] and p["n_mivcs"]]
    equal = sum(r["cores"] == int(p["n_mivcs"]) for r, p in complete)
    yield f"- enumeration complete on {len(complete)} of {len(found)}; the number of minimal cores equals n_mivcs on {equal}."
    must = [(r, p) for r, p in found if r["must_undecided"] == 0 and p["must_size"]]
    equal = sum(r["must"] == int(p["must_size"]) for r, p in must)
    yield f"- MUST decided on {len(must)}; of the published size on {equal}."
    differ = sorted({r["model"] for r, p in one if r["core"] != int(p["min_mivc_size"])}
                    | {r["model"] for r, p in complete if r["cores"] != int(p["n_mivcs"])}
                    | {r["model"] for r, p in must if r["must"] != int(p["must_size"])})
    if differ:
        yield f"- models that differ: {', '.join(differ)}."


def jaccards(rows):
    """The distances between the cores of each model that has several."""
    cores = {}
    for r in rows:
        if r["run"].startswith("uc ") and r["verdict"] == "proved":
            cores.setdefault(r["model"], []).append(set(filter(None, r["names"].split(";"))))
    pairs = [[(a, b) for i, a in enumerate(sets) for b in sets[:i]] for sets in cores.values()]
    return [[len(a ^ b) / len(a | b) if a | b else 0 for a, b in some] for some in pairs if some]


def diversity(rows):
    """Table 7, Figure 8."""
    distances = [d for values in jaccards(rows) for d in values]
    if distances:
        yield f"- {len(distances)} pairs of cores of one model by different engines and solvers: Jaccard distance mean " \
              f"{statistics.mean(distances):.3f}, largest {max(distances):.3f} (paper: 0.026, 0.878)."


def plot(title, across, up, lines, log):
    """Lines over models, each sorted by whoever calls."""
    width, height, left, top = 560, 300, 60, 34
    every = [v for _, values in lines for v in values]
    if not every:
        return None
    low, high = (min(v for v in every if v > 0), max(every)) if log else (0, max(every) or 1)
    low = 10 ** math.floor(math.log10(low)) if log else low
    # A round number above all.
    above = 10 ** math.ceil(math.log10(max(high, low * 1.01)))
    high = above if log else next(above * part for part in (0.2, 0.5, 1) if above * part >= high)
    scale = lambda v: math.log(max(v, low) / low) / math.log(high / low) if log else v / high
    longest = max(len(values) for _, values in lines)
    x = lambda i: left + width * i / max(longest - 1, 1)
    y = lambda v: top + height * (1 - scale(v))
    total = top + height + 60 + 18 * len(lines)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="660" height="{total}" font-family="sans-serif" font-size="12">',
           f'<rect width="660" height="{total}" fill="white"/><text x="{left}" y="20" font-size="14">{title}</text>']
    ticks = [low * 10 ** i for i in range(round(math.log10(high / low)) + 1)] if log else [high * i / 4 for i in range(5)]
    out += [f'<path d="M{left} {y(t):.1f}h{width}" stroke="#ddd"/><text x="{left - 6}" y="{y(t) + 4:.1f}" '
            f'text-anchor="end">{t:.4g}</text>' for t in ticks]
    out.append(f'<text x="{left + width / 2}" y="{top + height + 24}" text-anchor="middle">{across} (1 to {longest})</text>')
    out.append(f'<text transform="translate(14 {top + height / 2}) rotate(-90)" text-anchor="middle">{up}</text>')
    for k, (label, values) in enumerate(lines):
        colour = ["#0b5fa5", "#c0392b", "#27803b", "#8e44ad", "#d08a00"][k % 5]
        path = "L".join(f"{x(i):.1f} {y(v):.1f}" for i, v in enumerate(values))
        row = top + height + 48 + 18 * k
        out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        out.append(f'<path d="M{left} {row - 4}h22" stroke="{colour}" stroke-width="2"/><text x="{left + 28}" y="{row}">{label}</text>')
    return "\n".join([*out, "</svg>", ""])


def figures(rows, out):
    """Figures 6 (time beyond the proof), 7 (sizes) and 8 (distances)."""
    proved = [r for r in rows if r["verdict"] == "proved"]
    spent = lambda r: r["core_cpu_s"] if r["run"].startswith("uc ") else r["core_cpu_s"] + r["minimal_cpu_s"]
    times = [(name, sorted(spent(r) for r in proved if r["run"] == name)) for name in [*UC, *BF]]
    by = {name: {r["model"]: r for r in proved if r["run"] == name} for name in ("uc yices", "ucbf")}
    both = sorted(set(by["uc yices"]) & set(by["ucbf"]), key=lambda m: (by["ucbf"][m]["core"], m))
    sized = [("static slice", [by["ucbf"][m]["slice"] for m in both]),
             ("IVC_UC, Yices", [by["uc yices"][m]["core"] for m in both]),
             ("IVC_UCBF", [by["ucbf"][m]["core"] for m in both])]
    spread = sorted(jaccards(rows), key=statistics.mean)
    apart = [(name, [of(values) for values in spread]) for name, of in
             (("largest", max), ("mean", statistics.mean), ("smallest", min))]
    drawn = {"fig6": plot("Figure 6: time of the core beyond the proof", "models, by time", "processor seconds",
                          [line for line in times if line[1]], True),
             "fig7": plot("Figure 7: sizes of cores and of static slices", "models, by size of the minimal core",
                          "elements", sized, True) if both else None,
             "fig8": plot("Figure 8: Jaccard distances between cores of one model", "models, by mean distance",
                          "distance", apart, False) if spread else None}
    for name, svg in drawn.items():
        if svg:
            out.with_name(f"{out.name}-{name}.svg").write_text(svg)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/buttress")
    parser.add_argument("--out", default="bench/results/ivc")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--offset", type=int, default=0)
    parser.add_argument("--timeout", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--runs", default="uc,diverse,minimal,all", help="of uc, diverse, minimal, all, or single runs such as ucbf")
    parser.add_argument("--models", help="a file with the names of models, instead of all")
    parser.add_argument("--report-only", action="store_true", help="make OUT.md of OUT.csv")
    args = parser.parse_args()
    if not SHARED.exists():
        sys.exit("skipped: no ../shared")
    published = {r["model"]: r for r in csv.DictReader(open(SHARED / "ivc.csv"))}
    groups = {"uc": UC, "diverse": DIVERSE, "minimal": BF, "all": ALL}
    out = pathlib.Path(args.out)
    table = out.with_suffix(".csv")
    if not args.report_only:
        every = {k: v for group in groups.values() for k, v in group.items()}
        runs = {k: v for g in args.runs.split(",") for k, v in groups.get(g, {g: every.get(g)}).items()}
        models = open(args.models).read().split() if args.models else list(published)[args.offset::args.every]
        known = list(csv.DictReader(open(table))) if table.exists() else []
        again = {(model, name) for model in models for name in runs}
        with open(table, "w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS)
            writer.writeheader()
            writer.writerows(r for r in known if (r["model"], r["run"]) not in again)
            all_of = lambda model: [run(args.program, model, *r, args.timeout) for r in runs.items()]
            with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
                for found in pool.map(all_of, models):
                    writer.writerows(found)
                    file.flush()
    rows = list(csv.DictReader(open(table)))
    for r in rows:
        for key in FIELDS:
            if key.endswith("_s") or key in ("elements", "slice", "core", "must", "must_undecided", "cores"):
                r[key] = float(r[key]) if key.endswith("_s") and r[key] else int(r[key]) if r[key] else 0
        r["complete"] = r["complete"] == "True"
    faults = [r["model"] for r in rows if r["verdict"] in ("error", "falsified")]
    figures(rows, out)
    lines = [*times(rows), "", *aggregate(rows), *sizes(rows, published), "", *agreement(rows, published), "", *diversity(rows), "",
             "What counts: processor time of Buttress and its solvers. Of the proof, all engines that ran and the check; of the "
             "core, all of IVC_UC, in the process that checked the proof, from its reset on. The start of that process counts for "
             "the check, which needs it anyway.", "",
             f"Every core was proved again on the reduced model; rejected or falsified: {', '.join(faults) or 'none'}."]
    out.with_suffix(".md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
