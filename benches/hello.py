#!/usr/bin/env python3
"""Accuracy of one link: round trips at 2 x 10 ms, TCP goodput at 100 Mbit/s, loss of 1 %.

The tail of the round trips stands beside the machine's own timer wake-up, measured in the same run:
the difference is the design's share.
"""

import json
import os
import re
import statistics

from common import Run, machine, percentile

PAIR = """
name: bench-hello-{pid}
topology:
  nodes: {{ a: , b: }}
  links: [{{ endpoints: [a, b], {properties} }}]
processes:
"""
SERVER = (
    "  - { name: server, node: b, command: iperf3 --server, ready: { port: 5201 }, "
    "background: true }\n"
)


def pair(properties):
    return PAIR.format(pid=os.getpid(), properties=properties)


def round_trips():
    run = Run(
        pair("delay: 10ms") + "  - { name: ping, node: a, command: 'ping -n -c 1000 -i 0.01 b' }\n"
    )
    times = [float(time) for time in re.findall(r"time=([0-9.]+) ms", run.output("ping", "a"))]
    timing = run.summary["timing"]
    late, wake = timing["lateness"], timing["timer_wakeup"]
    print(f"round trip of 2 x 10 ms, {len(times)} pings (wanted: median 20.00 to 20.15 ms)")
    print(f"  median {statistics.median(times):.3f} ms, p99 {percentile(times, 0.99):.3f} ms")
    print(f"  frames later than scheduled: median {late['p50_us']:.0f} us, p99 "
          f"{late['p99_us']:.0f} us")
    print(f"  this machine's timer wake-up: median {wake['p50_us']:.0f} us, p99 "
          f"{wake['p99_us']:.0f} us")


def goodput():
    run = Run(
        pair("rate: 100Mbit/s")
        + SERVER
        + "  - { name: client, node: a, command: iperf3 -4 --client b --time 10 --omit 1 --json,"
        " start: { after: server, when: ready } }\n"
    )
    end = json.loads(run.output("client", "a"))["end"]
    rate = end["sum_received"]["bits_per_second"] / 1e6
    print("\nTCP goodput at 100 Mbit/s, MTU 1500, Ethernet framing (wanted: 94.1 +- 0.5 Mbit/s)")
    print(f"  {rate:.2f} Mbit/s; the formula gives {100 * 1448 / 1538:.2f}")


def loss():
    run = Run(
        pair("forward: { loss: 1% }")
        + SERVER
        + "  - { name: client, node: a, command: iperf3 --client b --udp --bitrate 20M --length "
          "1000"
        " --bytes 20000000 --json, start: { after: server, when: ready } }\n"
    )
    total = json.loads(run.output("client", "a"))["end"]["sum"]
    sent, lost = total["packets"], total["lost_packets"]
    deviation = (sent * 0.01 * 0.99) ** 0.5
    low, high = sent * 0.01 - 2.576 * deviation, sent * 0.01 + 2.576 * deviation
    print("\nloss of 1 % over UDP datagrams (wanted: inside the 99 % binomial interval)")
    print(f"  {lost} of {sent} lost; interval {low:.0f} to {high:.0f}")


if __name__ == "__main__":
    print(f"# hello: accuracy of one link\n# {machine()}\n")
    round_trips()
    goodput()
    loss()
