#!/usr/bin/env python3
"""The largest simulated load beside which real nodes get a `valid` verdict, at several dilations.

    sudo benches/tcp/largest.py [--dilations 1 5 10] [--seconds 10] [--runs 3] [--steps 4]

Erazo 2013, section 3.3.5, figures 3.10 and 3.11: a dumbbell of 1 Gbit/s and 50 ms, access
links of 1 ms; a real pair, on kernels of their own, and 20 simulated pairs, all with windows of
about 30 packets of 960 bytes. The load grows by connections of each simulated pair: they double
until most of so many runs are not `valid`, and then the gap is halved in steps. Load is what the
bottleneck carries of all flows, in Mbit/s of the experiment; the paper had 160, 480 and 670 at 1, 5
and 10. Wanted: proportional to the dilation within 15 %.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NETLOOM = pathlib.Path(os.environ.get("NETLOOM", ROOT / "target" / "release" / "netloom"))
PAPER = {"1": 160, "5": 480, "10": 670}
PAIRS = 20
MOST = 4096
ALLOWED = 0.15


def scenario(connections, seconds):
    # Receivers advertise half of it: 30 segments.
    window = 'sysctls: { net.ipv4.tcp_rmem: "4096 57600 57600" }'
    nodes = ["    s0: { kernel: own }", f"    d0: {{ kernel: own, {window} }}"]
    nodes += [f"    {router}: {{ kind: router, simulated: true }}" for router in "lr"]
    links = [
        "    - { name: core, endpoints: [l, r], rate: 1Gbit/s, delay: 50ms, mtu: 1000 }",
    ]
    traffic = [
        "  - { name: real, from: s0, to: d0, tcp: {}, bulk: {}, background: true }",
    ]
    for number in range(PAIRS + 1):
        if number > 0:
            nodes += [
                f"    s{number}: {{ simulated: true }}",
                f"    d{number}: {{ simulated: true, {window} }}",
            ]
            traffic.append(
                f"  - {{ name: f{number}, from: s{number}, to: d{number}, tcp: {{}},"
                f" bulk: {{ connections: {connections} }}, background: true }}"
            )
        for end, router in ((f"s{number}", "l"), (f"d{number}", "r")):
            links.append(f"    - {{ endpoints: [{end}, {router}], delay: 1ms, mtu: 1000 }}")
    head = ["name: largest", f"duration: {seconds}s", "topology:"]
    head += ["  defaults: { node: { ipv6: none } }", "  nodes:", *nodes]
    return "\n".join([*head, "  links:", *links, "traffic:", *traffic]) + "\n"


def run(connections, dilation, options, folder):
    """Whether the run was `valid`, and the load of the bottleneck in Mbit/s."""
    file = folder / "netloom.yaml"
    file.write_text(scenario(connections, options.seconds))
    with tempfile.TemporaryDirectory(dir=folder) as results:
        arguments = ["run", "-t", file, "-o", f"{results}/r", "--dilation", dilation]
        done = subprocess.run([NETLOOM, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode not in (0, 3):
            raise SystemExit(done.stderr or done.stdout)
        summary = json.loads(pathlib.Path(results, "r", "summary.json").read_text())
    core = next(link for link in summary["links"] if link["name"] == "core")
    delivered = core["forward"]["statistics"]["delivered"]["bytes"]
    load = delivered * 8 / (options.seconds * 1e6)
    judgement = summary["verdict"]["judgement"]
    print(
        f"{connections} connections at {dilation}: {load:.0f} Mbit/s, {judgement}, "
        f"highest load {summary['simulation'].get('highest_load', 0):.2f}, "
        f"load of the machine {os.getloadavg()[0]:.1f}",
        file=sys.stderr,
    )
    return judgement == "valid", load


def is_borne(connections, dilation, options, folder):
    """The mean load if most of the runs are valid, else nothing."""
    went = [run(connections, dilation, options, folder) for _ in range(options.runs)]
    if sum(valid for valid, _ in went) * 2 <= len(went):
        return None
    return sum(load for _, load in went) / len(went)


def largest(dilation, options, folder):
    low, load, high = 0, 0.0, 1
    while high <= MOST and (found := is_borne(high, dilation, options, folder)) is not None:
        low, load, high = high, found, 2 * high
    for _ in range(options.steps):
        middle = (low + high) // 2
        if middle in (low, high):
            break
        found = is_borne(middle, dilation, options, folder)
        if found is None:
            high = middle
        else:
            low, load = middle, found
    return load


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--dilations", nargs="+", default=["1", "5", "10"])
    options.add_argument("--seconds", type=int, default=10)
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--steps", type=int, default=4)
    options = options.parse_args()
    print("| dilation | largest load, Mbit/s | the paper's | for each dilation | |")
    print("|---|---|---|---|---|", flush=True)
    failed, first = False, None
    with tempfile.TemporaryDirectory(prefix="netloom-largest-") as folder:
        for dilation in options.dilations:
            load = largest(dilation, options, pathlib.Path(folder))
            each = load / float(dilation)
            first = first or each
            apart = each / first - 1 if first else float("nan")
            outside = not abs(apart) <= ALLOWED
            failed |= outside
            paper = PAPER.get(dilation, "–")
            print(
                f"| {dilation} | {load:.0f} | {paper} | {each:.0f} ({apart:+.0%})"
                f" | {'OUTSIDE' if outside else ''} |",
                flush=True,
            )
    sys.exit(failed)


if __name__ == "__main__":
    main()
