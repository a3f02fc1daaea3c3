"""Figures 5.20 and 5.21: a trace of 10 Gbit/s, dilated."""

from evaluation import Evaluation, Outcome, Table
from erazo.symbiosis import errors, tables

EVALUATION = Evaluation(
    row="E56",
    item="5.20",
    source="§5.7.1, Figures 5.20 and 5.21, p. 113–114",
    what="Delay and received packets beside a trace of an OC-192 link, dilated 30 times over 1 "
    "Gbit/s and 100 times over 100 Mbit/s.",
    published="first scenario: “No congestion exists … most of the delay is propagation delay "
    "(3ms)”; second: “a total occupation of the queue between seconds 5 and 33”; “For all three "
    "metrics, our model provides great accuracy”",
    points={"first, ms": 3, "second, full from and to, s": [5, 33]},
    agreement="no loss in the first scenario, a full queue in the second, and mean delays by "
    "`md1`, lag 0, within 5 %",
    arms=("virtual",),
    known=(
        "The trace (CAIDA 2011) may not be passed on. Without `--trace FILE` one is generated, "
        "whose seconds with a full queue are others.",
    ),
)


def measure(lab):
    head, rows = tables(lab, "oc192")[0]
    place = head.index("md1, lag 0")
    worst = max(abs(errors(row[place])[0]) for row in rows)
    return Outcome(
        agrees=worst <= 5 and rows[0][head.index("full")] == "never"
        and rows[1][head.index("full")] != "never",
        ours=f"mean delays at most {worst:.1f} % apart; the first scenario loses nothing, the"
        f" second from {rows[1][head.index('full')]}",
        table=Table(head, rows),
    )
