"""What it costs to order many terms, by the procedures of the KIND-INV paper and by merge sort.

    python3 kind-inv-cost.py POSET BUTTRESS HW LUSTRE [--seconds 60] [--out kind-inv-cost]

POSET is the program `poset` of the testkit, HW and LUSTRE are the folders of the models below. For each model and
number of terms: the graph for Booleans (`dag`), the chains of Figure 2 and merge sort (Daskalakis et al.) on the same posets, and
discovery as a whole (`invariants --max-terms`), one process each, at SECONDS of CPU time. Writes OUT.csv and OUT.md with the
exponents that fit: the slope of log(seconds) over log(terms) from one size to the next, and of the chains also over classes.
"""

import argparse
import csv
import json
import math
import os
import resource
import subprocess

CIRCUITS = ["mc/hwmcc15/single/6s344rb150.aig", "mc/hwmcc15/single/6s376r.aig", "mc/hwmcc08/nusmvtcastp5.aig", "mc/hwmcc20/aig/2020/mann/rast-p00.aig"]
PROGRAMS = ["classic/rtp_vt.lus", "classic/metros_3.lus"]
SIZES = [200, 2000, 20000]
COLUMNS = ["model", "procedure", "asked", "terms", "classes", "width_at_least", "chains", "height", "edges", "comparisons", "seconds", "cpu", "peak_mb"]


def measured(command, seconds):
    """Standard output, or None where the limit ended it; CPU seconds and the peak of memory."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=limit)
    text = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    done = os.WIFEXITED(status) and os.WEXITSTATUS(status) in (0, 30)
    return text if done else None, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def poset(args, model, path, procedure, size):
    text, cpu, peak = measured([args.poset, procedure, str(size), path], args.seconds)
    row = {"model": model, "procedure": procedure, "asked": size, "cpu": round(cpu, 3), "peak_mb": round(peak)}
    if text is None:
        return row
    known = json.loads(text)
    known["width_at_least"] = known.pop("level")
    return row | {key: known[key] for key in COLUMNS if key in known}


def discovery(args, model, path, size):
    command = [args.buttress, "invariants", "--json", "--timeout", str(args.seconds), "--max-terms", str(size), "--max-k", "1", path]
    text, cpu, peak = measured(command, 2 * args.seconds)
    row = {"model": model, "procedure": "discovery", "asked": size, "cpu": round(cpu, 3), "peak_mb": round(peak)}
    report = json.loads(text) if text else {"stopped": "time"}
    if report["stopped"] is not None:
        return row
    orders = report["orders"]
    return row | {
        "terms": sum(t["terms"] for t in report["terms"]),
        "classes": sum(o["classes"] for o in orders),
        "height": max(o["height"] for o in orders),
        "edges": report["conjectured"],
        "seconds": round(report["seconds"], 3),
    }


def run(args):
    rows = []
    with open(args.out + ".csv", "w", newline="") as out:
        writer = csv.DictWriter(out, COLUMNS)
        writer.writeheader()
        for folder, models, procedures in [
            (args.hw, CIRCUITS, ["dag", "chains", "merge"]),
            (args.lustre, PROGRAMS, ["int-chains", "int-merge"]),
        ]:
            for model in models:
                for size in SIZES:
                    path = os.path.join(folder, model)
                    new = [poset(args, model, path, procedure, size) for procedure in procedures]
                    new.append(discovery(args, model, path, size))
                    terms = max(int(row.get("terms") or 0) for row in new)
                    writer.writerows(new)
                    out.flush()
                    rows += new
                    if terms < size:
                        break
    return rows


def exponent(small, large, over):
    if not (small.get("cpu") and large.get("seconds") and small.get("seconds")):
        return ""
    if float(small["seconds"]) < 0.002 or float(large[over]) <= 1.5 * float(small[over]):
        return ""
    return f"{math.log(float(large['seconds']) / float(small['seconds'])) / math.log(float(large[over]) / float(small[over])):.2f}"


def tables(args, rows):
    lines = [
        "# What ordering terms costs",
        "",
        f"Command: `python3 bench/papers/kind-inv-cost.py POSET BUTTRESS hw lustre`; {args.seconds} CPU s for each run. {args.note}",
        "",
        "| model | procedure | terms | classes | width | height | edges | comparisons | s | peak MB | exponent in terms | in classes | in edges |",
        "|---|---|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    before = {}
    for row in rows:
        key = row["model"], row["procedure"]
        get = lambda name: row.get(name) or ""
        exact = row["procedure"].endswith("merge") and row.get("chains")
        width = f"{row['chains']}" if exact else f">= {row['width_at_least']}" if row.get("width_at_least") else ""
        fits = [exponent(before[key], row, over) if key in before and get("terms") else "" for over in ["terms", "classes", "edges"]]
        seconds = f"{float(row['seconds']):.3f}" if row.get("seconds") not in (None, "") else f"over {args.seconds:g}"
        cells = [os.path.basename(row["model"]), row["procedure"], get("terms") or f"({row['asked']})", get("classes"), width]
        cells += [get("height"), get("edges"), get("comparisons"), seconds, row["peak_mb"], *fits]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
        if get("terms"):
            before[key] = row
    with open(args.out + ".md", "w") as out:
        out.write("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser()
    for name in ["poset", "buttress", "hw", "lustre"]:
        parser.add_argument(name)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--out", default="kind-inv-cost")
    parser.add_argument("--note", default="")
    args = parser.parse_args()
    tables(args, run(args))


if __name__ == "__main__":
    main()
