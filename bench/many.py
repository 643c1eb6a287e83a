#!/usr/bin/env python3
"""Files with many properties: how many are decided in a given time, beside ABC's `pdr -a` and `bmc3 -a`.

    bench/many.py PROGRAM FOLDER [--before PROGRAM] [--abc berkeley-abc] [--seconds 60] [--core 0] [--half 0|1] > results.csv

Every tool has one core (`taskset`) and so many seconds of elapsed time, one run after the other. Files are halved by the last
but one bit of the SHA-1 of their names (the last one is the same for a suite that was halved before). A row has the properties that each tool proved and refuted; of ABC the two commands are rows of their own, and a
reader takes the better one or their sum.
"""

import argparse
import csv
import hashlib
import json
import os
import re
import subprocess
import sys
import time

COLUMNS = ["file", "half", "properties", "tool", "proved", "falsified", "seconds"]


def pinned(core, command, limit):
    start = time.monotonic()
    try:
        done = subprocess.run(["taskset", "-c", core, *command], capture_output=True, text=True, timeout=limit + 30)
        return done.stdout, time.monotonic() - start
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(), time.monotonic() - start


def buttress(args, program, model):
    command = [program, "check", model, "--json", "--cores", "1", "--timeout", str(args.seconds)]
    text, seconds = pinned(args.core, command, args.seconds)
    try:
        verdicts = [finding["verdict"] for finding in json.loads(text)["properties"]]
    except (ValueError, KeyError):
        return None, None, None, seconds
    return len(verdicts), verdicts.count("proved"), verdicts.count("falsified"), seconds


def abc(args, model, command):
    text, seconds = pinned(args.core, [args.abc, "-c", f"read {model}; fold; {command}"], args.seconds)
    found = re.search(r"Proved = (\d+)\. Disproved = (\d+)", text)
    if found:
        return int(found[1]), int(found[2]), seconds
    # bmc3 counts what it refuted, and says it in words where that is nothing or all.
    counts = re.findall(r"SAT \((\d+) out of|solved +(\d+) out of|All (\d+) outputs", text)
    return 0, max((int(count) for found in counts for count in found if count), default=0), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--before", help="another build")
    parser.add_argument("--abc", help="ABC's program; without it ABC is left out")
    parser.add_argument("--only", nargs="*", help="names of files")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--core", default="0")
    parser.add_argument("--half", type=int)
    args = parser.parse_args()
    out = csv.writer(sys.stdout)
    out.writerow(COLUMNS)
    for name in sorted(os.listdir(args.folder)):
        half = int(hashlib.sha1(name.encode()).hexdigest(), 16) >> 1 & 1
        if not name.endswith((".aig", ".aag")) or args.half not in (None, half):
            continue
        if args.only and name not in args.only:
            continue
        model = os.path.join(args.folder, name)
        for tool, program in [("buttress", args.program), ("before", args.before)]:
            if program:
                all_of, proved, falsified, seconds = buttress(args, program, model)
                out.writerow([name, half, all_of, tool, proved, falsified, f"{seconds:.1f}"])
        commands = [("abc pdr", f"pdr -a -T {args.seconds}"), ("abc bmc3", f"bmc3 -a -T {args.seconds} -F 1000000")]
        for tool, command in commands if args.abc else []:
            proved, falsified, seconds = abc(args, model, command)
            out.writerow([name, half, all_of, tool, proved, falsified, f"{seconds:.1f}"])
        sys.stdout.flush()


main()
