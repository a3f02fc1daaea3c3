"""Table 5.1: errors of one link by bandwidth and buffer."""

from evaluation import Evaluation, Outcome, Table
from erazo.symbiosis import errors, tables

EVALUATION = Evaluation(
    row="E57",
    item="t5.1",
    source="§5.7.1, Table 5.1",
    what="Errors of delay, losses and received packets for 1, 10 and 100 Mbit/s with 100, 500 and "
    "1,000 packets of buffer, over 16 pairs of loads.",
    published="delays 3.67 to 8.83 % apart (6.7 % on average); losses 0.13 to 0.62 %, received "
    "0.01 to 0.16 %",
    points={"delay, %": [7.96, 7.63, 7.57, 8.83, 7.93, 7.78, 5.04, 3.9, 3.67]},
    agreement="by `md1`, lag 0: on average at most 6.7 %, and no row above 12 %",
    arms=("virtual",),
)


def measure(lab):
    head, rows = tables(lab, "table51")[0]
    place = head.index("md1, lag 0")
    ours = [errors(row[place])[0] for row in rows[:-1]]
    mean = errors(rows[-1][place])[0]
    return Outcome(
        agrees=mean <= 6.7 and max(ours) <= 12,
        ours=f"delays {min(ours):.2f} to {max(ours):.2f} % apart, {mean:.2f} % on average",
        table=Table([head[0], "published", *head[3:]],
                    [[row[0], row[1], *row[3:]] for row in rows]),
    )
