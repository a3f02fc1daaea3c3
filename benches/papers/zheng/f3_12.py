"""Figure 3.12: the maximum network provision by ports."""

from evaluation import Evaluation

EVALUATION = Evaluation(
    row="B66",
    item="3.12",
    source="§3.5.1, Figure 3.12, p. 36–37",
    what="The largest forwarding throughput of one machine by its number of active ports.",
    published="“an MNP ranging from 91 Mbits/s to 335 Mbits/s. The maximum MNP reaches its peak "
    "when the active port number is 10”",
    points={"1 port": 91, "10 ports": 335},
    agreement="the sum over all ports grows with their number at first and has its peak in the "
    "range that was tried",
    missing="`netloom calibrate` measures a machine’s capacity by lanes, over some minutes of an "
    "idle machine; it is not read here yet",
)
