"""Figures 5.25 to 5.27: congestion that moves over three links."""

from evaluation import Evaluation, Outcome, Table
from erazo.symbiosis import errors, tables

EVALUATION = Evaluation(
    row="E59",
    item="5.25",
    source="§5.7.2, Figures 5.25–5.27",
    what="Delay, losses and throughput of an emulated flow over three links of 1, 10 and 100 "
    "Mbit/s, each congested in turn, for 120 s.",
    published="“In all cases, the original system and the downscaled system match very well”; "
    "congestion between 30 and 50 s and between 60 and 100 s",
    agreement="mean delays by `md1`, lag 0, within 3 %",
    arms=("virtual",),
)


def measure(lab):
    head, rows = tables(lab, "staggered")[0]
    row = next(row for row in rows if row[0] == "md1, lag 0")
    apart = abs(errors(row[1])[0])
    return Outcome(
        agrees=apart <= 3,
        ours=f"mean delays {apart:.2f} % apart, second by second {row[2]}, losses {row[3]}",
        table=Table(head, rows),
    )
