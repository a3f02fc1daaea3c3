#!/usr/bin/env python3
"""Goodput of TCP under random loss, in namespaces on this machine's kernel and simulated.

    sudo benches/tcp/losses.py [--losses 10% 1% ...] [--flows 10] [--seconds 100] [--keep FOLDER]

The path of `kernels.py` (Erazo 2013, section 3.2.2), with losses from 10^-6 to 10^-1; several flows
of one congestion control, each on a path of its own, whose draws are independent of the others'.
Wanted: means whose 95 % intervals overlap, or 5 % apart (10 % from a loss of 1 % on); and Reno
within 20 % of Mathis et al. 1997, for receivers that acknowledge each second packet.
"""

import argparse
import json
import math
import pathlib
import statistics
import sys
import tempfile

from kernels import DELAY, HEADERS, figures, netloom, scenario

ALGORITHMS = ["reno", "cubic"]
LOSSES = ["0.0001%", "0.001%", "0.01%", "0.1%", "1%", "10%"]
MSS = 1448
RATE = 10.0
# Student's t for 95 %, by degrees of freedom.
STUDENT = {4: 2.776, 9: 2.262, 14: 2.145, 19: 2.093}


def mean(values):
    """The mean, and half of its 95 % interval."""
    half = STUDENT[len(values) - 1] * statistics.stdev(values) / math.sqrt(len(values))
    return statistics.fmean(values), half


def mathis(loss):
    share = float(loss.rstrip("%")) / 100
    packets = math.sqrt(3 / (4 * share))
    return min(RATE * MSS / (MSS + HEADERS + 24), MSS * 8 * packets / (2 * DELAY) / 1e6)


def compare(algorithm, loss, folder, options):
    file = folder / f"{algorithm}-{loss}.yaml"
    names = [f"{algorithm}{number}" for number in range(options.flows)]
    flows = [(name, algorithm, f"forward: {{ loss: {loss} }}") for name in names]
    file.write_text(scenario(f"losses-{algorithm}", flows, options.seconds))
    arms = []
    for arm, flags in (("simulated", ["--simulate"]), ("emulated", [])):
        results = folder / f"{algorithm}-{loss}-{arm}"
        if failed := netloom("run", *flags, "-t", file, "-o", results):
            raise SystemExit(failed)
        arms.append(mean([one["goodput"] for one in figures(names, results).values()]))
        verdict = json.loads((results / "summary.json").read_text())["verdict"]
    (ours, our_half), (theirs, their_half) = arms
    apart = ours / theirs - 1
    overlap = abs(ours - theirs) <= our_half + their_half
    within = abs(apart) <= (0.10 if loss in ("1%", "10%") else 0.05)
    # Such an emulated run says nothing of TCP.
    is_fit = verdict["judgement"] != "invalid"
    formula = f"{mathis(loss):.3f}" if algorithm == "reno" else "–"
    print(
        f"| {algorithm} | {loss} | {ours:.3f} ± {our_half:.3f} | {theirs:.3f} ± {their_half:.3f}"
        f" | {apart:+.1%} | {formula} | {'' if overlap or within else 'OUTSIDE'} |"
        f" {verdict['judgement']} |",
        flush=True,
    )
    return is_fit and (overlap or within)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--losses", nargs="+", choices=LOSSES, default=LOSSES)
    options.add_argument("--flows", type=int, choices=[n + 1 for n in STUDENT], default=10)
    options.add_argument("--seconds", type=int, default=100)
    options.add_argument("--keep", type=pathlib.Path)
    options = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="netloom-losses-") as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print("| flow | loss | simulated | emulated | difference | Mathis | | verdict |")
        print("|---|---|---|---|---|---|---|---|", flush=True)
        each = [
            compare(algorithm, loss, folder, options)
            for loss in options.losses
            for algorithm in ALGORITHMS
        ]
        sys.exit(not all(each))


if __name__ == "__main__":
    main()
