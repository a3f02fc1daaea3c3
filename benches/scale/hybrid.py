#!/usr/bin/env python3
"""How large a simulated network can be that real programs live in: two real hosts at two routers of
a random 4-regular graph, with simulated hosts at all routers, of which each sends to a random one.
Prints how busy the simulation was, how late its frames were for real hosts, what a ping took beyond
the delays of its links, and the verdict on links.

    hybrid.py [--rate RATE_OF_A_HOST] [NODES ...]
"""

import argparse
import pathlib
import random
import re
import statistics
import sys

from graphs import DEGREE, regular

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import Run, machine  # noqa: E402

HOSTS = 24
SECONDS = 20
DELAY = 2
# What leads to real hosts.
BORDER = ("near/forward", "far/forward")


def scenario(nodes, rate, draw):
    """The scenario's text, and the delay from one real host to the other in ms."""
    routers = max(DEGREE + 1, nodes // (HOSTS + 1))
    hosts = [f"h{number}" for number in range(nodes - routers)]
    graph = regular(routers, DEGREE)
    named = [f"  r{number}: {{kind: router}}" for number in range(routers)]
    named += [f"  {host}: {{group: crowd}}" for host in hosts]
    links = [f"  - {{endpoints: [r{a}, r{b}], rate: 10Gbit/s, delay: {DELAY}ms}}" for a, b in graph]
    links += [
        f"  - {{endpoints: [{host}, r{number % routers}], rate: 100Mbit/s, delay: 1ms}}"
        for number, host in enumerate(hosts)
    ]
    far = routers // 2
    links.append("  - {name: near, endpoints: [r0, a], delay: 1ms}")
    links.append(f"  - {{name: far, endpoints: [r{far}, b], delay: 1ms}}")
    traffic = []
    for number, host in enumerate(hosts):
        other = next(other for other in draw.sample(hosts, 2) if other != host)
        traffic.append(
            f"  - {{name: f{number}, from: {host}, to: {other}, udp: {{}},"
            f" poisson: {{rate: {rate}}}, size: 1000B, background: true}}"
        )
    ping = f"ping -n -i 0.05 -c {(SECONDS - 2) * 20} b"
    text = "\n".join(
        [
            "name: hybrid-large",
            f"duration: {SECONDS}s",
            "topology:",
            " kinds: {router: {simulated: true, loopback: none}}",
            " groups: {crowd: {simulated: true}}",
            " defaults: {node: {ipv6: none}}",
            " nodes:\n  a:\n  b:",
            *named,
            " links:",
            *links,
            "traffic:",
            *traffic,
            "processes:",
            f" - {{name: ping, node: a, command: {ping}, start: 1s}}",
            "",
        ]
    )
    return text, 2 + DELAY * hops(graph, far)


def hops(graph, to):
    """The links from router 0 to another."""
    seen, front, steps = {0}, {0}, 0
    while to not in seen:
        front = {b for link in graph for a, b in (link, link[::-1]) if a in front} - seen
        seen |= front
        steps += 1
    return steps


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rate", default="100kbit/s")
    options.add_argument("nodes", nargs="*", type=int, default=[300, 1_000, 10_000])
    options = options.parse_args()
    print(machine())
    for nodes in options.nodes:
        text, delay = scenario(nodes, options.rate, random.Random(nodes))
        run = Run(text)
        done, verdict = run.summary["simulation"], run.summary["verdict"]
        found = re.findall(r"time=([\d.]+) ms", run.output("ping", "a"))
        ping = statistics.median(float(time) for time in found)
        border = [pipe for pipe in verdict["bound"]["pipes"] if pipe["pipe"].startswith(BORDER)]
        late = ", ".join(f"{pipe['pipe']} {pipe['late']['p99']}" for pipe in border)
        print(
            f"{nodes:>6} nodes: up in {run.summary['deploy_seconds']:.1f} s, simulation busy "
            f"{100 * done['wall_seconds'] / SECONDS:.0f} % ({done['packet_hops'] / SECONDS:,.0f} "
            f"packet-hops/s), p99 late: {late}; ping {ping:.3f} ms, {ping - 2 * delay:.3f} above "
            f"its links; links {verdict['links']}"
        )


if __name__ == "__main__":
    main()
