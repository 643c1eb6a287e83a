"""What a board costs where nobody else is on it.

    python3 board.py BUTTRESS MODEL… [--engine ic3] [--repeats 7] [--out results/board.md]

Each model is checked with and without `--board`, in turn, as often as asked, with one engine and a Redis server of its own (`redis-server` on the
path), which is emptied before each run. The figures are the least processor seconds of the program itself, without the server: what
others do on the machine makes runs slower, and never faster.
"""

import argparse
import math
import os
import socket
import subprocess
import tempfile
import time


def seconds(command):
    """Processor seconds, and the exit code."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, process.returncode


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("buttress")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--engine", default="ic3")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--out", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "results", "board.md"))
    options = parser.parse_args()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    with tempfile.TemporaryDirectory() as scratch:
        server = subprocess.Popen(["redis-server", "--port", port, "--save", "", "--dir", scratch], stdout=subprocess.DEVNULL)
        time.sleep(0.5)
        rows, ratios = "", []
        try:
            for model in options.models:
                base = [options.buttress, "check", model, "--engine", options.engine, "--timeout", "120"]
                alone, shared, codes = [], [], set()
                for _ in range(options.repeats):
                    subprocess.run(["redis-cli", "-p", port, "flushall"], stdout=subprocess.DEVNULL, check=True)
                    for times, command in [(alone, base), (shared, base + ["--board", f"redis://127.0.0.1:{port}"])]:
                        used, code = seconds(command)
                        times.append(used)
                        codes.add(code)
                if len(codes) != 1:
                    raise SystemExit(f"{model}: {codes}")
                ratios.append(min(shared) / min(alone))
                rows += f"| {os.path.basename(model)} | {min(alone):.3f} | {min(shared):.3f} | {100 * (ratios[-1] - 1):+.1f} % |\n"
        finally:
            server.terminate()
    mean = math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))
    with open(options.out, "w") as out:
        out.write(f"# The price of a board\n\n`bench/board.py`, engine {options.engine}, the least CPU seconds of {options.repeats} runs each, in turn.\n\n")
        out.write("| model | alone | with a board | |\n|---|---:|---:|---:|\n" + rows)
        out.write(f"\nGeometric mean: {100 * (mean - 1):+.1f} %.\n")


if __name__ == "__main__":
    main()
