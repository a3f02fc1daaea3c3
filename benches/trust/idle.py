#!/usr/bin/env python3
"""The backbone of `examples/abilene` on an idle machine, and beside two programs outside the experiment that
do nothing but compute.

Wanted: `valid` every time; then never, and each time CPU and one of the two programs named.

    idle.py [RUNS]
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

from watched import ROOT, machine, netloom

ABILENE = ROOT / "examples" / "abilene" / "netloom.yaml"


def verdict():
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
        results = pathlib.Path(folder) / "results"
        netloom("run", "-t", ABILENE, "-o", results)
        return json.loads((results / "summary.json").read_text())["verdict"]


def show(what, verdicts):
    counts = collections.Counter(verdict["judgement"] for verdict in verdicts)
    print(f"  {what}: " + ", ".join(f"{count} {judgement}" for judgement, count in counts.items()))
    for verdict in verdicts:
        print(f"    {verdict['judgement']}: " + "; ".join(f["why"] for f in verdict["findings"])[:160])


def named(verdict, pids):
    reports = [r for r in verdict["signals"] if r["signal"] == "cpu" and r["episodes"]]
    return any(share["who"].get("pid") in pids for report in reports for share in report["shares"])


def main():
    runs = int(sys.argv[1]) if sys.argv[1:] else 10
    print(f"Idle and not, on {machine()}", flush=True)
    show("idle", [verdict() for _ in range(runs)])
    spin = ["sh", "-c", "while :; do :; done"]
    spinners = [subprocess.Popen(spin) for _ in range(2)]
    try:
        verdicts = [verdict() for _ in range(runs)]
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()
    pids = {spinner.pid for spinner in spinners}
    show("beside two spinners", verdicts)
    print(f"  CPU and a spinner named: {sum(named(v, pids) for v in verdicts)} of {runs}")


main()
