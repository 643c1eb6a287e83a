"""Hosts in network namespaces: each with an address of its own, all on one bridge, nothing of it outside.

The bridge is in a namespace, too, so that the machine's own network is not touched. Needs root and `ip` (iproute2).
Whatever ends the script, error or Ctrl-C, the processes that were started are killed and the namespaces go.
"""

import asyncio
import collections
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PORT, RELAYED = 6379, 6380


def ip(*words, check=True):
    return subprocess.run(["ip", *words], check=check, capture_output=True, text=True)


def server_program():
    """Where the system has it, or where `scripts/get-redis` puts it."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    brought = os.path.join(data, "buttress", "redis", "redis-server")
    found = shutil.which("redis-server") or (brought if os.access(brought, os.X_OK) else None)
    return found or sys.exit("there is no redis-server: scripts/get-redis brings one")


class Hosts:
    """Host 0 has the server; the others, 1 to count, are for whoever works."""

    def __init__(self, count):
        if os.geteuid() != 0:
            sys.exit("--part redis makes network namespaces, and only root may do that")
        if not shutil.which("ip"):
            sys.exit("--part redis needs `ip`: apt-get install iproute2")
        self.count, self.prefix, self.made, self.processes = count, f"fsis{os.getpid()}", [], []

    def name(self, host):
        return f"{self.prefix}-{host}"

    def address(self, host):
        return f"10.77.0.{host + 1}"

    def __enter__(self):
        # Killed politely, the namespaces go as after Ctrl-C.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
        self.scratch = tempfile.TemporaryDirectory()
        try:
            for host in ["hub", *range(self.count + 1)]:
                ip("netns", "add", self.name(host))
                self.made.append(self.name(host))
            hub = self.name("hub")
            ip("-n", hub, "link", "add", "name", "hub0", "type", "bridge")
            ip("-n", hub, "link", "set", "hub0", "up")
            for host in range(self.count + 1):
                here, port = self.name(host), f"port{host}"
                ip("link", "add", "eth0", "netns", here, "type", "veth", "peer", "name", port, "netns", hub)
                ip("-n", hub, "link", "set", port, "master", "hub0", "up")
                ip("-n", here, "address", "add", f"{self.address(host)}/24", "dev", "eth0")
                ip("-n", here, "link", "set", "eth0", "up")
                ip("-n", here, "link", "set", "lo", "up")
            self.serve()
        except subprocess.CalledProcessError as error:
            self.__exit__()
            sys.exit(f"no network namespaces here: {error.stderr.strip()}")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in self.processes:
            if process.returncode is None:
                process.kill()
                process.wait()
        for name in self.made:
            ip("netns", "delete", name, check=False)
        self.scratch.cleanup()

    def start(self, host, command, **how):
        """A process on a host: `ip` becomes it, so that its number and its use of the machine are its own."""
        process = subprocess.Popen(["ip", "netns", "exec", self.name(host), *command], **how)
        self.processes.append(process)
        return process

    def serve(self):
        # Files are not of the network's namespace: by this socket the script talks to the server, past the hosts.
        self.door = os.path.join(self.scratch.name, "door")
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        words = ["--port", str(PORT), "--bind", self.address(0), "--protected-mode", "no", "--save", ""]
        words += ["--appendonly", "no", "--dir", self.scratch.name, "--unixsocket", self.door]
        self.start(0, [server_program(), *words], **quiet)
        for _ in range(1000):
            try:
                return self.ask("PING")
            except OSError:
                time.sleep(0.02)
        sys.exit("the server does not answer")

    def ask(self, *words):
        """An answer of the server."""
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(self.door)
            parts = [str(word).encode() for word in words]
            line.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%b\r\n" % (len(p), p) for p in parts))
            with line.makefile("rb") as answer:
                return read_answer(answer)

    def slow(self, delay):
        """Lets each message take so many seconds longer, both ways; says the port to use. The kernel does it where it can,
        a relay beside the server elsewhere."""
        if not delay:
            return PORT
        milliseconds = f"{1000 * delay:g}ms"
        for host in range(self.count + 1):
            command = ["tc", "-n", self.name(host), "qdisc", "replace", "dev", "eth0", "root", "netem", "delay", milliseconds]
            if not shutil.which("tc") or subprocess.run(command, capture_output=True).returncode:
                break
        else:
            return PORT
        self.relay = self.start(0, [sys.executable, os.path.abspath(__file__), self.address(0), str(delay)])
        time.sleep(1)
        return RELAYED

    def fast(self):
        """Undoes `slow`."""
        for host in range(self.count + 1):
            subprocess.run(["tc", "-n", self.name(host), "qdisc", "delete", "dev", "eth0", "root"], capture_output=True)
        if relay := self.__dict__.pop("relay", None):
            relay.kill()
            relay.wait()


def read_answer(lines):
    kind, rest = (line := lines.readline())[:1], line[1:].strip()
    if kind == b"$":
        return lines.read(int(rest) + 2)[:-2] if int(rest) >= 0 else None
    if kind == b"*":
        return [read_answer(lines) for _ in range(int(rest))]
    if kind == b"-":
        raise OSError(rest.decode())
    return int(rest) if kind == b":" else rest


async def relay(address, delay):
    """Passes on whatever comes, later."""

    async def pass_on(reader, writer):
        waiting, loop = collections.deque(), asyncio.get_running_loop()
        write = lambda: writer.write(waiting.popleft())
        while data := await reader.read(1 << 16):
            waiting.append(data)
            loop.call_later(delay, write)
        loop.call_later(delay, writer.close)

    async def connected(reader, writer):
        to_reader, to_writer = await asyncio.open_connection(address, PORT)
        await asyncio.gather(pass_on(reader, to_writer), pass_on(to_reader, writer), return_exceptions=True)

    server = await asyncio.start_server(connected, address, RELAYED)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(relay(sys.argv[1], float(sys.argv[2])))
