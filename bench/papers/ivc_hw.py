#!/usr/bin/env python3
"""Validity cores of AIGER and BTOR2 files that are safe, which no paper has figures for.

    bench/papers/ivc_hw.py --program target/release/buttress --out bench/results/ivc-hw --count 60 --timeout 30

Takes the smallest COUNT safe files of each of the two formats from ../shared/bench/hw that are larger than 500 bytes, runs
`core --method METHOD`, and writes OUT.csv: elements, static slice, core, how minimal, seconds. Files that are not proved
in time are in the table, too.
"""

import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys

SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared/bench/hw"


def chosen(count):
    files = [r for r in csv.DictReader(open(SHARED / "index.csv")) if r["expected"] == "safe" and int(r["bytes"]) > 500]
    files.sort(key=lambda r: int(r["bytes"]))
    aiger = [r["file"] for r in files if r["format"] in ("aag", "aig")][:count]
    words = [r["file"] for r in files if r["format"] not in ("aag", "aig")][:count]
    return aiger + words


def run(program, file, method, timeout):
    flags = ["--json", "--method", method, "--timeout", str(timeout), "--patience", "3", "--property", "0"]
    row = {"file": file, "verdict": "no answer"}
    try:
        done = subprocess.run([program, "core", str(SHARED / file), *flags], capture_output=True, text=True,
                              timeout=timeout + 30)
        report = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return row
    p = report["properties"][0]
    row |= {"verdict": p["verdict"], "elements": len(report["elements"])}
    if p["verdict"] == "proved":
        row |= {"engine": p["engine"], "slice": len(p["slice"]), "core": len(p["core"]), "minimal": p["minimal"],
                **{f"{k}_s": round(v, 4) for k, v in p["seconds"].items()}}
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/buttress")
    parser.add_argument("--out", default="bench/results/ivc-hw")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--method", default="ucbf")
    parser.add_argument("--timeout", type=int, default=30)
    args = parser.parse_args()
    if not SHARED.exists():
        sys.exit("skipped: no ../shared")
    fields = ["file", "verdict", "engine", "elements", "slice", "core", "minimal", "proof_s", "core_s", "minimal_s", "check_s"]
    rows = []
    with open(pathlib.Path(args.out).with_suffix(".csv"), "w", newline="") as out:
        writer = csv.DictWriter(out, fields)
        writer.writeheader()
        for file in chosen(args.count):
            rows.append(run(args.program, file, args.method, args.timeout))
            writer.writerow(rows[-1])
            out.flush()
    proved = [r for r in rows if r["verdict"] == "proved" and r["elements"]]
    share = [100 * r["core"] / r["elements"] for r in proved]
    print(f"{len(proved)} of {len(rows)} files have a core; it has {statistics.mean(share):.0f} % of the elements in the mean, "
          f"minimal on {sum(r['minimal'] == 'minimal' for r in proved)}")


if __name__ == "__main__":
    main()
