"""Figures 3.19 and 3.20: the duration of a unicast switching decision by the number of ports."""

from evaluation import Evaluation

EVALUATION = Evaluation(
    row="D57",
    item="3.20",
    source="§3.7.2.1, Figures 3.19 and 3.20, p. 94–95",
    what="The duration of a unicast switching decision by the number of ports.",
    published="“about 98 ns, independent of the number of vnode devices per switch”; at least 88 "
    "ns, at most 1388 ns",
    agreement="the cost of a decision with 64 ports is at most 1.5 times that with 2",
    missing="not written: `benches/throughput/switch.rs` has a switch's cost beside a link's for "
    "one number of ports",
)
