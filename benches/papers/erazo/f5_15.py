"""Figures 5.15 to 5.17: mixed constant and Poisson arrivals."""

from evaluation import Evaluation, Outcome, Table
from erazo.symbiosis import errors, tables

EVALUATION = Evaluation(
    row="E54",
    item="5.15",
    source="§5.7.1, Figures 5.15–5.17",
    what="The same with one of the flows evenly spaced and the other Poisson.",
    published="“In all cases, both systems match quite well. The difference is under one "
    "millisecond”",
    points={"ms": 1},
    agreement="mean delays by `md1`, lag 0, are less than 1 ms apart at each load and share",
    arms=("virtual",),
)


def measure(lab):
    head, rows = tables(lab, "constant")[0]
    place = head.index("md1, lag 0")
    apart = [abs(errors(row[place])[0]) / 100 * float(row[head.index("mean delay")].split()[0])
             for row in rows]
    cross = head.index("cross, lag 1")
    other = [abs(errors(row[cross])[0]) / 100 * float(row[head.index("mean delay")].split()[0])
             for row in rows]
    return Outcome(
        agrees=max(apart) < 1,
        why="" if max(apart) < 1 else "where emulated packets are evenly spaced and the load is 90"
        " %, M/D/1, which takes them for Poisson, gives another delay; all other differences are"
        f" below {sorted(apart)[-4]:.2f} ms. `cross_traffic`, NetLoom's other method, is within"
        f" {max(other):.2f} ms even a second late (lag 1).",
        ours=f"`md1`, lag 0: at most {max(apart):.2f} ms; `cross_traffic`, lag 1:"
        f" {max(other):.2f} ms",
        table=Table(head, rows),
    )
