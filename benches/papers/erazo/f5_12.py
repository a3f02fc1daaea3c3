"""Figures 5.12 to 5.14: Poisson arrivals through one link."""

from evaluation import Evaluation, Outcome, Table
from erazo.symbiosis import errors, tables

EVALUATION = Evaluation(
    row="E53",
    item="5.12",
    source="§5.7.1, Figures 5.12–5.14, p. 103–105",
    what="Differences of mean packet delays, second by second, between a link with simulated and "
    "emulated Poisson flows and the downscaled link, at 10, 50 and 90 % of 10 Mbit/s.",
    published="“The difference is around 10 microseconds on average for 10% utilization, 40 "
    "microseconds for 50% utilization, and well under one millisecond for 90%”",
    points={"10 %, µs": 10, "50 %, µs": 40, "90 %, µs": 1000},
    agreement="by the thesis's model in the same second (`md1`, lag 0), at most twice 10 and 40 "
    "µs, and below 1 ms",
    arms=("virtual",),
    known=(
        "The small network follows within the second that it repeats (lag 0), which a run cannot "
        "do: lag 1 stands beside.",
    ),
)


def measure(lab):
    head, rows = tables(lab, "poisson")[0]
    place = head.index("md1, lag 0")
    allowed = {"10": 20, "50": 80, "90": 1000}
    worst, agrees = {}, True
    for row in rows:
        load = row[0].split()[0]
        apart = float(row[place].split()[0])
        worst[load] = max(worst.get(load, 0), apart)
        agrees &= apart <= allowed[load]
    return Outcome(
        agrees=agrees,
        ours="differences of at most " + ", ".join(f"{apart:.0f} µs ({load} %)"
                                                  for load, apart in worst.items()),
        table=Table([head[0], "published", *head[3:]],
                    [[row[0], row[1], *row[3:]] for row in rows]),
    )
