#!/usr/bin/env python3
"""Attribution: of four nodes that put load on one resource, one puts much on it and three a little.

Wanted: the planted node is the first in the shares of the signal, in each class.
"""

from disks import Disk
from limited import Limited
from watched import CLASSES, DISK, MEMORY, PREPARING, Watched, load, machine, pair, who

SECONDS = 6
NODES = "abcd"
HEAVY = "c"


def processes(heavy, light):
    return [
        {"name": f"load-{node}", "node": node, "command": heavy if node == HEAVY else light}
        for node in NODES
    ]


def loads(disk):
    """The class, the load of the heavy node, that of the others, and the monitor's settings."""
    limit = {"criteria": {"net_internal": {"rate": "500Mbit/s"}}}
    # All on one CPU: 85 % by one, and 10 % by each of the others.
    yield "cpu", load("cpu", 0, 0, 2, 85, SECONDS), load("cpu", 0, 1, 2, 10, SECONDS), None
    yield "net", load("net", "d", 600, SECONDS), load("net", "a", 30, SECONDS), limit
    yield "memory", load("memory", MEMORY * 2, SECONDS), load("memory", MEMORY // 2, SECONDS), PREPARING
    yield "disk", load("disk", disk, 100, SECONDS), load("disk", disk, 5, SECONDS), None


def main():
    print(f"Attribution, on {machine()}: node {HEAVY} is the heavy one")
    with Disk(DISK) as disk:
        for name, heavy, light, monitor in loads(disk):
            with Limited(MEMORY):
                run = Watched(pair(processes(heavy, light), nodes=NODES, monitor=monitor))
            show(name, run)


def show(name, run):
    """Whose the load was, by the signals of its class."""
    # The load is on CPU 0 only; who waits for a CPU is the node itself.
    reports = [
        r
        for r in run.report(CLASSES[name] - {"run_queue"})
        if r["on"].get("cpu", 0) == 0
    ]
    for report in reports:
        total = sum(share["amount"] for share in report["shares"]) or 1
        shares = [f"{who(share)} {100 * share['amount'] / total:.0f} %" for share in report["shares"][:4]]
        on = " ".join(str(value) for value in report["on"].values())
        first = who(report["shares"][0]) if report["shares"] else "nobody"
        right = "as wanted" if first == f"node {HEAVY}" else "NOT AS WANTED"
        print(f"  {name:<7} {report['signal']} on {on:<12} {', '.join(shares):<70} {right}")
    if not reports:
        print(f"  {name:<7} NOT AS WANTED: its signal did not fire")


main()
