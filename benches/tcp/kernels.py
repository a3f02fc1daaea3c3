#!/usr/bin/env python3
"""TCP in two arms: one scenario run in namespaces on this machine's kernel, and simulated.

    sudo benches/tcp/kernels.py [--runs 3] [--seconds 60] [--keep FOLDER]

Each flow has a path of its own: host, router, router, host; 10 Mbit/s, 64 ms one way and a queue of
66 kB (Erazo 2013, section 3.2.1), with and without random loss. The paths of one congestion control
are one scenario, so that both arms share seed, links and draws. What is compared comes from the log
of the bottlenecks' frames, which both arms write alike:

first    MB of payload that leave the bottleneck before the first loss
period   mean time from one episode of losses to the next; episodes are a second apart at least
rtt      mean of twice the delay and the wait in the bottleneck, weighted by packets
goodput  Mbit/s of payload that leave the bottleneck, what is sent again included
losses   frames of payload that the bottleneck drops

All but the first begin after SETTLE seconds. An emulated run that fails, or whose verdict is
`invalid`, counts for nothing. The script fails if a median of the runs is outside its tolerance and
`docs/fidelity.md` has no line `known: ALGORITHM LOSS FIGURE`. One loss more or less is never
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
KNOWN = ROOT / "docs" / "fidelity.md"
ALGORITHMS = ["reno", "cubic", "bbr"]
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
        # What BBR drops, and when, hangs on a random phase.
        return {"rtt": 0.05, "goodput": 0.05} if algorithm == "bbr" else EXACT
    return VERY_LOSSY if loss in ("1%", "10%") else LOSSY


def paths(algorithm):
    for number, loss in enumerate(LOSSES):
        yield f"{algorithm}{number}", loss


def names(algorithm):
    return [name for name, _ in paths(algorithm)]


def scenario(title, algorithm, bottlenecks, seconds):
    """A flow on each path, whose bottleneck has a name and properties beside rate and delay."""
    nodes, links, traffic = [], [], []
    for name, properties in bottlenecks:
        nodes += [f"    {name}a:", f"    {name}b:"]
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
    logged = [name for name, _ in bottlenecks]
    lines = [f"name: {title}-{algorithm}", "seed: 7", "topology:", "  nodes:", *nodes]
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


def report(algorithm, simulated, emulated):
    """Prints the rows of one congestion control; whether one is outside and not known."""
    failed = False
    for name, loss in paths(algorithm):
        allowed = tolerances(algorithm, loss)
        for figure, ours in simulated[name].items():
            theirs = [run[name][figure] for run in emulated]
            middle = statistics.median(theirs)
            apart = ours / middle - 1 if middle else float("nan")
            limit = allowed.get(figure)
            mark = ""
            if limit is not None and not abs(apart) <= limit:
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


def emulate(algorithm, file, runs):
    """The figures of each run on the kernel that is fit to be compared."""
    for run in range(runs):
        results = file.parent / f"{algorithm}-emulated{run}"
        failed = netloom("run", "-t", file, "-o", results)
        verdict = failed and failed.splitlines()[0]
        if not failed:
            summary = json.loads((results / "summary.json").read_text())
            verdict = (summary["verdict"] or {}).get("judgement", "not judged")
        load = os.getloadavg()[0]
        print(f"{algorithm}, run {run + 1}: {verdict}, load {load:.1f}", file=sys.stderr)
        if verdict in ("valid", "suspect"):
            yield figures(names(algorithm), results)


def compare(algorithm, folder, options):
    file = folder / f"{algorithm}.yaml"
    losses = [(name, f"loss: {loss}") for name, loss in paths(algorithm)]
    file.write_text(scenario("kernels", algorithm, losses, options.seconds))
    results = folder / f"{algorithm}-simulated"
    if failed := netloom("run", "--simulate", "-t", file, "-o", results):
        raise SystemExit(failed)
    emulated = list(emulate(algorithm, file, options.runs))
    if not emulated:
        raise SystemExit("no emulated run is fit to be compared: the machine is too busy")
    return report(algorithm, figures(names(algorithm), results), emulated)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--seconds", type=int, default=60)
    options.add_argument("--keep", type=pathlib.Path)
    options = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="netloom-kernels-") as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print(f"Linux {platform.release()}, load {os.getloadavg()[0]:.1f}\n")
        print("| flow | loss | figure | simulated | emulated, each run | difference | allowed | |")
        print("|---|---|---|---|---|---|---|---|", flush=True)
        failed = [compare(algorithm, folder, options) for algorithm in ALGORITHMS]
        sys.exit(any(failed))


if __name__ == "__main__":
    main()
