#!/usr/bin/env python3
"""One TCP flow through a claim, beside the same flow without one and between two nodes over the
same link.

Two hosts in namespaces of their own, joined by veth; iperf3 with the machine's own congestion
control. By turns; medians of the rounds, Gbit/s of what the server got.

As root: flow.py [--rounds N] [--seconds N]
"""

import argparse
import contextlib
import json
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import Run, machine
from host import THERE, hosts

PORT = 5201
# Of a frame of 1514 bytes, what TCP with time stamps carries.
GOODPUT = 1448 / 1514

NODES = """
name: shape-flow
topology:
  nodes: {{ a: , b: }}
  links: [{{ endpoints: ["a:eth1", "b:eth1"], {pipe} }}]
processes:
  - {{ name: server, node: b, command: iperf3 -s -1, ready: {{ port: 5201 }} }}
  - name: client
    node: a
    start: {{ after: server, when: ready }}
    command: iperf3 -c b -t {seconds} -J
"""


def received(text):
    return json.loads(text)["end"]["sum_received"]["bits_per_second"] / 1e9


@contextlib.contextmanager
def listening(both):
    running = subprocess.Popen(
        both.command("b", "iperf3", "-s", "-p", PORT), stdout=subprocess.DEVNULL
    )
    time.sleep(0.5)
    try:
        yield
    finally:
        running.kill()
        running.wait()


def flow(both, seconds):
    done = both.run("a", "iperf3", "-c", THERE, "-p", PORT, "-t", seconds, "-J")
    return received(done.stdout)


def shaped(both, seconds, *pipe):
    both.shape("add", "flow", "--client", f"tcp/{PORT}", "--both", *(pipe or ("delay=0s",)))
    rate = flow(both, seconds)
    verdict = both.verdict("flow")
    both.shape("remove", "flow")
    return rate, verdict


def nodes(seconds, pipe):
    run = Run(NODES.format(seconds=seconds, pipe=pipe))
    return received(run.output("client", "a"))


def main():
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--seconds", type=int, default=4)
    options = options.parse_args()
    print(machine())
    found = {}
    verdicts = {}

    def note(what, rate, verdict=None):
        found.setdefault(what, []).append(rate)
        if verdict:
            verdicts.setdefault(what, []).append(verdict)

    with hosts() as both, listening(both):
        both.serve()
        for _ in range(options.rounds):
            note("bare pair", flow(both, options.seconds))
            note("no delay", *shaped(both, options.seconds))
            note("10 + 10 ms", *shaped(both, options.seconds, "delay=10ms"))
            note("two nodes, 10 + 10 ms", nodes(options.seconds, "delay: 10ms"))
            note("500 Mbit/s", *shaped(both, options.seconds, "rate=500Mbit/s"))
    median = {what: statistics.median(rates) for what, rates in found.items()}
    for what, rates in found.items():
        all_rates = " ".join(f"{rate:.3f}" for rate in rates)
        print(f"  {what:24} {median[what]:7.3f} Gbit/s  ({all_rates})")
        for verdict in sorted(set(verdicts.get(what, []))):
            print(f"    {verdicts[what].count(verdict)} times: {verdict}")
    print(
        f"10 + 10 ms / two nodes: {median['10 + 10 ms'] / median['two nodes, 10 + 10 ms']:.2f} "
        f"(0.5 or more)"
    )
    print(f"no delay / bare pair: {median['no delay'] / median['bare pair']:.2f} (0.3 or more)")
    print(f"500 Mbit/s / its goodput: {median['500 Mbit/s'] / (0.5 * GOODPUT):.3f} (0.95 or more)")


if __name__ == "__main__":
    main()
