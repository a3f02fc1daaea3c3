#!/usr/bin/env python3
"""The thesis's parking lot (Erazo 2013, Figs 5.28-5.29) in the real loop.

    sudo benches/symbiosis/parking_lot.py [--runs 3] [--netloom FILE]

A real iperf3 over Reno crosses four bottlenecks of `examples/parking-lot`, at each of which
simulated Reno comes and goes. It is compared with the same scenario simulated as a whole, where
iperf3 and ping are `traffic`:

goodput  MB that iperf3's receiver has got
rtt      mean round-trip time of a ping each 200 ms
again    segments that iperf3's sender has sent again

Runs of all methods take turns. One that is `invalid` is marked: the machine may show in it.
"""

import argparse
import pathlib
import re
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import common

EXAMPLE = common.ROOT / "examples" / "parking-lot" / "netloom.yaml"
METHODS = [
    "{ calibration: md1, period: 1s }",
    "{ calibration: md1, period: 200ms }",
    "{ calibration: cross_traffic, period: 1s }",
    "{ calibration: cross_traffic, period: 200ms }",
]
SENT = """traffic:
  - { name: F1, from: h1, to: h2, tcp: { congestion_control: reno }, bulk: {}, for: 58s }
  - { name: ping, from: h1, to: h2, ping: { interval: 200ms }, for: 56s }
"""


def scenario(symbiosis):
    return re.sub(r"symbiosis: .*", f"symbiosis: {symbiosis}", EXAMPLE.read_text())


class Simulated(common.Run):
    """The whole of it simulated."""

    def __init__(self):
        text = re.sub(r"symbiosis: .*\n", "", EXAMPLE.read_text())
        super().__init__(re.sub(r"processes:\n.*traffic:\n", SENT, text, flags=re.DOTALL))

    def execute(self, directory):
        common.netloom("run", "--simulate", "-o", "results", cwd=directory)

    def figures(self):
        flows = {flow["name"]: flow for flow in self.summary["flows"]}
        transfer, ping = flows["F1"], flows["ping"]
        again = transfer["tcp"]["retransmitted"]
        return transfer["received"]["bytes"] / 1e6, ping["delay"]["mean_ns"] / 1e6, again


def real(run):
    transfer, ping = run.output("F1", "h1"), run.output("ping", "h1")
    sent = re.search(r"sec +\S+ MBytes +\S+ Mbits/sec +(\d+) +sender", transfer)
    received = re.search(r"sec +(\S+) MBytes .* receiver", transfer)
    rtt = re.search(r"= [\d.]+/([\d.]+)/", ping)
    # iperf3's MByte has 2^20 bytes.
    return float(received[1]) * 1.048576, float(rtt[1]), int(sent[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--netloom", type=pathlib.Path, default=common.NETLOOM)
    arguments = parser.parse_args()
    common.NETLOOM = arguments.netloom.resolve()
    print(common.machine())
    original = Simulated().figures()
    print("| method | goodput, MB | rtt, ms | again | verdicts |\n|---|---|---|---|---|")
    print(f"| simulated | {original[0]:.1f} | {original[1]:.0f} | {original[2]} | |")
    rows = {method: [] for method in METHODS}
    for _ in range(arguments.runs):
        for method in METHODS:
            run = common.Run(scenario(method))
            rows[method].append((*real(run), run.summary["verdict"]["judgement"]))
    for method, runs in rows.items():
        goodput, rtt, again = (statistics.median(run[place] for run in runs) for place in range(3))
        off = [f"{100 * (value / of - 1):+.0f} %" for value, of in zip((goodput, rtt), original)]
        verdicts = ", ".join(run[3] for run in runs)
        print(
            f"| `{method}` | {goodput:.1f} ({off[0]}) | {rtt:.0f} ({off[1]}) | {again:.0f} "
            f"| {verdicts} |"
        )


if __name__ == "__main__":
    main()
