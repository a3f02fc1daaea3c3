#!/usr/bin/env python3
"""Admission: what is refused, and that what is admitted is borne.

`netloom calibrate --shape` first, or --bears RATE. Then four claims that take all that is given,
each sent at its rate by UDP in frames of 1514 bytes; then claims of four times that, by `force`.
Per run: drops that no model asked for, p99 of lateness beside that of a thread that wakes every
ms, and the verdicts.

As root: admission.py --bears RATE_IN_MBIT [--runs N] [--seconds N]
"""

import argparse
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import machine
from host import THERE, hosts

CLAIMS, FIRST = 4, 7001

RECEIVER = """
import select, socket, sys
SO_RCVBUFFORCE = 33
all = []
for port in map(int, sys.argv[1:]):
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 16 << 20)
    one.bind(("0.0.0.0", port))
    all.append(one)
print("ready", flush=True)
while True:
    for one in select.select(all, [], [])[0]:
        one.recv(2048)
"""

# One sender for all ports: 1472 bytes of payload are a frame of 1514.
SENDER = """
import socket, sys, time
address, seconds, rate = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]) * 1e6
ports = list(map(int, sys.argv[4:]))
all = []
for port in ports:
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.connect((address, port))
    all.append(one)
pace, data = rate / (8 * 1514), b"x" * 1472
began, sent = time.monotonic(), 0
while (now := time.monotonic() - began) < seconds:
    while sent < now * pace * len(all):
        all[sent % len(all)].send(data)
        sent += 1
    time.sleep(0.0005)
print(sent)
"""


def witness(seconds):
    """p99 of how late a thread wakes, in ms, of the class that workers have."""
    late = []
    import os

    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        pass
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        due = time.monotonic() + 0.001
        time.sleep(0.001)
        late.append((time.monotonic() - due) * 1000)
    return sorted(late)[int(len(late) * 0.99)]


def load(both, rate, seconds, force):
    """Claims of this rate (Mbit/s) out and in, and traffic at it."""
    api = both.api()
    ports = [FIRST + number for number in range(CLAIMS)]
    for port in ports:
        claim = {
            "client": {"ports": [port], "protocol": "udp"},
            "delay": "5ms",
            "rate": f"{rate:.3f}Mbit/s",
        }
        api.ask("POST", "/claims", {"name": f"c{port}", "claim": claim, "force": force})
    watch = subprocess.Popen(
        [sys.executable, __file__, "witness", str(seconds)], stdout=subprocess.PIPE, text=True
    )
    sent = both.run("a", sys.executable, "-c", SENDER, THERE, seconds, rate * 0.98, *ports).stdout
    awake = float(watch.communicate()[0])
    claims = both.claims()
    drops = sum(claims[f"c{port}"]["unmodelled_drops"] for port in ports)
    late = max(in_ms(claims[f"c{port}"].get("late_p99")) for port in ports)
    verdicts = sorted({claims[f"c{port}"]["verdict"] for port in ports})
    for port in ports:
        api.ask("DELETE", f"/claims/c{port}")
    reached = int(sent) * 1514 * 8 / seconds / 1e6
    return drops, late, awake, verdicts, reached


def in_ms(text):
    """A duration, as the API writes it."""
    for unit, factor in (("ns", 1e-6), ("us", 1e-3), ("ms", 1), ("s", 1000)):
        if text and text.endswith(unit):
            return float(text[: -len(unit)]) * factor
    return 0.0


def refused(both, what, **claim):
    try:
        both.api().ask(
            "POST", "/claims", {"name": "x", "claim": {"client": {"ports": [9]}, **claim}}
        )
        print(f"  {what}: NOT refused")
        both.shape("remove", "x")
    except RuntimeError as error:
        print(f"  {what}: {error}")


def main():
    if sys.argv[1:2] == ["witness"]:
        print(witness(float(sys.argv[2])))
        return
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    options.add_argument("--bears", type=float, required=True)
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--seconds", type=float, default=4)
    options = options.parse_args()
    print(machine())
    # Half of what is borne is given, and each claim has two directions.
    limit = options.bears / 2 / 2 / CLAIMS
    with hosts() as both:
        both.serve(bears=f"{options.bears}Mbit/s")
        receiver = subprocess.Popen(
            both.command(
                "b", sys.executable, "-c", RECEIVER, *(FIRST + number for number in range(CLAIMS))
            )
        )
        refused(both, "(a) rates", rate=f"{options.bears}Mbit/s")
        refused(both, "(b) buffers", rate="10Mbit/s", delay="600s")
        for what, rate, force in (("at the limit", limit, False), ("four times", 4 * limit, True)):
            for _ in range(options.runs):
                drops, late, awake, verdicts, reached = load(both, rate, options.seconds, force)
                print(
                    f"  {what}: 4 x {rate:.1f} Mbit/s, sent {reached:.0f} Mbit/s; unmodelled "
                    f"drops {drops}, lateness "
                    f"p99 {late:.3f} ms, witness p99 {awake:.3f} ms; {'; '.join(verdicts)}"
                )
        receiver.kill()
        receiver.wait()


if __name__ == "__main__":
    main()
