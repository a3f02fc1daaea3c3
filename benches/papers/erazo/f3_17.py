"""Figures 3.16 and 3.17: response times in a campus network."""

from evaluation import Evaluation

EVALUATION = Evaluation(
    row="E49",
    item="3.17",
    source="§3.3.6, Figures 3.16 and 3.17, p. 51–52",
    what="Times of downloads of 10 kB, 100 kB and 1 MB through a campus of 508 hosts and 30 "
    "routers whose hosts send on and off, by congestion control, in 30 trials.",
    published="“TCP Reno achieved the best response time among the three TCP variants … "
    "Surprisingly, SCALABLE seemed to perform better than CUBIC”",
    agreement="the order of medians for 1 MB: Reno, Scalable, CUBIC",
    missing="`benches/tcp/campus.py` compares a real client in it with a simulated one, not the "
    "three variants; runs of all are not written",
)
