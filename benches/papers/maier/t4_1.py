"""Table 4.1: the criterion of a class fires first."""

from evaluation import Evaluation, NotMeasured, Outcome, Table
import re

EVALUATION = Evaluation(
    row="D72",
    item="t4.1",
    source="§4.6.2.1, Table 4.1, p. 146",
    what="Load of one class of resource raised step by step: which criterion of the monitor is "
    "reported, and from which step on.",
    published="the diagonal is least in each row: internal traffic 11 (CPU 18), CPU 4, memory 8, "
    "disk 2 nodes; below, nothing is reported",
    points={"n_i": 11, "c": 4, "m": 8, "d": 2},
    agreement="for CPU, network, memory and disk, only steps of overload are reported, and the "
    "class of the load first",
    arms=("emulated",),
    known=(
        "In row m, the CPU is reported with one node: “It is the load generator writing "
        "repeatedly into its allocated memory space”.",
    ),
)


def measure(lab):
    lab.needs_root()
    classes = [] if lab.is_full else ["cpu", "net"]
    text = lab.bench("python3", "benches/trust/diagonal.py", *classes)
    words = re.findall(r"^(\w+): .*?^  (as wanted|NOT AS WANTED)$", text, re.M | re.S)
    if not words:
        raise NotMeasured("`benches/trust/diagonal.py` printed no table")
    return Outcome(
        agrees=all(word == "as wanted" for _, word in words),
        ours="; ".join(f"{name}: {word.lower()}" for name, word in words)
        + ("" if lab.is_full else " (memory and disk with --full)"),
        table=Table(["class", "first to fire"], list(map(list, words))),
    )
