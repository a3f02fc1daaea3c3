#!/usr/bin/env python3
"""TCP through chains of relays that find their ways by Babel (Maier 2011, figure 3.34): without
contention, where it is to be the same over any length, and with the MAC of IEEE 802.11.

    python3 benches/medium/chain.py [HOPS,…]
"""

import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import Run, machine  # noqa: E402

SCENARIO = """
name: bench-chain-{pid}
topology:
  defaults: {{ node: {{ ipv6: none }} }}
  media:
    air:
      phy: 802.11b
      mac: {mac}
      propagation: {{ range: {{ reach: 120m, sense: 250m }} }}
      addressing: hosts
      members: [mesh]
  groups:
    mesh: {{ kind: router, services: {{ babeld: {{ hello: 1, update: 4 }} }} }}
  nodes:
{nodes}
processes:
  - name: server
    node: n{last}
    command: iperf3 --server
    ready: {{ port: 5201 }}
    background: true
  - name: client
    node: n1
    command: iperf3 -4 -c n{last} -C reno -t 10 -O 2 --json
    start: {start}s
"""


def transfer(hops, mac):
    """Mbit/s over so many hops, and what is said of the run."""
    last = hops + 1
    place = "    n{}: {{ group: mesh, position: [{}m, 0m] }}"
    nodes = "\n".join(place.format(node, (node - 1) * 100) for node in range(1, last + 1))
    start = 12 + hops
    scenario = SCENARIO.format(pid=os.getpid(), mac=mac, nodes=nodes, last=last, start=start)
    run = Run(scenario)
    end = json.loads(run.output("client", "n1"))["end"]
    rate = end["sum_received"]["bits_per_second"] / 1e6
    return rate, run.summary["verdict"]["judgement"]


def main():
    lengths = [
        int(hops) for hops in (sys.argv[1] if len(sys.argv) > 1 else "1,2,4,8,12").split(",")
    ]
    print(machine())
    for mac in ["{ none: { rate: 11Mbit/s } }", "dcf"]:
        print(f"mac: {mac}")
        for hops in lengths:
            rate, verdict = transfer(hops, mac)
            print(f"  {hops:3} hops: {rate:6.3f} Mbit/s ({verdict})", flush=True)


main()
