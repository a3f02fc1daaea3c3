#!/usr/bin/env python3
"""Is a run as exact as its verdict says, whatever the rhythm of its traffic and whatever it passes?

Short runs. The engine is stopped for 10 to 1,000 ms at a random moment, or a program more urgent
than its workers has all CPUs for so long, or nothing happens. The witness is independent of the
engine: the kernel stamps each datagram when the sender's device takes it (SO_TIMESTAMPING), and
when the receiver's socket gets it (SO_TIMESTAMPNS). Its delay less that of an undisturbed datagram
is its error.

Wanted: no run that is `valid` and has an error beyond the bound that it states; and of the runs
without a planted fault that the witness finds as exact as needed, at most one of twenty that is not
`valid`.

The path `port` is a published port, to which a program of the machine sends. `claim` is a claim of
`netloom shape`, whose verdict has no bound in numbers: it is wrong if it is `valid` although the
witness finds more than claims need.

    rhythms.py [RUNS [SEED]] [--paths link,switch,…] [--rhythms …] [--faults …]

NETLOOM is the binary, by default target/release/netloom. Takes root.
"""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "shape")]

import common  # noqa: E402
from host import THERE, hosts  # noqa: E402

NETLOOM = os.environ.get("NETLOOM", str(common.NETLOOM))
SECONDS = 6
MS = 1e6
RHYTHMS = ["steady", "bursty", "requests", "pings"]
FAULTS = ["nothing", "stopped", "hog"]
# Differences of delay that no stall makes: the cost of the nodes' own stacks; on a medium, backoff.
SLACK_MS = {"medium": 2.0}
SLACK = 0.5

SENDER = """
import random, socket, struct, sys, time
to, rhythm, seconds, seed = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4]
port = int(sys.argv[5]) if len(sys.argv) > 5 else 9000
draw = random.Random(seed)
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)
# TX_SOFTWARE, SOFTWARE, OPT_ID, OPT_TSONLY.
link.setsockopt(socket.SOL_SOCKET, 37, 1 << 1 | 1 << 4 | 1 << 7 | 1 << 11)
link.connect((to, port))
# Not by Python, which would also wait for an empty error queue.
link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 2, 0))
taken = {}

def collect():
    while True:
        try:
            _, control, _, _ = link.recvmsg(64, 512, socket.MSG_ERRQUEUE | socket.MSG_DONTWAIT)
        except (BlockingIOError, ConnectionRefusedError):
            return
        at = number = None
        for level, kind, data in control:
            if kind == 37:
                s, ns = struct.unpack("qq", data[:16])
                at = s * 10**9 + ns
            elif level == socket.SOL_IP and kind == 11:
                number = struct.unpack("IBBBBII", data[:16])[6]
        if at is not None and number is not None:
            taken[number] = at

def send(number):
    link.send(struct.pack("!I", number) + bytes(196))
    collect()

end, number = time.monotonic() + seconds, 0
while time.monotonic() < end:
    if rhythm == "bursty":
        time.sleep(1 - time.time() % 1)
        for _ in range(40):
            send(number); number += 1
            time.sleep(0.001)
        continue
    send(number); number += 1
    if rhythm == "steady":
        time.sleep(0.0025)
    elif rhythm == "pings":
        time.sleep(draw.uniform(0.1, 0.4))
    else:
        try:
            link.recv(2048)
        except (BlockingIOError, ConnectionRefusedError):
            pass
        time.sleep(draw.expovariate(20))
time.sleep(0.3)
collect()
print("\\n".join(f"{number} {at}" for number, at in sorted(taken.items())))
"""
RECEIVER = """
import signal, socket, struct, sys
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)
link.setsockopt(socket.SOL_SOCKET, 35, 1)
link.bind(("0.0.0.0", 9000))
link.settimeout(0.2)
stop = []
signal.signal(signal.SIGTERM, lambda *_: stop.append(1))
print("ready", flush=True)
came = {}
while not stop:
    try:
        data, control, _, peer = link.recvmsg(2048, 64)
    except TimeoutError:
        continue
    for level, kind, stamp in control:
        if kind == 35:
            s, ns = struct.unpack("qq", stamp[:16])
            came.setdefault(struct.unpack("!I", data[:4])[0], s * 10**9 + ns)
    if sys.argv[1] == "requests":
        link.sendto(b"answer", peer)
print("\\n".join(f"{number} {at}" for number, at in sorted(came.items())), flush=True)
"""
HOG = """
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(90))
time.sleep(max(0, float(sys.argv[2]) - time.time()))
end = time.monotonic() + float(sys.argv[3])
while time.monotonic() < end:
    pass
"""

FLAT = {"ipv6": "none"}


def topology(path):
    """Nodes a and b, and what is between them."""
    nodes = {"a": FLAT, "b": FLAT}
    both = {"endpoints": ["a", "b"], "delay": "5ms"}
    if path == "link":
        return {"nodes": nodes, "links": [both]}
    if path == "switch":
        links = [{"endpoints": ["a", "s"], "delay": "5ms"}, {"endpoints": ["s", "b"]}]
        return {"nodes": nodes | {"s": {"kind": "switch"}}, "links": links}
    if path == "tree":
        switches = {name: {"kind": "switch", "spanning_tree": True} for name in ("s", "t", "u")}
        port = {"vlan": {"access": 7}}
        trunk = {"vlan": {"trunk": {"allowed": [7]}}}
        for name, peers in (("s", "tu"), ("t", "us"), ("u", "st")):
            switches[name]["interfaces"] = {f"eth{n + 1}": trunk for n, _ in enumerate(peers)}
        switches["s"]["interfaces"]["eth3"] = port
        switches["t"]["interfaces"]["eth3"] = port
        links = [{"endpoints": [f"{x}:eth1", f"{y}:eth2"]} for x, y in ("st", "tu", "us")]
        links += [{"endpoints": ["a", "s:eth3"], "delay": "5ms"}, {"endpoints": ["t:eth3", "b"]}]
        return {"nodes": nodes | switches, "links": links}
    if path == "medium":
        places = {"a": ["0m", "0m"], "b": ["10m", "0m"]}
        nodes = {name: FLAT | {"position": place} for name, place in places.items()}
        return {"media": {"air": {"preset": "802.11g", "members": ["a", "b"]}}, "nodes": nodes}
    if path == "hybrid":
        router = FLAT | {"kind": "router", "simulated": True}
        links = [
            {"endpoints": ["a", "r"], "delay": "3ms"},
            {"endpoints": ["r", "q"], "delay": "1ms"},
            {"endpoints": ["q", "b"], "delay": "1ms"},
        ]
        return {"nodes": nodes | {"r": router, "q": router}, "links": links}
    if path == "port":
        published = {"publish": [f"127.0.0.1:{PORT}:9000/udp"]}
        return {"nodes": nodes | {"b": FLAT | published}, "links": [both]}
    raise SystemExit(f"no path {path}")


PATHS = ["link", "switch", "tree", "medium", "hybrid", "port", "claim"]
PORT = 29000 + os.getpid() % 1000


def plant(fault, engine, draw):
    """Plants a fault at a random moment; how long it lasted, in s."""
    length = draw.choice([0.01, 0.02, 0.04, 0.1, 0.3, 1.0])
    time.sleep(draw.uniform(0.5, SECONDS - 2))
    if fault == "stopped":
        # Half of the stops begin shortly before a burst would.
        if draw.random() < 0.5:
            time.sleep(1 - time.time() % 1 - 0.004 if time.time() % 1 < 0.99 else 0)
        with contextlib.suppress(ProcessLookupError):
            os.kill(engine, signal.SIGSTOP)
            try:
                time.sleep(length)
            finally:
                os.kill(engine, signal.SIGCONT)
    elif fault == "hog":
        length = min(length, 0.3)
        start = str(time.time() + 0.4)
        programs = [
            subprocess.Popen([sys.executable, "-c", HOG, str(cpu), start, str(length)])
            for cpu in range(os.cpu_count())
        ]
        for program in programs:
            program.wait()
    else:
        length = 0
    return length


def stamps(text):
    """Numbers and times of one end."""
    pairs = (line.split() for line in text.splitlines() if line[:1].isdigit())
    return {int(number): int(at) for number, at in pairs}


class Planter(threading.Thread):
    """Plants the fault once the sender sends. Runs a sender outside the experiment, if one is
    given.
    """

    def __init__(self, name, fault, draw, results, outside=None):
        super().__init__()
        self.lab, self.fault, self.draw, self.results = name, fault, draw, results
        self.outside, self.sent, self.lasted = outside, "", 0

    def run(self):
        pid = pathlib.Path(f"/run/netloom/{self.lab}/engine.pid")
        events = self.results / "events.jsonl"
        for _ in range(3000):
            with contextlib.suppress(OSError):
                begun = '"process":"tx"' in events.read_text().replace(": ", ":")
                if begun and pid.exists():
                    if self.outside:
                        self.outside = subprocess.Popen(
                            self.outside, stdout=subprocess.PIPE, text=True
                        )
                    self.lasted = plant(self.fault, int(pid.read_text()), self.draw)
                    if self.outside:
                        self.sent = self.outside.communicate()[0]
                    return
            time.sleep(0.02)


def drawn(number, seed, given):
    """A run with this number."""
    draw = random.Random(f"{seed}/{number}")
    path = given.paths[number % len(given.paths)]
    rhythm = given.rhythms[number // len(given.paths) % len(given.rhythms)]
    name = f"rhythms-{os.getpid()}"
    return once(number, name, (path, rhythm, draw.choice(given.faults)), draw)


def once(number, name, what, draw):
    """One run of an experiment of this name over a path, with a rhythm and a planted fault."""
    path, rhythm, fault = what
    if path == "claim":
        return claimed(number, what, draw)
    python = sys.executable
    with tempfile.TemporaryDirectory(prefix="netloom-rhythms-") as folder:
        folder = pathlib.Path(folder)
        warm = f'ping -4 -c 3 -i 0.2 -q b > /dev/null; exec {python} -c "$0" "$@"'
        send = ["sh", "-c", warm, SENDER, "b", rhythm, str(SECONDS), str(number)]
        outside = None
        if path == "port":
            words = [rhythm, str(SECONDS), str(number), str(PORT)]
            outside = [python, "-c", SENDER, "127.0.0.1", *words]
            send = ["sleep", str(SECONDS + 2)]
        text = {
            "name": name,
            "topology": topology(path),
            "processes": [
                {"name": "rx", "node": "b", "command": [python, "-c", RECEIVER, rhythm],
                 "ready": {"output": "ready"}, "background": True},
                {"name": "tx", "node": "a", "start": {"after": "rx"}, "command": send},
            ],
        }
        (folder / "netloom.yaml").write_text(json.dumps(text))
        planter = Planter(name, fault, draw, folder / "results", outside)
        planter.start()
        done = subprocess.run(
            [NETLOOM, "run", "-o", "results"], cwd=folder, capture_output=True, text=True
        )
        planter.join()
        try:
            summary = json.loads((folder / "results/summary.json").read_text())
            ends = [folder / f"results/processes/{end}.stdout" for end in ("tx@a", "rx@b")]
            sent, came = (stamps(end.read_text()) for end in ends)
            sent = stamps(planter.sent) if path == "port" else sent
        except FileNotFoundError:
            print(f"| {number} | {path} | {rhythm} | no results: {done.stderr[-200:]!r} |")
            return None
    verdict = summary["verdict"]
    if path == "port":
        pipes = verdict["bound"]["pipes"]
        passed = [pipe for pipe in pipes if pipe["pipe"] == "published b:9000/udp/forward"]
        verdict["bound"]["pipes"] = passed
    return compared(number, (path, rhythm, fault, planter.lasted), verdict, sent, came)


def claimed(number, what, draw):
    """One run through a claim."""
    path, rhythm, fault = what
    with hosts() as both:
        both.serve()
        claim = {"client": {"ports": [9000], "protocol": "udp"}, "delay": "5ms"}
        order = {"name": "rhythms", "claim": claim, "force": True}
        both.api().ask("POST", "/claims", order)
        python = sys.executable
        receive = both.command("b", python, "-c", RECEIVER, rhythm)
        receiver = subprocess.Popen(receive, stdout=subprocess.PIPE, text=True)
        receiver.stdout.readline()
        send = both.command("a", python, "-c", SENDER, THERE, rhythm, SECONDS, number)
        sender = subprocess.Popen(send, stdout=subprocess.PIPE, text=True)
        time.sleep(1)
        lasted = plant(fault, both.daemon.pid, draw)
        sent = stamps(sender.communicate()[0])
        # Claims are judged once a second.
        time.sleep(1.5)
        verdict = both.claims()["rhythms"]
        receiver.terminate()
        came = stamps(receiver.communicate()[0])
    trust = {"delay": "1ms", "share": "1%", "stall": "50ms"}
    judgement = verdict["verdict"].split(":")[0]
    stated = {"judgement": judgement, "links": judgement, "trust": trust}
    return compared(number, (path, rhythm, fault, lasted), stated, sent, came)


def ms(text):
    """A length of time as results have it, in ms."""
    for unit, factor in (("ns", 1e-6), ("us", 1e-3), ("ms", 1), ("s", 1e3), ("min", 6e4)):
        head = text[: -len(unit)]
        if text.endswith(unit) and head.replace(".", "").isdigit():
            return float(head) * factor
    raise ValueError(text)


def compared(number, what, verdict, sent, came):
    """Holds the statement of a run against its witness; what it was, and what is wrong."""
    path, rhythm, fault, lasted = what
    delays = sorted((came[n] - at) / MS for n, at in sent.items() if n in came)
    if len(delays) < 5:
        print(f"| {number} | {path} | {rhythm} | {fault} | only {len(delays)} datagrams |")
        return None
    base = delays[len(delays) // 10]
    errors = [delay - base for delay in delays]
    slack = SLACK_MS.get(path, SLACK)
    trust = verdict["trust"]
    tolerance, share = ms(trust["delay"]), float(trust["share"].rstrip("%")) / 100
    stall = ms(trust["stall"])
    late = sum(error > tolerance + slack for error in errors) / len(errors)
    # What a datagram passes adds up.
    if "bound" in verdict:
        pipes = [pipe["at_most"] for pipe in verdict["bound"]["pipes"]]
        stated_max = sum(ms(pipe["max"]) for pipe in pipes)
        stated_share = sum(pipe["share"] for pipe in pipes)
    else:
        stated_max, stated_share = stall, share
    above = []
    if errors[-1] > stated_max + slack:
        above.append(f"{errors[-1]:.1f} ms > {stated_max:.1f} ms")
    # One datagram is a larger share of the witness's than of all frames.
    few = 2 / len(errors)
    if late > max(share, stated_share * 2) + few and errors[-1] > tolerance + slack:
        above.append(f"{100 * late:.1f} % late > {100 * stated_share:.1f} %")
    needed = late <= share and errors[-1] <= stall
    print(
        f"| {number} | {path} | {rhythm} | {fault} {1000 * lasted:.0f} ms | {len(errors)} | "
        f"{100 * late:.2f} %, max {errors[-1]:.2f} ms | max {stated_max:.2f} ms | "
        f"{verdict['judgement']} | {'; '.join(above) or 'within the bound'} |",
        flush=True,
    )
    return {"rows": (path, rhythm, fault), "judgement": verdict["judgement"],
            "links": verdict["links"], "above": bool(above), "needed": needed}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("runs", nargs="?", type=int, default=300)
    parser.add_argument("seed", nargs="?", default="1")
    for key, values in (("paths", PATHS), ("rhythms", RHYTHMS), ("faults", FAULTS)):
        parser.add_argument(f"--{key}", type=lambda text: text.split(","), default=values)
    given = parser.parse_args()
    print(f"{given.runs} runs, seed {given.seed}, {NETLOOM}, on {common.machine()}", flush=True)
    print("| run | path | rhythm | planted | datagrams | truth | stated | verdict | |")
    print("|---|---|---|---|---|---|---|---|---|")
    table = collections.defaultdict(collections.Counter)
    for number in range(given.runs):
        done = drawn(number, given.seed, given)
        for row in ("all", *(done["rows"] if done else ())):
            counts = table[row]
            counts["runs"] += 1
            if done is None:
                counts["no result"] += 1
                continue
            counts[done["judgement"]] += 1
            counts["above the bound"] += done["above"]
            counts["above and valid"] += done["above"] and done["judgement"] == "valid"
            if done["rows"][2] == "nothing" and done["needed"]:
                counts["undisturbed"] += 1
                counts["undisturbed, links not valid"] += done["links"] != "valid"
                counts["undisturbed, not valid"] += done["judgement"] != "valid"
    columns = ["runs", "no result", "valid", "suspect", "invalid", "above the bound",
               "above and valid", "undisturbed", "undisturbed, links not valid",
               "undisturbed, not valid"]
    print(f"\n| | {' | '.join(columns)} |")
    print("|---" * (len(columns) + 1) + "|")
    for row, counts in table.items():
        print(f"| {row} | {' | '.join(str(counts[column]) for column in columns)} |")


if __name__ == "__main__":
    main()
