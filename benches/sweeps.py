#!/usr/bin/env python3
"""What a sweep costs beside bare runs: CPU time and disk of simulated runs of a dumbbell of 2 s.

    benches/sweeps.py [--runs 1000] [--netloom target/release/netloom]

The sweep and as many `netloom run --simulate` take turns, a tenth of the runs each. A bare run
reads its scenario and writes a report, which a run of a sweep does not.
"""

import argparse
import pathlib
import resource
import shutil
import subprocess
import tempfile

import common

SCENARIO = """
name: dumbbell
duration: 2s
topology:
  nodes: { a: , b: , left: { kind: router }, right: { kind: router }, c: , d: }
  defaults: { link: { rate: 100Mbit/s, delay: 1ms } }
  links:
    - endpoints: [a, left]
    - endpoints: [b, left]
    - endpoints: [right, c]
    - endpoints: [right, d]
    - name: bottleneck
      endpoints: [left, right]
      rate: 10Mbit/s
      delay: 20ms
      queue: { limit: 50ms }
      forward: { loss: 0.1% }
traffic:
  - { name: a, from: a, to: c, tcp: {}, bulk: {} }
  - { name: b, from: b, to: d, tcp: {}, bulk: {} }
"""

SWEEP = """
scenario: dumbbell.yaml
mode: simulate
seeds: {first}-{last}
metrics: {{ goodput: {{ flow: a, measure: goodput }} }}
keep: summary
"""


def cpu():
    """CPU time of all processes that have ended, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measured(command, folder):
    before = cpu()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return cpu() - before


def size(folder):
    """Bytes on the disk."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*"))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--runs", type=int, default=1000)
    options.add_argument("--netloom", default="target/release/netloom")
    options = options.parse_args()
    netloom = str(pathlib.Path(options.netloom).resolve())
    turns = 10 if options.runs >= 100 else 2
    each = options.runs // turns
    swept = bare = 0.0
    folder = pathlib.Path(tempfile.mkdtemp(prefix="netloom-bench-"))
    try:
        (folder / "dumbbell.yaml").write_text(SCENARIO)
        for turn in range(turns):
            first = turn * each + 1
            text = SWEEP.format(first=first, last=first + each - 1)
            (folder / "s.yaml").write_text(text)
            swept += measured([netloom, "sweep", "s.yaml", "-o", "swept", "--jobs", "1"], folder)
            for seed in range(first, first + each):
                command = [netloom, "run", "--simulate", "-t", "dumbbell.yaml", "--quiet"]
                bare += measured(command + ["--seed", str(seed), "-o", f"bare/{seed}"], folder)
        runs = each * turns
        print(common.machine())
        print(f"{runs} runs: a sweep {swept / runs:.3f} s of CPU a run, bare {bare / runs:.3f} s: "
              f"{swept / bare:.2f} x; disk a run: sweep {size(folder / 'swept') / runs / 1000:.1f} "
              f"kB, bare {size(folder / 'bare') / runs / 1000:.1f} kB")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
