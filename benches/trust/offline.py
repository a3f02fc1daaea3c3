#!/usr/bin/env python3
"""Offline equals online: the verdict on the recorded observations of a run is the one that the run gave,
and the one that follows from the formulas evaluated over the whole record.

Runs with each kind of contention: busy CPUs, super-frames larger than a window may have, pages read from the
disk, a busy disk. (Bursts across two windows and single pages are cases of
`crates/monitor/tests/rules.rs` and `trace.rs`.)
"""

import json
import subprocess

from disks import Disk
from limited import Limited
from watched import DISK, MEMORY, PREPARING, ROOT, Watched, load, machine, netloom, pair

SECONDS = 4


def loads(disk):
    # 12.5 kB in 10 ms: one super-frame is more.
    limit = {"criteria": {"net_internal": {"rate": "10Mbit/s"}}}
    yield "cpu", load("cpu", 0, 0, 1, 100, SECONDS), None
    yield "net", load("net", "b", 300, SECONDS), limit
    yield "memory", load("memory", MEMORY * 2, SECONDS), PREPARING
    yield "disk", load("disk", disk, 100, SECONDS), None


def main():
    print(f"Offline equals online, on {machine()}")
    build = ["cargo", "build", "--quiet", "--release", "--locked", "--workspace", "--example", "formulas"]
    subprocess.run(build, cwd=ROOT, check=True)
    with Disk(DISK) as disk:
        for name, command, monitor in loads(disk):
            compare(name, command, monitor)


def compare(name, command, monitor):
    """The verdict of a run, judged again, and by the formulas."""
    with Limited(MEMORY):
        run = Watched(pair([{"name": "load", "node": "a", "command": command}], monitor=monitor))
    again = json.loads(netloom("judge", run.results, "--format", "json"))
    formulas = subprocess.run(
        [ROOT / "target/release/examples/formulas", str(run.results)], capture_output=True, text=True
    )
    observations = len((run.results / "observations.jsonl").read_text().splitlines())
    episodes = sum(len(report["episodes"]) for report in run.verdict["signals"])
    print(
        f"  {name:<7} {observations:>6} observations, {episodes:>3} episodes, {run.verdict['judgement']:<8}"
        f" judged again: {'equal' if again == run.verdict else 'NOT EQUAL'},"
        f" formulas: {'equal' if formulas.returncode == 0 else 'NOT EQUAL'}"
    )
    if formulas.returncode != 0:
        print(formulas.stdout + formulas.stderr)


main()
