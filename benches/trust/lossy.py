#!/usr/bin/env python3
"""A link that is full and lossy: what the verdict says of lateness, beside the frame log.

Wanted: no finding that says more than the frame log bears out, `handed_over - delivered` of the
latest frame, and for how long the engine stood still, which the log cannot see: frames that came
meanwhile were taken in late.

    lossy.py [RUNS [SECONDS]]
"""

import csv
import json
import subprocess
import sys

from watched import Run, machine, percentile

import common

LINKS = ["", "loss: 3%", "loss: 10%", "ber: 1e-5"]
SCENARIO = """
name: bench-lossy
topology:
  nodes: {{a: {{}}, b: {{}}}}
  links: [{{endpoints: [a, b], rate: 10Mbit/s, delay: 5ms, {fate}}}]
measure: {{frames: true}}
processes:
  - {{name: server, node: b, command: "iperf3 -s", background: true, ready: {{port: 5201}}}}
  # iperf3 gives up where its first datagram is lost.
  - name: client
    node: a
    command: [sh, -c, "until iperf3 -u -b 12M -t {seconds} -c b; do sleep 1; done"]
    start: {{after: server}}
"""


class Lateness:
    """How late frames were handed over, in ms, by the frame log."""

    def __init__(self, log):
        table = subprocess.run(
            [common.NETLOOM, "frames", log, "--csv", "-"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        delivered, late = {}, []
        for row in csv.DictReader(table.splitlines()):
            frame = row["link"], row["direction"], row["number"]
            time = int(row["time_ns"])
            if row["event"] == "delivered":
                delivered[frame] = time
            elif row["event"] == "handed_over":
                late.append((time - delivered[frame]) / 1e6)
        self.p99, self.worst = percentile(late, 0.99), max(late)


def findings(summary):
    """The findings on lateness: on what, and how much; how long the engine stood still. In ms."""
    reports = {
        r["on"]["kind"]: r for r in summary["verdict"]["signals"] if r["signal"] == "lateness"
    }
    late = [(kind, r) for kind, r in reports.items() if kind != "engine" and r["episodes"]]
    found = [(kind, max(e["peak"] for e in r["episodes"]) / 1e6) for kind, r in late]
    pauses = reports.get("engine", {}).get("worst") or 0
    return found, pauses / 1e6


def main():
    runs = int(sys.argv[1]) if sys.argv[1:] else 10
    seconds = sys.argv[2] if sys.argv[2:] else 5
    print(f"Full and lossy links, on {machine()}", flush=True)
    print("| link | verdict | found late, ms | log: p99, worst | stood still | borne out |")
    print("|---|---|---|---|---|---|")
    false = 0
    for fate in LINKS:
        for _ in range(runs):
            run = Run(SCENARIO.format(fate=fate, seconds=seconds))
            log = Lateness(run.results / "frames.nlf")
            found, pause = findings(run.summary)
            wrong = [kind for kind, value in found if value > log.worst + pause]
            false += len(wrong)
            told = ", ".join(f"{kind} {value:.2f}" for kind, value in found) or "-"
            verdict = run.summary["verdict"]["judgement"]
            print(
                f"| {fate or 'no loss'} | {verdict} | {told} | {log.p99:.3f}, "
                f"{log.worst:.3f} | {pause:.3f} | {'NO' if wrong else 'yes'} |",
                flush=True,
            )
    print(f"findings that the log does not bear out: {false}")


main()
