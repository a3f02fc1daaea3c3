"""Figures 5.30 to 5.35: a multipath sender by three strategies."""

from evaluation import Evaluation, NotMeasured, Outcome, Table
import re

from lab import binary

EVALUATION = Evaluation(
    row="E62",
    item="5.33",
    source="§5.8, Figures 5.30–5.35",
    what="Throughput of a sender over two of three paths, chosen once, by loss, or by available "
    "bandwidth, while background flows come from 20 s on.",
    published="fixed paths: the throughput “decreases continuously”; by loss it recovers in part, "
    "with a correlation of −0.24 with the number of switches; by bandwidth “a big improvement”",
    points={"correlation": -0.24},
    agreement="throughput from 20 s on: bandwidth > loss > fixed",
    arms=("emulated",),
)


def measure(lab):
    lab.needs_root()
    text = lab.bench("python3", "benches/symbiosis/multipath.py", "--trials",
                     20 if lab.is_full else 1, "--netloom", binary())
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in text.splitlines()
            if re.match(r"\| (fixed|loss|bandwidth) ", line)]
    if len(rows) < 3 or any("invalid" in row[-1] and "valid," not in row[-1] for row in rows):
        raise NotMeasured("the runs were `invalid`")
    rates = {row[0]: float(row[1].split()[0]) for row in rows}
    return Outcome(
        agrees=rates["bandwidth"] > rates["loss"] > rates["fixed"],
        ours="; ".join(f"{row[0]}: {row[1]} Mbit/s" for row in rows),
        table=Table(["strategy", "Mbit/s from 20 s on", "switches", "correlation", "verdicts"],
                    rows),
    )
