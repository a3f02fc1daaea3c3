#!/usr/bin/env python3
"""What background traffic costs: `benches/background.py [TURNS] [SECONDS]`.

A link of 1 Gbit/s carries nothing, 81,000 virtual frames of 1514 bytes a second, or a fluid of
half its rate that changes 200 times a second; each without frames of nodes and with 100 Mbit/s of
them, by turns. Printed are medians of the worker's busy time beyond that without background, and of
the round trips of a ping over another link of the same worker.

Wanted for frames: at most 1 % of a CPU, with frames of nodes 5 %; for a fluid 0.1 %; and round
trips within 0.05 ms of each other.
"""

import re
import statistics
import sys

import common

TURNS = int(sys.argv[1]) if len(sys.argv) > 1 else 3
SECONDS = int(sys.argv[2]) if len(sys.argv) > 2 else 10
# 81,000 frames of 1514 bytes a second, with 24 bytes of framing each, in shares of the line.
FRAMES = "poisson: { load: 99.66% }, size: 1514B"
# 100 bursts begin each second, and end.
FLUID = "ppbp: { load: 50%, burst_rate: 5Mbit/s, burst: 1s, hurst: 0.8 }, as: fluid"
BACKGROUNDS = {"none": "none", "frames": f"[{{ {FRAMES} }}]", "fluid": f"[{{ {FLUID} }}]"}
# Full frames, from a node to one that does not listen: nobody answers.
FOREGROUND = """
traffic:
  - { name: load, from: a, to: b, udp: {}, cbr: { rate: 100Mbit/s }, background: true }
"""
SCENARIO = """
name: background-cost
duration: %ds
topology:
  nodes: { a: , b: , c: , d: }
  links:
    - { endpoints: ["a:eth1", "b:eth1"], rate: 1Gbit/s, forward: { background: %s } }
    - { endpoints: ["c:eth1", "d:eth1"], delay: 1ms }
processes:
  - { name: ping, node: c, command: "ping -4 -i 0.02 d", background: true }
"""


def measure(background, foreground):
    """Share of the worker's time that it is busy, and the median round trip in ms."""
    run = common.Run(SCENARIO % (SECONDS, background) + (FOREGROUND if foreground else ""))
    workers = run.summary["timing"]["workers"]
    if len(workers) != 1:
        raise SystemExit("the links are not at one worker: set `engine.workers` to 1")
    trips = map(float, re.findall(r"time=([\d.]+) ms", run.output("ping", "c")))
    return workers[0]["busy"], statistics.median(trips)


def main():
    print(common.machine())
    for foreground in (False, True):
        found = {name: [] for name in BACKGROUNDS}
        for _ in range(TURNS):
            for name, background in BACKGROUNDS.items():
                found[name].append(measure(background, foreground))
        medians = {
            name: [statistics.median(column) for column in zip(*rows)]
            for name, rows in found.items()
        }
        least_busy, least_trip = medians["none"]
        print(f"{'100 Mbit/s' if foreground else 'nothing'} of nodes: worker busy {least_busy:.2%}")
        for name in ("frames", "fluid"):
            busy, trip = medians[name]
            print(
                f"  {name}: {busy - least_busy:+.2%} of a CPU, "
                f"ping {trip:.3f} ms ({trip - least_trip:+.3f})"
            )


main()
