#!/usr/bin/env python3
"""Diagonal: the load of one class is raised step by step; the signal of that class fires first, and
nothing fires one step below overload.

Wanted: in each table only the last steps fire, and the first to fire is the class's own signal.
"""

import sys

from disks import Disk
from limited import Limited
from watched import CLASSES, DISK, MEMORY, PREPARING, Watched, load, machine, pair

SECONDS = 6


def cpu():
    """Spinners of 25 % each on one CPU."""
    for spinners in range(1, 7):
        processes = [
            {"name": f"spin{n}", "node": "a", "command": load("cpu", 0, n, spinners, 25, SECONDS)}
            for n in range(spinners)
        ]
        yield f"{spinners * 25} % of CPU 0", spinners >= 4, Watched(pair(processes)), "spin0"


def net():
    """Frames of 1500 bytes to nowhere, up to and above the rate that the criteria allow."""
    limit = 2000
    monitor = {"criteria": {"net_internal": {"rate": f"{limit}Mbit/s"}}}
    for share in (25, 50, 75, 90, 105, 120):
        rate = limit * share // 100
        # The pauses between bursts are uneven: the link makes the rate exact.
        command = load("net", "b", rate * 1.05, SECONDS)
        link = {"forward": {"rate": f"{rate}Mbit/s"}}
        run = Watched(
            pair([{"name": "send", "node": "a", "command": command}], monitor=monitor, link=link)
        )
        yield f"{rate} of {limit} Mbit/s", share > 100, run, "send"


def memory():
    """Memory in use, below and above what its cgroup may have."""
    for share in (25, 50, 75, 150, 200):
        command = load("memory", MEMORY * share // 100, SECONDS)
        with Limited(MEMORY):
            run = Watched(
                pair([{"name": "use", "node": "a", "command": command}], monitor=PREPARING)
            )
        yield f"{share} % of {MEMORY} MB", share > 100, run, "use"


def disk():
    """Direct writes of 4 MB, eight at a time, for a part of the time."""
    for share in (15, 30, 45, 60, 100):
        with Disk(DISK) as device:
            command = load("disk", device, share, SECONDS)
            run = Watched(pair([{"name": "write", "node": "a", "command": command}]))
        yield f"{share} % of the time", share == 100, run, "write"


def said(run, process):
    """What a load says of itself at its end."""
    return [line for line in run.output(process, "a").splitlines() if line.startswith("the ")]


def table(name, steps):
    print(f"\n{name}: {steps.__doc__}")
    print(f"  {'load':<22} {'verdict':<9} fired, in order, after the load began")
    right = True
    for what, overload, run, process in steps():
        fired = run.contentions(run.began(process, "a"))
        names = list(fired)
        expected = bool(names) == overload and (not names or names[0] in CLASSES[name])
        right &= expected
        times = ", ".join(f"{signal} {after:.2f} s" for signal, after in fired.items()) or "-"
        seen = [str(run.witness), *said(run, process)]
        unlike = "" if expected else f"   (not as wanted; {'; '.join(seen)})"
        print(f"  {what:<22} {run.verdict['judgement']:<9} {times}{unlike}", flush=True)
    print(f"  {'as wanted' if right else 'NOT AS WANTED'}")


def main():
    print(f"Diagonal, on {machine()}")
    for steps in (cpu, net, memory, disk):
        if not sys.argv[1:] or steps.__name__ in sys.argv[1:]:
            table(steps.__name__, steps)


main()
