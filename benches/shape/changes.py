#!/usr/bin/env python3
"""How many changes a second a claim takes, with a flow of 10,000 datagrams a second through it.

Two hosts in namespaces of their own, joined by veth. Changes by the API on one connection, by
`netloom shape set`, by `netloom shape netconfig config`. The delay goes up and down between 5
and 6 ms, or stays (`netconfig`); a change may not lose, double or reorder a datagram.

As root: changes.py [--seconds N]
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import machine
from host import THERE, hosts

PORT = 7001

RECEIVER = """
import json, socket, struct, sys
SO_RCVBUFFORCE = 33
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
one.bind(("0.0.0.0", int(sys.argv[1])))
print("ready", flush=True)
one.settimeout(20)
seen, doubled, reordered, last = set(), 0, 0, -1
while True:
    number = struct.unpack("!q", one.recv(64)[:8])[0]
    if number < 0:
        break
    doubled += number in seen
    reordered += number < last
    seen.add(number)
    last = max(last, number)
print(json.dumps({"got": len(seen), "doubled": doubled, "reordered": reordered}))
"""

SENDER = """
import socket, struct, sys, time
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.connect((sys.argv[1], int(sys.argv[2])))
began, number, seconds = time.monotonic(), 0, float(sys.argv[3])
while (now := time.monotonic() - began) < seconds:
    while number < now * 10000:
        one.send(struct.pack("!q", number))
        number += 1
    time.sleep(0.0005)
time.sleep(0.5)
one.send(struct.pack("!q", -1))
print(number)
"""


def flow(both, seconds, change):
    """Changes while datagrams flow: how many a second, and what became of the datagrams."""
    receiver = subprocess.Popen(
        both.command("b", sys.executable, "-c", RECEIVER, PORT), stdout=subprocess.PIPE, text=True
    )
    receiver.stdout.readline()
    sender = subprocess.Popen(
        both.command("a", sys.executable, "-c", SENDER, THERE, PORT, seconds + 1),
        stdout=subprocess.PIPE,
        text=True,
    )
    time.sleep(0.5)
    began, count = time.monotonic(), 0
    while time.monotonic() - began < seconds:
        change(count)
        count += 1
    rate = count / (time.monotonic() - began)
    sent = int(sender.communicate()[0])
    outcome = json.loads(receiver.communicate()[0])
    return rate, sent - outcome["got"], outcome, sent


def dropped(both, name):
    """What the model has dropped: the sender may stand still, and then send a burst."""
    return sum(pipe["dropped"] for pipe in both.claims()[name]["pipes"])


def main():
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    options.add_argument("--seconds", type=float, default=5)
    options = options.parse_args()
    print(machine())
    with hosts() as both:
        both.serve()
        both.shape(
            "netconfig", "config", "client", PORT, "IN", "delay", "5ms", "OUT", "delay", "5ms"
        )
        api = both.api()
        name = f"client-{PORT}"
        rates = lambda count: f"rate={100 + count % 2}Mbit/s"
        ways = [
            (
                "API",
                1000,
                lambda n: api.ask(
                    "PATCH", f"/claims/{name}", {"out": {"rate": f"{100 + n % 2}Mbit/s"}}
                ),
            ),
            (
                "API, delay",
                1000,
                lambda n: api.ask("PATCH", f"/claims/{name}", {"out": {"delay": f"{5 + n % 2}ms"}}),
            ),
            ("netloom shape set", 20, lambda n: both.shape("set", name, "--out", rates(n))),
            (
                "netconfig config",
                10,
                lambda n: both.shape(
                    "netconfig",
                    "config",
                    "client",
                    PORT,
                    "IN",
                    "delay",
                    "5ms",
                    "OUT",
                    "delay",
                    "5ms",
                    "bw",
                    f"{100 + n % 2}Mbit/s",
                ),
            ),
        ]
        for what, wanted, change in ways:
            before = dropped(both, name)
            rate, lost, outcome, sent = flow(both, options.seconds, change)
            print(
                f"  {what:18} {rate:7.0f} changes/s ({wanted} or more); of {sent} datagrams "
                f"{lost} lost ({dropped(both, name) - before} by the model's queues), "
                f"{outcome['doubled']} doubled, {outcome['reordered']} reordered; "
                f"{both.verdict(name)}"
            )


if __name__ == "__main__":
    main()
