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
    yield (
        "memory",
        load("memory", MEMORY * 2, SECONDS),
        load("memory", MEMORY // 2, SECONDS),
        PREPARING,
    )
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
    # The load is on CPU 0 only.
    reports = [r for r in run.report(CLASSES[name] - {"run_queue"}) if r["on"].get("cpu", 0) == 0]
    for report in reports:
        on = " ".join(str(value) for value in report["on"].values())
        amounts = [(who(share), share["amount"]) for share in report["shares"]]
        tell(name, f"{report['signal']} on {on}", amounts)
    if "run_queue" in CLASSES[name]:
        tell(name, "run_queue of the others", kept_waiting(run))
    if not reports:
        print(f"  {name:<7} NOT AS WANTED: its signal did not fire")


def kept_waiting(run):
    """Who had the CPU while nodes other than the heavy one waited for it."""
    amounts = {}
    for report in run.report({"run_queue"}):
        if report["on"]["who"].get("name") != HEAVY:
            for share in report["shares"]:
                amounts[who(share)] = amounts.get(who(share), 0) + share["amount"]
    return sorted(amounts.items(), key=lambda share: -share[1])


def tell(name, signal, shares):
    """Whether the heavy node is the first of those whose the load was."""
    total = sum(amount for _, amount in shares) or 1
    parts = ", ".join(f"{party} {100 * amount / total:.0f} %" for party, amount in shares[:4])
    first = shares[0][0] if shares else "nobody"
    right = "as wanted" if first == f"node {HEAVY}" else "NOT AS WANTED"
    print(f"  {name:<7} {signal:<24} {parts:<60} {right}")


main()
