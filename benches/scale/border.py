#!/usr/bin/env python3
"""Real hosts at the border of a simulation: `benches/scale/border.py [RUNS]`.

Two real hosts at the ends of a row of 20 simulated routers, with 200 simulated flows beside them.
Printed are, of one run: the median round trip of a ping beyond the delays of its links (queues are
empty), and packets counted at both sides of each border. By turns with the same network in
namespaces, without flows: what a TCP connection of the two gets. Then the verdict on links of RUNS
(default 10) runs as they are, and with fifty times the traffic.

Wanted: 0.2 ms; equal counts; half as much; `valid` each time; `invalid` each time, with the cause.
"""

import collections
import json
import pathlib
import re
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import Run, machine  # noqa: E402

ROUTERS, FLOWS, SECONDS = 20, 200, 8
# Of links, in ms.
DELAYS = {"access": 1.0, "row": 0.5}
# Of 100 bytes each.
RATE, OVERLOAD = 100, 50


def scenario(simulated, rate, processes, loaded=True):
    names = [f"r{number}" for number in range(ROUTERS)]
    flag = "simulated: true, " if simulated else ""
    lines = [
        "name: border",
        f"duration: {SECONDS}s",
        "topology:",
        f" kinds: {{router: {{{flag}loopback: none}}}}",
        " defaults: {node: {ipv6: none}}",
        " nodes:",
        "  a:",
        "  b:",
        *[f"  {name}: {{kind: router}}" for name in names],
    ]
    if loaded:
        lines += [f"  h{number}: {{simulated: true}}" for number in range(ROUTERS)]
    lines.append(" links:")
    lines.append("  - {name: near, endpoints: ['a:eth1', r0], delay: 1ms}")
    lines.append(f"  - {{name: far, endpoints: [r{ROUTERS - 1}, 'b:eth1'], delay: 1ms}}")
    lines += [
        f"  - {{endpoints: [{one}, {two}], rate: 10Gbit/s, delay: 500us}}"
        for one, two in zip(names, names[1:])
    ]
    if loaded:
        lines += [f"  - {{endpoints: [h{n}, {name}], delay: 1ms}}" for n, name in enumerate(names)]
        lines.append("traffic:")
        for flow in range(FLOWS):
            one, two = flow % ROUTERS, (flow * 7 + 1 + flow // ROUTERS) % ROUTERS
            two = (two + 1) % ROUTERS if one == two else two
            lines.append(
                f"  - {{name: f{flow}, from: h{one}, to: h{two}, udp: {{}},"
                f" poisson: {{rate: {rate}kbit/s}}, size: 100B, background: true}}"
            )
    return "\n".join([*lines, "processes:", *processes, ""])


def delays():
    """There and back, in ms."""
    return 2 * (2 * DELAYS["access"] + (ROUTERS - 1) * DELAYS["row"])


PING = [f" - {{name: ping, node: a, command: ping -n -i 0.05 -c {(SECONDS - 2) * 20} b}}"]
BULK = [
    " - {name: sink, node: b, command: iperf3 -s, ready: {port: 5201}, background: true}",
    " - {name: bulk, node: a, start: {after: sink},",
    f"    command: iperf3 -J -c b -C cubic -t {SECONDS - 3}}}",
]
COUNTS = [
    f" - {{name: count{node}, node: {node}, command: cat /proc/net/snmp, start: {SECONDS - 1}s}}"
    for node in "ab"
]


def delivered(run, link, way):
    one = next(one for one in run.summary["links"] if one["name"] == link)
    return one[way]["statistics"]["delivered"]["frames"]


def ip_packets(snmp):
    """IPv4 packets that a kernel has received, and sent. Pipes have what it says of IPv6, too."""
    names, counts = (line.split() for line in snmp.splitlines() if line.startswith("Ip:"))
    return [int(counts[names.index(name)]) for name in ("InReceives", "OutRequests")]


def throughput(run):
    return json.loads(run.output("bulk", "a"))["end"]["sum_received"]["bits_per_second"] / 1e6


def ping_and_counts():
    run = Run(scenario(True, RATE, PING + COUNTS))
    trips = [float(trip) for trip in re.findall(r"time=([\d.]+) ms", run.output("ping", "a"))]
    print(f"ping {statistics.median(trips) - delays():+.3f} ms beyond {delays():.1f} ms of delays")
    for node, link, ways in (("a", "near", ("reverse", "forward")),
                             ("b", "far", ("forward", "reverse"))):
        seen = ip_packets(run.output(f"count{node}", node))
        there = [delivered(run, link, way) for way in ways]
        print(f"{node}: in {seen[0]} and {there[0]} of the pipe, out {seen[1]} and {there[1]}")


def verdicts(rate, runs):
    found, why = collections.Counter(), set()
    for _ in range(runs):
        run = Run(scenario(True, rate, PING))
        found[run.summary["verdict"]["links"]] += 1
        why |= {w for w in run.summary["warnings"] if "simulated part was busy" in str(w)}
        busiest = run.summary["simulation"]["busiest_second"]
    print(f"{rate} kbit/s a flow, busy for {busiest:.0%} of a second: {dict(found)}", flush=True)
    for one in list(why)[:1]:
        print(f"  {one}")


def main():
    runs = int(sys.argv[1]) if sys.argv[1:] else 10
    print(machine())
    ping_and_counts()
    hybrid, emulated = [], []
    for _ in range(3):
        hybrid.append(throughput(Run(scenario(True, RATE, BULK, loaded=False))))
        emulated.append(throughput(Run(scenario(False, RATE, BULK, loaded=False))))
    ours, theirs = statistics.median(hybrid), statistics.median(emulated)
    print(f"TCP: hybrid {ours:.0f}, emulated {theirs:.0f} Mbit/s: {ours / theirs:.2f} times")
    verdicts(RATE, runs)
    verdicts(RATE * OVERLOAD, runs)


if __name__ == "__main__":
    main()
