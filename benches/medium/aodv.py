#!/usr/bin/env python3
"""The first ping over a row of relays that speak AODV (RFC 3561; Maier 2011, section 3.7.3): it
grows in steps while the rings of requests do, and then with the hops. Beside it stands what the
waits of its rings add up to, and a ping for which the route is there.

    python3 benches/medium/aodv.py [HOPS,…]
"""

import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import ROOT, Run, machine  # noqa: E402

DAEMON = ROOT / "examples" / "aodv" / "aodvd.py"
# Hops that each ring reaches, but the last, and the seconds that pass before the next one.
RINGS = {ring: 2 * 0.040 * (ring + 2) for ring in (1, 3, 5, 7)}

SCENARIO = """
name: bench-aodv-{pid}
topology:
  defaults: {{ node: {{ ipv6: none }} }}
  media:
    air:
      phy: 802.11b
      mac: {{ none: {{ rate: 11Mbit/s }} }}
      propagation: {{ range: {{ reach: 120m, sense: 250m }} }}
      addressing: hosts
      members: [mesh]
  groups:
    mesh: {{ kind: router, loopback: none, routing: none }}
  nodes:
{nodes}
processes:
  - name: aodv
    group: mesh
    command: python3 {daemon} wlan1 10.0.0.0/16
    ready: {{ output: aodv on }}
    background: true
{pings}
"""


def main():
    lengths = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30]
    if len(sys.argv) > 1:
        lengths = [int(hops) for hops in sys.argv[1].split(",")]
    place = "    n{}: {{ group: mesh, position: [{}m, 0m] }}"
    nodes = [place.format(node, (node - 1) * 100) for node in range(1, max(lengths) + 2)]
    ping = (
        "  - {{ name: hops{0}, node: n1, command: ping -n -4 -i 2.5 -c 2 -W 15 n{1},"
        " start: {{ after: {2} }} }}"
    )
    before = ["aodv", *(f"hops{hops}, when: done" for hops in lengths)]
    pings = [ping.format(hops, hops + 1, after) for hops, after in zip(lengths, before)]
    print(machine())
    run = Run(
        SCENARIO.format(
            pid=os.getpid(), nodes="\n".join(nodes), pings="\n".join(pings), daemon=DAEMON
        )
    )
    print("hops  first ping  waits of rings  second ping, ms")
    for hops in lengths:
        times = re.findall(r"time=([\d.]+) ms", run.output(f"hops{hops}", "n1"))
        waits = sum(wait for ring, wait in RINGS.items() if ring < hops)
        first, second = [float(time) for time in times] if len(times) == 2 else (None, None)
        print(f"{hops:4}  {first!s:>10}  {1000 * waits:14.0f}  {second!s:>11}")
    print(f"verdict: {run.summary['verdict']['judgement']}")


main()
