"""Figures 3.21 and 3.22: the throughput of unicast frames through the software switch."""

from evaluation import Evaluation

EVALUATION = Evaluation(
    row="D58",
    item="3.22",
    source="§3.7.2.1, Figures 3.21 and 3.22, p. 95–96",
    what="The throughput of unicast frames through the software switch by the number of ports and "
    "the size of frames.",
    published="“constant throughput for unicast frames which only depends on the frame size”; "
    "“about 3 GBit/s” at most",
    agreement="at each size, frames a second with 64 ports are at least 0.7 of those with 2",
    missing="not written: `benches/throughput/switch.rs` has a switch's cost beside a link's for "
    "one number of ports",
)
