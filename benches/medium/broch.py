#!/usr/bin/env python3
"""Delivery in a mobile network by how long nodes rest (Broch et al. 1998), with Babel: a CSV, and a
chart as SVG. Before that, what the medium itself delivers: the same traffic in virtual time between
nodes that do not move, over the shortest ways, without a routing protocol.

    python3 benches/medium/broch.py [--nodes 50] [--sources 20] [--seconds 900] [--seeds 2]
        [--pauses 0,30,120,300,600,900] [--speeds 1,20] [--hellos 4] [-o FOLDER]

As root: the kernel has one table of neighbours for all nodes, which it makes larger meanwhile.
"""

import argparse
import collections
import contextlib
import csv
import json
import math
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import Run, machine, netloom  # noqa: E402

AIR = """
name: bench-broch-{pid}
seed: {seed}
duration: {seconds}s
topology:
  defaults: {{ node: {{ ipv6: none, loopback: none }} }}
  media:
    air:
      preset: wavelan
      propagation: two_ray_ground
      mac: {{ dcf: {{ rate: 2Mbit/s, rts_threshold: 0B }} }}
"""

MOBILE = """
      addressing: hosts
      members: [manet]
  groups:
    manet:
      kind: router
      services: {{ babeld: {{ hello: {hello}, update: {update} }} }}
      mobility:
        random_waypoint:
          {{ area: [1500m, 300m], speed: [{slowest}m/s, {speed}m/s], pause: {pause}s }}
  nodes: {{ "n[1-{nodes}]": {{ group: manet }} }}
traffic:
"""

# 64 bytes in UDP and IPv4 in Ethernet, four a second.
SOURCE = (
    "  - {{ name: c{0}, from: n{0}, to: n{1}, udp: {{}}, size: 106B, cbr: {{ rate: 3392bit/s }},"
    " start: {2}s }}\n"
)


FIELD = (1500, 300)
REACH = 249


class BenchRun(Run):
    """A run whose verdict may be any: it is in the table."""

    def execute(self, directory):
        netloom("run", "-o", "results", accept=(0, 3), cwd=directory)


class SimulatedRun(Run):
    """A run in virtual time."""

    def execute(self, directory):
        netloom("run", "--simulate", "-o", "results", cwd=directory)


@contextlib.contextmanager
def room_for_neighbours(least):
    """Makes the kernel's tables of neighbours this large, and as they were afterwards."""
    before = {}
    try:
        for family in ("ipv4", "ipv6"):
            for number in (3, 2, 1):
                file = pathlib.Path(f"/proc/sys/net/{family}/neigh/default/gc_thresh{number}")
                was = int(file.read_text())
                if was < least:
                    file.write_text(str(least))
                    before[file] = was
        yield
    finally:
        for file, was in reversed(before.items()):
            file.write_text(str(was))


def delivery(run):
    """What was received, as a share of what was sent."""
    sent = received = 0
    for file in (run.results / "processes").glob("*.stdout"):
        lines = file.read_text().splitlines()
        if not lines:
            continue
        report = json.loads(lines[-1])
        if ".sender@" in file.name:
            sent += sum(interval["packets"] for interval in report["intervals"].values())
        elif ".receiver@" in file.name:
            for flow in report["flows"].values():
                received += sum(interval["packets"] for interval in flow.values())
    return received / sent


def ways(neighbours, start):
    """For each node that `start` reaches: how many hops away it is."""
    far, queue = {start: 0}, collections.deque([start])
    while queue:
        node = queue.popleft()
        for other in neighbours[node]:
            if other not in far:
                far[other] = far[node] + 1
                queue.append(other)
    return far


def at_rest(options, seed):
    """The scenario of nodes that do not move, with routes of the fewest hops."""
    dice, numbers = random.Random(seed), range(options.nodes)
    while True:
        places = [[round(dice.uniform(0, size), 1) for size in FIELD] for _ in numbers]
        neighbours = [
            [b for b in numbers if a != b and math.dist(places[a], places[b]) <= REACH]
            for a in numbers
        ]
        far = [ways(neighbours, node) for node in numbers]
        if all(len(reached) == options.nodes for reached in far):
            break
    members = ", ".join(f"n{node + 1}" for node in numbers)
    lines = [f"      members: [{members}]", "  nodes:"]
    for node in numbers:
        routes = ", ".join(
            f"{{ to: 10.0.0.{to + 1}/32, via: 10.0.0.{hop + 1} }}"
            for to in numbers
            if to != node and to not in neighbours[node]
            for hop in [min(neighbours[node], key=lambda by, to=to: far[by][to])]
        )
        x, y = places[node]
        lines.append(
            f"    n{node + 1}: {{ kind: router, position: [{x}m, {y}m], routes: [{routes}] }}"
        )
    head = AIR.format(pid=os.getpid(), seed=seed, seconds=options.seconds)
    return head.rstrip() + "\n" + "\n".join(lines) + "\ntraffic:\n" + sources(options)


def delivered_at_rest(options, seed):
    flows = SimulatedRun(at_rest(options, seed)).summary["flows"]
    sent, received = (sum(flow[key]["frames"] for flow in flows) for key in ("sent", "received"))
    return received / sent


def scenario(options, pause, speed, hello, seed):
    head = (AIR.rstrip() + MOBILE).format(
        pid=os.getpid(),
        seed=seed,
        seconds=options.seconds,
        hello=hello,
        update=4 * hello,
        slowest=min(1, speed / 2),
        speed=speed,
        pause=pause,
        nodes=options.nodes,
    )
    return head + sources(options)


def sources(options):
    # Ways are there before anybody sends.
    start = min(60, options.seconds // 4)
    far = options.nodes // 2
    pairs = ((node, (node - 1 + far) % options.nodes + 1) for node in range(1, options.sources + 1))
    return "".join(SOURCE.format(one, other, start) for one, other in pairs)


def chart(rows, path):
    """Delivery over the pause, a line for each speed and hello."""
    width, height, left, bottom = 640, 400, 60, 50
    longest = max(row["pause_s"] for row in rows) or 1

    def place(pause, share):
        return (
            left + (width - left - 20) * pause / longest,
            height - bottom - (height - bottom - 20) * share,
        )

    lines = {}
    for row in rows:
        key = (row["speed_m_s"], row["hello_s"])
        lines.setdefault(key, {}).setdefault(row["pause_s"], []).append(row["delivery"])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>'
    ]
    for share in (0, 0.25, 0.5, 0.75, 1):
        x, y = place(0, share)
        parts.append(
            f'<path d="M{x} {y}H{width - 20}" stroke="#ddd"/>'
            f'<text x="{x - 8}" y="{y + 4}" text-anchor="end">{share:.0%}</text>'
        )
    for pause in sorted({row["pause_s"] for row in rows}):
        x, y = place(pause, 0)
        parts.append(f'<text x="{x}" y="{y + 18}" text-anchor="middle">{pause}</text>')
    for color, (key, means) in zip(["#06c", "#c50", "#080", "#808", "#555"], sorted(lines.items())):
        points = [(pause, sum(all) / len(all)) for pause, all in sorted(means.items())]
        path_points = " ".join("{:.1f},{:.1f}".format(*place(*point)) for point in points)
        x, y = place(*points[-1])
        parts.append(
            f'<polyline points="{path_points}" fill="none" stroke="{color}" stroke-width="2"/>'
            f'<text x="{x}" y="{y - 6}" text-anchor="end" fill="{color}">'
            f"{key[0]} m/s, hello {key[1]} s</text>"
        )
    parts.append(
        f'<text x="{width / 2}" y="{height - 10}" text-anchor="middle">pause in s</text></svg>'
    )
    path.write_text("\n".join(parts))


def numbers(text):
    return [int(number) for number in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=50)
    parser.add_argument("--sources", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=900)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--pauses", type=numbers, default=[0, 30, 120, 300, 600, 900])
    parser.add_argument("--speeds", type=numbers, default=[1, 20])
    parser.add_argument("--hellos", type=numbers, default=[4])
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("target/broch"))
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    print(machine())
    for seed in range(1, options.seeds + 1):
        share = delivered_at_rest(options, seed)
        print(f"at rest, by routes of the fewest hops, in virtual time, seed {seed}: {share:.4f}")
    rows = []
    with (
        room_for_neighbours(options.nodes * options.nodes),
        open(options.output / "broch.csv", "w", newline="") as file,
    ):
        names = ["pause_s", "speed_m_s", "hello_s", "seed", "delivery", "verdict"]
        table = csv.DictWriter(file, names)
        table.writeheader()
        for hello in options.hellos:
            for speed in options.speeds:
                for pause in options.pauses:
                    for seed in range(1, options.seeds + 1):
                        run = BenchRun(scenario(options, pause, speed, hello, seed))
                        verdict = run.summary["verdict"]["judgement"]
                        values = [pause, speed, hello, seed, round(delivery(run), 4), verdict]
                        rows.append(dict(zip(names, values)))
                        table.writerow(rows[-1])
                        file.flush()
                        print(*values, flush=True)
    chart(rows, options.output / "broch.svg")
    print(f"{options.output}/broch.csv and broch.svg")


main()
