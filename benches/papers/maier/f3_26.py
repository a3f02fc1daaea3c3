"""Figure 3.26: delays that are enforced, by the number of nodes."""

from evaluation import Evaluation, Outcome, Table
from maier.chains import every_link

EVALUATION = Evaluation(
    row="D61",
    item="3.26",
    source="§3.7.2.2, Figure 3.26, p. 98",
    what="Pings over every link of a chain of 2 to 64 nodes at once, by the delay that is set.",
    published="“delay is emulated accurately independent of the number of vnodes per pnode … The "
    "measured deviations from the average delay values stay within bounds of 5 ms and are due to "
    "the granularity of the timer”",
    points={"deviation, ms": 5},
    agreement="each round trip is within 2 × 5 ms of twice the delay, and the mean over all links "
    "within 1 ms",
    arms=("virtual", "emulated"),
)


def measure(lab):
    rows, agrees, worst = [], True, 0.0
    for nodes in ([2, 16, 64] if not lab.is_full else [2, 4, 8, 16, 32, 64]):
        for delay in [1, 10, 50, 100]:
            count = 1000 if lab.is_full else 50
            run = lab.run(every_link(nodes, f"delay: {delay}ms",
                                     f"ping: {{ interval: 100ms, count: {count} }}"))
            found = [flow["delay"] for flow in run.flows.values()]
            least = min(one["min_ns"] for one in found) / 2e6
            most = max(one["max_ns"] for one in found) / 2e6
            mean = sum(one["mean_ns"] for one in found) / len(found) / 2e6
            agrees &= delay - 1e-6 <= least and most <= delay + 5 and abs(mean - delay) <= 0.5
            worst = max(worst, most - delay, delay - least)
            rows.append([nodes, delay, f"{mean:.3f}", f"{least:.3f}", f"{most:.3f}"])
    return Outcome(
        agrees=agrees,
        ours=f"every delay within {worst:.3f} ms",
        table=Table(["nodes", "set, ms", "mean, ms", "least, ms", "most, ms"], rows),
    )
