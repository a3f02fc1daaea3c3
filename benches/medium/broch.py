#!/usr/bin/env python3
"""Delivery in a mobile network by how long nodes rest (Broch et al. 1998), with Babel: a CSV, and a
chart as SVG.

    python3 benches/medium/broch.py [--nodes 50] [--sources 20] [--seconds 900] [--seeds 2]
        [--pauses 0,30,120,300,600,900] [--speeds 1,20] [--hellos 1] [-o FOLDER]
"""

import argparse
import csv
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import Run, machine  # noqa: E402

SCENARIO = """
name: bench-broch-{pid}
seed: {seed}
duration: {seconds}s
topology:
  defaults: {{ node: {{ ipv6: none }} }}
  media:
    air: {{ preset: wavelan, propagation: two_ray_ground, addressing: hosts, members: [manet] }}
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


def scenario(options, pause, speed, hello, seed):
    head = SCENARIO.format(
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
    # Ways are there before anybody sends.
    start = min(60, options.seconds // 4)
    far = options.nodes // 2
    pairs = ((node, (node - 1 + far) % options.nodes + 1) for node in range(1, options.sources + 1))
    return head + "".join(SOURCE.format(one, other, start) for one, other in pairs)


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
    parser.add_argument("--hellos", type=numbers, default=[1])
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("target/broch"))
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    print(machine())
    rows = []
    with open(options.output / "broch.csv", "w", newline="") as file:
        names = ["pause_s", "speed_m_s", "hello_s", "seed", "delivery", "verdict"]
        table = csv.DictWriter(file, names)
        table.writeheader()
        for hello in options.hellos:
            for speed in options.speeds:
                for pause in options.pauses:
                    for seed in range(1, options.seeds + 1):
                        run = Run(scenario(options, pause, speed, hello, seed))
                        verdict = run.summary["verdict"]["judgement"]
                        values = [pause, speed, hello, seed, round(delivery(run), 4), verdict]
                        rows.append(dict(zip(names, values)))
                        table.writerow(rows[-1])
                        file.flush()
                        print(*values, flush=True)
    chart(rows, options.output / "broch.svg")
    print(f"{options.output}/broch.csv and broch.svg")


main()
