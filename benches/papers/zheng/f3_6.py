"""Figures 3.6 and 3.7: throughput and CPU by offered load."""

from evaluation import Evaluation

EVALUATION = Evaluation(
    row="B63",
    item="3.6",
    source="§3.3.1, Figures 3.6 and 3.7, p. 28–29",
    what="Throughput and CPU load of a chain of 1 to 4 virtual routers, by the load that UDP of "
    "1470 bytes offers.",
    published="“When there are 4 virtual routers (8 network ports) forwarding packets in em1, the "
    "maximum end-to-end throughput can hardly reach 60 Mbits/s”; one port “can achieve a maximum "
    "throughput of 92 Mbits/s”",
    agreement="throughput follows the load up to a maximum that falls with the number of routers; "
    "CPU grows linearly up to it; a run past it is `invalid`",
    missing="not written: `benches/scale/hops.py` has the maximum by length (row B65), and no "
    "bench has throughput by offered load. It needs an idle machine",
    known=(
        "The text names the slow CPU both K6 and K2 (“300Hz”).",
    ),
)
