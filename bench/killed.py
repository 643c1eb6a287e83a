"""Runs that are killed at any moment: what the next run makes of the state that they leave.

    python3 killed.py BUTTRESS MODEL… [--moments 100] [--seed 7] [--out results/killed.md]

For each model one run of `check --state` as a whole, then as many as there are moments: each in a directory of its own, killed (SIGKILL) after
a random part of the time that the whole run took, and followed by a run that is not. That one has to end as the whole run did, and to say
nothing on standard error. Counts, too, how many of them began with something that was kept.
"""

import argparse
import os
import random
import subprocess
import tempfile
import time


def check(buttress, model, state):
    return [buttress, "check", model, "--state", state, "--timeout", "300"]


def verdicts(text):
    """What was decided, without times, engines and what was kept."""
    words = ("proved", "falsified", "undecided")
    return sorted(f"{line.split(': ')[0]}: {word}" for line in text.splitlines() for word in words if f": {word}" in line)


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, verdicts(done.stdout), done.stderr.strip(), done.stdout


def killed(buttress, model, moments, rng):
    """Seconds of the whole run, runs that ended otherwise, and runs that began with something kept."""
    with tempfile.TemporaryDirectory() as scratch:
        start = time.time()
        code, decided, _, _ = run(check(buttress, model, os.path.join(scratch, "whole")))
        whole, others, kept = time.time() - start, [], 0
        for number in range(moments):
            state = os.path.join(scratch, str(number))
            process = subprocess.Popen(check(buttress, model, state), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(rng.random() * whole)
            process.kill()
            process.wait()
            again = run(check(buttress, model, state))
            kept += "state:" in again[3]
            if again[:3] != (code, decided, ""):
                others.append((number, again))
        return whole, code, others, kept


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("buttress")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--moments", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "results", "killed.md"))
    options = parser.parse_args()
    rng = random.Random(options.seed)
    text = f"# Killed at any moment\n\n`bench/killed.py`, {options.moments} moments a model, seed {options.seed}.\n\n"
    text += "| model | whole run, s | exit | killed | ended otherwise | began with something kept |\n|---|---:|---:|---:|---:|---:|\n"
    for model in options.models:
        whole, code, others, kept = killed(options.buttress, model, options.moments, rng)
        for number, (code_then, decided, errors, out) in others:
            print(f"{model}, moment {number}: exit {code_then}, {decided}\n{errors}\n{out}")
        text += f"| {os.path.basename(model)} | {whole:.1f} | {code} | {options.moments} | {len(others)} | {kept} |\n"
        with open(options.out, "w") as out:
            out.write(text)


if __name__ == "__main__":
    main()
