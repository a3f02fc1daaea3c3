#!/usr/bin/env python3
"""TCP over a dumbbell at several dilations: what nodes see must not hang on how slowly time passes.

    sudo benches/tcp/dilated.py [--dilations 1 10] [--seconds 40] [--second 15] [--controls ...]

Erazo 2013, section 3.3.4, figure 3.9 (V3): two senders and two receivers on kernels of their own,
access links of 1 Gbit/s, a bottleneck of 100 Mbit/s with 50 ms one way; the second flow begins
later. The paper gives no queue: ours is 300 packets of 1500 B. Rates are of frames, from the log:

alone    goodput of the first flow, Mbit/s, from SETTLE seconds on until the second begins
first    its goodput from SETTLE seconds after the second has begun on, Mbit/s
second   that of the second flow
wait     mean wait in the bottleneck with both, ms
fair     seconds from the second's begin until both have been fair (Jain >= 0.95) for WINDOW

The script fails if the sum of goodputs, or a wait, of a dilation differs by more than 5 % from that
of the first dilation. How two flows share a link hangs on which frame is lost first, and is shown.
"""

import argparse
import collections
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NETLOOM = pathlib.Path(os.environ.get("NETLOOM", ROOT / "target" / "release" / "netloom"))
SETTLE = 5.0
WINDOW = 2
ALLOWED = 0.05
HEADERS = 66
FLOWS = {"way1": 0, "way2": 1}

SCENARIO = """\
name: dilated-{control}
duration: {seconds}s
topology:
  nodes:
    s1: {own}
    s2: {own}
    d1: {own}
    d2: {own}
    l: {{ kind: router }}
    r: {{ kind: router }}
  links:
    - {{ name: way1, endpoints: [s1, l], rate: 1Gbit/s }}
    - {{ name: way2, endpoints: [s2, l], rate: 1Gbit/s }}
    - name: core
      endpoints: [l, r]
      rate: 100Mbit/s
      delay: 50ms
      queue: {{ limit: 300packets }}
    - {{ endpoints: [r, d1], rate: 1Gbit/s }}
    - {{ endpoints: [r, d2], rate: 1Gbit/s }}
traffic:
  - {{ name: one, from: s1, to: d1, tcp: &tcp {{ congestion_control: {control} }}, bulk: {{}} }}
  - {{ name: two, from: s2, to: d2, tcp: *tcp, bulk: {{}}, start: {second}s }}
measure: {{ frames: [way1, way2, core] }}
"""
OWN = (
    '{ kernel: own, limits: { memory: 192MiB }, sysctls: {'
    ' net.ipv4.tcp_rmem: "4096 131072 6291456", net.ipv4.tcp_wmem: "4096 16384 6291456" } }'
)


def run(control, dilation, options, folder):
    file = folder / f"{control}.yaml"
    times = {"seconds": options.seconds, "second": options.second}
    file.write_text(SCENARIO.format(control=control, own=OWN, **times))
    results = folder / f"{control}-{dilation}"
    arguments = ["run", "-t", file, "-o", results, "--dilation", dilation]
    done = subprocess.run([NETLOOM, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise SystemExit(done.stderr or done.stdout)
    summary = json.loads((results / "summary.json").read_text())
    verdict = summary["verdict"]
    why = [finding["why"] for finding in verdict["findings"][:1]] + summary["failures"]
    verdict, load = verdict["judgement"], os.getloadavg()[0]
    print(f"{control} at {dilation}: {verdict}, load {load:.1f}; {'; '.join(why)}", file=sys.stderr)
    return figures(results, options), verdict


def figures(results, options):
    """What a run's frames add up to."""
    table = subprocess.Popen(
        [NETLOOM, "frames", "--csv", "-", results / "frames.nlf"], stdout=subprocess.PIPE, text=True
    )
    first, rates, waits = None, collections.defaultdict(lambda: [0, 0]), []
    for row in csv.DictReader(table.stdout):
        if row["direction"] != "forward" or row["event"] != "delivered":
            continue
        payload = int(row["bytes"]) - HEADERS
        if payload <= HEADERS:
            continue
        time = int(row["time_ns"]) / 1e9
        first = first or time
        since = time - first
        if row["link"] in FLOWS:
            rates[int(since)][FLOWS[row["link"]]] += payload * 8 / 1e6
        elif since >= options.second + SETTLE:
            waits.append((int(row["serialized_ns"]) - int(row["offered_ns"])) / 1e6)
    if table.wait() != 0:
        raise SystemExit("netloom frames failed")
    last = max(rates)

    def mean(flow, begin, end):
        seconds = range(int(begin), int(end))
        return sum(rates[at][flow] for at in seconds) / max(1, len(seconds))

    late = options.second + SETTLE
    return {
        "alone": mean(0, SETTLE, options.second),
        "first": mean(0, late, last),
        "second": mean(1, late, last),
        "wait": sum(waits) / max(1, len(waits)),
        "fair": fair(rates, options.second, last),
    }


def fair(rates, begin, end):
    since = 0
    for at in range(int(begin), int(end)):
        a, b = rates[at]
        index = (a + b) ** 2 / (2 * (a * a + b * b)) if a + b > 0 else 0.0
        since = since + 1 if index >= 0.95 else 0
        if since == WINDOW:
            return at + 1 - WINDOW - begin
    return math.nan


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--dilations", nargs="+", default=["1", "10"])
    options.add_argument("--seconds", type=int, default=40)
    options.add_argument("--second", type=int, default=15)
    options.add_argument("--controls", nargs="+", default=["reno", "cubic", "scalable"])
    options = options.parse_args()
    heads = "flows dilation verdict alone first second both wait,_ms fair_after,_s".split()
    print(f"| {' | '.join(heads)} |".replace("_", " "))
    print("|---" * len(heads) + "|", flush=True)
    failed = False
    with tempfile.TemporaryDirectory(prefix="netloom-dilated-") as temporary:
        for control in options.controls:
            before = None
            for dilation in options.dilations:
                found, verdict = run(control, dilation, options, pathlib.Path(temporary))
                both = found["first"] + found["second"]
                compared = {"alone": found["alone"], "both": both, "wait": found["wait"]}
                before = before or compared
                apart = {key: compared[key] / max(before[key], 1e-9) - 1 for key in compared}
                failed |= any(not abs(value) <= ALLOWED for value in apart.values())
                shown = {key: f"{compared[key]:.2f} ({apart[key]:+.1%})" for key in compared}
                print(
                    f"| {control} | {dilation} | {verdict} | {shown['alone']}"
                    f" | {found['first']:.2f} | {found['second']:.2f}"
                    f" | {shown['both']} | {shown['wait']}"
                    f" | {found['fair']:.0f} |",
                    flush=True,
                )
    sys.exit(failed)


if __name__ == "__main__":
    main()
