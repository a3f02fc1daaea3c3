#!/usr/bin/env python3
"""What a frame costs in the kernel's programs with 1, 100 and 1,000 claims (Carbone & Rizzo
2009, figure 10).

Two hosts in namespaces of their own, joined by veth; every claim is one remote UDP port.
Datagrams go to a claimed port, then to one that nobody claims; the kernel counts how often a
program ran and for how long (kernel.bpf_stats_enabled, put back at the end). By turns, medians
of the rounds, ns a frame.

As root: claims.py [--rounds N] [--datagrams N] [--claims 1,100,1000]
"""

import argparse
import pathlib
import re
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import machine
from host import TCX_EGRESS, THERE, hosts

FIRST, NOBODYS = 10_000, 9_999
STATS = pathlib.Path("/proc/sys/kernel/bpf_stats_enabled")

SENDER = """
import socket, sys, time
address, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.connect((address, port))
for number in range(count):
    try:
        one.send(b"x" * 18)
    except ConnectionRefusedError:
        pass
    if number % 10 == 9:
        time.sleep(0.0005)
"""


def egress_id(both):
    """The number of the program at the sending side of eth0."""
    for word in both.run(
        "a", sys.executable, pathlib.Path(__file__).parent / "host.py", "programs"
    ).stdout.split():
        device, side, number = word.split(":")
        if device == "eth0" and int(side) == TCX_EGRESS:
            return int(number)
    raise RuntimeError("there is no program")


def counts(pid, number):
    """How often a program ran, and for how many ns."""
    for file in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir():
        try:
            text = file.read_text()
        except OSError:
            continue
        if re.search(rf"^prog_id:\s+{number}$", text, re.M) and "run_time_ns" in text:
            read = lambda key: int(re.search(rf"^{key}:\s+(\d+)", text, re.M)[1])
            return read("run_cnt"), read("run_time_ns")
    raise RuntimeError("the daemon has no such program")


def cost(both, pid, number, port, datagrams):
    """ns of a run of the program, while datagrams go to a port."""
    before = counts(pid, number)
    both.run("a", sys.executable, "-c", SENDER, THERE, port, datagrams)
    after = counts(pid, number)
    return (after[1] - before[1]) / (after[0] - before[0])


def daemon(both):
    """The daemon's process: `ip netns exec` becomes it."""
    return both.daemon.pid


def main():
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--datagrams", type=int, default=20_000)
    options.add_argument("--claims", default="1,100,1000")
    options = options.parse_args()
    print(machine())
    was = STATS.read_text()
    STATS.write_text("1")
    try:
        with hosts() as both:
            both.serve()
            api, made, first = both.api(), 0, {}
            for wanted in map(int, options.claims.split(",")):
                while made < wanted:
                    port = {"ports": [FIRST + made], "protocol": "udp"}
                    claim = {"client": port, "delay": "1ms"}
                    api.ask("POST", "/claims", {"name": f"c{made}", "claim": claim})
                    made += 1
                number, found = egress_id(both), {}
                for _ in range(options.rounds):
                    for what, port in (("selected", FIRST + made // 2), ("passed", NOBODYS)):
                        spent = cost(both, daemon(both), number, port, options.datagrams)
                        found.setdefault(what, []).append(spent)
                for what, all_costs in found.items():
                    median = statistics.median(all_costs)
                    first.setdefault(what, median)
                    print(
                        f"  {made:5} claims, {what:8} {median:6.0f} ns a frame, "
                        f"{median / first[what]:.2f} of one "
                        f"claim's  ({' '.join(f'{one:.0f}' for one in all_costs)})"
                    )
            api.ask("POST", "/shutdown")
            both.daemon.wait(120)
    finally:
        STATS.write_text(was)


if __name__ == "__main__":
    main()
