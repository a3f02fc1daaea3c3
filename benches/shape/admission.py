#!/usr/bin/env python3
"""Admission: what is refused, and that what is admitted is borne.

`netloom calibrate --shape` first, or --bears RATE. Then four claims that take all that is given,
almost all of it out, each sent at its rate by UDP in frames of 1514 bytes; then claims of four
times that, by `force`. Per run: what was offered and what arrived, drops that no model asked for,
p99 of lateness (handed over, and at most) beside that of a thread that wakes every ms, and the
verdicts. Runs whose verdict is not `valid` are counted, and those in which the senders had time for
all frames. At four times the limit, the kernel cuts each datagram of 63,296 bytes into 43 frames
(UDP_SEGMENT): senders of single frames have less time than the daemon on a small machine.

As root: admission.py --bears RATE_IN_MBIT [--runs N] [--seconds N]
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import machine
from host import NETLOOM, THERE, hosts

CLAIMS, FIRST = 4, 7001

# Payload of a frame of 1514 bytes, and the part of a claim's rate that is sent.
PAYLOAD, PART = 1472, 0.98
# Rate of what comes in, of which there is nothing here, in Mbit/s.
INWARD = 0.1


# A sender that keeps a pace in datagrams of many frames; prints as `netloom __traffic` does.
BULK = """
import json, socket, sys, time
UDP_SEGMENT = 103
address, port, payload, pace, seconds = sys.argv[1], *map(float, sys.argv[2:6])
frames, payload = 43, int(payload)
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, payload)
one.connect((address, int(port)))
data, planned, sent = bytes(frames * payload), int(pace * seconds / frames), 0
began = time.monotonic()
while sent < planned and (now := time.monotonic() - began) < 1.05 * seconds:
    while sent < min(planned, now * pace / frames):
        one.send(data)
        sent += 1
    time.sleep(0.0002)
for _ in range(3):
    time.sleep(0.05)
    one.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, 0)
    try:
        one.send(bytes([1]))
    except ConnectionRefusedError:
        break
print(json.dumps({"planned": planned * frames, "writes": sent * frames}))
"""


def bulk(both, order):
    """A sender of datagrams that the kernel cuts into frames."""
    words = [order[key] for key in ("to", "port", "payload", "pace", "seconds")]
    command = both.command("a", sys.executable, "-c", BULK, *words)
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def traffic(both, side, order):
    """A sender or receiver of `netloom calibrate`."""
    words = both.command(side, NETLOOM, "__traffic", json.dumps(order))
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


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
    """Claims of this rate (Mbit/s) out, and traffic at it."""
    api = both.api()
    ports = [FIRST + number for number in range(CLAIMS)]
    for port in ports:
        claim = {
            "client": {"ports": [port], "protocol": "udp"},
            "delay": "5ms",
            "out": {"rate": f"{rate:.3f}Mbit/s"},
            "in": {"rate": f"{INWARD:.3f}Mbit/s"},
        }
        api.ask("POST", "/claims", {"name": f"c{port}", "claim": claim, "force": force})
    receivers = [
        traffic(both, "b", {"receive": {"protocol": "udp", "port": port}}) for port in ports
    ]
    for receiver in receivers:
        receiver.stdout.readline()
    watch = subprocess.Popen(
        [sys.executable, __file__, "witness", str(seconds)], stdout=subprocess.PIPE, text=True
    )
    pace = rate * 1e6 * PART / (8 * (PAYLOAD + 42))
    order = {"protocol": "udp", "to": THERE, "payload": PAYLOAD, "pace": pace, "seconds": seconds}
    orders = [{**order, "port": port} for port in ports]
    senders = [
        bulk(both, order) if force else traffic(both, "a", {"send": order}) for order in orders
    ]
    sent = [json.loads(sender.communicate()[0]) for sender in senders]
    arrived = sum(json.loads(receiver.communicate()[0])["bytes"] for receiver in receivers)
    awake = float(watch.communicate()[0])
    listed = both.claims()
    claims = [listed[f"c{port}"] for port in ports]
    for port in ports:
        api.ask("DELETE", f"/claims/c{port}")
    mbit = 8 * (PAYLOAD + 42) / seconds / 1e6
    return {
        "planned": sum(one["planned"] for one in sent) * mbit,
        "offered": sum(one["writes"] for one in sent) * mbit,
        "arrived": arrived / PAYLOAD * mbit,
        "drops": sum(claim["unmodelled_drops"] for claim in claims),
        "late": max(in_ms(claim.get("late_p99")) for claim in claims),
        "at most": max(in_ms(claim.get("at_most_p99")) for claim in claims),
        "awake": awake,
        "verdicts": sorted({claim["verdict"] for claim in claims}),
    }


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
    # Half of what is borne is given, to both directions of all claims together.
    limit = options.bears / 2 / CLAIMS - INWARD
    with hosts() as both:
        both.serve(bears=f"{options.bears}Mbit/s")
        refused(both, "(a) rates", rate=f"{options.bears}Mbit/s")
        refused(both, "(b) buffers", rate="10Mbit/s", delay="600s")
        for what, rate, force in (("at the limit", limit, False), ("four times", 4 * limit, True)):
            named = whole = 0
            for _ in range(options.runs):
                run = load(both, rate, options.seconds, force)
                named += run["verdicts"] != ["valid"]
                whole += run["offered"] >= 0.99 * run["planned"]
                print(
                    f"  {what}: {CLAIMS} x {rate:.1f} Mbit/s, offered {run['offered']:.0f} of "
                    f"{run['planned']:.0f} Mbit/s, arrived {run['arrived']:.0f}; unmodelled drops "
                    f"{run['drops']}, lateness p99 {run['late']:.3f} ms (at most "
                    f"{run['at most']:.3f}), witness p99 {run['awake']:.3f} ms"
                )
                print("".join(f"    {verdict}\n" for verdict in run["verdicts"]), end="")
            print(
                f"  {what}: {named} of {options.runs} runs are not `valid`; the senders had time "
                f"for all in {whole}"
            )


if __name__ == "__main__":
    main()
