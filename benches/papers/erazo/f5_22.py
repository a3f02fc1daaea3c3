"""Figures 5.22 and 5.23: what the improved model is worth."""

from evaluation import Evaluation, Outcome, Table
from erazo.symbiosis import errors, tables

EVALUATION = Evaluation(
    row="E58",
    item="5.22",
    source="§5.7.1, Figures 5.22 and 5.23",
    what="Errors of delays with and without the correction for congestion (5.11), with flows of "
    "30 and 10 packets/s over lines of 60, 40 and 20 packets/s.",
    published="“we can observe the dramatic improvement of the model in terms of accuracy”",
    agreement="at 40 packets/s, mild congestion, the error is at most a quarter of that without "
    "(5.11)",
    arms=("virtual",),
    known=(
        "(5.4) of the thesis, its simple model, has a misprint; the formula that its text derives "
        "is used (docs/decisions/030-losses-in-front-of-a-small-pipe.md).",
    ),
)


def measure(lab):
    head, rows = tables(lab, "overload")[0]
    ours, plain = head.index("md1, lag 0"), head.index("md1 without (5.11)")
    pairs = [(abs(errors(row[ours])[0]), abs(errors(row[plain])[0])) for row in rows]
    mild = [pair for row, pair in zip(rows, pairs) if "40 frames/s" in row[0]]
    return Outcome(
        agrees=all(better * 4 <= worse for better, worse in mild),
        ours="at 40 packets/s, errors of " + ", ".join(f"{better:.1f} instead of {worse:.1f} %"
                                                      for better, worse in mild),
        table=Table(head, rows),
    )
