#!/usr/bin/env python3
"""Delays of claims (Carbone & Rizzo 2009, table 1): 10 + 10 ms on one port, beside an unclaimed
port.

Two hosts in namespaces of their own, joined by veth. One TCP connection, a request at a time,
over IPv4, IPv6 and a loopback, with the machine idle, beside loops of system calls and beside
busy loops. The bare pair is the same connection before there is a daemon; the witness is how
late a thread wakes that asks for a time every 10 ms. Medians of the rounds; milliseconds.

As root: delay.py [--rounds N] [--count N] [--loads idle,syscalls,busy]
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import machine
from host import THERE, THERE6, hosts, round_trips, server

SHAPED, PLAIN = 7001, 7002
LOOPS = {
    "idle": "",
    "syscalls": "import os\nwhile True: os.getppid()",
    "busy": "while True: pass",
}


class Load:
    """Four loops beside."""

    def __init__(self, kind):
        program = LOOPS[kind]
        start = lambda: subprocess.Popen([sys.executable, "-c", program])
        self.loops = [start() for _ in range(4)] if program else []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for loop in self.loops:
            loop.kill()
            loop.wait()


def witness(seconds=2.0):
    """How late this thread wakes, in ms: each time it asks for 10 ms."""
    late, due = [], time.monotonic()
    while len(late) < seconds * 100:
        due += 0.01
        time.sleep(max(0, due - time.monotonic()))
        late.append((time.monotonic() - due) * 1000)
        due = time.monotonic()
    return statistics.stdev(late)


def show(what, samples):
    print(
        f"  {what:24} median {statistics.median(samples):8.3f}  least {min(samples):8.3f}  "
        f"sd {statistics.stdev(samples):7.3f}  p99 {sorted(samples)[int(len(samples) * 0.99)]:8.3f}"
    )


def main():
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--count", type=int, default=200)
    options.add_argument("--loads", default="idle,syscalls,busy")
    options = options.parse_args()
    print(machine())
    with hosts() as both, server(both, "b", SHAPED, PLAIN), server(both, "a", SHAPED, PLAIN):
        ways = [("IPv4", THERE), ("IPv6", THERE6), ("lo", "127.0.0.1"), ("lo, IPv6", "::1")]
        bare = {way: [] for way, _ in ways}
        for way, address in ways:
            bare[way] = round_trips(both, "a", address, PLAIN, options.count)
        both.serve()
        for name, device in (("wire", "eth0"), ("loop", "lo")):
            both.shape(
                "add",
                name,
                "--client",
                f"tcp/{SHAPED}",
                "--both",
                "delay=10ms",
                "--interface",
                device,
            )
        for load in options.loads.split(","):
            print(f"beside: {load}, load average {os.getloadavg()[0]:.1f}")
            shaped = {way: [] for way, _ in ways}
            plain = {way: [] for way, _ in ways}
            with Load(load):
                for _ in range(options.rounds):
                    for way, address in ways:
                        shaped[way] += round_trips(both, "a", address, SHAPED, options.count)
                        plain[way] += round_trips(both, "a", address, PLAIN, options.count)
                print(f"  witness: sd {witness():.3f} ms")
            for way, _ in ways:
                show(f"{way}, 10 + 10 ms", shaped[way])
                show(f"{way}, unclaimed", plain[way])
            if load == "idle":
                for way, _ in ways:
                    show(f"{way}, bare (before)", bare[way])


if __name__ == "__main__":
    main()
