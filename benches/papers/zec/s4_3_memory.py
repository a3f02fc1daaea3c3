"""Section 4.3: memory of the kernel for a node."""

from evaluation import Evaluation

EVALUATION = Evaluation(
    row="C39",
    item="4.3.memory",
    source="§4.3",
    what="Memory of the kernel for a virtual node with its interfaces.",
    published="“The kernel memory footprint of a virtual node in IMUNES is only around 70 Kbytes "
    "large”",
    points={"kB": 70},
    agreement="thousands of nodes on one machine: at most 1 MB for each node with its devices and "
    "addresses, and the kernel's floor (bare namespaces and devices) beside it",
    missing="`benches/scale/growth.py` and docs/measured/scale.md have it for release builds, "
    "over some minutes of an idle machine; its output is not read here yet",
    known=(
        "A network namespace of Linux has more in it than a stack of 4.4BSD of 2004 (IPv6, "
        "netfilter, counters for each CPU).",
    ),
)
