#!/usr/bin/env python3
"""What a symbiotic run is worth: `benches/symbiosis/worth.py [TURNS]`.

A real iperf3 between two hosts, with ten routers between them whose links have 2 Gbit/s and each
100 Mbit/s of other, simulated traffic. By turns:

hybrid     real packets cross the simulation
symbiosis  they cross pipes that follow it, by `md1` (one pipe each way) and by `cross_traffic` (one
           for each link)
plain      they cross one emulated link with the whole delay, and nothing is simulated

Printed is iperf3's throughput in Mbit/s, its ratio to the hybrid and to the plain run of the same
turn, and the verdicts. Wanted: at least 5 times the hybrid one, and 0.8 times the plain one.
"""

import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import common

ROUTERS = 10
SECONDS = 12
KINDS = {
    "hybrid": None,
    "symbiosis, md1": "symbiosis: { calibration: md1 }",
    "symbiosis, cross_traffic": "symbiosis: { calibration: cross_traffic }",
    "plain": None,
}


def network():
    """The nodes, links and traffic that are simulated."""
    numbers = range(ROUTERS)
    nodes = [f"    r{one}: {{ kind: router }}\n    s{one}:" for one in numbers]
    links = [f"    - {{ endpoints: [r{one}, r{one + 1}] }}" for one in numbers[:-1]]
    links += [f"    - {{ endpoints: [s{one}, r{one}] }}" for one in numbers]
    links += ["    - { endpoints: [h1, r0] }", f"    - {{ endpoints: [r{ROUTERS - 1}, h2] }}"]
    traffic = [
        f"  - {{ name: t{one}, from: s{one}, to: s{one + 1}, udp: {{}}, size: 1000B,"
        f" poisson: {{ rate: 100Mbit/s }}, background: true }}"
        for one in numbers[:-1]
    ]
    return nodes, links, traffic


def scenario(kind):
    nodes, links, traffic = network()
    link = "{ rate: 2Gbit/s, delay: 200us, queue: { limit: 2000packets } }"
    if kind == "plain":
        nodes, traffic = [], []
        whole = f"{200 * (ROUTERS + 1)}us"
        links = [f"    - {{ endpoints: [h1, h2], delay: {whole} }}"]
    default = "" if kind == "plain" else "node: { simulated: true, ipv6: none }, "
    real = "" if kind == "plain" else " { simulated: false }"
    lines = [
        "name: worth",
        f"duration: {SECONDS + 2}s",
        KINDS[kind] or "",
        "topology:",
        f"  defaults: {{ {default}link: {link} }}",
        "  nodes:",
        f"    h1:{real}",
        f"    h2:{real}",
        *nodes,
        "  links:",
        *links,
        "processes:",
        "  - { name: sink, node: h2, command: iperf3 --server --one-off, ready: { port: 5201 },"
        " background: true }",
        f"  - {{ name: bulk, node: h1, command: iperf3 -4 --json --client h2 --time {SECONDS - 2}"
        " --congestion cubic, start: { after: sink } }",
        *(["traffic:", *traffic] if traffic else []),
        "",
    ]
    return "\n".join(lines)


def main():
    turns = int(sys.argv[1]) if sys.argv[1:] else 3
    print(common.machine())
    all_of = {kind: [] for kind in KINDS}
    for _ in range(turns):
        for kind in KINDS:
            run = common.Run(scenario(kind))
            bulk = json.loads(run.output("bulk", "h1"))
            mbits = bulk["end"]["sum_received"]["bits_per_second"] / 1e6
            all_of[kind].append((mbits, run.summary["verdict"]["judgement"]))
            print(f"{kind}: {all_of[kind][-1]}", file=sys.stderr, flush=True)
    print("| run | Mbit/s | of hybrid | of plain | verdicts |\n|---|---|---|---|---|")
    for kind, runs in all_of.items():
        mbits = statistics.median(one for one, _ in runs)

        def ratio(to):
            pairs = zip(runs, all_of[to])
            return statistics.median(one[0] / other[0] for one, other in pairs)

        verdicts = ", ".join(verdict for _, verdict in runs)
        ratios = f"{ratio('hybrid'):.2f} | {ratio('plain'):.2f}"
        print(f"| {kind} | {mbits:.0f} | {ratios} | {verdicts} |")


if __name__ == "__main__":
    main()
