#!/usr/bin/env python3
"""A real and a simulated flow of HighSpeed TCP share a simulated bottleneck.

    sudo benches/tcp/shared.py [--control highspeed] [--seconds 70] [--runs 1]

Erazo 2013, section 4.6.1, figures 4.4 and 4.5: 10 Mbit/s, 64 ms one way, a queue of 64 kB; the
first flow is real, on a kernel of its own, and the second, after 20 s, simulated. Printed are their
goodputs from SETTLE seconds after that on, and Jain's index; wanted: at least 0.95. His flows were
fair "about 30 s later". One flow each of BIC, HighSpeed and Reno on the same path, simulated beside
a kernel: `benches/tcp/kernels.py --own --controls bic highspeed reno`.
"""

import argparse
import json
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import common

SECOND, SETTLE = 20, 30
HEADERS = 66
SCENARIO = """\
name: {name}
duration: {seconds}s
simulation: {{ tcp: {{ hz: 100 }} }}
topology:
  defaults: {{ node: {{ simulated: true, ipv6: none }} }}
  nodes:
    a1: {{ simulated: false, kernel: own, sysctls: {sysctls} }}
    b1: {{ simulated: false, kernel: own, sysctls: {sysctls} }}
    a2:
    b2:
    l: {{ kind: router }}
    r: {{ kind: router }}
  links:
    - {{ endpoints: [a1, l], rate: 1Gbit/s, delay: 1ms }}
    - {{ endpoints: [a2, l], rate: 1Gbit/s, delay: 1ms }}
    - {{ name: core, endpoints: [l, r], rate: 10Mbit/s, delay: 62ms, queue: {{ limit: 64kB }} }}
    - {{ name: real, endpoints: [r, b1], rate: 1Gbit/s, delay: 1ms }}
    - {{ name: simulated, endpoints: [r, b2], rate: 1Gbit/s, delay: 1ms }}
traffic:
  - {{ name: real, from: a1, to: b1, tcp: &tcp {{ congestion_control: {control} }}, bulk: {{}} }}
  - {{ name: simulated, from: a2, to: b2, tcp: *tcp, bulk: {{}}, start: {second}s }}
"""
SYSCTLS = '{ net.ipv4.tcp_rmem: "4096 131072 6291456", net.ipv4.tcp_wmem: "4096 16384 4194304" }'


class Sampled(common.Run):
    """A run of which somebody reads what links have delivered meanwhile."""

    def __init__(self, name, begin, end, scenario):
        self.name, self.times, self.seen = name, (begin, end), []
        super().__init__(scenario)

    def execute(self, directory):
        done = threading.Event()
        reader = threading.Thread(target=self.read, args=(done,))
        reader.start()
        try:
            common.netloom("run", "-o", "results", cwd=directory, accept=(0, 3))
        finally:
            done.set()
            reader.join()

    def read(self, done):
        times, zero = list(self.times), None
        while times and not done.wait(0.2):
            try:
                state = json.loads(common.netloom("inspect", self.name, "--format", "json"))
            except SystemExit:
                continue
            if state["experiment"]["phase"] != "running":
                continue
            at = state["experiment"]["now"] / 1e9
            zero = zero or at
            at -= zero
            if at >= times[0]:
                times.pop(0)
                links = {link["name"]: link["forward"]["statistics"] for link in state["links"]}
                self.seen.append((at, {name: one["delivered"] for name, one in links.items()}))


def goodput(before, after, link):
    (begin, first), (end, last) = before, after
    data = last[link]["bytes"] - first[link]["bytes"]
    data -= (last[link]["frames"] - first[link]["frames"]) * HEADERS
    return data * 8 / (end - begin) / 1e6


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--control", default="highspeed")
    options.add_argument("--seconds", type=int, default=SECOND + SETTLE + 20)
    options.add_argument("--runs", type=int, default=1)
    options = options.parse_args()
    print(common.machine())
    print("| flows | real, Mbit/s | simulated, Mbit/s | Jain | verdict |\n|---|---|---|---|---|")
    worst = 1.0
    for run in range(options.runs):
        name = f"shared{run}"
        text = SCENARIO.format(
            name=name,
            seconds=options.seconds,
            second=SECOND,
            control=options.control,
            sysctls=SYSCTLS,
        )
        went = Sampled(name, SECOND + SETTLE, options.seconds - 1, text)
        real, simulated = (goodput(*went.seen, link) for link in ("real", "simulated"))
        index, verdict = common.jain([real, simulated]), went.summary["verdict"]["judgement"]
        if verdict != "invalid":
            worst = min(worst, index)
        print(f"| {options.control} | {real:.2f} | {simulated:.2f} | {index:.3f} | {verdict} |")
    sys.exit(worst < 0.95)


if __name__ == "__main__":
    main()
