#!/usr/bin/env python3
"""Real TCP over a simulated link beside simulated TCP over the same.

    sudo benches/tcp/throughput.py [--rates 10 50 ...] [--flows 1 2 ...] [--seconds 10]

Erazo 2013, section 4.6.1, figures 4.6 and 4.7: a link of 1 ms, of 10 to 450 Mbit/s in steps of 40,
one flow; then 1 to 64 flows over 1 Gbit/s. Real hosts stand at the ends of a simulated router and
run iperf3; the same with simulated hosts is `run --simulate`. Wanted: 2 % where the run is not
`invalid`, and `invalid` beyond what the machine bears (his: 250 Mbit/s on one machine, 130 over
two, without a word).
"""

import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import common

ALLOWED = 0.02


def scenario(rate, flows, seconds, is_real):
    lines = [
        "name: throughput",
        # What still waits when the simulated transfer ends does not count.
        f"duration: {seconds + (3 if is_real else 1)}s",
        "topology:",
        "  defaults: { node: { ipv6: none } }",
        "  nodes:",
        "    a: ",
        "    b: ",
        "    r: { kind: router, simulated: true }",
        "  links:",
        "    - { endpoints: [a, r], delay: 500us }",
        f"    - {{ name: core, endpoints: [r, b], delay: 500us, rate: {rate}Mbit/s,"
        " queue: { limit: 250packets } }",
    ]
    if is_real:
        lines += [
            "processes:",
            "  - { name: sink, node: b, command: iperf3 --server --one-off, ready: { port: 5201 },"
            " background: true }",
            f"  - {{ name: bulk, node: a, command: iperf3 -4 --json -c b -t {seconds} -O 1"
            f" -P {flows} -C cubic, start: {{ after: sink }} }}",
        ]
    else:
        lines += [
            "traffic:",
            "  - { name: bulk, from: a, to: b, tcp: { congestion_control: cubic },"
            f" bulk: {{ connections: {flows} }}, for: {seconds + 1}s }}",
        ]
    return "\n".join([*lines, ""])


class Simulated(common.Run):
    def execute(self, directory):
        common.netloom("run", "--simulate", "-o", "results", cwd=directory)


class Hybrid(common.Run):
    def execute(self, directory):
        common.netloom("run", "-o", "results", cwd=directory, accept=(0, 3))


def compare(rate, flows, seconds):
    simulated = Simulated(scenario(rate, flows, seconds, False)).summary["flows"][0]
    ours = simulated["received"]["bytes"] * 8 / (seconds + 1) / 1e6
    hybrid = Hybrid(scenario(rate, flows, seconds, True))
    bulk = json.loads(hybrid.output("bulk", "a"))
    real = bulk["end"]["sum_received"]["bits_per_second"] / 1e6
    verdict = hybrid.summary["verdict"]["judgement"]
    apart = real / ours - 1
    outside = verdict == "valid" and abs(apart) > ALLOWED
    mark = "OUTSIDE" if outside else ""
    print(
        f"| {rate} | {flows} | {real:.1f} | {ours:.1f} | {apart:+.1%} | {verdict} | {mark} |",
        flush=True,
    )
    return outside


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rates", type=int, nargs="*", default=list(range(10, 451, 40)))
    options.add_argument("--flows", type=int, nargs="*", default=[1, 2, 4, 8, 16, 32, 64])
    options.add_argument("--seconds", type=int, default=10)
    options = options.parse_args()
    print(common.machine())
    print("| Mbit/s | flows | real | simulated | difference | verdict | |")
    print("|---|---|---|---|---|---|---|", flush=True)
    cases = [(rate, 1) for rate in options.rates] + [(1000, flows) for flows in options.flows]
    sys.exit(any([compare(rate, flows, options.seconds) for rate, flows in cases]))


if __name__ == "__main__":
    main()
