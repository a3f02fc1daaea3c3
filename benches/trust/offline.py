#!/usr/bin/env python3
"""Offline equals online: the verdict on the recorded observations of a run is the one that the run
gave, and the one that follows from the formulas evaluated over the whole record.

Runs with each kind of contention: busy CPUs, super-frames larger than a window may have, pages read
from the disk, a busy disk; and a link full of TCP, of which so much is reported that looks are 100
ms apart. (Bursts across two windows and single pages are cases of
`crates/model/monitor/tests/rules.rs` and `trace.rs`.)
"""

import json
import subprocess

from disks import Disk
from limited import Limited
from watched import (
    DISK,
    MEMORY,
    PREPARING,
    TARGET,
    Watched,
    build_example,
    load,
    machine,
    netloom,
    pair,
)

SECONDS = 4


def loads(disk):
    # 12.5 kB in 10 ms: one super-frame is more.
    limit = {"criteria": {"net_internal": {"rate": "10Mbit/s"}}}
    yield "cpu", one(load("cpu", 0, 0, 1, 100, SECONDS)), None
    yield "net", one(load("net", "b", 300, SECONDS)), limit
    yield "memory", one(load("memory", MEMORY * 2, SECONDS)), PREPARING
    yield "disk", one(load("disk", disk, 100, SECONDS)), None
    yield "tcp", tcp(), limit


def one(command):
    return [{"name": "load", "node": "a", "command": command}]


def tcp():
    server = {"name": "server", "node": "b", "command": "iperf3 --server", "ready": {"port": 5201}}
    client = {"name": "client", "node": "a", "command": f"iperf3 --client b --time {SECONDS}"}
    return [server | {"background": True}, client | {"start": {"after": "server", "when": "ready"}}]


def main():
    print(f"Offline equals online, on {machine()}")
    build_example("formulas")
    with Disk(DISK) as disk:
        for name, processes, monitor in loads(disk):
            compare(name, processes, monitor)


def compare(name, processes, monitor):
    """The verdict of a run, judged again, and by the formulas."""
    with Limited(MEMORY):
        run = Watched(pair(processes, monitor=monitor))
    again = json.loads(netloom("judge", run.results, "--format", "json"))
    formulas = subprocess.run(
        [TARGET / "release/examples/formulas", str(run.results)], capture_output=True, text=True
    )
    observations = len((run.results / "observations.jsonl").read_text().splitlines())
    episodes = sum(len(report["episodes"]) for report in run.verdict["signals"])
    print(
        f"  {name:<7} {observations:>6} observations, {episodes:>3} episodes, "
        f"{run.verdict['judgement']:<8}"
        f" judged again: {'equal' if again == run.verdict else 'NOT EQUAL'},"
        f" formulas: {'equal' if formulas.returncode == 0 else 'NOT EQUAL'}"
    )
    if formulas.returncode != 0:
        print(formulas.stdout + formulas.stderr)


main()
