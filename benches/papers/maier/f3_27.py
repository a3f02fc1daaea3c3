"""Figure 3.27: losses that are enforced, by the number of nodes."""

import math

from evaluation import Evaluation, Outcome, Table
from maier.chains import every_link

EVALUATION = Evaluation(
    row="D62",
    item="3.27",
    source="§3.7.2.2, Figure 3.27, p. 99",
    what="The share of 1,000 pings lost over every link of a chain of 2 to 64 nodes at once, in "
    "one direction, by the ratio that is set.",
    published="“Minima and maxima—especially at a loss ratio of 80 or 90 %—are outliers and the "
    "deviation is below or equal to 2.7 for all measured values”",
    points={"deviation, percentage points": 2.7},
    agreement="the mean over links is within 1 percentage point, and each link within 4.1 "
    "standard deviations of 1,000 draws (6.5 points at 50 %): of 63 links, the farthest is beyond "
    "2.7 points by chance alone",
    arms=("virtual", "emulated"),
    known=(
        "A deviation of at most 2.7 over all links is less than 1,000 independent draws have: at "
        "50 % the standard deviation is 1.6 points, and of 63 links the farthest is 3.9 points "
        "off on average. 2.7 is the mean's, or draws are not independent.",
    ),
)


def measure(lab):
    rows, agrees, worst = [], True, 0.0
    for nodes in ([2, 64] if not lab.is_full else [2, 4, 8, 16, 32, 64]):
        for share in [10, 50, 80, 90]:
            interval = "100ms" if lab.is_virtual or lab.is_full else "10ms"
            run = lab.run(every_link(nodes, f"forward: {{ loss: {share}% }}",
                                     f"ping: {{ interval: {interval}, count: 1000 }}"))
            found = [100 * (1 - flow["received"]["frames"] / flow["sent"]["frames"])
                     for flow in run.flows.values()]
            mean = sum(found) / len(found)
            deviation = 100 * math.sqrt(share / 100 * (1 - share / 100) / 1000)
            off = max(abs(one - share) for one in found)
            agrees &= off <= 4.1 * deviation and (len(found) < 10 or abs(mean - share) <= 1)
            worst = max(worst, abs(mean - share) if len(found) > 10 else 0)
            rows.append([nodes, share, f"{mean:.2f}", f"{min(found):.1f}", f"{max(found):.1f}",
                         f"{4.1 * deviation:.1f}"])
    return Outcome(
        agrees=agrees,
        ours=f"means over 63 links within {worst:.2f} percentage points",
        table=Table(["nodes", "set, %", "mean, %", "least, %", "most, %", "4.1 deviations"], rows),
    )
