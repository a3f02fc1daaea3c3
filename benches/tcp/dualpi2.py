#!/usr/bin/env python3
"""DualPI2: a scalable flow beside a classic one, simulated.

    benches/tcp/dualpi2.py [--seconds 30] [--flows 1] [--round-trips 5 10 20 50] [--rate 50]

Prague flows beside as many CUBIC flows over one bottleneck with `dualpi2` (docs/dualpi2.md), and as
a comparison all of them under `pie` and `fq_codel`. Captures at both ends of the bottleneck give
the time that each packet waited there. Printed are, from SETTLE seconds on, median and 99th
percentile of that time for both kinds, their goodputs and the ratio, the load of the line, and
drops. There is one run of each: with `dualpi2`, nothing is drawn at random. Wanted: at most 2 ms
for 99 % of the scalable flow's packets, and rates within 1 : 2.
"""

import argparse
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NETLOOM = pathlib.Path(os.environ.get("NETLOOM", ROOT / "target" / "debug" / "netloom"))
SETTLE = 10
MOST, RATIO = 2.0, 2.0


def scenario(discipline, round_trip, options):
    pairs = range(options.flows)
    nodes = "".join(f"    p{n}: \n    c{n}: \n    q{n}: \n    d{n}: \n" for n in pairs)
    links = "".join(
        f"    - {{ endpoints: [p{n}, left] }}\n    - {{ endpoints: [c{n}, left] }}\n"
        f"    - {{ endpoints: [right, q{n}] }}\n    - {{ endpoints: [right, d{n}] }}\n"
        for n in pairs
    )
    traffic = "".join(
        f"  - {{ name: scalable{n}, from: p{n}, to: q{n}, tcp: {{ congestion_control: prague }},"
        f" bulk: {{}}, start: {100 * n}ms }}\n"
        f"  - {{ name: classic{n}, from: c{n}, to: d{n}, tcp: {{ congestion_control: cubic }},"
        f" bulk: {{}}, start: {100 * n + 50}ms }}\n"
        for n in pairs
    )
    return f"""\
name: dualpi2
duration: {options.seconds}s
topology:
  defaults: {{ link: {{ rate: 1Gbit/s }}, node: {{ ipv6: none }} }}
  nodes:
{nodes}    left: {{ kind: router }}
    right: {{ kind: router }}
  links:
    - name: core
      endpoints: ["left:in", "right:out"]
      rate: {options.rate}Mbit/s
      delay: {round_trip / 2:g}ms
      forward: {{ queue: {{ discipline: {discipline}, limit: 250ms }} }}
{links}traffic:
{traffic}measure: {{ interval: 1s, capture: ["left:in", "right:out"] }}
"""


def packets(path):
    """Time in ns, source, sequence number, payload and ECN field of TCP packets with payload."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 6:
            high, low, captured = struct.unpack_from("<III", data, at + 12)
            frame = data[at + 28 : at + 28 + captured]
            if frame[12:14] == b"\x08\x00" and frame[23] == 6:
                total, header = struct.unpack_from(">H", frame, 16)[0], 4 * (frame[14] & 15)
                sequence = struct.unpack_from(">I", frame, 14 + header + 4)[0]
                payload = total - header - 4 * (frame[14 + header + 12] >> 4)
                if payload > 0:
                    yield (high << 32 | low), frame[26:30], sequence, payload, frame[15] & 3
        at += length


def measured(results, rate, delay):
    """Waiting times in ms and payload bits of both kinds, by whether packets could ask for low
    latency: ECT(1), which is 1 at the way in."""
    waits, bits = {True: [], False: []}, {True: 0, False: 0}
    entered, scalable = {}, {}
    captures = results / "captures"
    for time, source, sequence, payload, ecn in packets(captures / "left-in.pcapng"):
        entered[source, sequence] = time
        scalable[source] = scalable.get(source, False) or ecn == 1
    for time, source, sequence, payload, _ in packets(captures / "right-out.pcapng"):
        begun = entered.get((source, sequence))
        if begun is None or time < SETTLE * 1e9:
            continue
        line = (payload + 66 + 24) * 8 / rate * 1e9
        waits[scalable[source]].append(max(0.0, (time - begun - delay - line) / 1e6))
        bits[scalable[source]] += payload * 8
    return waits, bits


def at(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seconds", type=int, default=30)
    arguments.add_argument("--flows", type=int, default=1)
    arguments.add_argument("--rate", type=int, default=50)
    arguments.add_argument("--round-trips", type=float, nargs="+", default=[5, 10, 20, 50])
    options = arguments.parse_args()
    print(
        "| queue | round trip | wait of Prague, median and p99 | of CUBIC | goodput of Prague"
        " | of CUBIC | ratio | load | dropped |\n" + "|---" * 9 + "|"
    )
    failed = False
    for discipline in ["dualpi2", "pie", "fq_codel"]:
        for round_trip in options.round_trips:
            with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
                folder = pathlib.Path(folder)
                (folder / "netloom.yaml").write_text(scenario(discipline, round_trip, options))
                command = [NETLOOM, "run", "--simulate", "-o", "results"]
                done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
                if done.returncode:
                    sys.exit(f"{done.stdout}{done.stderr}")
                waits, bits = measured(
                    folder / "results", options.rate * 1e6, round_trip / 2 * 1e6
                )
                summary = json.loads((folder / "results" / "summary.json").read_text())
            core = next(link for link in summary["links"] if link["name"] == "core")["forward"]
            core = core.get("statistics", core)
            dropped = sum(of["frames"] for of in core["dropped"].values())
            goodput = [bits[kind] / (options.seconds - SETTLE) / 1e6 for kind in (True, False)]
            ratio = max(goodput) / max(min(goodput), 1e-9)
            shown = [f"{at(waits[k], 0.5):.2f}, {at(waits[k], 0.99):.2f} ms" for k in (True, False)]
            print(
                f"| {discipline} | {round_trip:g} ms | {shown[0]} | {shown[1]} |"
                f" {goodput[0]:.1f} | {goodput[1]:.1f} | {ratio:.2f} | {core['load']:.3f} |"
                f" {dropped} |",
                flush=True,
            )
            if discipline == "dualpi2":
                failed |= at(waits[True], 0.99) > MOST or ratio > RATIO
    sys.exit(failed)


if __name__ == "__main__":
    main()
