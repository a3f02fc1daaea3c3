#!/usr/bin/env python3
"""5,000 nodes with 10,000 shaped links (a random 4-regular graph, static routes, IPv4 and IPv6) on
one machine: how long it takes, what it needs while idle, and whether random pairs reach each other.
Each end of a shaped link is an open file; where this machine does not let a process have so many,
as few links as possible are direct instead.

    large.py [NODES]
"""

import json
import os
import pathlib
import random
import resource
import sys
import tempfile
import time

from graphs import DEGREE, regular, scenario

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import machine, netloom  # noqa: E402

PAIRS = 20
IDLE_SECONDS = 20
# Files that `netloom` wants to have room for beside those of links.
OWN_FILES = 1124


def available():
    lines = pathlib.Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable")) * 1024


def resident(pid):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) * 1024


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def timed(*arguments):
    start = time.perf_counter()
    output = netloom(*arguments)
    return time.perf_counter() - start, output


def main():
    nodes = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    edges = regular(nodes, DEGREE)
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    direct = max(0, len(edges) - (files - OWN_FILES) // 2)
    print(f"{nodes} nodes and {len(edges)} links, on {machine()}", flush=True)
    if direct:
        print(f"  {direct} of the links are direct: a process may have {files} files open here")
    name = f"bench-scale-{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
        file = pathlib.Path(folder) / "scenario.yaml"
        file.write_text(scenario(name, nodes, edges, direct))
        before = available()
        up, _ = timed("deploy", "-t", file)
        print(f"  up in {up:.1f} s", flush=True)
        try:
            look(name, nodes, len(edges), before)
        finally:
            print(f"  gone in {timed('destroy', name)[0]:.1f} s")


def look(name, nodes, links, before):
    inspect, shown = timed("inspect", name, "--format", "json")
    engine = json.loads(shown)["experiment"]["engine_pid"]
    time.sleep(2)
    mine, all_of_it = resident(engine), before - available()
    print(
        f"  memory: {all_of_it / 1e9:.2f} GB in all, of it the engine {mine / 1e9:.2f} GB"
        f" ({mine / links / 1e3:.1f} kB a link), the kernel "
        f"{(all_of_it - mine) / nodes / 1e3:.0f} kB a node"
    )
    spent = cpu_seconds(engine)
    time.sleep(IDLE_SECONDS)
    share = 100 * (cpu_seconds(engine) - spent) / IDLE_SECONDS
    print(f"  the engine while idle: {share:.2f} % of a CPU; inspect {inspect:.2f} s", flush=True)
    draw = random.Random(1)
    pairs = [draw.sample(range(nodes), 2) for _ in range(PAIRS)]
    for family in ("-4", "-6"):
        reached = 0
        for one, other in pairs:
            try:
                netloom(
                    "exec",
                    f"n{one}@{name}",
                    "--",
                    "ping",
                    family,
                    "-c",
                    "1",
                    "-W",
                    "5",
                    f"n{other}",
                )
                reached += 1
            except SystemExit as failure:
                print(f"    {failure}")
        print(f"  IPv{family[1]}: {reached} of {PAIRS} random pairs reach each other", flush=True)


if __name__ == "__main__":
    main()
