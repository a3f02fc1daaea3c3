#!/usr/bin/env python3
"""Flows of different congestion controls on one bottleneck, simulated and in namespaces.

    benches/tcp/competing.py [--seeds 10] [--seconds 60] [--keep FOLDER] [--only TEXT]
    sudo benches/tcp/competing.py --emulated ...

CUBIC beside BBR, and CUBIC beside DCTCP, on a bottleneck of 20 Mbit/s whose queue holds two
products of rate and round trip, under four queue disciplines and at three round trips. Both flows
begin within two seconds, at times drawn from the seed; what is compared comes from the last links,
one for each receiver, SETTLE seconds after the start on. With `--emulated`, each run is made in
namespaces, too: CUBIC and BBR on the machine's kernel, DCTCP and the CUBIC beside it on kernels of
their own. Printed is the mean goodput of each flow with its 95 % interval, and the difference of
simulated from emulated; more than 5 % is an error, unless the intervals of both arms overlap. An
emulated run whose verdict is `invalid` counts for nothing.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NETLOOM = pathlib.Path(os.environ.get("NETLOOM", ROOT / "target" / "debug" / "netloom"))
SETTLE, TOLERANCE = 10, 0.05
RATE = 20e6
OTHERS = ["bbr", "dctcp"]
ROUND_TRIPS = [10, 40, 160]


def queues(product):
    """The disciplines, for a path that holds so many bytes. RED's thresholds are a sixth and a half
    of that, and it marks at most every tenth packet between them."""
    red = f"red: {{ min: {product // 6}B, max: {product // 2}B, max_p: 10% }}"
    return {"fifo": "fifo", "fq_codel": "fq_codel", "pie": "pie", "red": f"{{ {red} }}"}


def scenario(name, other, discipline, round_trip, seed, seconds, own):
    draw = random.Random(f"{seed}/{name}")
    starts = [round(draw.uniform(0, 2000)) for _ in range(2)]
    product = round(RATE * round_trip / 1e3 / 8)
    host = ""
    if own:
        # A small kernel would have smaller buffers than the simulation takes for the default.
        host = (
            '{ kernel: own, sysctls: { net.ipv4.tcp_rmem: "4096 131072 6291456",'
            ' net.ipv4.tcp_wmem: "4096 16384 4194304" } }'
        )
    hz = "simulation: { tcp: { hz: 100 } }\n" if own else ""
    return f"""\
name: {name}
seed: {seed}
duration: {seconds}s
{hz}topology:
  nodes:
    s1: {host}
    s2: {host}
    d1: {host}
    d2: {host}
    left: {{ kind: router }}
    right: {{ kind: router }}
  defaults: {{ link: {{ rate: 1Gbit/s }}, node: {{ ipv6: none }} }}
  links:
    - {{ endpoints: [s1, left] }}
    - {{ endpoints: [s2, left] }}
    - name: core
      endpoints: [left, right]
      rate: {RATE:.0f}bit/s
      delay: {round_trip / 2:g}ms
      forward: {{ queue: {{ discipline: {queues(product)[discipline]}, limit: {2 * product}B }} }}
    - {{ name: cubic, endpoints: [right, d1] }}
    - {{ name: {other}, endpoints: [right, d2] }}
traffic:
  - {{ name: one, from: s1, to: d1, tcp: {{ congestion_control: cubic }}, bulk: {{}}, \
start: {starts[0]}ms }}
  - {{ name: two, from: s2, to: d2, tcp: {{ congestion_control: {other} }}, bulk: {{}}, \
start: {starts[1]}ms }}
measure: {{ interval: 1s }}
"""


def run(folder, text, emulated):
    """Makes a run; its results, or None if it cannot be used."""
    folder.mkdir(parents=True)
    (folder / "netloom.yaml").write_text(text)
    how = [] if emulated else ["--simulate"]
    command = [NETLOOM, "run", *how, "-t", folder / "netloom.yaml", "-o", folder / "results"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode not in (0, 3):
        print(f"{folder.name}: {done.stdout}{done.stderr}", file=sys.stderr)
        return None
    verdict = json.loads((folder / "results" / "summary.json").read_text()).get("verdict") or {}
    return None if verdict.get("judgement") == "invalid" else folder / "results"


def compared(first, second):
    """The goodput of each flow in both groups of runs: mean and half of its interval."""
    command = [NETLOOM, "compare", *first, "--with", *second, "--from", f"{SETTLE}s"]
    command += ["--format", "json"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    rows = json.loads(done.stdout)["rows"]
    found = {}
    for row in rows:
        link = row["what"].split("/")[0].split()[-1]
        forward = "reverse" not in row["what"]
        if row["measure"] == "goodput" and link in ("cubic", *OTHERS) and forward:
            found[link] = row
    return found


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--emulated", action="store_true")
    arguments.add_argument("--seeds", type=int, default=10)
    arguments.add_argument("--seconds", type=int, default=60)
    arguments.add_argument("--keep", type=pathlib.Path)
    arguments.add_argument("--only", default="")
    options = arguments.parse_args()
    base = options.keep or pathlib.Path(tempfile.mkdtemp(prefix="netloom-bench-"))
    outside = 0
    head = "| pair | queue | round trip | flow | simulated |"
    print(head + (" emulated | difference |" if options.emulated else ""))
    print("|---" * (7 if options.emulated else 5) + "|")
    for other in OTHERS:
        for round_trip in ROUND_TRIPS:
            for discipline in queues(1):
                what = f"tcp-competing-{other}-{discipline}-{round_trip}".replace("_", "-")
                if options.only in what:
                    outside += cell(base, what, (other, discipline, round_trip), options)
    if not options.keep:
        shutil.rmtree(base)
    if options.emulated:
        print(f"{outside} outside")
    sys.exit(outside > 0)


def cell(base, what, of, options):
    """Runs both arms with all seeds, and prints a row for each flow. Returns how many differ."""
    arms = {"simulated": [], "emulated": []}
    for seed in range(1, options.seeds + 1):
        own = of[0] == "dctcp"
        text = scenario(what, *of, seed, options.seconds, own and options.emulated)
        plain = scenario(what, *of, seed, options.seconds, False)
        if own and options.emulated:
            plain = plain.replace("topology:", "simulation: { tcp: { hz: 100 } }\ntopology:", 1)
        runs = [("simulated", plain)] + [("emulated", text)] * options.emulated
        for arm, text in runs:
            results = run(base / what / f"{arm}-{seed}", text, arm == "emulated")
            arms[arm] += [results] if results else []
    second = arms["emulated"] if options.emulated else arms["simulated"]
    if not arms["simulated"] or not second:
        print(f"{what}: no runs that count", file=sys.stderr)
        return 1
    outside = 0
    for flow, row in compared(arms["simulated"], second).items():
        shown = f"{row['a'] / 1e6:.2f} ± {row.get('a_half', 0) / 1e6:.2f}"
        line = f"| cubic, {of[0]} | {of[1]} | {of[2]} ms | {flow} | {shown} |"
        if options.emulated:
            halves = row.get("a_half", 0) + row.get("b_half", 0)
            far = abs(row["a"] - row["b"])
            bad = far > TOLERANCE * row["b"] and far > halves
            outside += bad
            difference = f"{(row['a'] / row['b'] - 1) * 100:+.1f} %"
            line += f" {row['b'] / 1e6:.2f} ± {row.get('b_half', 0) / 1e6:.2f} |"
            line += f" **{difference}** |" if bad else f" {difference} |"
        print(line, flush=True)
    return outside


if __name__ == "__main__":
    main()
