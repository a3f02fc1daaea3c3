#!/usr/bin/env python3
"""Downloads of a real client beside real or simulated traffic of others.

    sudo benches/tcp/downloads.py [--load light heavy] [--trials 30] [--pairs 50]

Erazo 2013, section 3.3.6, figures 3.12 to 3.14: a dumbbell of 100 Mbit/s, a real web client and
server, and 100 other nodes that send Poisson Pareto bursts (H = 0.8, 1 s on average) both ways:
1 burst a second in all (light) or 100 (heavy). He gives no rate of a burst: ours are 10 and 50 % of
the bottleneck. By turns the other nodes are namespaces and simulated; curl gets 10 kB, 100 kB and
1 MB. Printed are medians of its times and the chance that both samples are of one distribution
(Kolmogorov and Smirnov); wanted: above 0.01. Video and BitTorrent of the paper are not run.
"""

import argparse
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import common

SIZES = {"10kB": 10_000, "100kB": 100_000, "1MB": 1_000_000}
# Of the bottleneck, and bursts a second.
LOADS = {"light": (10, 1), "heavy": (50, 100)}
WARM = 5


def scenario(load, simulated, options):
    mbits, bursts = LOADS[load]
    pairs = range(options.pairs)
    others = "simulated: true" if simulated else ""
    nodes = [f"    {side}{one}: {{ {others} }}" for one in pairs for side in "sd"]
    nodes += [f"    {side}: {{ kind: router, {others} }}" for side in "lr"]
    links = [
        f"    - {{ endpoints: [{side}{one}, {router}], delay: 1ms }}"
        for one in pairs
        for side, router in (("s", "l"), ("d", "r"))
    ]
    traffic = [
        f"  - {{ name: t{one}, from: {('s', 'd')[one % 2]}{one}, to: {('d', 's')[one % 2]}{one},"
        f" udp: {{}}, ppbp: {{ load: {2 * mbits * 1000 // options.pairs}kbit/s,"
        f" bursts: {2 * bursts / options.pairs}, burst: 1s, hurst: 0.8 }}, background: true }}"
        for one in pairs
    ]
    gets = []
    for trial in range(options.trials):
        gets += [
            f'curl -4 -s -o /dev/null -w "{name} %{{time_total}}\\n" http://w:8000/{name}'
            for name in SIZES
        ]
    gets = "; sleep 0.2; ".join(gets)
    files = "; ".join(f"head -c {size} /dev/zero > web/{name}" for name, size in SIZES.items())
    return "\n".join(
        [
            "name: downloads",
            "topology:",
            "  defaults: { node: { ipv6: none } }",
            "  nodes:",
            "    c: ",
            "    w: ",
            *nodes,
            "  links:",
            "    - { endpoints: [c, l], delay: 1ms }",
            "    - { endpoints: [w, r], delay: 1ms }",
            "    - { name: core, endpoints: [l, r], rate: 100Mbit/s, delay: 10ms,"
            " queue: { limit: 500packets } }",
            *links,
            "traffic:",
            *traffic,
            "processes:",
            f"  - {{ name: web, node: w, command: [sh, -c, 'mkdir -p web; {files}; cd web;"
            " exec python3 -m http.server 8000'], ready: { port: 8000 }, background: true }",
            f"  - {{ name: get, node: c, command: [sh, -c, '{gets}'],"
            f" start: {{ after: web, delay: {WARM}s }} }}",
            "",
        ]
    )


class Run(common.Run):
    def execute(self, directory):
        common.netloom("run", "-o", "results", cwd=directory, accept=(0, 3))


def times(load, simulated, options):
    run = Run(scenario(load, simulated, options))
    found = {name: [] for name in SIZES}
    for line in run.output("get", "c").splitlines():
        name, seconds = line.split()
        found[name].append(float(seconds))
    return found, run.summary["verdict"]["judgement"]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--load", nargs="+", choices=LOADS, default=list(LOADS))
    options.add_argument("--trials", type=int, default=30)
    options.add_argument("--pairs", type=int, default=50)
    options = options.parse_args()
    print(common.machine())
    print(
        "| load | size | all real, s | hybrid, s | p | verdicts | |\n|---|---|---|---|---|---|---|"
    )
    failed = False
    for load in options.load:
        (real, first), (hybrid, second) = (times(load, one, options) for one in (False, True))
        for name in SIZES:
            chance = common.kolmogorov_smirnov(real[name], hybrid[name])
            medians = " | ".join(f"{statistics.median(one[name]):.4f}" for one in (real, hybrid))
            outside = chance <= 0.01 and "invalid" not in (first, second)
            failed |= outside
            print(
                f"| {load} | {name} | {medians} | {chance:.3f} | {first}, {second}"
                f" | {'OUTSIDE' if outside else ''} |",
                flush=True,
            )
    sys.exit(failed)


if __name__ == "__main__":
    main()
