#!/usr/bin/env python3
"""Decides formulas of computation tree logic and compares them with what is known.

    bench/trees.py PROGRAM FOLDER KNOWN [--seconds 10] [--engine NAME] [--core N] > results.csv

KNOWN is a table with the columns model, formulas, index and expected (holds, fails). Each formula is a run of its own: `PROGRAM check
MODEL --ctl FORMULAS --property cN`, on one core with so many seconds of processor time. The last line, on standard error, counts; exits
with 1 if a verdict is wrong.
"""

import argparse
import csv
import json
import os
import resource
import subprocess
import sys

COLUMNS = ["model", "index", "expected", "verdict", "engine", "seconds", "known"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("known")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--engine")
    parser.add_argument("--core")
    args = parser.parse_args()
    out = csv.writer(sys.stdout)
    out.writerow(COLUMNS)
    counts = {}
    for row in csv.DictReader(open(args.known, newline="")):
        model, formulas = (os.path.join(args.folder, row[key]) for key in ("model", "formulas"))
        command = [args.program, "check", model, "--ctl", formulas, "--property", f"c{row['index']}", "--json", "--cores", "1"]
        command += ["--timeout", str(2 * args.seconds)]
        command += ["--engine", args.engine] if args.engine else []
        command = ["taskset", "-c", args.core, *command] if args.core else command
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (args.seconds, args.seconds + 1))
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=limit)
        text = process.stdout.read()
        _, _, used = os.wait4(process.pid, 0)
        try:
            finding = json.loads(text)["properties"][0]
        except (ValueError, KeyError, IndexError):
            finding = {"verdict": "killed"}
        verdict = finding["verdict"]
        right = {"holds": "proved", "fails": "falsified"}[row["expected"]]
        known = "right" if verdict == right else "WRONG" if verdict in ("proved", "falsified") else "open"
        counts[known] = counts.get(known, 0) + 1
        seconds = f"{used.ru_utime + used.ru_stime:.2f}"
        out.writerow([row["model"], row["index"], row["expected"], verdict, finding.get("engine", ""), seconds, known])
        sys.stdout.flush()
    print(", ".join(f"{count} {word}" for word, count in sorted(counts.items())), file=sys.stderr)
    sys.exit(1 if "WRONG" in counts else 0)


main()
