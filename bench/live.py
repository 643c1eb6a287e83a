#!/usr/bin/env python3
"""Decides justice properties of models and compares them with what is known.

    bench/live.py PROGRAM FOLDER [--known FILE] [--seconds N] [--engine NAME] > results.csv

Each justice property of each model in the folder is a run of its own: `PROGRAM check --json --property jN`, with so many
seconds (default 60). A row says which engine decided it, by which monitor, and how long a lasso is. With --known, a table with
the columns file, justice, expected (holds, fails) and shortest, it says whether the verdict is the known one, and for
`--engine bmc` whether the lasso is as short as the known one. The last line, on standard error, counts. Exits with 1 if a
verdict is wrong.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import time

COLUMNS = ["file", "justice", "verdict", "engine", "monitor", "steps", "seconds", "known"]


def models(folder):
    for place, _, files in sorted(os.walk(folder)):
        for name in sorted(files):
            if name.endswith((".aig", ".aag", ".btor2")):
                yield os.path.join(place, name)


def justice(program, model):
    done = subprocess.run([program, "info", "--json", model], capture_output=True, text=True)
    claims = json.loads(done.stdout).get("claims", []) if done.returncode == 0 else []
    return [claim for claim in claims if claim.startswith("j")]


def run(program, model, claim, args):
    command = [program, "check", "--json", "--property", claim, "--timeout", str(args.seconds)]
    command += ["--engine", args.engine] if args.engine else []
    start = time.monotonic()
    done = subprocess.run([*command, model], capture_output=True, text=True)
    seconds = time.monotonic() - start
    try:
        finding = json.loads(done.stdout)["properties"][0]
    except (ValueError, KeyError, IndexError):
        finding = {"verdict": "error"}
    return finding, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--known")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--engine")
    args = parser.parse_args()
    known = {}
    if args.known:
        with open(args.known, newline="") as file:
            for row in csv.DictReader(file):
                known[row["file"], row["justice"]] = row
    out = csv.DictWriter(sys.stdout, COLUMNS)
    out.writeheader()
    counts = {}
    for model in models(args.folder):
        name = os.path.basename(model)
        for claim in justice(args.program, model):
            finding, seconds = run(args.program, model, claim, args)
            verdict = finding["verdict"]
            steps = finding["step"] + 1 if verdict == "falsified" else ""
            row = known.get((name, claim[1:]))
            said = compare(row, verdict, steps, args.engine) if row else ""
            out.writerow(dict(zip(COLUMNS, [name, claim, verdict, finding.get("engine", ""),
                                            json.dumps(finding["monitor"]) if "monitor" in finding else "",
                                            steps, f"{seconds:.2f}", said])))
            sys.stdout.flush()
            for word in [verdict] + ([said] if said else []):
                counts[word] = counts.get(word, 0) + 1
    print(", ".join(f"{count} {word}" for word, count in sorted(counts.items())), file=sys.stderr)
    return 1 if counts.get("WRONG") or counts.get("error") else 0


def compare(row, verdict, steps, engine):
    expected = {"holds": "proved", "fails": "falsified"}[row["expected"]]
    if verdict not in ("proved", "falsified"):
        return "open"
    if verdict != expected:
        return "WRONG"
    if engine == "bmc" and row["shortest"] and steps != int(row["shortest"]):
        return f"not {row['shortest']} steps"
    return "right"


if __name__ == "__main__":
    sys.exit(main())
