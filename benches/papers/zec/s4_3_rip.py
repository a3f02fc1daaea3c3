"""Section 4.3: 200 routers with RIP."""

from evaluation import Evaluation

EVALUATION = Evaluation(
    row="C40",
    item="4.3.rip",
    source="§4.3",
    what="Memory of a virtual router with a RIP daemon, and 200 of them on a machine of 256 MB.",
    published="“a virtual node running Zebra / Quagga RIP routing daemon consumes only around 1 "
    "MByte of RAM, so even on our weakest machine with only 256 Mbytes of RAM we had no problems "
    "in emulating network topologies consisting of 200 virtual nodes”",
    points={"MB a node": 1},
    agreement="200 routers with zebra and ripd learn all routes; memory for each of them is "
    "measured as its share of pages that are used by several (PSS)",
    missing="not written; `benches/scale/ospf.py` has FRR's zebra and ospfd on a random graph",
)
