"""Figures 3.29 and 3.30: round trips by hops."""

from evaluation import Evaluation, Outcome, Plot, Table
from maier.chains import path

EVALUATION = Evaluation(
    row="D63",
    item="3.29",
    source="§3.7.3.1, Figures 3.29 and 3.30, p. 101",
    what="Mean, least and largest round trips through chains of up to 50 routers, 1,000 pings at "
    "50 Hz.",
    published="“linear increase of the mean ICMP RTT with an increasing number of hops”; “mean "
    "values … and minima fall close together”; maxima are single outliers",
    agreement="mean and hops on a straight line (1 % virtual; 95 % of the variance emulated)",
    arms=("virtual", "emulated"),
    machine="emulated microseconds are the machine's",
)


def scenario(hops, count):
    routers, links = path(hops)
    return f"""\
name: papers-hops
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
  - {{ name: ping, from: a, to: b, ping: {{ interval: 20ms, count: {count} }} }}
"""


def measure(lab):
    rows, points = [], []
    for hops in [1, 5, 10, 20, 30, 40, 50]:
        delay = lab.run(scenario(hops, 1000 if lab.is_full else 200)).flows["ping"]["delay"]
        mean, least, most = (delay[key] / 1e6 for key in ("mean_ns", "min_ns", "max_ns"))
        points.append((hops, round(mean, 4)))
        rows.append([hops, f"{mean:.3f}", f"{least:.3f}", f"{most:.3f}"])
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    slope = (sum((x - mean_x) * (y - mean_y) for x, y in points)
             / sum((x - mean_x) ** 2 for x, _ in points))
    total = sum((y - mean_y) ** 2 for _, y in points)
    rest = sum((y - mean_y - slope * (x - mean_x)) ** 2 for x, y in points)
    explained = 1 - rest / total
    return Outcome(
        agrees=explained >= (0.9999 if lab.is_virtual else 0.95) and slope > 0,
        ours=f"{1000 * slope:.1f} µs a hop; a line explains {explained:.2%}",
        table=Table(["hops", "mean, ms", "least, ms", "most, ms"], rows),
        plot=Plot("hops", "mean round trip, ms", {"NetLoom": points}),
    )
