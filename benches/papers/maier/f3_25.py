"""Figures 3.24 and 3.25: bandwidths that are enforced, by the number of nodes."""

from evaluation import Evaluation, Outcome, Table
from maier.chains import every_link

EVALUATION = Evaluation(
    row="D60",
    item="3.25",
    source="§3.7.2.2, Figures 3.24 and 3.25, p. 97–98",
    what="TCP over every link of a chain of 2 to 64 nodes at once, by the bandwidth that is set.",
    published="“Up to an emulated bandwidth of 5 MBit/s, at least 64 vnodes can be hosted on a "
    "single pnode without loss of accuracy. 8 to 16 vnodes … at 54 MBit/s and at least 4 vnodes … "
    "with 100 MBit/s”",
    points={"5 Mbit/s": 64, "54 Mbit/s": 8, "100 Mbit/s": 4},
    agreement="64 nodes at 5 Mbit/s, 8 at 54 and 4 at 100: the goodput of each link is within 2 % "
    "of what the rate leaves for payload (1448 of 1538 bytes)",
    arms=("virtual", "emulated"),
)


def measure(lab):
    seconds = 20 if lab.is_full else 6
    rows, agrees = [], True
    for rate, nodes in [(1, 64), (5, 64), (54, 8), (100, 4)]:
        traffic = f"tcp: {{ congestion_control: reno }}, bulk: {{}}, for: {seconds}s"
        run = lab.run(every_link(nodes, f"rate: {rate}Mbit/s", traffic))
        begin = 3 if rate > 1 else 4
        rates = [run.rate(name, begin, seconds - 1) / 1e6 for name in run.flows]
        wanted = rate * 1448 / 1538
        agrees &= all(abs(found / wanted - 1) <= 0.02 for found in rates)
        rows.append([rate, nodes, f"{wanted:.3f}", f"{sum(rates) / len(rates):.3f}",
                     f"{min(rates):.3f}", f"{max(rates):.3f}"])
    worst = max(abs(float(each) / float(row[2]) - 1) for row in rows for each in row[4:6])
    return Outcome(
        agrees=agrees,
        ours=f"each link within {worst:.2%}",
        table=Table(["set, Mbit/s", "nodes", "payload of it", "mean", "least", "most"], rows),
    )
