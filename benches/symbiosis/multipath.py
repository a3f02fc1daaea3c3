#!/usr/bin/env python3
"""The thesis's multipath sender (Erazo 2013, Figs 5.30-5.35) in the real loop.

    sudo benches/symbiosis/multipath.py [--trials 20] [--loss] [--netloom FILE]

A real sender behind 50 Mbit/s has two of three paths in use at a time, each of three simulated
links; from 20 s on, ten simulated Reno flows are on each of the two shortest. It chooses by one of
three strategies (`examples/multipath`). Printed is the mean throughput at the receivers from then
on with a 95 % interval over the trials, and how switches and throughput go together.

Strategies take turns. With --loss, `md1` with each way to lose frames is measured beside, for the
strategy `bandwidth`.
"""

import argparse
import json
import math
import pathlib
import re
import shutil
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import common

EXAMPLE = common.ROOT / "examples" / "multipath"
STRATEGIES = ["fixed", "loss", "bandwidth"]
# From when on others are there, and until when the sender sends, in its own seconds.
FROM, UNTIL = 20, 58
LOSSES = [f"{{ calibration: md1, loss: {loss}, period: 500ms }}" for loss in
          ("positions", "bernoulli", "systematic")]


def scenario(strategy, symbiosis=None):
    text = (EXAMPLE / "netloom.yaml").read_text()
    text = text.replace("send bandwidth", f"send {strategy}")
    return re.sub(r"symbiosis: .*", f"symbiosis: {symbiosis}", text) if symbiosis else text


class Trial(common.Run):
    """A run: Mbit/s at all receivers from 20 s on, switches, and the verdict."""

    def execute(self, directory):
        shutil.copy(EXAMPLE / "multipath.py", directory)
        super().execute(directory)

    def figures(self):
        sender = json.loads(self.output("sender", "sender"))
        began = sender["began"]
        came = 0
        for number in (1, 2, 3):
            for line in self.output(f"sink{number}", f"receiver{number}").splitlines():
                second, count = map(int, line.split())
                if began + FROM <= second < began + UNTIL - 1:
                    came += count
        mbits = came * 8e-6 / (UNTIL - 1 - FROM)
        verdict = self.summary["verdict"]
        self.why = sorted({finding["signal"] for finding in verdict["findings"]})
        return mbits, sender["switches"], verdict["judgement"]


def interval(values):
    """Mean and half of its 95 % interval (Student)."""
    mean = statistics.mean(values)
    if len(values) < 2:
        return mean, math.nan
    return mean, common.student(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))


def correlation(pairs):
    """Pearson's r; none where one of both is always the same."""
    if len(pairs) < 3 or any(len({pair[place] for pair in pairs}) < 2 for place in range(2)):
        return "–"
    return f"{statistics.correlation(*zip(*pairs)):+.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--loss", action="store_true")
    parser.add_argument("--netloom", type=pathlib.Path, default=common.NETLOOM)
    arguments = parser.parse_args()
    common.NETLOOM = arguments.netloom.resolve()
    print(common.machine())
    kinds = {strategy: scenario(strategy) for strategy in STRATEGIES}
    if arguments.loss:
        kinds |= {f"bandwidth, `{loss}`": scenario("bandwidth", loss) for loss in LOSSES}
    trials = {kind: [] for kind in kinds}
    for number in range(arguments.trials):
        for kind, text in kinds.items():
            trial = Trial(text)
            trials[kind].append(trial.figures())
            said = f"trial {number + 1}, {kind}: {trials[kind][-1]} {trial.why}"
            print(said, file=sys.stderr, flush=True)
    print("| strategy | Mbit/s from 20 s on | switches | r(switches, Mbit/s) | verdicts |")
    print("|---|---|---|---|---|")
    for kind, all_of in trials.items():
        mean, half = interval([mbits for mbits, _, _ in all_of])
        switches = statistics.mean(one[1] for one in all_of)
        verdicts = [one[2] for one in all_of]
        counts = ", ".join(f"{verdicts.count(word)} {word}" for word in sorted(set(verdicts)))
        r = correlation([one[:2] for one in all_of])
        print(f"| {kind} | {mean:.2f} ± {half:.2f} | {switches:.1f} | {r} | {counts} |")
    both = [one[:2] for kind in STRATEGIES for one in trials[kind]]
    print(f"\nr(switches, Mbit/s) over all trials of the three: {correlation(both)}")
    print("Thesis: bandwidth is best and fixed worst; r = -0.24 (20 trials, Mbit/s as pictures).")


if __name__ == "__main__":
    main()
