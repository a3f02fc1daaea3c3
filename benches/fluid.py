#!/usr/bin/env python3
"""How near a fluid comes to virtual frames, in virtual time.

    benches/fluid.py [--seeds 8] [--seconds 300] [--sizes 64,576,1514] [--loads 40,60,80]

A line of 10 Mbit/s with a limit of 100 kB carries frames of a node, 600 kbit/s of them, beside a
background of `ppbp` bursts of 2 Mbit/s. The background is made of virtual frames, or is a fluid,
with the same bursts. For each length of the background's frames, each length of the node's, and
each load, the node's losses in percent and mean delay in ms are printed: the mean over the seeds,
and the least and the greatest. `error` is the mean over the seeds of the difference of both
backgrounds with one seed, which have the same bursts, with its least and greatest. Nothing is
wanted: docs/background.md has what was printed last.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile

import common

NETLOOM = pathlib.Path(os.environ.get("NETLOOM", common.NETLOOM))
SCENARIO = """\
name: fluid
seed: {seed}
duration: {seconds}s
topology:
  defaults: {{ node: {{ ipv6: none }} }}
  nodes: {{ a: , b: , r: {{ kind: router }} }}
  links:
    - {{ endpoints: [a, r] }}
    - endpoints: [r, b]
      rate: 10Mbit/s
      queue: {{ limit: 100kB }}
      forward:
        background:
          - {{ ppbp: {{ load: {load}%, burst_rate: 2Mbit/s, burst: 1s, hurst: 0.8 }},
              size: {size}B, as: {kind} }}
traffic:
  - {{ name: probe, from: a, to: b, udp: {{}}, poisson: {{ rate: 600kbit/s }}, size: {own}B,
      for: {until}s }}
"""


def measure(folder, kind, size, own, load, seed, seconds):
    """Losses in percent and mean delay in ms of one run."""
    until = seconds - 2
    text = SCENARIO.format(
        kind=kind, size=size, own=own, load=load, seed=seed, seconds=seconds, until=until
    )
    path, results = folder / "fluid.yaml", folder / "results"
    path.write_text(text)
    shutil.rmtree(results, ignore_errors=True)
    command = [NETLOOM, "run", "--simulate", "-t", path, "-o", results]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    flow = json.loads((results / "summary.json").read_text())["flows"][0]
    lost = 1 - flow["received"]["frames"] / flow["sent"]["frames"]
    return 100 * lost, flow["delay"]["mean_ns"] / 1e6


def shown(values):
    return f"{statistics.mean(values):.1f} ({min(values):.1f}–{max(values):.1f})"


def numbers(text):
    return [int(number) for number in text.split(",")]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seeds", type=int, default=8)
    options.add_argument("--seconds", type=int, default=300)
    options.add_argument("--sizes", type=numbers, default=[64, 576, 1514])
    options.add_argument("--loads", type=numbers, default=[40, 60, 80])
    options = options.parse_args()
    head = ["background's", "node's", "load"]
    for what in ("lost, %", "delay, ms"):
        head += [f"{what}: frames", "fluid", "error"]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
        for size in options.sizes:
            for own in (64, 1514):
                for load in options.loads:
                    row(pathlib.Path(folder), (size, own, load), options)


def row(folder, of, options):
    seeds = range(1, options.seeds + 1)
    frames, fluid = (
        [measure(folder, kind, *of, seed, options.seconds) for seed in seeds]
        for kind in ("frames", "fluid")
    )
    cells = [f"{of[0]} B", f"{of[1]} B", f"{of[2]} %"]
    for one, other in zip(zip(*frames), zip(*fluid)):
        cells += [shown(one), shown(other), shown([b - a for a, b in zip(one, other)])]
    print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
