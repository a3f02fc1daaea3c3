"""Table 1: throughput and round trips by hops, beside virtual machines."""

from evaluation import Evaluation, Outcome, Table
import re

EVALUATION = Evaluation(
    row="C38",
    item="t1",
    source="§4.2, Table 1",
    what="Round trips of pings within a node, between two nodes, and over one and two routers; "
    "and TCP throughput with MTUs of 1500 and 500.",
    published="round trips: 0.008, 0.013, 0.022, 0.030 ms (VMWare: 0.044, 0.272, 0.613, 1.001); "
    "TCP, MTU 1500: 768, 627, 452, 383 Mbit/s; MTU 500: 419, 287, 196, 160",
    points={"IMUNES, ms": [0.008, 0.013, 0.022, 0.03], "VMWare, ms": [0.044, 0.272, 0.613, 1.001]},
    agreement="the least round trip over direct links grows with each step, is at most 1/5 of "
    "VMWare's growth from step to step, and each hop costs as much as the one before within a "
    "factor of 2.5 (IMUNES: 9 and 8 µs a hop)",
    arms=("emulated",),
    machine="times are the machine's",
    known=(
        "Column “%faster” of throughput is (a/b − 1), that of round trips (1 − a/b).",
        "Virtual machines stand beside NetLoom's nodes only where KVM is; here they do not.",
    ),
)


SCENARIO = """\
name: papers-steps
topology:
  neighbours: known
  defaults: { node: { ipv6: none } }
  kinds: { router: { loopback: none } }
  nodes:
    a:
    b:
    c:
    d:
    r1: { kind: router }
    r2: { kind: router }
    r3: { kind: router }
  links:
    - { endpoints: [a, b], direct: true }
    - { endpoints: [a, r1], direct: true }
    - { endpoints: [r1, c], direct: true }
    - { endpoints: [a, r2], direct: true }
    - { endpoints: [r2, r3], direct: true }
    - { endpoints: [r3, d], direct: true }
processes:
  - { name: p0, node: a, command: ping -n -i 0.01 -c 500 127.0.0.1 }
  - { name: p1, node: a, command: ping -n -i 0.01 -c 500 b, start: { after: p0, when: done } }
  - { name: p2, node: a, command: ping -n -i 0.01 -c 500 c, start: { after: p1, when: done } }
  - { name: p3, node: a, command: ping -n -i 0.01 -c 500 d, start: { after: p2, when: done } }
"""
STEPS = ["local", "direct", "1 hop", "2 hops"]


def measure(lab):
    run = lab.run(SCENARIO)
    least, median = [], []
    for number in range(4):
        times = sorted(float(one) for one in
                       re.findall(r"time=([\d.]+)", run.output(f"p{number}", "a")))
        least.append(times[0])
        median.append(times[len(times) // 2])
    imunes, vmware = [0.008, 0.013, 0.022, 0.030], [0.044, 0.272, 0.613, 1.001]
    grows = all(sooner < later for sooner, later in zip(least, least[1:]))
    hop = [least[2] - least[1], least[3] - least[2]]
    agrees = (grows and max(hop) <= 2.5 * min(hop)
              and max(hop) <= (vmware[3] - vmware[1]) / 2 / 5)
    return Outcome(
        agrees=agrees,
        ours=f"least round trips of {', '.join(f'{one:.3f}' for one in least)} ms; a hop costs"
        f" {1000 * hop[0]:.0f} and {1000 * hop[1]:.0f} µs",
        table=Table(["", "least, ms", "median, ms", "IMUNES, ms", "VMWare, ms"],
                    [list(row) for row in zip(STEPS, least, median, imunes, vmware)]),
    )
