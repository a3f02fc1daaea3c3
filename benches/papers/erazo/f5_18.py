"""Figures 5.18 and 5.19: a trace of packets, contracted and dilated."""

from evaluation import Evaluation, Outcome, Table
from erazo.symbiosis import errors, tables

EVALUATION = Evaluation(
    row="E55",
    item="5.18",
    source="§5.7.1, Figures 5.18 and 5.19",
    what="Delays beside a trace of packets whose gaps are multiplied by 0.1 to 1000, over 1 and "
    "10 Mbit/s.",
    published="“For all values, our model produces very good match between the delay obtained in "
    "the original and the downscaled system”",
    agreement="mean delays by `md1`, lag 0, are within 10 %",
    arms=("virtual",),
    known=(
        "The trace is not published; here it is generated (Poisson Pareto bursts, Hurst 0.8).",
    ),
)


def measure(lab):
    head, rows = tables(lab, "trace")[0]
    place = head.index("md1, lag 0")
    far = {f"{row[0]}, factor {row[1]}": abs(errors(row[place])[0]) for row in rows}
    worst = max(far.values())
    beyond = [f"{name}: {off:.1f} %" for name, off in far.items() if off > 10]
    return Outcome(
        agrees=not beyond,
        why="" if not beyond else "beyond 10 % is " + ", ".join(beyond) + ", where 200 s of the"
        " trace pass in 20 s and overload the line;"
        f" {len(far) - len(beyond)} of {len(far)} agree.",
        ours=f"mean delays at most {worst:.1f} % apart",
        table=Table(head, rows),
    )
