#!/usr/bin/env python3
"""TCP in two arms: one scenario run in namespaces on a kernel, and simulated.

    sudo benches/tcp/kernels.py [--runs 3] [--seconds 60] [--keep FOLDER]
    sudo benches/tcp/kernels.py --own [--dilation 3] [--together 6] [--controls ...] ...

The first runs on the machine's kernel, which has few congestion controls. With `--own`, hosts have
kernels of their own, which have all (Debian's `user-mode-linux`, whose clock ticks 100 times a
second): those in RANDOM with random loss, the others without. So many controls share a run, whose
time may be dilated where the machine is slow.

Each flow has a path of its own: host, router, router, host; 10 Mbit/s, 64 ms one way and a queue of
66 kB (Erazo 2013, section 3.2.1), with and without random loss. The paths of one congestion control
(with `--own`, of several) are one scenario, so that both arms share seed, links and draws. What is
compared comes from the log of the bottlenecks' frames, which both arms write alike:

first    MB of payload that leave the bottleneck before the first loss
period   mean time from one episode of losses to the next; episodes are a second apart at least
rtt      mean of twice the delay and the wait in the bottleneck, weighted by packets
goodput  Mbit/s of payload that leave the bottleneck, what is sent again included
losses   frames of payload that the bottleneck drops

All but the first begin after SETTLE seconds. An emulated run that fails, or whose verdict is
`invalid`, counts for nothing. The script fails if a median of the runs is outside its tolerance and
`docs/simulated-tcp.md` has no line `known: ALGORITHM LOSS FIGURE`. One loss more or less is never
outside.
"""

import argparse
import csv
import json
import math
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NETLOOM = pathlib.Path(os.environ.get("NETLOOM", ROOT / "target" / "debug" / "netloom"))
KNOWN = ROOT / "docs" / "simulated-tcp.md"
ALGORITHMS = ["reno", "cubic", "bbr"]
OWN = (
    "bbr bic cdg cubic dctcp highspeed htcp hybla illinois lp nv reno scalable vegas veno westwood"
    " yeah"
).split()
# Those that have paths with random loss, with `--own`.
RANDOM = ["reno", "cubic", "scalable"]
# What they drop, and when, hangs on a random phase or on microseconds of delay.
BY_DELAY = ["bbr", "cdg", "lp", "nv", "vegas"]
# A small kernel would have smaller buffers than the simulation takes for the default.
OWN_HOST = (
    '{ kernel: own, sysctls: { net.ipv4.tcp_rmem: "4096 131072 6291456",'
    ' net.ipv4.tcp_wmem: "4096 16384 4194304" } }'
)
LOSSES = ["0%", "0.01%", "0.1%", "1%", "10%"]
SETTLE = 10.0
EPISODE = 1.0
DELAY = 0.064
HEADERS = 66
# Shares by which an arm may differ from the other, without and with random loss.
EXACT = {"first": 0.05, "period": 0.10, "rtt": 0.05, "goodput": 0.01, "losses": 0.10}
LOSSY = {"goodput": 0.05}
VERY_LOSSY = {"goodput": 0.10}


def tolerances(algorithm, loss):
    if loss == "0%":
        return {"rtt": 0.05, "goodput": 0.05} if algorithm in BY_DELAY else EXACT
    return VERY_LOSSY if loss in ("1%", "10%") else LOSSY


def paths(algorithm, own=False):
    """The name and the loss of each path of a congestion control."""
    losses = LOSSES if algorithm in RANDOM or not own else LOSSES[:1]
    for number, loss in enumerate(losses):
        yield f"{algorithm}{number}", loss


def scenario(title, flows, seconds, own=False):
    """A flow on each path: its name, its congestion control, and properties of its bottleneck
    beside rate and delay."""
    nodes, links, traffic = [], [], []
    for name, algorithm, properties in flows:
        nodes += [f"    {name}{end}: {OWN_HOST if own else ''}" for end in "ab"]
        nodes += [f"    {name}{side}: {{ kind: router }}" for side in "lr"]
        links.append(f"    - {{ endpoints: [{name}a, {name}l], rate: 1Gbit/s }}")
        links.append(
            f"    - {{ name: {name}, endpoints: [{name}l, {name}r], rate: 10Mbit/s, delay: 64ms,"
            f" {properties}, queue: {{ limit: 66kB }} }}"
        )
        links.append(f"    - {{ endpoints: [{name}r, {name}b], rate: 1Gbit/s }}")
        traffic.append(
            f"  - {{ name: {name}, from: {name}a, to: {name}b,"
            f" tcp: {{ congestion_control: {algorithm} }}, bulk: {{}}, for: {seconds}s }}"
        )
    logged = [name for name, *_ in flows]
    lines = [f"name: {title}", "seed: 7", "topology:", "  nodes:", *nodes]
    if own:
        lines.insert(2, "simulation: { tcp: { hz: 100 } }")
    lines += ["  links:", *links]
    lines += ["traffic:", *traffic, "measure:", f"  frames: [{', '.join(logged)}]"]
    return "\n".join(lines) + "\n"


def netloom(*arguments):
    """Runs `netloom`; what it said where it failed, else nothing."""
    done = subprocess.run([NETLOOM, *map(str, arguments)], capture_output=True, text=True)
    said = f"netloom {' '.join(map(str, arguments))}: {done.stdout}{done.stderr}"
    return said if done.returncode != 0 else ""


class Path:
    """What one bottleneck's frames towards the receiver add up to."""

    def __init__(self):
        self.first = None
        self.lost = False
        self.before_loss = 0
        self.waits = 0.0
        self.frames = 0
        self.bytes = 0
        self.drops = []
        self.last = 0.0

    def add(self, row):
        time = int(row["time_ns"]) / 1e9
        if self.first is None:
            self.first = time
        if int(row["bytes"]) <= 2 * HEADERS:
            return
        frames = int(row["frames"])
        payload = int(row["bytes"]) - frames * HEADERS
        self.lost |= row["event"] != "delivered"
        self.before_loss += 0 if self.lost else payload
        if time < self.first + SETTLE:
            return
        if row["event"] != "delivered":
            self.drops.append(time)
        else:
            self.waits += frames * (int(row["serialized_ns"]) - int(row["offered_ns"])) / 1e9
            self.frames += frames
            self.bytes += payload
            self.last = time

    def figures(self):
        begins = [
            at for before, at in zip([-EPISODE, *self.drops], self.drops) if at - before >= EPISODE
        ]
        gaps = [b - a for a, b in zip(begins, begins[1:])]
        return {
            "first": self.before_loss / 1e6 if self.lost else float("nan"),
            "period": statistics.mean(gaps) if gaps else float("nan"),
            "rtt": 2 * DELAY + self.waits / max(1, self.frames),
            "goodput": self.bytes * 8 / max(1e-9, self.last - self.first - SETTLE) / 1e6,
            "losses": len(self.drops),
        }


def figures(names, results):
    table = subprocess.Popen(
        [NETLOOM, "frames", "--csv", "-", results / "frames.nlf"], stdout=subprocess.PIPE, text=True
    )
    found = {name: Path() for name in names}
    for row in csv.DictReader(table.stdout):
        if row["direction"] == "forward" and row["event"] in ("dropped", "rejected", "delivered"):
            found[row["link"]].add(row)
    if table.wait() != 0:
        raise SystemExit("netloom frames failed")
    return {name: path.figures() for name, path in found.items()}


def known(algorithm, loss, figure):
    text = KNOWN.read_text() if KNOWN.exists() else ""
    wanted = rf"^.*known: {re.escape(algorithm)} {re.escape(loss)} {figure}\b"
    return re.search(wanted, text, re.MULTILINE) is not None


def shown(value, form):
    """`value` in the table: a dash where there is none."""
    return "–" if math.isnan(value) else format(value, form)


def report(algorithm, simulated, emulated, own):
    """Prints the rows of one congestion control; whether one is outside and not known."""
    failed = False
    for name, loss in paths(algorithm, own):
        allowed = tolerances(algorithm, loss)
        for figure, ours in simulated[name].items():
            theirs = [run[name][figure] for run in emulated]
            middle = statistics.median(theirs)
            apart = ours / middle - 1 if middle else float("nan")
            limit = allowed.get(figure)
            mark = ""
            is_one = figure == "losses" and abs(ours - middle) <= 1
            if limit is not None and not is_one and not abs(apart) <= limit:
                excused = known(algorithm, loss, figure)
                mark = "known" if excused else "OUTSIDE"
                failed |= not excused
            each = ", ".join(shown(value, ".4g") for value in theirs)
            bound = "" if limit is None else f"{limit:.0%}"
            print(
                f"| {algorithm} | {loss} | {figure} | {shown(ours, '.4g')} | {each}"
                f" | {shown(apart, '+.1%')} | {bound} | {mark} |"
            )
    return failed


def emulate(title, file, names, options):
    """The figures of each run on the kernel that is fit to be compared."""
    dilated = ["--dilation", options.dilation] if options.own else []
    for run in range(options.runs):
        results = file.parent / f"{title}-emulated{run}"
        failed = netloom("run", *dilated, "-t", file, "-o", results)
        verdict = failed and failed.splitlines()[0]
        if not failed:
            summary = json.loads((results / "summary.json").read_text())
            verdict = (summary["verdict"] or {}).get("judgement", "not judged")
        load = os.getloadavg()[0]
        print(f"{title}, run {run + 1}: {verdict}, load {load:.1f}", file=sys.stderr)
        if verdict in ("valid", "suspect"):
            yield figures(names, results)


def compare(algorithms, folder, options):
    """Compares what these congestion controls did in one run with what they did in another."""
    title = "-".join(algorithms)
    file = folder / f"{title}.yaml"
    flows = [
        (name, algorithm, f"loss: {loss}")
        for algorithm in algorithms
        for name, loss in paths(algorithm, options.own)
    ]
    names = [name for name, *_ in flows]
    file.write_text(scenario(f"kernels-{algorithms[0]}", flows, options.seconds, options.own))
    results = folder / f"{title}-simulated"
    if failed := netloom("run", "--simulate", "-t", file, "-o", results):
        raise SystemExit(failed)
    emulated = list(emulate(title, file, names, options))
    if not emulated:
        print(f"{title}: no emulated run is fit to be compared", flush=True)
        return True
    simulated = figures(names, results)
    return any([report(algorithm, simulated, emulated, options.own) for algorithm in algorithms])


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--seconds", type=int, default=60)
    options.add_argument("--keep", type=pathlib.Path)
    options.add_argument("--own", action="store_true")
    options.add_argument("--dilation", default="1")
    options.add_argument("--together", type=int, default=6)
    options.add_argument("--controls", nargs="+", choices=OWN)
    options = options.parse_args()
    controls = options.controls or (OWN if options.own else ALGORITHMS)
    step = options.together if options.own else 1
    groups = [controls[at : at + step] for at in range(0, len(controls), step)]
    with tempfile.TemporaryDirectory(prefix="netloom-kernels-") as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print(f"Linux {platform.release()}, load {os.getloadavg()[0]:.1f}\n")
        print("| flow | loss | figure | simulated | emulated, each run | difference | allowed | |")
        print("|---|---|---|---|---|---|---|---|", flush=True)
        failed = [compare(group, folder, options) for group in groups]
        sys.exit(any(failed))


if __name__ == "__main__":
    main()
