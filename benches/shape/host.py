"""Two hosts of their own, joined by veth, and the daemon of `netloom shape` on one of them.

The hosts are network namespaces; nothing of the machine's own network is touched.
"""

import contextlib
import ctypes
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import NETLOOM as RELEASE

# Another build than the release, if that is wanted.
NETLOOM = os.environ.get("NETLOOM", RELEASE)
BPF, PROG_QUERY, TCX_INGRESS, TCX_EGRESS = 321, 16, 46, 47
HERE, THERE = "192.0.2.1", "192.0.2.2"
HERE6, THERE6 = "2001:db8::1", "2001:db8::2"


class Hosts:
    """Host `a`, whose traffic is shaped, and host `b` at the other end of `eth0`."""

    def __init__(self):
        self.names = {side: f"shape{os.getpid()}{side}" for side in "ab"}
        # Where the daemon's own state is, too.
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="netloom-shape-", dir="/run"))
        self.daemon = None
        for name in self.names.values():
            subprocess.run(["ip", "netns", "add", name], check=True)
        a, b = self.names["a"], self.names["b"]
        subprocess.run(
            [
                "ip",
                "link",
                "add",
                "eth0",
                "netns",
                a,
                "type",
                "veth",
                "peer",
                "name",
                "eth0",
                "netns",
                b,
            ],
            check=True,
        )
        for side, v4, v6 in (("a", HERE, HERE6), ("b", THERE, THERE6)):
            self.run(side, "ip", "address", "add", f"{v4}/24", "dev", "eth0")
            self.run(side, "ip", "address", "add", f"{v6}/64", "dev", "eth0", "nodad")
            for device in ("lo", "eth0"):
                self.run(side, "ip", "link", "set", device, "up")
        self.run("a", "ip", "route", "add", "default", "via", THERE)

    def command(self, side, *words, user=None):
        """A command on a host, as root or as a user by number."""
        as_user = (
            ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user else []
        )
        return ["ip", "netns", "exec", self.names[side], *as_user, *map(str, words)]

    def run(self, side, *words, user=None, check=True):
        done = subprocess.run(self.command(side, *words, user=user), text=True, capture_output=True)
        if check and done.returncode:
            raise RuntimeError(f"{words}: {done.stdout}{done.stderr}")
        return done

    def shape(self, *words, user=None, check=True):
        """`netloom shape` on host `a`."""
        return self.run(
            "a",
            NETLOOM,
            "shape",
            "--state",
            self.directory / "state",
            *words,
            user=user,
            check=check,
        )

    def claims(self):
        """The claims, as JSON, by name."""
        listed = json.loads(self.shape("list", "--all", "--format", "json").stdout)
        return {claim["entry"]["name"]: claim for claim in listed["claims"]}

    def verdict(self, name):
        return self.claims()[name]["verdict"]

    def api(self):
        """A connection to the daemon's API."""
        return Api(self.directory / "state" / "api.sock")

    def left(self):
        """What of the daemon is left on host `a`: devices, and programs at `eth0` and `lo`."""
        names = re.findall(r"^\d+: (nls[^:@]+)", self.run("a", "ip", "-o", "link").stdout, re.M)
        asked = self.run("a", sys.executable, __file__, "programs")
        return names + asked.stdout.split()

    def serve(self, policy="", bears="10Gbit/s"):
        """Starts the daemon and waits until it answers."""
        self.directory.chmod(0o755)
        file = self.directory / "policy.yaml"
        if policy:
            file.write_text(policy)
        words = [
            "serve",
            "--policy",
            file,
            "--records",
            self.directory / "shape.jsonl",
            "--bears",
            bears,
        ]
        self.daemon = subprocess.Popen(
            self.command("a", NETLOOM, "shape", "--state", self.directory / "state", *words),
            stdout=subprocess.DEVNULL,
        )
        for _ in range(500):
            if self.shape("capacity", check=False).returncode == 0:
                return self.daemon
            if self.daemon.poll() is not None:
                raise RuntimeError("the daemon did not start")
            time.sleep(0.02)
        raise RuntimeError("the daemon does not answer")

    def end(self):
        if self.daemon and self.daemon.poll() is None:
            self.daemon.kill()
            self.daemon.wait()
        for name in self.names.values():
            subprocess.run(["ip", "netns", "delete", name], check=False)
        shutil.rmtree(self.directory, ignore_errors=True)


class Api(http.client.HTTPConnection):
    """HTTP over the daemon's socket."""

    def __init__(self, path):
        super().__init__("netloom")
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)

    def ask(self, method, path, body=None):
        """The answer, as JSON."""
        self.request(method, f"/v1{path}", json.dumps(body) if body is not None else None)
        answer = self.getresponse()
        text = answer.read().decode()
        if answer.status != 200:
            raise RuntimeError(f"{method} {path}: {answer.status} {text}")
        return json.loads(text)


def programs(device):
    """The numbers of the programs at both sides of a device of this namespace (bpf(2))."""
    index, call = socket.if_nametoindex(device), ctypes.CDLL(None, use_errno=True).syscall
    found = {}
    for side in (TCX_INGRESS, TCX_EGRESS):
        ids = (ctypes.c_uint32 * 64)()
        query = (ctypes.c_uint32 * 16)(index, side)
        ctypes.memmove(
            ctypes.byref(query, 16), ctypes.byref(ctypes.c_uint64(ctypes.addressof(ids))), 8
        )
        query[6] = 64
        if call(BPF, PROG_QUERY, ctypes.byref(query), 64) == 0:
            found[side] = list(ids[: query[6]])
    return found


@contextlib.contextmanager
def hosts():
    both = Hosts()
    try:
        yield both
    finally:
        both.end()


# An echo server, and a client that prints round trips in milliseconds, one a line.
SERVER = """
import socket, sys, threading
def answer(one):
    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while data := one.recv(65536):
        one.sendall(data)
def serve(port):
    server = socket.socket(socket.AF_INET6)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    server.bind(("::", port))
    server.listen(64)
    while True:
        threading.Thread(target=answer, args=(server.accept()[0],), daemon=True).start()
ports = [int(port) for port in sys.argv[1:]]
for port in ports[1:]:
    threading.Thread(target=serve, args=(port,), daemon=True).start()
print("ready", flush=True)
serve(ports[0])
"""

CLIENT = """
import socket, sys, time
address, port, count, pause = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
began = time.monotonic_ns()
one = socket.create_connection((address, port), 5)
print("connected", (time.monotonic_ns() - began) / 1e6, file=sys.stderr)
one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for _ in range(count):
    began = time.monotonic_ns()
    one.sendall(b"x" * 64)
    one.recv(64)
    print((time.monotonic_ns() - began) / 1e6, flush=True)
    time.sleep(pause)
"""


@contextlib.contextmanager
def server(both, side, *ports, user=None):
    """An echo server at these ports of a host."""
    words = both.command(side, sys.executable, "-c", SERVER, *ports, user=user)
    running = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        running.stdout.readline()
        yield running
    finally:
        running.kill()
        running.wait()


def round_trips(both, side, address, port, count=100, pause=0.01, user=None):
    """Round trips of one TCP connection, in milliseconds."""
    words = (sys.executable, "-c", CLIENT, address, port, count, pause)
    done = both.run(side, *words, user=user)
    return [float(line) for line in done.stdout.split()]


if __name__ == "__main__":
    for device in ("eth0", "lo"):
        for side, ids in programs(device).items():
            print(*(f"{device}:{side}:{number}" for number in ids))
