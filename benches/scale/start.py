#!/usr/bin/env python3
"""Start and teardown of 1,000 nodes with 2,000 shaped links (a random 4-regular graph, static
routes, IPv4 and IPv6), beside the floor: the same namespaces and devices made and removed by bare
system calls, with no addresses, routes or engine. The two take turns; medians of RUNS.

    start.py [NODES [RUNS]]
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from graphs import DEGREE, regular, scenario

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import TARGET, build_example, machine, netloom  # noqa: E402

FLOOR = TARGET / "release" / "examples" / "floor"


def timed(*arguments):
    start = time.perf_counter()
    netloom(*arguments)
    return time.perf_counter() - start


def ours(name, file):
    up = timed("deploy", "-t", file)
    # IPv4 and IPv6 of a node in the middle of the numbering; all have about as many.
    routes = sum(
        len(netloom("exec", f"n0@{name}", "--", "ip", family, "route").splitlines())
        for family in ("-4", "-6")
    )
    return up, timed("destroy", name), routes


def floor(nodes):
    words = subprocess.run(
        [FLOOR, str(nodes), str(DEGREE)], check=True, capture_output=True, text=True
    )
    _, up, _, gone = words.stdout.split()
    return float(up), float(gone)


def main():
    nodes = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    build_example("floor")
    edges = regular(nodes, DEGREE)
    print(f"Start and teardown of {nodes} nodes and {len(edges)} links, on {machine()}", flush=True)
    name = f"bench-scale-{os.getpid()}"
    mine, bare = [], []
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
        file = pathlib.Path(folder) / "scenario.yaml"
        file.write_text(scenario(name, nodes, edges))
        for _ in range(runs):
            mine.append(ours(name, file))
            bare.append(floor(nodes))
    print(f"  about {mine[0][2]} routes a node")
    for index, what in enumerate(("up", "gone")):
        own, least = ([run[index] for run in all_runs] for all_runs in (mine, bare))
        own, least = statistics.median(own), statistics.median(least)
        print(f"  {what:<5} {own:7.2f} s   floor {least:6.2f} s   ratio {own / least:5.2f}")


main()
