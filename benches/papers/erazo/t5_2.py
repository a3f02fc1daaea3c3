"""Table 5.2: errors of three links by their bandwidths."""

from evaluation import Evaluation, Outcome, Table
from erazo.symbiosis import errors, tables

EVALUATION = Evaluation(
    row="E60",
    item="t5.2",
    source="§5.7.2, Table 5.2",
    what="Errors of delay, losses and throughput over three links of 1 or 10 Mbit/s each, over "
    "six loads, for 500 s.",
    published="delays 0.19 to 1.96 % apart, losses 0.18 to 2.47 %, throughput 0.10 to 0.99 %: "
    "“all below 2%”",
    points={"delay, %": [1.72, 1.96, 1.91, 0.85, 0.54, 0.55, 0.19, 1.8]},
    agreement="by `md1`, lag 0: delays within twice the largest of theirs (4 %), losses and "
    "received packets within their largest (2.47 and 1 %)",
    arms=("virtual",),
    known=(
        "The text has 10 and 100 Mbit/s, the table 1 and 10. The table's are used.",
        "One loss of the table is 2.47 %, above the 2 % of the text.",
    ),
)


def measure(lab):
    head, rows = tables(lab, "table52")[0]
    place = head.index("md1, lag 0")
    found = [errors(row[place]) for row in rows[:-1]]
    return Outcome(
        agrees=max(one[0] for one in found) <= 4 and max(one[1] for one in found) <= 2.47
        and max(one[2] for one in found) <= 1,
        ours=f"delays at most {max(one[0] for one in found):.2f} % apart, losses"
        f" {max(one[1] for one in found):.2f} %, received {max(one[2] for one in found):.2f} %",
        table=Table([head[0], "published", *head[3:]],
                    [[row[0], row[1], *row[3:]] for row in rows]),
    )
