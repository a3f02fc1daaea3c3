"""Figure 3.8: packets that an overloaded emulator drops."""

from evaluation import Evaluation

EVALUATION = Evaluation(
    row="B64",
    item="3.8",
    source="§3.3.1, Figures 3.8 and 3.9, p. 30–32",
    what="The share of packets dropped by the load of three UDP flows, and throughput with "
    "interrupts mitigated.",
    published="packets are dropped beyond the capacity of the queue between driver and kernel; "
    "mitigation of interrupts (40 packets each) raises the maximum throughput “by 23%”",
    agreement="each frame that a run drops without the model's wish is counted as unmodelled, and "
    "the run is then not `valid`",
    missing="not written: no bench has drops by the load of several flows. It needs an idle "
    "machine",
)
