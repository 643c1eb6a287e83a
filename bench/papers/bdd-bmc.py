"""Where decision diagrams die, and where the formula of bounded model checking grows (slides of Geatti, 2019).

    python3 bdd-bmc.py BUTTRESS [--abc berkeley-abc] [--seconds 20] [--out ../results/bdd-bmc] [--orders]

Makes the models of three families, runs the engines on each under a limit on CPU time, writes OUT.csv and prints a table
a family. With --orders, compares the static orders of the diagrams instead, on smaller models of the same families, and
writes OUT-orders.csv.

* mult-N: two N-bit registers are loaded at will. m follows the middle bit of their product, n the same bit or an
  input. Never m without n: a glance at the gate that both read shows it, and induction does with k = 1. The diagram of
  the middle bit is exponential in N, whatever the order (Bryant 1991).
* hwb-N: the same with the hidden weighted bit, x[x[0] + x[1] + ...], which has a circuit of N log N gates and
  exponential diagrams in any order (Bryant 1991).
* count-N: an N-bit counter that may pause reaches its last value after 2^N - 1 steps. Its diagrams have about N nodes.
"""

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "examples"))
from make import Model  # noqa: E402


def add(m, a, b, carry=0):
    """Sum bits, one more than the longer word has."""
    total = []
    for k in range(max(len(a), len(b))):
        x, y = (word[k] if k < len(word) else 0 for word in (a, b))
        half = m.differ(x, y)
        total.append(m.differ(half, carry))
        carry = m.any(m.both(x, y), m.both(half, carry))
    return total + [carry]


def follows(m, bit):
    """m follows the bit, n follows it or an input; never m without n."""
    m.update("m", [(1, [bit])])
    m.update("n", [(1, [m.any(bit, m.signal("e")[0])])])
    m.bad = [("m_without_n", m.both(m.signal("m")[0], m.signal("n")[0] ^ 1))]
    return m


def mult(n):
    m = Model([("u", n), ("v", n), ("e", 1)], [("a", n), ("b", n), ("m", 1), ("n", 1)])
    a, b = m.signal("a"), m.signal("b")
    m.update("a", [(1, m.signal("u"))])
    m.update("b", [(1, m.signal("v"))])
    product = []
    for k in range(n):
        row = [0] * k + [m.both(a[k], b[j]) for j in range(n - k)]
        product = add(m, product, row)[:n]
    return follows(m, product[n - 1])


def hwb(n):
    m = Model([("u", n), ("e", 1)], [("x", n), ("m", 1), ("n", 1)])
    x = m.signal("x")
    m.update("x", [(1, m.signal("u"))])
    words = [[bit] for bit in x]
    while len(words) > 1:
        words = [add(m, *words[k:k + 2]) if k + 1 < len(words) else words[k] for k in range(0, len(words), 2)]
    rest = [0] + x
    for bit in words[0]:
        rest = [m.choose(bit, *(rest[k + 1:k + 2] or [0]), rest[k]) for k in range(0, len(rest), 2)]
    return follows(m, rest[0])


def count(n):
    m = Model([("go", 1)], [("value", n)])
    value = m.signal("value")
    m.update("value", [(m.signal("go")[0], m.increment(value))])
    m.bad = [("full", m.all(*value))]
    return m


# BMC proves nothing, so it has no part in the first two.
FAMILIES = {
    "mult": (mult, [8, 10, 12, 14, 16, 18, 20], ["reach", "kind", "ic3"]),
    "hwb": (hwb, [16, 24, 32, 40, 48, 56, 64], ["reach", "kind", "ic3"]),
    "count": (count, [4, 6, 8, 9, 10, 11, 12], ["reach", "bmc", "kind", "ic3"]),
}


ORDERS = {"mult": [8, 10, 12], "hwb": [16, 24, 32], "count": [6, 8, 10]}


def binary(model, path):
    """The model as binary AIGER, old style, its one property an output: ABC reads no other."""
    inputs, latches, gates = len(model.inputs), len(model.latches), model.gates
    top = inputs + latches + len(gates)
    first = 1 + inputs
    with open(path, "wb") as out:
        out.write(f"aig {top} {inputs} {latches} 1 {len(gates)}\n".encode())
        for lit in (2 * (first + k) for k in range(latches)):
            out.write(f"{model.next.get(lit, lit)}\n".encode())
        out.write(f"{model.bad[0][1]}\n".encode())
        for gate, a, b in gates:
            for delta in (gate - max(a, b), abs(a - b)):
                while delta >= 128:
                    out.write(bytes([delta & 127 | 128]))
                    delta >>= 7
                out.write(bytes([delta]))


def run(command, seconds):
    """What it printed, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        done = subprocess.run(command, capture_output=True, text=True, timeout=20 * seconds, preexec_fn=limit)
        text = done.stdout
    except subprocess.TimeoutExpired:
        text = ""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return text, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def by_engine(buttress, engine, path, seconds, flags=()):
    text, cpu = run([buttress, "check", "--json", "--engine", engine, *flags, path], seconds)
    none = {"verdict": "undecided", "reason": "time", "seconds": f"{cpu:.2f}", "depth": "", "size": "", "unit": ""}
    if not text:
        return none
    report = json.loads(text)
    found, far = report["properties"][0], (report["engines"] or [{}])[0]
    row = {"verdict": found["verdict"], "reason": found.get("reason", ""), "seconds": f"{cpu:.2f}"}
    return row | {"depth": far.get("depth", ""), "size": far.get("size", ""), "unit": far.get("unit", "")}


def by_abc(abc, path, seconds):
    script = f"read {path}; reach -B 16777216 -F 1000000"
    text, cpu = run([abc, "-q", script], seconds)
    verdict = "undecided"
    if "asserted in frame" in text:
        verdict = "falsified"
    elif "proved" in text.lower() or "verified" in text.lower():
        verdict = "proved"
    return {"verdict": verdict, "seconds": f"{cpu:.2f}", "reason": "", "depth": "", "size": "", "unit": ""}


def measure(args):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for family, (make, sizes, engines) in FAMILIES.items():
            for n in sizes:
                path = os.path.join(folder, f"{family}-{n}.aig")
                model = make(n)
                binary(model, path)
                tools = {e: (lambda e=e: by_engine(args.buttress, e, path, args.seconds)) for e in engines}
                if args.abc:
                    tools["ABC reach"] = lambda: by_abc(args.abc, path, args.seconds)
                for tool, go in tools.items():
                    row = {"family": family, "n": n, "gates": len(model.gates), "tool": tool} | go()
                    rows.append(row)
                    print(*row.values(), sep="\t", flush=True)
    return rows


def measure_orders(args):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for family, sizes in ORDERS.items():
            for n in sizes:
                path, model = os.path.join(folder, f"{family}-{n}.aig"), FAMILIES[family][0](n)
                binary(model, path)
                for order in ("depth", "force", "file"):
                    row = {"family": family, "n": n, "gates": len(model.gates), "tool": order}
                    rows.append(row | by_engine(args.buttress, "reach", path, args.seconds, ["--bdd-order", order]))
                    print(*rows[-1].values(), sep="\t", flush=True)
    return rows


def table(rows, family):
    """One line a size, one column a tool."""
    mine = [row for row in rows if row["family"] == family]
    tools = list(dict.fromkeys(row["tool"] for row in mine))
    lines = ["| n | gates | " + " | ".join(tools) + " |", "|---:|---:|" + "---|" * len(tools)]
    for n in dict.fromkeys(row["n"] for row in mine):
        here = {row["tool"]: row for row in mine if row["n"] == n}
        cells = [cell(here[tool]) for tool in tools]
        lines.append(f"| {n} | {here[tools[0]]['gates']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def cell(row):
    size = f", {int(row['size']):,} {row['unit']} at {row['depth']}" if row["size"] != "" else ""
    verdict = row["verdict"]
    if verdict == "undecided":
        verdict = "–" if "outgrew" not in row["reason"] else "out of nodes"
    return f"{verdict} {row['seconds']} s{size}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("buttress")
    parser.add_argument("--abc")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--orders", action="store_true")
    parser.add_argument("--out", default=os.path.join(HERE, "..", "results", "bdd-bmc"))
    args = parser.parse_args()
    rows = measure_orders(args) if args.orders else measure(args)
    with open(args.out + ("-orders.csv" if args.orders else ".csv"), "w", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    for family in FAMILIES:
        print(f"\n### {family}\n\n{table(rows, family)}")


if __name__ == "__main__":
    main()
