#!/usr/bin/env python3
"""`examples/abilene` on three machines beside one, by turns: round trips of every pair of hosts,
and a TCP flow whose receiver's access link has 100 Mbit/s.

    abilene.py [ROUNDS]
"""

import contextlib
import shutil
import statistics
import subprocess
import json
import tempfile
import pathlib

from underlay import NETLOOM, machine, noisy, percentile, rounds, round_trips

EXAMPLE = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "abilene"
HOSTS = ["seattle", "losangeles", "atlanta", "newyork"]
PROCESSES = """
processes:
  - { name: frr, group: backbone, command: sh frr/start.sh }
  - { name: converged, group: users, command: sh measure/converged.sh,
      start: { after: frr, when: done } }
"""
PING = """
  - {{ name: rtt-{one}-{two}, node: host-{one}, command: ping -n -4 -c 40 -i 0.05 host-{two},
      start: {{ after: {before}, when: done }} }}
"""
FLOW = """
  - {{ name: server, node: host-seattle, command: iperf3 --server, ready: {{ port: 5201 }},
      background: true }}
  - {{ name: flow, node: host-newyork,
      command: iperf3 -4 --client host-seattle --reverse --time 15 --omit 5 --json,
      start: {{ after: {before}, when: done }} }}
"""


def pairs():
    return [(one, two) for place, one in enumerate(HOSTS) for two in HOSTS[place + 1:]]


def scenario():
    text = (EXAMPLE / "netloom.yaml").read_text()
    text, before = text[: text.index("\nprocesses:")] + PROCESSES, "converged"
    for one, two in pairs():
        text += PING.format(one=one, two=two, before=before)
        before = f"rtt-{one}-{two}"
    return text + FLOW.format(before=before)


@contextlib.contextmanager
def run(machines):
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
        here = pathlib.Path(folder, "abilene")
        shutil.copytree(EXAMPLE, here)
        (here / "netloom.yaml").write_text(scenario())
        words = [NETLOOM, "run", "-o", "results", *machines]
        done = subprocess.run(words, cwd=here, capture_output=True, text=True, check=False)
        results = here / "results"
        if not (results / "summary.json").exists():
            raise SystemExit(done.stdout + done.stderr)
        yield results, json.loads((results / "summary.json").read_text())


def figures(machines):
    """Median round trips by pair, in ms, and the flow's rate, in Mbit/s."""
    with run(machines) as (results, summary):
        def output(process, node):
            return (results / "processes" / f"{process}@host-{node}.stdout").read_text()

        trips = {}
        for one, two in pairs():
            trips[one, two] = percentile(round_trips(output(f"rtt-{one}-{two}", one)), 0.5)
        flow = json.loads(output("flow", "newyork"))["end"]["sum_received"]["bits_per_second"]
        wakeup = summary["timing"]["timer_wakeup"]["p99_us"] / 1000
        return trips, flow / 1e6, wakeup, summary["verdict"]["judgement"]


def main():
    count = rounds(2)
    print(f"# abilene on three machines and on one: {count} rounds\n# {machine()}\n")
    worst, flows = [], []
    for _ in range(count):
        one, flow_one, noise_one, said_one = figures([])
        three, flow_three, noise_three, said_three = figures(["--machines", "local:3"])
        noise = max(noise_one, noise_three)
        for pair, trip in one.items():
            print(f"  {pair[0]}–{pair[1]}: one {trip:.2f} ms, three {three[pair]:.2f} ms")
        worst.append(max(abs(three[pair] - trip) for pair, trip in one.items()) * 1e3)
        flows.append(flow_three / flow_one)
        print(f"greatest difference {worst[-1]:.0f} µs; flow one {flow_one:.2f}, three "
              f"{flow_three:.2f} Mbit/s; {said_one}, {said_three}{noisy(noise)}", flush=True)
    print(f"\nmedians: greatest difference {statistics.median(worst):.0f} µs, flow ÷ one machine "
          f"{statistics.median(flows):.4f}")


main()
