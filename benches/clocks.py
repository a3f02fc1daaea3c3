#!/usr/bin/env python3
"""How exact one-way delays of `traffic` are where a node has a kernel, and so a clock, of its own.

    sudo benches/clocks.py [--dilation 5] [--seconds 20]

Two nodes at a time over a link of 10 ms, a datagram each 10 ms both ways: nodes with kernels of
their own, one of them on the machine's, both on the machine's. Printed is what the delay is above
that of the link, in µs of the experiment: the median over intervals of 100 ms of their mean, each
way. Half of the difference between the ways is what the two clocks are apart at most, where both
nodes take as long to send and to receive. Nodes on the machine's kernel are left out where time is
dilated.
"""

import argparse
import json
import statistics

import common

DELAY = 10_000.0
PAIRS = {"both own": "oo", "one own": "om", "both the machine's": "mm"}
KERNEL = {"o": "{ kernel: own }", "m": ""}


def scenario(pairs, dilation, seconds):
    nodes, links, traffic = [], [], []
    for kinds in pairs:
        ends = [f"{kinds}{number}" for number in (1, 2)]
        nodes += [f"    {end}: {KERNEL[kind]}" for end, kind in zip(ends, kinds)]
        links.append(f"    - {{ endpoints: [{', '.join(ends)}], delay: 10ms }}")
        for name, (a, b) in {"there": ends, "back": ends[::-1]}.items():
            traffic.append(
                f"  - {{ name: {kinds}-{name}, from: {a}, to: {b}, udp: {{}},"
                f" cbr: {{ rate: 80kbit/s }}, size: 100B, for: {seconds}s }}"
            )
    head = ["name: clocks", f"time: {{ dilation: {dilation} }}", "topology:", "  nodes:", *nodes]
    tail = ["  links:", *links, "traffic:", *traffic, "measure: { flows: 100ms }"]
    return "\n".join(head + tail) + "\n"


def above(run, kinds, way):
    """What the delay is above that of the link."""
    node = f"{kinds}{2 if way == 'there' else 1}"
    report = run.output(f"{kinds}-{way}.receiver", node).splitlines()[-1]
    intervals = json.loads(report)["flows"]["0"].values()
    means = [each["delay_sum"] / each["packets"] / 1000 - DELAY for each in intervals]
    return statistics.median(means)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--dilation", default="1")
    options.add_argument("--seconds", type=int, default=20)
    options = options.parse_args()
    print(f"{common.machine()}\n")
    is_dilated = float(options.dilation) != 1
    pairs = {name: kinds for name, kinds in PAIRS.items() if not (is_dilated and "m" in kinds)}
    run = common.Run(scenario(pairs.values(), options.dilation, options.seconds))
    print(f"dilation {options.dilation}, verdict {run.summary['verdict']['judgement']}\n")
    print("| kernels | there | back | half of the difference |")
    print("|---|---|---|---|")
    for name, kinds in pairs.items():
        there, back = (above(run, kinds, way) for way in ("there", "back"))
        print(f"| {name} | {there:.0f} | {back:.0f} | {(there - back) / 2:+.0f} |")


if __name__ == "__main__":
    main()
