"""Figure 4: traceroute and pathchar through a network that is emulated and one that is real."""

from evaluation import Evaluation, NotMeasured, Outcome, Table
import re
import shutil
import statistics

EVALUATION = Evaluation(
    row="C34",
    item="4",
    source="§3.2, Figure 4",
    what="traceroute over four hops of an emulated network, beside the network of real routers "
    "that it is made after; and what pathchar estimates of its links.",
    published="emulated: 0.319, 0.377, 0.464, 0.599 ms by hop (first probes); real: 0.541, 0.631, "
    "0.717, 1.644 ms; pathchar, emulated: 58, 145, 139, 98 Mbit/s, rtt 109 µs (609 µs)",
    points={"emulated, ms": [0.319, 0.377, 0.464, 0.599], "real, ms": [0.541, 0.631, 0.717, 1.644]},
    agreement="traceroute shows the four hops in order, and medians of their round trips that "
    "grow from hop to hop, by the delays of the links within 0.2 ms",
    arms=("emulated",),
    machine="absolute times are the machine's",
    known=(
        "pathchar has not been maintained; its estimates of bandwidth are not repeated.",
        "Delays and rates of the emulated links are in a picture of the GUI only. Here they are "
        "100 Mbit/s and 0.5 ms.",
    ),
)


SCENARIO = """\
name: papers-trace
topology:
  neighbours: known
  defaults: { node: { ipv6: none }, link: { rate: 100Mbit/s, delay: 500us } }
  kinds: { router: { loopback: none } }
  nodes:
    pc2:
    r1: { kind: router }
    r2: { kind: router }
    r3: { kind: router }
    server:
  links:
    - { endpoints: [pc2, r1] }
    - { endpoints: [r1, r2] }
    - { endpoints: [r2, r3] }
    - { endpoints: [r3, server] }
processes:
  - { name: trace, node: pc2, command: traceroute -n -q 10 -z 0.02 server }
"""


def measure(lab):
    if not shutil.which("traceroute"):
        raise NotMeasured("there is no `traceroute` (apt-get install traceroute)")
    run = lab.run(SCENARIO)
    rows = []
    for line in run.output("trace", "pc2").splitlines():
        times = [float(time) for time in re.findall(r"([\d.]+) ms", line)]
        if times:
            rows.append([int(line.split()[0]), line.split()[1], statistics.median(times)])
    published = [0.319, 0.377, 0.464, 0.599]
    medians = [median for *_, median in rows]
    agrees = len(rows) == 4 and all(
        0.8 <= later - sooner <= 1.2 for sooner, later in zip(medians, medians[1:])
    )
    return Outcome(
        agrees=agrees,
        ours=f"{len(rows)} hops at {', '.join(f'{median:.2f}' for median in medians)} ms",
        table=Table(["hop", "address", "median, ms", "published, ms"],
                    [[*row, theirs] for row, theirs in zip(rows, published)]),
    )
