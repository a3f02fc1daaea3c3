"""Figures 3.10 and 3.11: the largest throughput at time dilation factors."""

from evaluation import Evaluation

EVALUATION = Evaluation(
    row="E45",
    item="3.10",
    source="§3.3.5, Figures 3.10 and 3.11, p. 44–45",
    what="Aggregate throughput of emulated and simulated flows over 1 Gbit/s, by their number, at "
    "time dilation factors of 1, 5 and 10.",
    published="“The maximum aggregate throughput is approximately 160, 480, and 670 Mbps, "
    "corresponding to TDFs of 1, 5, and 10 … as we increase TDF, a smaller gain is obtained”",
    points={"TDF 1, Mbit/s": 160, "TDF 5, Mbit/s": 480, "TDF 10, Mbit/s": 670},
    agreement="the largest load beside which real nodes are `valid` is proportional to the "
    "dilation, within 15 %: better than the paper’s",
    missing="`benches/tcp/largest.py` measures it with a release build on an idle machine, over "
    "an hour",
)
