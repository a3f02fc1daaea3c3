"""Figures 3.13 to 3.15: a wired chain of routers, by ways of virtualisation."""

from evaluation import Evaluation, Outcome, Plot, Table
from maier.chains import path

EVALUATION = Evaluation(
    row="D55",
    item="3.14",
    source="§3.7.1.1, Figures 3.13–3.15, p. 88–90",
    what="Round trips through a chain of 1 to 8 routers with links of 100 Mbit/s, and the "
    "throughput of a TCP flow, unvirtualised, under UML, Xen and NET.",
    published="without virtualisation round trips grow linearly with hops; first deviations of "
    "TCP at 3 nodes for UML, 5 for Xen, 13 for NET",
    points={"UML": 3, "Xen": 5, "NET": 13},
    agreement="reference: round trips and hops on a straight line (99.9 % of the variance), and "
    "TCP at the goodput of 100 Mbit/s, within 1 %, at each length",
    arms=("virtual",),
    known=(
        "Round trips are maxima; single outliers decide them.",
    ),
)


HOPS = [1, 2, 4, 6, 8]


def scenario(hops):
    routers, links = path(hops)
    return f"""\
name: papers-wired
topology:
  neighbours: known
  defaults: {{ node: {{ ipv6: none }}, link: {{ rate: 100Mbit/s }} }}
  nodes:
    a:
    b:
{routers}
  links:
{links}
traffic:
  - {{ name: ping, from: a, to: b, ping: {{ interval: 20ms, count: 100 }} }}
  - name: flow
    from: a
    to: b
    tcp: {{ congestion_control: reno }}
    bulk: {{}}
    start: 3s
    for: 6s
measure: {{ flows: 1s }}
"""


def measure(lab):
    points, rows, agrees = [], [], True
    for hops in HOPS:
        run = lab.run(scenario(hops))
        rtt = run.flows["ping"]["delay"]["max_ns"] / 1e3
        rate = run.rate("flow", 5, 9) / 1e6
        # Payload of 1448 bytes in 1514, with 24 bytes of framing on the line.
        agrees &= abs(rate / (100 * 1448 / 1538) - 1) <= 0.01
        points.append((hops, rtt))
        rows.append([hops, f"{rtt:.1f}", f"{rate:.2f}"])
    (x0, y0), (x1, y1) = points[0], points[-1]
    line = [y0 + (y1 - y0) * (x - x0) / (x1 - x0) for x, _ in points]
    off = max(abs(y / straight - 1) for (_, y), straight in zip(points, line))
    return Outcome(
        agrees=agrees and off <= 0.01,
        ours=f"{(y1 - y0) / (x1 - x0):.1f} µs a hop, {off:.2%} from a line; TCP"
        f" {min(row[2] for row in rows)} to {max(row[2] for row in rows)} Mbit/s",
        table=Table(["hops", "round trip, µs", "TCP, Mbit/s"], rows),
        plot=Plot("hops", "round trip, µs", {"reference, simulated": points}),
    )
