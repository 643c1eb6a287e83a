"""Cubicle's own examples: backward reachability with approximation, for any number of processes, without predicates.

    python3 cubicle.py BUTTRESS FOLDER [--seconds 60] [--out ../results/cubicle]

Runs `check` on each .cub file below FOLDER, one after the other, and writes OUT.csv: properties, how many were proved, falsified and left
open, the longest trace, clauses of the invariants, CPU seconds of the whole process tree, wall seconds. A verdict counts only if it is
one that `check` printed, so it was checked: proofs without quantifiers on the model as it was read, traces by replay. The expected verdict
is that of --index, a CSV with the columns file and expected, where it has the file.
"""

import argparse
import csv
import os
import re
import resource
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(buttress, model, seconds):
    before, start = cpu(), time.time()
    done = subprocess.run([buttress, "check", model, "--timeout", str(seconds)], capture_output=True, text=True)
    used, wall = cpu() - before, time.time() - start
    lines = done.stdout.splitlines()
    proved = sum(": proved" in line for line in lines)
    steps = [int(found.group(1)) for found in (re.search(r": falsified at step (\d+)", line) for line in lines) if found]
    undecided = sum(": undecided" in line for line in lines)
    clauses = sum("  invariant: " in line for line in lines)
    error = done.returncode not in (0, 10, 30)
    return proved, steps, undecided, clauses, used, wall, done.stderr.splitlines()[0] if error and done.stderr else ""


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("buttress")
    arguments.add_argument("folder")
    arguments.add_argument("--seconds", type=int, default=60)
    arguments.add_argument("--index")
    arguments.add_argument("--out", default=os.path.join(HERE, "..", "results", "cubicle"))
    args = arguments.parse_args()
    expected = {}
    if args.index:
        expected = {os.path.basename(row["file"]): row["expected"] for row in csv.DictReader(open(args.index))}
    models = sorted(os.path.join(at, name) for at, _, names in os.walk(args.folder) for name in names if name.endswith(".cub"))
    with open(args.out + ".csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["model", "expected", "properties", "proved", "falsified", "undecided", "longest_trace", "clauses", "cpu_seconds",
                        "wall_seconds", "error"])
        for model in models:
            proved, steps, undecided, clauses, used, wall, error = run(args.buttress, model, args.seconds)
            row = [os.path.relpath(model, args.folder)[:-4], expected.get(os.path.basename(model), ""), proved + len(steps) + undecided, proved,
                   len(steps), undecided, max(steps, default=""), clauses or "", f"{used:.2f}", f"{wall:.1f}", error]
            table.writerow(row)
            file.flush()
            print("  ".join(str(cell) or "-" for cell in row), flush=True)


if __name__ == "__main__":
    main()
