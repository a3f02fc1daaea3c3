#!/usr/bin/env python3
"""Simulates the scenario with many seeds, and prints how the times of answers are distributed.

    trials.py [TRIALS]
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NETLOOM = os.environ.get("NETLOOM", "netloom")
SHARES = [5, 25, 50, 75, 95]


def trial(seed, folder):
    """How long each answer took in a run with that seed, in ms."""
    results = pathlib.Path(folder) / str(seed)
    scenario = HERE / "netloom.yaml"
    command = [NETLOOM, "run", "--simulate", "--seed", seed, "-t", scenario, "-o", results]
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
    flows = json.loads((results / "summary.json").read_text())["flows"]
    times = {flow["name"]: flow["transfers"]["mean_ns"] for flow in flows}
    missing = [name for name, time in times.items() if time is None]
    if missing:
        raise SystemExit(f"seed {seed}: no answer for {', '.join(missing)} in time")
    return {name: time / 1e6 for name, time in times.items()}


def main():
    trials = int(sys.argv[1]) if sys.argv[1:] else 30
    with tempfile.TemporaryDirectory() as folder:
        all_times = [trial(seed, folder) for seed in range(1, trials + 1)]
    print(f"{trials} trials; time of an answer in ms that so many % of them stay below")
    print(f"{'':>12}" + "".join(f"{share:>9} %" for share in SHARES))
    for name in all_times[0]:
        times = sorted(one[name] for one in all_times)
        at = [times[min(len(times) - 1, len(times) * share // 100)] for share in SHARES]
        print(f"{name:>12}" + "".join(f"{time:>11.1f}" for time in at))


if __name__ == "__main__":
    main()
