"""The case studies of Lahiri & Bryant, "Constructing Quantified Invariants via Predicate Abstraction" (VMCAI 2004), again.

    python3 indexed.py BUTTRESS [--seconds 300] [--z3 PATH] [--found | --directed] [--only NAME ...] [--out ../results/indexed]

Runs `check` on each model of examples/indexed, the ones with a seeded bug included, and writes OUT.csv: verdict, predicates, index
symbols, iterations, questions to a solver, CPU seconds of the whole process tree, clauses of the invariant that the proof needs, and
how many of the three obligations with real quantifiers z3 confirms, beside the paper's predicates, iterations and seconds where it
gives them. The paper's machine: 2.1 GHz, 1 GB. With `--found` the predicates of the files are not looked at, and those are counted that
the search chose of what it found; with `--directed` only the clauses are learned that the property needs. There are no iterations then.
"""

import argparse
import csv
import os
import re
import resource
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = os.path.join(HERE, "..", "..", "examples", "indexed")
PAPER = {"german": (17, 9, 85), "german-fifo": (29, 19, 263 * 60)}


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(buttress, model, seconds, folder, how):
    statistics, certificate = (os.path.join(folder, name) for name in ("statistics.csv", "certificate.smt2"))
    before = cpu()
    done = subprocess.run(
        [buttress, "check", model, "--timeout", str(seconds), "--statistics", statistics, "--certificate", certificate,
         *how],
        capture_output=True, text=True)
    used = cpu() - before
    verdict = {0: "proved", 10: "falsified", 30: "undecided"}.get(done.returncode, "error")
    rows = csv.DictReader(open(statistics)) if os.path.exists(statistics) else []
    last = [row for row in rows if row["engine"] in ("indexed", "directed")]
    iterations, queries = (last[-1]["depth"], last[-1]["queries"]) if last else ("", "")
    return verdict, iterations, queries, used, done.stdout.count("  invariant: "), certificate


def confirmed(z3, certificate, verdict):
    if not z3 or verdict != "proved":
        return ""
    answers = subprocess.run([z3, "-T:60", certificate], capture_output=True, text=True).stdout.split()
    return f"{answers.count('unsat')} of {open(certificate).read().count('(check-sat)')}"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("buttress")
    arguments.add_argument("--seconds", type=int, default=300)
    arguments.add_argument("--z3")
    arguments.add_argument("--found", dest="how", action="store_const", const=["--predicates", "auto"], default=[])
    arguments.add_argument("--directed", dest="how", action="store_const", const=["--directed"])
    arguments.add_argument("--only", nargs="*")
    arguments.add_argument("--out", default=os.path.join(HERE, "..", "results", "indexed"))
    args = arguments.parse_args()
    fields = ["model", "verdict", "predicates", "index_symbols", "iterations", "queries", "cpu_seconds", "clauses",
              "quantified_confirmed", "paper_predicates", "paper_iterations", "paper_seconds"]
    with open(args.out + ".csv", "w", newline="") as file, tempfile.TemporaryDirectory() as folder:
        table = csv.writer(file)
        table.writerow(fields)
        for name in sorted(os.listdir(MODELS)):
            if not name.endswith(".vmt") or args.only and name[:-4] not in args.only:
                continue
            model = os.path.join(MODELS, name)
            text = open(model).read()
            verdict, iterations, queries, used, clauses, certificate = run(args.buttress, model, args.seconds, folder, args.how)
            paper = PAPER.get(name[:-4], ("", "", ""))
            given = len(re.findall(r":predicate ", text))
            row = [name[:-4], verdict, iterations if "auto" in args.how else given, len(re.findall(r":index ", text)), "" if args.how else iterations, queries,
                   f"{used:.2f}", clauses or "", confirmed(args.z3, certificate, verdict), *paper]
            table.writerow(row)
            file.flush()
            print("  ".join(str(cell) or "-" for cell in row))


if __name__ == "__main__":
    main()
