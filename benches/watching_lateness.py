#!/usr/bin/env python3
"""Whether watching makes frames late: p99 of the lateness of a link of 100 Mbit/s that is nearly
full, in runs that nobody watches and in runs with five who do, by turns.

usage: benches/watching_lateness.py [SECONDS [TURNS]]
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
from viewer import Watcher, connected

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
TURNS = int(sys.argv[2]) if len(sys.argv) > 2 else 10
VIEWERS = 5
SCENARIO = f"""name: late
duration: {SECONDS}s
topology:
  nodes: {{ a: , b: }}
  links: [ {{ endpoints: [a, b], rate: 100Mbit/s, delay: 1ms }} ]
traffic:
  - {{ name: x, from: a, to: b, udp: {{}}, cbr: {{ rate: 90Mbit/s }}, size: 1400B }}
"""


def lateness(folder, name, viewers):
    """p99 of the lateness of a run in µs, and the frames that viewers got."""
    environment = dict(os.environ, NETLOOM_STATE_DIR=str(folder / "state"))
    words = [NETLOOM, "run", "--quiet", "-t", folder / "netloom.yaml", "-o", folder / name]
    process = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL)
    watchers = []
    while len(watchers) < viewers and process.poll() is None:
        try:
            watchers.append(Watcher(connected(str(folder / "state/late/api.sock"))))
        except OSError:
            time.sleep(0.02)
    if process.wait() not in (0, 3):
        raise SystemExit(f"the run failed: {process.returncode}")
    summary = json.loads((folder / name / "summary.json").read_text())
    return summary["timing"]["lateness"]["p99_us"], sum(watcher.ticks for watcher in watchers)


def main():
    print(machine())
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        (folder / "netloom.yaml").write_text(SCENARIO)
        all_of = {0: [], VIEWERS: []}
        for turn in range(TURNS):
            for viewers in (0, VIEWERS) if turn % 2 == 0 else (VIEWERS, 0):
                p99, frames = lateness(folder, f"{turn}-{viewers}", viewers)
                all_of[viewers].append(p99)
                print(f"turn {turn + 1}, {viewers} watch: p99 {p99:.1f} us, {frames} frames sent")
        alone, watched = (statistics.median(all_of[viewers]) for viewers in (0, VIEWERS))
        print(f"median p99: nobody {alone:.1f} us, {VIEWERS} {watched:.1f} us, "
              f"{watched - alone:+.1f} us")


if __name__ == "__main__":
    main()
