#!/usr/bin/env python3
"""Clocks of two machines 100,000 s apart, with a way between them that takes 1 ms out and 3 ms
back: the bound of the clock, the round trips of a link of 10 ms, and when the machines began.

    clocks.py [ROUNDS]
"""

import json
import re

from underlay import Run, Underlay, machine, noisy, percentile, round_trips, rounds

SCENARIO = """
name: clocks
topology:
  nodes:
    a: { machine: m1 }
    c: { machine: m1 }
    b: { machine: m2 }
    d: { machine: m2 }
  links:
    - { endpoints: [a, b], delay: 10ms }
    - { endpoints: [a, c], delay: 1ms }
    - { endpoints: [b, d], delay: 1ms }
processes:
  - { name: ping, node: a, command: ping -n -c 200 -i 0.02 b }
timeline:
  - { at: 0s, link: a--c, set: { delay: 2ms } }
  - { at: 0s, link: b--d, set: { delay: 2ms } }
"""
APART = "unshare --time --monotonic 100000 --boottime 100000 --fork"
WAYS = {
    "nothing between": "",
    "1 ms out, 3 ms back": ", forward: { delay: 1ms }, reverse: { delay: 3ms }",
}


def micros(time):
    """A time like `25.9us`, in µs."""
    number, unit = re.fullmatch(r"([0-9.]+)([a-z]+)", time).groups()
    return float(number) * {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}[unit]


def begun(run):
    """Dates of the machines' zeros, and how late the first event of each happened, in µs."""
    dates, late = [], []
    for number in (1, 2):
        own = json.loads((run.results / f"machines/m{number}/summary.json").read_text())
        dates.append(own["started_unix"])
        late.append(min(event["happened"] for event in own["timeline"]) / 1e3)
    return dates, late


def main():
    count = rounds(3)
    print(f"# clocks 100,000 s apart: {count} rounds\n# {machine()}\n")
    for what, properties in WAYS.items():
        for _ in range(count):
            with Underlay(properties, before=("", APART)) as underlay:
                run = Run(SCENARIO, underlay=underlay)
            times = round_trips(run.output("ping", "a"))
            bound = max(micros(one["bound"]) for one in run.summary["machines"])
            dates, late = begun(run)
            zeros = (max(dates) - min(dates)) * 1e6
            starts = [date * 1e6 + after for date, after in zip(dates, late)]
            spread = max(starts) - min(starts)
            allowed = bound + run.wakeup() * 1e3
            print(f"{what}: bound {bound:.0f} µs, RTT min {min(times):.2f} p50 "
                  f"{percentile(times, .5):.2f} p99 {percentile(times, .99):.2f} ms, zeros "
                  f"{zeros:.0f} µs apart, starts {spread:.0f} µs of {allowed:.0f} allowed, "
                  f"{run.judgement}{noisy(run.wakeup())}", flush=True)


main()
