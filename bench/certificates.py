"""Certificates of safe models, each checked twice: by `buttress verify` and by the checker in Python.

    python3 bench/certificates.py BUTTRESS OUT.csv FILE... [--seconds N] [--check-seconds N]

For each model that `buttress check --engine ic3` proves within N CPU seconds, writes its witness circuit and has it judged
by both checkers. One row a model: file, verdict, clauses, and what each checker said. The last line counts. Exit code 1
where a checker rejected anything.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

CHECKER = pathlib.Path(__file__).resolve().parent.parent / "tests" / "checkers" / "aiger_check.py"
VERDICTS = {0: "accepted", 1: "rejected"}


def run(seconds, *command):
    """Exit code and output; code None where the CPU limit ended it."""
    limited = ["prlimit", f"--cpu={seconds}", *map(str, command)]
    done = subprocess.run(limited, capture_output=True, text=True, check=False)
    return (done.returncode if done.returncode >= 0 else None), done.stdout


def proved(buttress, model, certificate, seconds):
    """The number of clauses of the invariant, or None where the model was not proved."""
    code, output = run(seconds, buttress, "check", "--engine", "ic3", "--json", "--certificate", certificate, model)
    if code != 0:
        return None
    return sum(len(p.get("invariant", [])) for p in json.loads(output)["properties"])


def judge(arguments, model):
    with tempfile.TemporaryDirectory() as folder:
        certificate = pathlib.Path(folder) / "certificate.aig"
        clauses = proved(arguments.buttress, model, certificate, arguments.seconds)
        written = list(pathlib.Path(folder).iterdir())
        if clauses is None or not written:
            return None
        limit = arguments.check_seconds
        own, _ = run(limit, arguments.buttress, "verify", model, written[0])
        other, _ = run(limit, sys.executable, CHECKER, "certificate", model, written[0])
        return [model, clauses, VERDICTS.get(own, "time"), VERDICTS.get(other, "time")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("buttress")
    parser.add_argument("out")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--check-seconds", type=int, default=60)
    arguments = parser.parse_args()
    rows = []
    with open(arguments.out, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["file", "clauses", "buttress verify", "aiger_check.py"])
        for model in arguments.models:
            row = judge(arguments, model)
            if row:
                rows.append(row)
                table.writerow(row)
                file.flush()
    both = sum(row[2:] == ["accepted", "accepted"] for row in rows)
    rejected = sum("rejected" in row[2:] for row in rows)
    print(f"{len(rows)} certificates, {both} accepted by both checkers, {rejected} rejected")
    return 1 if rejected else 0


if __name__ == "__main__":
    sys.exit(main())
