#!/usr/bin/env python3
"""How large a network can be simulated: routers in a random 4-regular graph, 99 hosts at each, and
a flow from each host to a random one. Prints memory, the time until virtual time begins, and
packet-hops a second, for each size by turns.

    simulated.py [NODES ...]
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from graphs import DEGREE, regular

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import NETLOOM, machine  # noqa: E402

HOSTS = 99
SECONDS = 1


def scenario(nodes, draw):
    """The scenario's text, and how many links it has."""
    routers = max(DEGREE + 1, nodes // (HOSTS + 1))
    hosts = [f"h{number}" for number in range(nodes - routers)]
    named = [f"  r{number}: {{kind: router}}" for number in range(routers)]
    named += [f"  {host}:" for host in hosts]
    links = [
        f"  - {{endpoints: [r{a}, r{b}], rate: 10Gbit/s, delay: 5ms}}"
        for a, b in regular(routers, DEGREE)
    ]
    links += [
        f"  - {{endpoints: [{host}, r{number % routers}], rate: 100Mbit/s, delay: 1ms}}"
        for number, host in enumerate(hosts)
    ]
    flows = []
    for number, host in enumerate(hosts):
        other = draw.choice(hosts)
        while other == host:
            other = draw.choice(hosts)
        flows.append(
            f"  - {{name: f{number}, from: {host}, to: {other}, udp: {{}},"
            f" poisson: {{rate: 100kbit/s}}, size: 1000B, for: {SECONDS}s}}"
        )
    text = "\n".join(
        ["name: large", "topology:", " nodes:", *named, " links:", *links, "traffic:", *flows, ""]
    )
    return text, len(links)


def main():
    sizes = [int(argument) for argument in sys.argv[1:]] or [1_000, 10_000, 100_000]
    print(machine())
    for nodes in sizes:
        text, links = scenario(nodes, random.Random(nodes))
        with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
            file = pathlib.Path(folder) / "netloom.yaml"
            file.write_text(text)
            begun = time.perf_counter()
            command = [NETLOOM, "run", "--simulate", "-t", file, "-o", f"{folder}/results"]
            running = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            # Of this one process: what it held at most.
            _, status, usage = os.wait4(running.pid, 0)
            whole = time.perf_counter() - begun
            if status:
                raise SystemExit(f"{nodes} nodes: it failed ({status})")
            summary = json.loads((pathlib.Path(folder) / "results/summary.json").read_text())
        done = summary["simulation"]
        print(
            f"{nodes:>7} nodes, {links} links, {nodes - nodes // (HOSTS + 1)} flows: "
            f"{usage.ru_maxrss / 1024:,.0f} MiB, ready after {summary['deploy_seconds']:.1f} s, "
            f"{done['packet_hops']:,} packet-hops in {done['wall_seconds']:.1f} s "
            f"({done['packet_hops'] / done['wall_seconds'] / 1e6:.2f} million/s), "
            f"{whole:.1f} s in all",
            flush=True,
        )


if __name__ == "__main__":
    main()
