"""Figures 4.9 to 4.12: what one resource shows as its load grows."""

from evaluation import Evaluation

EVALUATION = Evaluation(
    row="D70",
    item="4.9",
    source="§4.6.1, Figures 4.8–4.12, p. 141–145",
    what="External throughput, non-idle CPU, page-outs and continuous disk I/O of a machine, by "
    "the number of nodes that load it.",
    published="thresholds: 490 Mbit/s of external traffic (the PCI bus), 0.2 s of non-idle CPU (4 "
    "nodes of 25 %), no paging (from 7 nodes of 60 MB on), 0.1 s of continuous I/O (2 nodes)",
    points={"external, Mbit/s": 490, "CPU, s": 0.2, "paging": 0, "disk, s": 0.1},
    agreement="each signal is below its threshold at all steps that the resource bears, and above "
    "it from the first step on that it does not",
    missing="the threshold of external traffic is not calibrated for each uplink yet (issue 50, "
    "D37); the other three are row D72",
)
