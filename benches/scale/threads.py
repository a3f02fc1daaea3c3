#!/usr/bin/env python3
"""What threads and processes do for a simulation: a grid of 64 routers with links of 1 ms and 256
flows, on one thread and on more, and in as many processes with a thread each, by turns. Prints how
much faster it is, as a ratio of medians, and how much longer processes take than as many threads
for each millisecond of the network: what a round of messages costs. Whether the results are the
same, to the byte, is checked each time.

    threads.py [THREADS ...]
"""

import hashlib
import json
import os
import pathlib
import random
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import machine, netloom  # noqa: E402

SIDE = 8
FLOWS = 256
SECONDS = 10
TURNS = 5
COMPARED = ["flows.parquet", "pipes.parquet", "events.jsonl"]


def scenario():
    draw = random.Random(1)
    places = [(row, column) for row in range(SIDE) for column in range(SIDE)]
    lines = ["name: grid", f"duration: {SECONDS}s", "topology:"]
    lines += [" defaults: {link: {rate: 1Gbit/s, delay: 1ms}}", " nodes:"]
    lines += [f"  r{row}{column}: {{kind: router}}" for row, column in places]
    lines.append(" links:")
    for row, column in places:
        if column + 1 < SIDE:
            lines.append(f"  - {{endpoints: [r{row}{column}, r{row}{column + 1}]}}")
        if row + 1 < SIDE:
            lines.append(f"  - {{endpoints: [r{row}{column}, r{row + 1}{column}]}}")
    lines.append("traffic:")
    for number in range(FLOWS):
        (a, b), (c, d) = draw.sample(places, 2)
        lines.append(
            f"  - {{name: f{number}, from: r{a}{b}, to: r{c}{d}, udp: {{port: {5000 + number}}},"
            " poisson: {rate: 5Mbit/s}, size: 1000B, background: true}"
        )
    return "\n".join([*lines, ""])


def run(folder, kind, number, turn):
    results = folder / f"results-{kind}-{number}-{turn}"
    netloom(
        "run", "--simulate", f"--{kind}", number, "-t", folder / "netloom.yaml", "-o", results
    )
    done = json.loads((results / "summary.json").read_text())["simulation"]
    digest = hashlib.sha256()
    for name in COMPARED:
        digest.update((results / name).read_bytes())
    return done, digest.hexdigest()


def main():
    several = [int(argument) for argument in sys.argv[1:]] or [2]
    print(machine())
    kinds = [(kind, number) for number in several for kind in ["threads", "processes"]]
    seconds = {way: [] for way in [("threads", 1), *kinds]}
    digests, hops, cells = set(), 0, {}
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as name:
        folder = pathlib.Path(name)
        (folder / "netloom.yaml").write_text(scenario())
        for turn in range(TURNS):
            for way, taken in seconds.items():
                done, digest = run(folder, *way, turn)
                taken.append(done["wall_seconds"])
                digests.add(digest)
                hops, cells[way] = done["packet_hops"], done["cells"]
    if len(digests) != 1:
        raise SystemExit("the results depend on the number of threads or processes")
    median = {way: statistics.median(taken) for way, taken in seconds.items()}
    one = median["threads", 1]
    print(f"{hops:,} packet-hops; one thread: {one:.2f} s, {hops / one / 1e6:.2f} million/s")
    for kind, number in kinds:
        taken = median[kind, number]
        print(
            f"{number} {kind}, {cells[kind, number]} cells: {taken:.2f} s,"
            f" {one / taken:.2f} times"
        )
        if number > os.cpu_count():
            print(f"  this machine has {os.cpu_count()} CPUs: that says nothing of {number}")
    for number in several:
        longer = median["processes", number] - median["threads", number]
        print(f"{number} processes, beside threads: {longer / SECONDS * 1000:+.0f} µs a round")


if __name__ == "__main__":
    main()
