#!/usr/bin/env python3
"""The backbone of `examples/abilene` on an idle machine, and beside two programs outside the
experiment that do nothing but compute.

Wanted: not `invalid` at least eight times of ten, each with its bound; then CPU and one of the two
programs named each time. (What a spinner does to frames and programs, the bound says.)

    idle.py [RUNS]
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

from watched import ROOT, machine, netloom
from witness import Witness

ABILENE = ROOT / "examples" / "abilene" / "netloom.yaml"


def verdict():
    """The verdict on a run, which is shown with what a witness saw of the machine."""
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder, Witness() as witness:
        results = pathlib.Path(folder) / "results"
        netloom("run", "-t", ABILENE, "-o", results)
        verdict = json.loads((results / "summary.json").read_text())["verdict"]
    pipes = verdict["bound"]["pipes"]
    late = max(pipes, key=lambda pipe: pipe["late"]["share"])
    print(f"    links {verdict['links']}, programs {verdict['programs']}; {late['pipe']}: ", end="")
    print(f"p99 {late['late']['p99']}, {late['late']['share']:.2%} late; {witness}", flush=True)
    for finding in verdict["findings"]:
        print(f"      {finding['why'][:180]}")
    return verdict


def several(what, runs):
    print(f"  {what}:", flush=True)
    verdicts = [verdict() for _ in range(runs)]
    counts = collections.Counter(verdict["judgement"] for verdict in verdicts)
    print(f"  {what}: " + ", ".join(f"{count} {judgement}" for judgement, count in counts.items()))
    return verdicts


def named(verdict, pids):
    reports = [r for r in verdict["signals"] if r["signal"] == "cpu" and r["episodes"]]
    return any(share["who"].get("pid") in pids for report in reports for share in report["shares"])


def main():
    runs = int(sys.argv[1]) if sys.argv[1:] else 10
    print(f"Idle and not, on {machine()}", flush=True)
    several("idle", runs)
    spin = ["sh", "-c", "while :; do :; done"]
    spinners = [subprocess.Popen(spin) for _ in range(2)]
    try:
        verdicts = several("beside two spinners", runs)
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()
    pids = {spinner.pid for spinner in spinners}
    print(f"  CPU and a spinner named: {sum(named(v, pids) for v in verdicts)} of {runs}")


main()
