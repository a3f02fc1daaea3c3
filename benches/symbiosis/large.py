#!/usr/bin/env python3
"""How large a network can be that small pipes follow: `benches/symbiosis/large.py [TURNS]`.

10,000 nodes in a random 4-regular graph of routers with 24 hosts at each, of which 2,000 send to a
random one; four real hosts at four routers ping each other by twos. Printed is how long after a
period's end its calibration held, and the verdict; then with ten times the traffic.

Wanted: at most half a period, and `valid`; with ten times the traffic never `valid`.
"""

import pathlib
import random
import re
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / name) for name in (".", "scale")]

from common import Run, machine
from hybrid import DEGREE, HOSTS, SECONDS, scenario

NODES, FLOWS = 10_000, 2_000


def symbiotic(rate):
    text, _ = scenario(NODES, rate, random.Random(NODES))
    flow = re.compile(r"  - \{name: f(\d+), .*\n")
    text = flow.sub(lambda one: one[0] if int(one[1]) < FLOWS else "", text)
    # Two more real hosts, at routers between those of `a` and `b`.
    routers = max(DEGREE + 1, NODES // (HOSTS + 1))
    text = text.replace("  a:\n  b:", "  a:\n  b:\n  c:\n  d:")
    for name, router in (("c", routers // 4), ("d", 3 * routers // 4)):
        link = f"  - {{endpoints: [r{router}, {name}], delay: 1ms}}\n"
        text = text.replace("traffic:\n", f"{link}traffic:\n", 1)
    ping = f"ping -n -i 0.05 -c {(SECONDS - 2) * 20} d"
    return f"symbiosis: {{}}\n{text} - {{name: other, node: c, command: {ping}, start: 1s}}\n"


def main():
    turns = int(sys.argv[1]) if sys.argv[1:] else 3
    print(machine())
    for rate in ("100kbit/s", "1Mbit/s"):
        for _ in range(turns):
            run = Run(symbiotic(rate))
            done, verdict = run.summary["simulation"], run.summary["verdict"]
            loop = done["symbiosis"]
            print(
                f"{NODES} nodes, {FLOWS} flows of {rate}: {loop['periods']} periods of "
                f"{loop['period']}, calibrated after {loop['computed_mean']} on average, "
                f"{loop['computed_most']} at most; {verdict['judgement']}, links "
                f"{verdict['links']}"
            )


if __name__ == "__main__":
    main()
