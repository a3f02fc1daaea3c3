"""Figures 3.31 and 3.34: TCP through chains, wired and wireless."""

from evaluation import Evaluation, NotMeasured, Outcome, Table
import re

EVALUATION = Evaluation(
    row="D64",
    item="3.31",
    source="§3.7.3.1 and §3.7.3.2, Figures 3.31 and 3.34, p. 102, 105",
    what="TCP throughput through a chain at 100 Mbit/s, and through a wireless chain at 11 Mbit/s "
    "without contention, by the number of nodes.",
    published="wired: the reference is flat; virtualised, it drops from 12 nodes on (sending) or "
    "51 (receiving). Wireless: it deviates “at about 29 hops”",
    points={"wired, nodes": 12, "wireless, hops": 29},
    agreement="wireless, 1 to 12 hops: throughputs within 3 % of each other without a MAC",
    arms=("emulated",),
)


def measure(lab):
    lab.needs_root()
    text = lab.bench("python3", "benches/medium/chain.py", "1,2,4,8,12" if lab.is_full else "1,4,8")
    free = text.split("mac: dcf")[0]
    rows = [[int(found[1]), float(found[2]), found[3]] for found in
            re.finditer(r"(\d+) hops: +([\d.]+) Mbit/s \((\w+)\)", free)]
    rates = [rate for _, rate, verdict in rows if verdict != "invalid"]
    if len(rates) < 2:
        raise NotMeasured("the runs were `invalid`")
    return Outcome(
        agrees=min(rates) / max(rates) >= 0.97,
        ours=f"{min(rates):.2f} to {max(rates):.2f} Mbit/s over {rows[0][0]} to {rows[-1][0]} hops",
        table=Table(["hops", "Mbit/s", "verdict"], rows),
    )
