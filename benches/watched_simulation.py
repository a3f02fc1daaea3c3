#!/usr/bin/env python3
"""What watching costs a simulation: CPU time of `netloom run --simulate` alone, and with one who
watches all links at 4 Hz, by turns; and whether the results are the same bytes.

usage: benches/watched_simulation.py [NODES [SECONDS [TURNS]]]
"""

import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from common import NETLOOM, machine
from viewer import Watcher, connected

NODES = int(sys.argv[1]) if len(sys.argv) > 1 else 500
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 60.0
TURNS = int(sys.argv[3]) if len(sys.argv) > 3 else 5


def scenario():
    """A ring with a chord from each node; every tenth node sends to the one opposite."""
    lines = ["name: watched", f"duration: {SECONDS}s", "topology:"]
    lines += [f"  nodes: {{ \"n[1-{NODES}]\": {{ kind: router }} }}", "  links:"]
    for number in range(1, NODES + 1):
        for step in (1, 7):
            ends = f"endpoints: [n{number}, n{(number - 1 + step) % NODES + 1}]"
            lines.append(f"    - {{ {ends}, rate: 10Mbit/s, delay: 5ms }}")
    lines.append("traffic:")
    for number in range(1, NODES + 1, 10):
        to = (number - 1 + NODES // 2) % NODES + 1
        ends = f"name: f{number}, from: n{number}, to: n{to}"
        lines.append(f"  - {{ {ends}, udp: {{}}, cbr: {{ rate: 1Mbit/s }} }}")
    return "\n".join(lines) + "\n"


def run(folder, name, watched):
    """CPU time of one run, in s, what the viewer got, and the bytes of its results."""
    results = folder / name
    words = [NETLOOM, "run", "--simulate", "--quiet", "-t", folder / "netloom.yaml", "-o", results]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = dict(os.environ, NETLOOM_STATE_DIR=str(folder / "state"))
    process = subprocess.Popen([*words, *(["--watched"] if watched else [])], env=environment,
                               stdout=subprocess.DEVNULL)
    viewer = None
    while watched and viewer is None and process.poll() is None:
        try:
            viewer = Watcher(connected(str(folder / "state/watched-sim/api.sock")))
        except OSError:
            time.sleep(0.01)
    if process.wait() != 0:
        raise SystemExit(f"the simulation failed: {process.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
    said = {"summary.json", "report.html"}
    files = {file.name: file.read_bytes() for file in results.iterdir()
             if file.is_file() and file.name not in said}
    return took, viewer, files


def main():
    print(machine())
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        (folder / "netloom.yaml").write_text(scenario())
        ratios = []
        for turn in range(TURNS):
            order = [False, True] if turn % 2 == 0 else [True, False]
            took = {}
            for watched in order:
                name = f"{turn}-{'watched' if watched else 'alone'}"
                took[watched] = run(folder, name, watched)
            ratios.append(took[True][0] / took[False][0])
            viewer, same = took[True][1], took[True][2] == took[False][2]
            print(f"turn {turn + 1}: alone {took[False][0]:.2f} s, watched {took[True][0]:.2f} s "
                  f"of CPU time, ratio {ratios[-1]:.3f}; {viewer.ticks} frames, {viewer.bytes} "
                  f"bytes; results {'are the same bytes' if same else 'DIFFER'}")
        print(f"median ratio {statistics.median(ratios):.3f}, from {min(ratios):.3f} to "
              f"{max(ratios):.3f}")


if __name__ == "__main__":
    main()
