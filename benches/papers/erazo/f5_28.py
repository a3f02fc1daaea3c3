"""Figures 5.28 and 5.29: the parking lot, in the real loop."""

from evaluation import Evaluation, NotMeasured, Outcome, Table
import re

from lab import binary

EVALUATION = Evaluation(
    row="E61",
    item="5.28",
    source="§5.7.3, Figures 5.28 and 5.29",
    what="A real TCP transfer through one calibrated link instead of a parking lot of "
    "bottlenecks, beside the simulation of all: round trips and the last sequence number.",
    published="“The average delay from simulation is 148ms and that obtained from SymbioSim is "
    "152ms, … an error of around 3%”; the last sequence numbers are 20,843,961 and 20,748,458, "
    "“around 0.5%”",
    points={"round trip, ms": [148, 152], "sequence number": [20843961, 20748458]},
    agreement="by the example's own method, round trip within 5 % and transferred bytes within 2 "
    "% of the simulated ones",
    arms=("emulated",),
    known=(
        "Rates and delays of the links are not given; only ratios can be compared.",
    ),
)


def measure(lab):
    lab.needs_root()
    text = lab.bench("python3", "benches/symbiosis/parking_lot.py", "--example", "--runs",
                     15 if lab.is_full else 2, "--netloom", binary())
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in text.splitlines()
            if line.startswith("| `") or line.startswith("| simulated")]
    last = rows[-1]
    ratios = [float(re.match(r"[\d.]+", cell)[0]) for cell in last[5:7]
              if re.match(r"[\d.]+", cell)]
    if len(ratios) < 2:
        raise NotMeasured("the runs were `invalid`")
    return Outcome(
        agrees=abs(ratios[0] - 1) <= 0.02 and abs(ratios[1] - 1) <= 0.05,
        ours=f"transfer {last[5]} and round trip {last[6]} of the simulated ones ({last[-1]})",
        table=Table(["method", "MB", "round trip, ms", "sent again", "rises", "transfer, ratio",
                     "round trip, ratio", "verdicts"], rows),
    )
