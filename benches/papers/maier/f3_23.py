"""Figure 3.23: the throughput of broadcast frames by the number of ports."""

from evaluation import Evaluation

EVALUATION = Evaluation(
    row="D59",
    item="3.23",
    source="§3.7.2.1, Figure 3.23, p. 96",
    what="The throughput of broadcast frames by the number of ports.",
    published="“With an increasing number of vnode devices per pnode, throughput decreases due to "
    "the overhead of cloning. Yet, aggregate switch throughput stays significantly above the "
    "memory bandwidth”",
    agreement="frames a second fall in proportion to the number of ports, and the sum over ports "
    "does not",
    missing="not written: `benches/throughput/switch.rs` has a switch's cost beside a link's for "
    "one number of ports",
)
