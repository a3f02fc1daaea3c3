#!/usr/bin/env python3
"""How well senders keep their rates: `benches/generators.py [SECONDS]`.

For each of 1, 10 and 50 Mbit/s, a sender of `traffic` and `iperf3 --udp` send over links of their
own at once; and one sends 1,000 datagrams a second with exponential gaps. What comes is captured.
Printed are rates beside what was asked for, the coefficient of variation of the gaps, and
datagrams that are missing though no link dropped one.

Wanted: rates within 0.5 %, the coefficient 1.00 +- 0.03, none missing.
"""

import math
import pathlib
import statistics
import struct
import sys

import common

SECONDS = int(sys.argv[1]) if len(sys.argv) > 1 else 20
RATES = (1, 10, 50)
SIZE = 1242
SCENARIO = """
name: generators
topology:
  nodes: { a: , b: , c: , d: }
  links:
    - { name: ours, endpoints: ["a:eth1", "b:eth1"] }
    - { name: theirs, endpoints: ["c:eth1", "d:eth1"] }
measure: { capture: ["b:eth1", "d:eth1"] }
"""
OURS = """
traffic:
  - {{ name: load, from: a, to: b, udp: {{}}, {model}, size: {size}B, for: {seconds}s }}
"""
THEIRS = """
processes:
  - { name: server, node: d, command: iperf3 -s, ready: { port: 5201 }, background: true }
  - { name: client, node: c, start: { after: server },
      command: iperf3 -4 -c d -u -b %dM -l 1200 -t %d }
"""


def arrivals(file, size):
    """When frames of that length passed a capture, in ns."""
    data = pathlib.Path(file).read_bytes()
    at, times = 0, []
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 6:
            high, low, captured, whole = struct.unpack_from("<IIII", data, at + 12)
            frame = data[at + 28 : at + 28 + captured]
            # IPv4 and UDP.
            if whole == size and frame[12:14] == b"\x08\x00" and frame[23] == 17:
                times.append(high << 32 | low)
        at += length
    return sorted(times)


def rate(times):
    return (len(times) - 1) * SIZE * 8e3 / (times[-1] - times[0])


def dropped(run):
    """Frames that links dropped, and that were lost outside the model."""
    pipes = [link[way] for link in run.summary["links"] for way in ("forward", "reverse")]
    counts = [count for pipe in pipes for count in pipe["statistics"]["dropped"].values()]
    model = sum(count["frames"] for count in counts)
    return model + sum(run.summary["timing"]["unmodelled_drops"].values())


def main():
    print(common.machine())
    for megabits in RATES:
        ours = OURS.format(model=f"cbr: {{ rate: {megabits}Mbit/s }}", size=SIZE, seconds=SECONDS)
        # What `-b` counts is datagrams' data.
        run = common.Run(SCENARIO + ours + THEIRS % (megabits, SECONDS))
        captures = run.results / "captures"
        times = arrivals(captures / "b-eth1.pcapng", SIZE)
        others = arrivals(captures / "d-eth1.pcapng", SIZE)
        asked = {"ours": megabits, "iperf3": megabits * SIZE / 1200}
        print(f"{megabits:>3} Mbit/s: ", end="")
        for name, seen in (("ours", times), ("iperf3", others)):
            print(f"{name} {rate(seen) / asked[name] - 1:+.3%}", end=", ")
        sent = math.ceil(megabits * 1e6 * SECONDS / 8 / SIZE)
        print(f"{len(times)} of {sent} datagrams of ours came, {dropped(run)} dropped")
    ours = OURS.format(
        model=f"poisson: {{ rate: {SIZE * 8}kbit/s }}", size=SIZE, seconds=SECONDS)
    run = common.Run(SCENARIO + ours)
    times = arrivals(run.results / "captures" / "b-eth1.pcapng", SIZE)
    gaps = [later - earlier for earlier, later in zip(times, times[1:])]
    deviation = statistics.pstdev(gaps) / statistics.fmean(gaps)
    print(f"Poisson, 1,000/s: {len(times)} came, {dropped(run)} dropped, ", end="")
    print(f"coefficient of variation of gaps {deviation:.3f}")


main()
