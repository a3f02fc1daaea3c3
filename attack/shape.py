"""Users against each other at the daemon of `netloom shape`: what one of them does, allowed or not,
reads, drops, delays or ends nothing of another's, and takes no more than a share of the daemon."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

from lab import ROOT, Trouble

sys.path.insert(0, str(ROOT / "benches" / "shape"))

from host import HERE, THERE, Hosts  # noqa: E402

EVE, BOB, STRANGER = 5001, 5002, 5003
POLICY = f"""
allow: ['{EVE}', '{BOB}']
rate_per_user: 50Mbit/s
changes_per_second: 1000
reserve: true
"""
MOST_BITS, MOST_BYTES = 50_000_000, 64 << 20
# Resident memory of a daemon without claims, with all that users may take, in MiB.
MOST_MEMORY = 600
PYTHON = "/usr/bin/python3"
TOOLS = pathlib.Path(__file__).with_name("shape_tools.py")
# Frames through Eve's claim that no attack may take, and the delay of it, in s.
COUNT, DELAY = 20, 0.05
EVES = f"--client udp/9500 --both rate=1Mbit/s delay={int(DELAY * 1000)}ms --for 1h"
NASTY = [0, 1, -1, 2**31, 2**32, 2**53, 2**63, 2**64 - 1, 2**64]
NASTY += ["NaN", "1e999", None, [], {}, "x" * 999]


# The hosts of the last try.
LAST = []


class Shape:
    """The hosts, the daemon, and what was tried."""

    def __init__(self, lab):
        self.lab = lab
        self.hosts = Hosts()
        self.kinds = {}
        self.hosts.run("a", "sh", "-c", "echo 0 2147483647 > /proc/sys/net/ipv4/ping_group_range")
        self.start()

    def start(self):
        self.hosts.serve(POLICY, bears="2Gbit/s")
        if "eve" not in self.hosts.claims():
            self.hosts.shape("add", "eve", *EVES.split(), user=EVE)

    @property
    def socket(self):
        return self.hosts.directory / "state" / "api.sock"

    def as_user(self, user, kind, *words, wait=60, raw=False):
        """What a tool prints as a user on host `a`, from its JSON."""
        command = ["ip", "netns", "exec", self.hosts.names["a"], "setpriv"]
        command += [f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        command += ["--inh-caps=+net_raw", "--ambient-caps=+net_raw"] if raw else []
        command += [PYTHON, TOOLS, kind, *map(str, words)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=wait)
        except subprocess.TimeoutExpired:
            raise Trouble(f"{kind} of {user}: no end after {wait} s") from None
        if done.returncode:
            raise Trouble(f"{kind} of {user}: {ascii(done.stderr[-300:])}")
        return json.loads(done.stdout)

    @contextlib.contextmanager
    def beside(self, user, kind, *words, raw=False):
        """The same, while something else is done."""
        command = self.hosts.command("a", PYTHON, TOOLS, kind, *words, user=user)
        if raw:
            at = command.index("--clear-groups") + 1
            command[at:at] = ["--inh-caps=+net_raw", "--ambient-caps=+net_raw"]
        running = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
        try:
            running.stdout.readline()
            yield running
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            running.wait()

    def ask(self, user, method, path, body=None, wait=60):
        return self.as_user(user, "ask", self.socket, method, path, json.dumps(body), wait=wait)

    def check(self):
        """Nothing of Eve's is lost, root is served, and the daemon has not grown."""
        daemon = self.hosts.daemon
        if daemon.poll() is not None:
            raise Trouble(f"the daemon has ended with {daemon.returncode}")
        found = self.as_user(EVE, "round", THERE, 9500, COUNT, DELAY)
        if found["back"] < COUNT or found["fastest"] < 2 * DELAY:
            raise Trouble(f"Eve's claim: {found}")
        room = self.ask(0, "GET", "/capacity")["body"]
        bob = self.ask(BOB, "GET", "/capacity")["body"]
        # He may have used up his own connections.
        if "connections" not in bob.get("error", ""):
            taken = bob["taken"]
            if taken["bits"] > MOST_BITS or taken["bytes"] > MOST_BYTES:
                raise Trouble(f"Bob has {taken} of {room}")
        status = pathlib.Path(f"/proc/{self.pid()}/status").read_text()
        memory = int(status.split("VmRSS:")[1].split()[0]) // 1024
        if memory > MOST_MEMORY:
            raise Trouble(f"the daemon has {memory} MiB")

    def end(self):
        self.server.kill()
        self.hosts.end()

    def pid(self):
        """The process of the daemon: `ip netns exec` becomes it."""
        return self.hosts.daemon.pid


def prepare(lab):
    """Begins anew: what a try that went wrong has left goes with its hosts."""
    while LAST:
        LAST.pop().end()
    shape = Shape(lab)
    server = [PYTHON, TOOLS, "echo", "9500"]
    shape.server = subprocess.Popen(shape.hosts.command("b", *server), stdout=subprocess.PIPE)
    shape.server.stdout.readline()
    LAST.append(shape)
    return shape


def one(shape, draw):
    kind = draw.choice(KINDS)
    shape.kinds[kind.__name__] = shape.kinds.get(kind.__name__, 0) + 1
    try:
        kind(shape, draw)
        shape.hosts.shape("remove", "--mine", user=BOB, check=False)
        shape.check()
    except Trouble as trouble:
        raise Trouble(f"{kind.__name__}: {trouble}") from None


def claim(port, **pipes):
    both = {"out": {"rate": "1Mbit/s"}, "in": {"rate": "1Mbit/s"}}
    return {"client": {"ports": [port], "protocol": "udp"}, "for": "1h"} | both | pipes


def strangers(shape, draw):
    """Connections, heads and bodies that never end, of a user who may not ask."""
    length = draw.choice([0, 1, 10_000, 1_000_000, 64 << 20])
    sent = draw.choice([0, length // 2, length])
    words = [shape.socket, draw.randrange(1, 60), length, min(sent, 4 << 20)]
    with shape.beside(STRANGER, "hold", *words):
        shape.check()


def bodies(shape, draw):
    """The same of a user who may."""
    length = draw.choice([1_000_000, 4 << 20])
    with shape.beside(BOB, "hold", shape.socket, draw.randrange(1, 40), length, length - 1):
        shape.check()


def captures(shape, draw):
    """More captures than a user may have, which are never read."""
    shape.ask(BOB, "POST", "/claims", {"name": "c", "claim": claim(9700)})
    with shape.beside(BOB, "captures", shape.socket, "c", draw.randrange(1, 40)):
        shape.as_user(BOB, "send", THERE, 9700, draw.randrange(5000), draw.randrange(1, 60_000))
        shape.check()


def fragments(shape, draw):
    """Fragments of two users with the same identifiers: none of Eve's is in Bob's claim."""
    loss = {"rate": "10Mbit/s", "loss": "100%"}
    shape.ask(BOB, "POST", "/claims", {"name": "f", "claim": claim(9600, out=loss)})
    first = draw.randrange(60_000)
    shape.as_user(BOB, "fragments", HERE, THERE, 9600, first, 500, "first", raw=True)
    before = shape.hosts.claims()["f"]["pipes"][0]["offered"]
    shape.as_user(EVE, "fragments", HERE, THERE, 9601, first, 500, "last", raw=True)
    after = shape.hosts.claims()["f"]["pipes"][0]["offered"]
    if after != before:
        raise Trouble(f"{after - before} of 500 fragments of Eve's are in Bob's claim")


def echoes(shape, draw):
    """Bob pings with all identifiers that he can: root's pings are answered."""
    loss = {"rate": "1Mbit/s", "loss": "100%"}
    everything = {"prefix": ["192.0.2.0/24"], "for": "1h", "out": {"rate": "1Mbit/s"}, "in": loss}
    shape.ask(BOB, "POST", "/claims", {"name": "p", "claim": everything})
    number = draw.randrange(1, 65_000)
    with shape.beside(BOB, "pings", THERE, number, raw=draw.random() < 0.5):
        found = shape.as_user(0, "ping", THERE, number, 20)
    if found["answered"] < 20:
        raise Trouble(f"{found['answered']} of root's 20 pings are answered")


def admission(shape, draw):
    """Claims of every size, made, changed, ended and renewed in any order."""
    for _ in range(30):
        rate = draw.choice(["1kbit/s", "10Mbit/s", "40Mbit/s", "10Gbit/s"])
        steps = [{"at": "0s", "rate": "1kbit/s"}, {"at": "1ms", "rate": rate}]
        trace = {"trace": [0] * draw.randrange(1, 9999) + [9**6]}
        pipe = {"rate": draw.choice([rate, {"schedule": steps}, trace])}
        pipe["delay"] = draw.choice(["0s", "1s", "1000s", "18446744073709551615ns"])
        deviations = ["0s", "1s", "2305843009213693952ns", "4611686018427387904ns"]
        pipe["jitter"] = {"normal": draw.choice(deviations)}
        limits = ["10packets", "20000packets", "60MB", "4294967295packets", "1h"]
        pipe["queue"] = {"limit": draw.choice(limits)}
        name, lifetime = f"a{draw.randrange(9)}", draw.choice(["1ms", "1s", "1h"])
        made = claim(9000 + draw.randrange(9), out=pipe, **{"for": lifetime})
        if draw.random() < 0.3:
            made["interface"] = "lo"
        verb, path, body = draw.choice(
            [
                ("POST", "/claims", {"name": name, "claim": made}),
                ("PATCH", f"/claims/{name}", {"out": pipe}),
                ("POST", f"/claims/{name}/renew", {"for": lifetime}),
                ("DELETE", f"/claims/{name}", None),
            ]
        )
        shape.ask(BOB, verb, path, body)
        taken = shape.ask(BOB, "GET", "/capacity")["body"]["taken"]
        if taken["bits"] > MOST_BITS or taken["bytes"] > MOST_BYTES:
            raise Trouble(f"after {verb} {path} {str(body)[:300]}: {taken}")


def memory(shape, draw):
    """A full queue of frames of any size, at either device, which stays full after its claim."""
    device, there = draw.choice([("eth0", THERE), ("lo", "127.0.0.1")])
    queue = draw.choice(["400packets", "2MB", "10MB", "1h"])
    slow = {"rate": "1kbit/s", "queue": {"limit": queue}}
    made = claim(9800, out=slow) | {"interface": device}
    shape.ask(BOB, "POST", "/claims", {"name": "m", "claim": made})
    count, size = draw.choice([2000, 30_000]), draw.choice([1, 1000, 9000, 60_000])
    shape.as_user(BOB, "send", there, 9800, count, size)
    shape.check()
    shape.ask(BOB, "DELETE", "/claims/m")


def ports(shape, draw):
    """Bob takes, reserves and keeps as many ports as he can: Eve has one of them."""
    for number in range(8):
        ranges = {"ports": [f"{1024 + number * 8000}-{9000 + number * 8000}"]}
        short = {"server": ranges, "for": draw.choice(["1ms", "1h"]), "rate": "1kbit/s"}
        short["reserve"] = draw.random() < 0.5
        shape.ask(BOB, "POST", "/claims", {"name": f"s{number}", "claim": short})
    port = draw.randrange(20_000, 60_000)
    mine = {"server": {"ports": [port]}, "for": "1h", "rate": "1kbit/s"}
    found = shape.ask(EVE, "POST", "/claims", {"name": "port", "claim": mine})
    if found["status"] != 200:
        raise Trouble(f"Eve has no port: {found['body']}")
    shape.ask(EVE, "DELETE", "/claims/port")


def slow_requests(shape, draw):
    """Requests that take long: thousands of ports, and processes that have bound them."""
    odd = list(range(2001, 2001 + 2 * draw.randrange(1, 4096), 2))
    asked = [
        {"client": {"ports": odd}, "for": "1h", "rate": "1kbit/s"},
        {"server": {"ports": ["1024-65535"]}, "for": "1h", "rate": "1kbit/s"},
        {"interface": "lo", "client": {"ports": [80]}, "for": "1h", "rate": "1kbit/s"},
    ]
    body = json.dumps({"name": "slow", "claim": draw.choice(asked)})
    with shape.beside(BOB, "flood", shape.socket, "POST", "/claims", body):
        for _ in range(5):
            found = shape.ask(EVE, "GET", "/claims", wait=20)
            if found["seconds"] > 5:
                raise Trouble(f"Eve waits {found['seconds']:.1f} s")
    shape.ask(BOB, "DELETE", "/claims/slow")


def broken(shape, draw):
    """Requests with numbers and words that nobody expects."""
    for _ in range(40):
        body = {"name": "x", "claim": claim(80)}
        where = draw.choice([body, body["claim"], body["claim"]["out"], body["claim"]["client"]])
        key = draw.choice([*where, "queue", "loss", "pid", "prefix", "duplicate"])
        where[key] = draw.choice(NASTY)
        paths = ["/claims", "/claims/x", "/claims/x/renew", "/claims/%00", f"/{'y' * 9000}"]
        path = draw.choice(paths)
        method = draw.choice(["POST", "PATCH", "DELETE", "GET", "PUT"])
        shape.ask(draw.choice([BOB, STRANGER]), method, path, body)


def a_kill(shape, draw):
    """A daemon that is killed while it is asked, and the next one: Eve's claim is there again."""
    body = json.dumps({"name": "k", "claim": claim(9900)})
    with shape.beside(BOB, "flood", shape.socket, "POST", "/claims", body):
        time.sleep(draw.random())
        shape.hosts.daemon.kill()
        shape.hosts.daemon.wait()
    if draw.random() < 0.3:
        time.sleep(1)
    left = [name for name in shape.hosts.left() if name.startswith("nls")]
    deadline = time.monotonic() + 10
    while left and time.monotonic() < deadline:
        time.sleep(0.05)
        left = [name for name in shape.hosts.left() if name.startswith("nls")]
    if left:
        raise Trouble(f"left: {left}")
    shape.hosts.serve(POLICY, bears="2Gbit/s")


KINDS = [
    strangers,
    bodies,
    captures,
    fragments,
    echoes,
    admission,
    memory,
    ports,
    slow_requests,
    broken,
    a_kill,
]


def notes(shape):
    counts = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in shape.kinds.items())
    return f" ({counts})"
