"""Where IC3's time goes, by crate: samples of a profile.

    python3 bench/profile.py BUTTRESS OUT.csv FILE... [--seconds N] [--engine E]

Runs `perf record` on each model for at most N CPU seconds and counts samples by the crate of the function that they are in.
Those of `query` are split: encoding (the transition relation and its elimination), lifting of predecessors, and the rest, which
is what it costs that engines ask through a layer. Inlined functions count for the function that they are inlined into;
the C library is a row of its own. Needs `perf` and a build with symbols, as the release profile makes it.
"""

import argparse
import csv
import pathlib
import re
import subprocess
import tempfile

ENCODING = re.compile(r"buttress_query::(elimination|transition)::")
LIFTING = re.compile(r"buttress_query::levels::Cone|::predecessor$|::lift")
CRATE = re.compile(r"buttress_(\w+?)::|\b(cadical|CaDiCaL)\b")
COLUMNS = ["file", "samples", "query: encoding", "query: lifting", "query: rest", "solve", "engine", "check", "transform", "other"]


def room(symbol, library):
    if "buttress_query" in symbol:
        if ENCODING.search(symbol):
            return "query: encoding"
        return "query: lifting" if LIFTING.search(symbol) else "query: rest"
    crate = CRATE.search(symbol)
    name = crate and (crate.group(1) or "solve")
    return name if name in COLUMNS else "other"


def profile(buttress, model, engine, seconds):
    """Samples by room."""
    with tempfile.NamedTemporaryFile() as data:
        command = ["perf", "record", "-q", "-o", data.name, "prlimit", f"--cpu={seconds}", buttress, "check", "--engine", engine, model]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        report = ["perf", "report", "-q", "-i", data.name, "--no-children", "-F", "sample,dso,sym", "-t", "\t"]
        lines = subprocess.run(report, capture_output=True, text=True, check=True).stdout.splitlines()
    counts = dict.fromkeys(COLUMNS[2:], 0)
    for line in filter(None, lines):
        samples, library, symbol = line.split("\t", 2)
        counts[room(symbol.strip(), library.strip())] += int(samples)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("buttress")
    parser.add_argument("out")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--engine", default="ic3")
    arguments = parser.parse_args()
    total = dict.fromkeys(COLUMNS[2:], 0)
    with open(arguments.out, "w", newline="") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow(COLUMNS)
        for model in arguments.files:
            counts = profile(arguments.buttress, model, arguments.engine, arguments.seconds)
            table.writerow([model.name, sum(counts.values()), *counts.values()])
            for name, samples in counts.items():
                total[name] += samples
    everything = sum(total.values())
    for name, samples in total.items():
        print(f"{name:16} {100 * samples / max(everything, 1):6.2f} %")


if __name__ == "__main__":
    main()
