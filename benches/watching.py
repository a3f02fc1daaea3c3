#!/usr/bin/env python3
"""What watching costs: CPU time of an engine and of `netloom ui` with 0, 1 and 5 who watch 2,000
pipes at 4 Hz through it, and what is sent to each; by turns. A tenth of the links have background
traffic, so that rows change.

usage: benches/watching.py [LINKS [SECONDS [TURNS]]]
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from common import NETLOOM, machine
from viewer import Page, cpu

LINKS = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 10.0
TURNS = int(sys.argv[3]) if len(sys.argv) > 3 else 3
NAME = f"watching-{os.getpid()}"


def scenario():
    """Pairs of hosts, each with one link."""
    nodes = f"  nodes: {{ \"a[1-{LINKS}]\": , \"b[1-{LINKS}]\":  }}"
    lines = [f"name: {NAME}", "topology:", nodes, "  links:"]
    background = ", background: [{ cbr: { rate: 1Mbit/s }, size: 1000B }]"
    for number in range(1, LINKS + 1):
        more = background if number % 10 == 0 else ""
        ends = f"endpoints: [a{number}, b{number}]"
        lines.append(f"    - {{ {ends}, rate: 10Mbit/s, delay: 5ms{more} }}")
    return "\n".join(lines) + "\n"


def measure(pids, page, count, stalled=False):
    """Share of a CPU that each of these processes takes with `count` who watch, and what one of
    them got."""
    watchers = [page.watch(NAME, stalled) for _ in range(count)]
    time.sleep(1)
    before, began = [cpu(pid) for pid in pids], time.monotonic()
    sent = [(watcher.bytes, watcher.ticks) for watcher in watchers]
    time.sleep(SECONDS)
    took = time.monotonic() - began
    shares = [(cpu(pid) - earlier) / took for pid, earlier in zip(pids, before)]
    if watchers and not stalled:
        rate = (watchers[0].bytes - sent[0][0]) / took
        ticks = (watchers[0].ticks - sent[0][1]) / took
    else:
        rate = ticks = 0.0
    for watcher in watchers:
        watcher.close()
    return shares, rate, ticks


def main():
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "netloom.yaml")
        file.write_text(scenario())
        state = pathlib.Path(folder, "state")
        state.mkdir()
        os.environ["NETLOOM_STATE_DIR"] = str(state)
        subprocess.run([NETLOOM, "deploy", "-t", file], check=True)
        page = Page(NETLOOM, folder)
        try:
            shown = subprocess.run([NETLOOM, "inspect", NAME, "--format", "json"], check=True,
                                   capture_output=True)
            status = json.loads(shown.stdout)["experiment"]
            pids = (status["engine_pid"], page.process.pid)
            cases = [("nobody", 0, False), ("one", 1, False), ("five", 5, False),
                     ("one that reads nothing", 1, True)]
            shares = {case[0]: [] for case in cases}
            for turn in range(TURNS):
                for label, count, stalled in cases:
                    (engine, server), rate, ticks = measure(pids, page, count, stalled)
                    shares[label].append(engine + server)
                    print(f"turn {turn + 1}, {label}: engine {engine * 100:.2f} %, netloom ui "
                          f"{server * 100:.2f} % of a CPU, {rate / 1e6:.3f} MB/s and {ticks:.1f} "
                          "frames/s to each")
            nobody = statistics.median(shares["nobody"])
            for label, all_shares in shares.items():
                more = (statistics.median(all_shares) - nobody) * 100
                print(f"{label}: {more:+.2f} % of a CPU more than with nobody")
        finally:
            page.close()
            subprocess.run([NETLOOM, "destroy", NAME], check=False)


if __name__ == "__main__":
    main()
