"""Figure 3.16: what a router adds to the delay."""

from evaluation import Evaluation, Outcome, Plot, Table

EVALUATION = Evaluation(
    row="B69",
    item="3.16",
    source="§3.6, Figure 3.16, p. 42–43",
    what="The delay of UDP through 0 to 8 virtual routers without a delay of their own.",
    published="“when the number of Virtual routers increases from 1 to 4, the average packet "
    "delay incurred by each virtual router also increases from 15 microseconds to 22 "
    "microseconds”",
    points={"1 router, µs": 15, "4 routers, µs": 22},
    agreement="the delay grows linearly with the number of routers (a straight line explains 95 % "
    "of its variance)",
    arms=("emulated",),
    machine="microseconds are the machine’s",
)


ROUTERS = [0, 1, 2, 4, 6, 8]


def scenario(routers):
    path = ["a", *(f"r{number}" for number in range(1, routers + 1)), "b"]
    links = "\n".join(f"    - {{ endpoints: [{one}, {other}] }}"
                      for one, other in zip(path, path[1:]))
    names = "\n".join(f"    {router}: {{ kind: router }}" for router in path[1:-1])
    return f"""\
name: papers-hop
topology:
  neighbours: known
  defaults: {{ node: {{ ipv6: none }} }}
  nodes:
    a:
    b:
{names}
  links:
{links}
traffic:
  - {{ name: ping, from: a, to: b, ping: {{ interval: 10ms, count: 500 }} }}
"""


def measure(lab):
    points = [(count, lab.run(scenario(count)).flows["ping"]["delay"]["p50_ns"] / 2e3)
              for count in ROUTERS]
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    total = sum((y - mean_y) ** 2 for _, y in points)
    rest = sum((y - mean_y - slope * (x - mean_x)) ** 2 for x, y in points)
    explained = 1 - rest / total if total else 0.0
    return Outcome(
        agrees=explained >= 0.95 and slope > 0,
        ours=f"{slope:.0f} µs a router, one way; a line explains {explained:.1%}",
        table=Table(["routers", "one way, µs"], [[x, f"{y:.0f}"] for x, y in points]),
        plot=Plot("routers", "one way, µs", {"NetLoom": [(x, round(y, 1)) for x, y in points]}),
    )
