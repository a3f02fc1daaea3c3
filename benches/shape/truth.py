#!/usr/bin/env python3
"""Whether verdicts of claims tell the truth: a claim of 5 ms without a rate, under more and more
load, and how much later than that frames arrive.

Two hosts in namespaces of their own, joined by veth, so with one clock. The load is UDP in frames
of 1514 bytes, by a sender of `netloom calibrate` or, with --bulk, in datagrams that the kernel cuts
into 43 frames, so that the daemon has less time than the sender. Through the same claim, 500
datagrams a second carry the time when they were sent; the kernel of the other host says when they
came. Per run: what was offered and what arrived, by how much probes exceeded 5 ms, and the verdict.
A `valid` whose p99 exceeds 5 ms by more than the millisecond that a claim needs, and by the same
beside a claim without load, is counted as wrong.

As root: truth.py [--loads MBIT,MBIT,...] [--bulk] [--runs N] [--seconds N]
"""

import argparse
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from admission import PAYLOAD, bulk, traffic
from common import machine
from host import THERE, hosts

LOAD, PROBES = 7001, 7101
DELAY, NEEDED = 5.0, 1.0

PROBER = """
import os, socket, struct, sys, time
try:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
except PermissionError:
    pass
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.connect((sys.argv[1], int(sys.argv[2])))
until, next_one = time.monotonic() + float(sys.argv[3]), time.monotonic()
while next_one < until:
    one.send(struct.pack("!q", time.time_ns()))
    next_one += 0.002
    time.sleep(max(0, next_one - time.monotonic()))
time.sleep(0.2)
one.send(struct.pack("!q", 0))
"""

# Times of arrival by the kernel (SO_TIMESTAMPNS), so that this program may wake late.
COUNTER = """
import json, socket, struct, sys
SO_TIMESTAMPNS = 35
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
one.bind(("0.0.0.0", int(sys.argv[1])))
one.settimeout(30)
print("ready", flush=True)
took = []
while True:
    data, extra, _, _ = one.recvmsg(64, 256)
    sent = struct.unpack("!q", data)[0]
    if not sent:
        break
    seconds, nanos = struct.unpack("@qq", extra[0][2][:16])
    took.append((seconds * 10**9 + nanos - sent) / 1e6)
print(json.dumps(took))
"""


def run(both, load, seconds, in_bulk):
    """What probes took beside a load in Mbit/s, in ms, and what the claim's verdict is."""
    ports = {"ports": [LOAD, PROBES], "protocol": "udp"}
    claim = {"client": ports, "delay": f"{DELAY:.0f}ms"}
    both.api().ask("POST", "/claims", {"name": "all", "claim": claim, "force": True})
    counter = subprocess.Popen(
        both.command("b", sys.executable, "-c", COUNTER, PROBES), stdout=subprocess.PIPE, text=True
    )
    counter.stdout.readline()
    planned = writes = arrived = 0
    if load:
        receiver = traffic(both, "b", {"receive": {"protocol": "udp", "port": LOAD}})
        receiver.stdout.readline()
        pace = load * 1e6 / (8 * (PAYLOAD + 42))
        order = {"protocol": "udp", "to": THERE, "port": LOAD, "payload": PAYLOAD}
        order = {**order, "pace": pace, "seconds": seconds}
        sender = bulk(both, order) if in_bulk else traffic(both, "a", {"send": order})
    both.run("a", sys.executable, "-c", PROBER, THERE, PROBES, seconds)
    if load:
        sent = json.loads(sender.communicate()[0])
        planned, writes = sent["planned"], sent["writes"]
        arrived = json.loads(receiver.communicate()[0])["bytes"] // PAYLOAD
    took = sorted(json.loads(counter.communicate()[0]))
    found = both.claims()["all"]
    both.api().ask("DELETE", "/claims/all")
    mbit = 8 * (PAYLOAD + 42) / seconds / 1e6
    beyond = [took[int(len(took) * part)] - DELAY for part in (0.5, 0.99)]
    return [count * mbit for count in (planned, writes, arrived)], beyond, found


def main():
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    options.add_argument("--loads", default="0,500,1000,2000,4000")
    options.add_argument("--bulk", action="store_true")
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--seconds", type=float, default=4)
    options = options.parse_args()
    print(machine())
    wrong = 0
    with hosts() as both:
        both.serve()
        idle = 0.0
        for load in map(float, options.loads.split(",")):
            for _ in range(options.runs):
                (planned, offered, arrived), (p50, p99), claim = run(
                    both, load, options.seconds, options.bulk
                )
                if not load:
                    idle = max(idle, p99)
                is_valid = claim["verdict"] == "valid"
                is_wrong = is_valid and p99 > NEEDED + idle
                wrong += is_wrong
                print(
                    f"  offered {offered:.0f} of {planned:.0f} Mbit/s, arrived {arrived:.0f}; "
                    f"probes beyond {DELAY:.0f} ms: median {p50:.3f} ms, p99 {p99:.3f} ms; "
                    f"late_p99 {claim.get('late_p99')}, at most {claim.get('at_most_p99')}, "
                    f"unmodelled drops {claim['unmodelled_drops']}"
                    f"{'; WRONG' if is_wrong else ''}\n    {claim['verdict']}"
                )
    print(f"{wrong} wrong verdicts of `valid`")


if __name__ == "__main__":
    main()
