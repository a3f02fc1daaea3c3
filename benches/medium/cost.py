#!/usr/bin/env python3
"""What 1,000 moving stations on one medium cost the engine: in silence; with positions of all
through the API ten times a second; and with one broadcast a second of each, by turns with ten
stations. In shares of a core. Then losses of 100,000 pairs a second through the API, beside a flow
of 1 Mbit/s, of which nothing may be lost.

Needs root.

    cost.py [STATIONS] [SECONDS]
"""

import ctypes
import http.client
import json
import math
import os
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scale"))

from common import NETLOOM, machine, netloom  # noqa: E402
from large import cpu_seconds  # noqa: E402

# Stations that hear one another, of 250 m reach.
HEARERS, REACH = 34, 250
PAYLOAD = b"x" * 58
CLONE_NEWNET = 0x40000000


def side(stations):
    return math.sqrt(stations * math.pi * REACH**2 / HEARERS)


def scenario(name, stations, duration, moves=True):
    area = f"[{side(stations):.0f}m, {side(stations):.0f}m]"
    mobility = (
        f", mobility: {{ random_waypoint: {{ area: {area}, speed: [1m/s, 20m/s] }} }}"
        if moves
        else ""
    )
    length = f"duration: {duration}s\n" if duration else ""
    return f"""name: {name}
{length}topology:
  media:
    air: {{ preset: wavelan, members: [all] }}
  groups:
    all: {{ ipv6: none{mobility} }}
  nodes: {{ "n[1-{stations}]": {{ group: all }} }}
"""


class Api(http.client.HTTPConnection):
    """The engine's socket."""

    def __init__(self, name):
        super().__init__("localhost")
        self.name = name

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(f"/run/netloom/{self.name}/api.sock")

    def ask(self, method, path, body):
        self.request(method, path, json.dumps(body))
        answer = self.getresponse()
        text = answer.read()
        if answer.status not in (200, 204):
            raise SystemExit(f"{method} {path}: {answer.status} {text.decode()}")


def engine_of(name):
    return json.loads(netloom("inspect", name, "--format", "json"))["experiment"]["engine_pid"]


def share(engine, work, length):
    """The share of a core, in per cent, that the engine takes while `work` is done."""
    spent, since = cpu_seconds(engine), time.monotonic()
    work(since + length)
    return 100 * (cpu_seconds(engine) - spent) / (time.monotonic() - since)


def positions(name, stations):
    """Writes positions of all ten times a second, as a program does that moves nodes itself."""
    api, draw = Api(name), random.Random(1)
    nodes = [f"n{number + 1}" for number in range(stations)]
    places = [[draw.uniform(0, side(stations)) for _ in range(2)] for _ in nodes]

    def work(end):
        turn = time.monotonic()
        while turn < end:
            for place in places:
                place[0] += draw.uniform(-2, 2)
                place[1] += draw.uniform(-2, 2)
            x, y = ([place[axis] for place in places] for axis in range(2))
            api.ask("PATCH", "/v1/positions", {"nodes": nodes, "x": x, "y": y})
            turn += 0.1
            time.sleep(max(0, turn - time.monotonic()))

    return work


class Senders:
    """A socket in each node, of one process: what a thousand programs cost is not the question."""

    def __init__(self, name, stations):
        libc = ctypes.CDLL(None, use_errno=True)
        home = open("/proc/thread-self/ns/net")
        self.sockets = []
        for number in range(stations):
            with open(f"/run/netns/{name}.n{number + 1}") as namespace:
                if libc.setns(namespace.fileno(), CLONE_NEWNET) != 0:
                    raise OSError(ctypes.get_errno(), f"cannot enter {namespace.name}")
            one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"wlan1")
            self.sockets.append(one)
        if libc.setns(home.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "cannot leave")

    def work(self, end):
        """One datagram a second of each, evenly over the second."""
        gap, turn = 1 / len(self.sockets), time.monotonic()
        while True:
            for one in self.sockets:
                if turn >= end:
                    return
                one.sendto(PAYLOAD, ("255.255.255.255", 9))
                turn += gap
                wait = turn - time.monotonic()
                if wait > 0.001:
                    time.sleep(wait)


def idle(stations, length):
    name = f"bench-cost-{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
        file = pathlib.Path(folder) / "scenario.yaml"
        file.write_text(scenario(name, stations, 0))
        since = time.monotonic()
        netloom("deploy", "-t", file)
        print(f"  up in {time.monotonic() - since:.1f} s", flush=True)
        try:
            engine = engine_of(name)
            time.sleep(3)
            silent = share(engine, lambda end: time.sleep(end - time.monotonic()), length)
            print(f"  silent: {silent:.2f} % of a core (goal 1)", flush=True)
            fed = share(engine, positions(name, stations), length)
            print(f"  positions of all 10/s: {fed:.2f} % (goal 5)", flush=True)
        finally:
            netloom("destroy", name)


def begin(directory, name):
    """Starts the run of a folder; its process, and that of the engine."""
    running = subprocess.Popen(
        [NETLOOM, "run", "-o", "results"], cwd=directory, stdout=subprocess.DEVNULL
    )
    while running.poll() is None:
        try:
            return running, engine_of(name)
        except SystemExit:
            time.sleep(0.3)
    raise SystemExit(f"the run of {name} ended with {running.returncode}")


def broadcasts(stations, length):
    """The engine's share of a core, and what the run's summary says of the machine."""
    name = f"bench-cost-{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
        directory = pathlib.Path(folder)
        (directory / "netloom.yaml").write_text(scenario(name, stations, length + 10))
        running, engine = begin(directory, name)
        senders = Senders(name, stations)
        time.sleep(2)
        taken = share(engine, senders.work, length)
        running.wait()
        summary = json.loads((directory / "results" / "summary.json").read_text())
        return taken, summary


FLOW = """traffic:
  - { name: flow, from: n1, to: n2, udp: {}, size: 1000B, cbr: { rate: 1Mbit/s }, start: 2s,
      for: LENGTHs }
"""


def losses(length):
    """Sets losses of 10,000 pairs ten times a second; what is sent and received meanwhile."""
    name, stations = f"bench-cost-{os.getpid()}", 101
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
        directory = pathlib.Path(folder)
        text = scenario(name, stations, length + 5, moves=False)
        (directory / "netloom.yaml").write_text(text + FLOW.replace("LENGTH", str(length)))
        running, engine = begin(directory, name)
        api, draw = Api(name), random.Random(2)
        pairs = [(a, b) for a in range(1, 102) for b in range(1, 102) if a != b][:10_000]
        columns = [[f"n{pair[side]}" for pair in pairs] for side in (0, 1)]
        count, set_by = 0, []

        def work(end):
            nonlocal count
            turn = time.monotonic()
            while turn < end:
                loss = [round(draw.uniform(40, 70), 1) for _ in pairs]
                since = time.monotonic()
                body = {"from": columns[0], "to": columns[1], "loss": loss}
                api.ask("PATCH", "/v1/media/air/losses", body)
                set_by.append(time.monotonic() - since)
                count += len(pairs)
                turn += 0.1
                time.sleep(max(0, turn - time.monotonic()))

        time.sleep(2)
        since = time.monotonic()
        taken = share(engine, work, length)
        rate = count / (time.monotonic() - since)
        running.wait()
        ends = {}
        for end in ("sender@n1", "receiver@n2"):
            text = (directory / "results" / "processes" / f"flow.{end}.stdout").read_text()
            report = json.loads(text.splitlines()[-1])
            intervals = report.get("intervals") or next(iter(report["flows"].values()))
            ends[end] = sum(interval["packets"] for interval in intervals.values())
        summary = json.loads((directory / "results" / "summary.json").read_text())
        return {
            "rate": rate,
            "taken": taken,
            "ends": ends,
            "ms": 1000 * sorted(set_by)[len(set_by) // 2],
            "lost": summary["timing"]["unmodelled_drops"],
            "verdict": summary["verdict"]["judgement"],
        }


def main():
    stations = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    length = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    print(f"{stations} stations at 1 to 20 m/s, {HEARERS} in reach, on {machine()}", flush=True)
    idle(stations, length)
    late = {}
    for number in (10, stations):
        taken, summary = broadcasts(number, length)
        timing = summary["timing"]
        late[number] = timing["lateness"]["p99_us"]
        print(
            f"  {number} stations, a broadcast a second each: {taken:.1f} % of a core"
            f"{' (goal 40)' if number == stations else ''}, lateness p99 {late[number]:.0f} µs,"
            f" lost outside the model {timing['unmodelled_drops']},"
            f" verdict {summary['verdict']['judgement']}",
            flush=True,
        )
    of = losses(length)
    print(
        f"  losses of {of['rate']:.0f} pairs/s (goal 100000), {of['ms']:.1f} ms a request of"
        f" 10,000, {of['taken']:.1f} % of a core: frames {of['ends']}, lost outside"
        f" the model {of['lost']},"
        f" verdict {of['verdict']}"
    )
    print(f"  lateness p99: {late[stations] / late[10]:.2f} times that of ten stations (goal 1.5)")


if __name__ == "__main__":
    main()
