"""Which lanes a plan should have: each lane alone on every file, then sets of lanes, chosen greedily.

    python3 plans.py BUTTRESS LANES LIST [--seconds 10] [--jobs 2] [--out ../results/plans]

LANES is a file of plans (TOML): every lane of it, whichever plan it stands in, is run by itself. LIST names a model a line; a path that
is not absolute is relative to LIST. Files are halved by the last bit but one of the SHA-1 of their names (the last one may be the same for a
whole suite that was halved before): one half is for choosing, the other only for the report. Each run is
`check --plan` with one lane on one core, `seconds` of processor time at most; it counts if its exit code is 0 or 10, so its evidence was
checked. Two lanes that contradict each other end the whole thing.

Writes OUT.csv, a line a run, and goes on where it was stopped; and OUT.md: the lanes, alone; and for 1, 2, 4, 8 and 16 cores the set
with the most files solved in the half for choosing (then the least PAR-2), a lane at a time. A set of lanes on as many cores solves a file in the
time of its fastest lane; that is a model, without what lanes tell each other and what they take from each other.
"""

import argparse
import concurrent.futures
import csv
import hashlib
import os
import resource
import subprocess
import tempfile
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
CORES = [1, 2, 4, 8, 16]


def lanes_of(path):
    """Each lane once, by the text that a plan has for it."""
    with open(path, "rb") as file:
        plans = tomllib.load(file)
    found = {}
    for plan in plans.get("plan", []) + plans.get("worker", []):
        for lane in plan["lanes"]:
            kept = {key: lane[key] for key in lane if key not in ("weight", "share", "after")}
            text = ", ".join(f'{key} = {toml_text(value)}' for key, value in kept.items())
            found.setdefault((plan["model"], text), None)
    return list(found)


def toml_text(value):
    return f'"{value}"' if isinstance(value, str) else str(value)


def is_for_choosing(path):
    return int(hashlib.sha1(os.path.basename(path).encode()).hexdigest(), 16) >> 1 & 1 == 0


def run(buttress, lane, model, seconds):
    """The exit code, and processor seconds."""
    kind, text = lane
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as plan:
        plan.write(f'[[plan]]\nname = "one"\nmodel = "{kind}"\nlanes = [{{ {text} }}]\n')
        plan.flush()
        command = [buttress, "check", model, "--plan", plan.name, "--cores", "1", "--timeout", str(4 * seconds)]
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limit)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, used.ru_utime + used.ru_stime


def measure(options, lanes, models):
    """Seconds of each (lane, model) that was decided, None for the others."""
    path, figures, verdicts = options.out + ".csv", {}, {}
    if os.path.exists(path):
        for row in csv.DictReader(open(path)):
            note(figures, verdicts, row["lane"], row["model"], int(row["exit"]), float(row["cpu_seconds"]))
    missing = [(lane, model) for model in models for lane in lanes if (lane[1], model) not in figures]
    with open(path, "a", newline="") as file, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        out = csv.writer(file)
        if not figures:
            out.writerow(["lane", "model", "exit", "cpu_seconds"])
        started = {pool.submit(run, options.buttress, *task, options.seconds): task for task in missing}
        for done in concurrent.futures.as_completed(started):
            (lane, model), (code, seconds) = started[done], done.result()
            out.writerow([lane[1], model, code, f"{seconds:.3f}"])
            file.flush()
            note(figures, verdicts, lane[1], model, code, seconds)
    return figures


def note(figures, verdicts, lane, model, code, seconds):
    figures[lane, model] = seconds if code in (0, 10) else None
    if code in (0, 10) and verdicts.setdefault(model, code) != code:
        raise SystemExit(f"{model}: {lane} contradicts another lane")


def score(figures, lanes, models, seconds):
    """Files solved by the fastest of these lanes, and minus PAR-2."""
    solved, par2 = 0, 0.0
    for model in models:
        times = [time for time in (figures[lane, model] for lane in lanes) if time is not None]
        solved += bool(times)
        par2 += min(times) if times else 2 * seconds
    return solved, -par2


def greedy(figures, lanes, models, seconds):
    """Lanes in the order in which each adds the most to those before it."""
    chosen, left = [], list(lanes)
    while left and len(chosen) < max(CORES):
        best = max(left, key=lambda lane: score(figures, chosen + [lane], models, seconds))
        chosen.append(best)
        left.remove(best)
    return chosen


def report(figures, lanes, models, seconds):
    texts = [text for _, text in lanes]
    halves = [[m for m in models if is_for_choosing(m)], [m for m in models if not is_for_choosing(m)]]
    both = lambda some: " | ".join(f"{s} | {-p:.0f}" for s, p in (score(figures, some, h, seconds) for h in halves))
    head = f"| solved of {len(halves[0])} | PAR-2 | solved of {len(halves[1])} | PAR-2 |\n|---|---:|---:|---:|---:|\n"
    text = f"# Lanes\n\n{len(models)} files, {seconds} CPU s a run. The first two figures are of the half that lanes were chosen on.\n\n"
    text += "| lane alone " + head
    text += "".join(f"| `{lane}` | {both([lane])} |\n" for lane in texts)
    order = greedy(figures, texts, halves[0], seconds)
    text += "\n| cores: lanes " + head
    for cores in [n for n in CORES if n <= len(order)]:
        text += f"| {cores}: {'; '.join(f'`{lane}`' for lane in order[:cores])} | {both(order[:cores])} |\n"
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("buttress")
    parser.add_argument("lanes")
    parser.add_argument("list")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", default=os.path.join(HERE, "..", "results", "plans"))
    options = parser.parse_args()
    folder = os.path.dirname(os.path.abspath(options.list))
    models = [os.path.join(folder, line.strip()) for line in open(options.list) if line.strip()]
    lanes = lanes_of(options.lanes)
    figures = measure(options, lanes, models)
    with open(options.out + ".md", "w") as out:
        out.write(report(figures, lanes, models, options.seconds))


if __name__ == "__main__":
    main()
