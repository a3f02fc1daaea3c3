"""Figure 10: response times with 100 rules, as a distribution."""

from evaluation import Evaluation

EVALUATION = Evaluation(
    row="A43",
    item="10",
    source="§7.1, Figure 10, Table 1, row IPFW-100",
    what="The distribution of round trips with 100 matching rules, idle, beside system calls and "
    "beside busy loops.",
    published="98.5 ± 15.1, 119.6 ± 5.74, 97.5 ± 14.4 µs (idle, kernel, user): 20 µs more than "
    "with one rule; “not only the average times increase, but also the variability becomes large”",
    points={"IPFW-100": [98.5, 119.6, 97.5]},
    agreement="with 100 claims, the median round trip of selected and of passed traffic is at "
    "most 1.1 times that with one: claims are found by table, so that the law is another one, "
    "constant instead of linear",
    missing="`benches/shape/claims.py` has the cost of a frame by the number of claims (row A44), "
    "and no bench has the distribution of round trips beside it",
)
