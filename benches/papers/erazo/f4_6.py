"""Figures 4.6 and 4.7: throughput by bandwidth, and by the number of flows."""

from evaluation import Evaluation, NotMeasured, Outcome, Plot, Table

EVALUATION = Evaluation(
    row="E51",
    item="4.6",
    source="§4.6, Figures 4.6 and 4.7, p. 69",
    what="TCP throughput over a link of 1 ms by its bandwidth, 10 to 450 Mbit/s; and the sum of 1 "
    "to 64 emulated flows over 1 Gbit/s.",
    published="“the throughput increases almost linearly with the increased bandwidth for the "
    "simulated flow”; emulated, it “is kept below roughly 250 Mb/s for sequential runs and 130 "
    "Mb/s for parallel runs”",
    points={"one machine, Mbit/s": 250, "two machines, Mbit/s": 130},
    agreement="simulated: within 2 % of what the line leaves for payload; real hosts at the ends "
    "of a simulated link: within 2 % of simulated ones where the run is `valid`",
    arms=("virtual", "emulated"),
    known=(
        "The congestion control of this experiment is not given; Reno here.",
    ),
)


RATES = [10, 90, 170, 250, 330, 410, 450]


def scenario(rate):
    return f"""\
name: papers-throughput
topology:
  defaults: {{ node: {{ ipv6: none }}, link: {{ rate: 1Gbit/s, queue: {{ limit: 64kB }} }} }}
  nodes:
    a:
    b:
    l: {{ kind: router }}
    r: {{ kind: router }}
  links:
    - {{ endpoints: [a, l] }}
    - {{ endpoints: [l, r], rate: {rate}Mbit/s, delay: 1ms }}
    - {{ endpoints: [r, b] }}
traffic:
  - {{ name: flow, from: a, to: b, tcp: {{ congestion_control: reno }}, bulk: {{}}, for: 5s }}
measure: {{ flows: 1s, interval: 1s }}
"""


def measure(lab):
    if not lab.is_virtual:
        return beside(lab)
    rows, points = [], []
    for rate in RATES:
        found = lab.run(scenario(rate)).rate("flow", 1, 5) / 1e6
        rows.append([rate, f"{found:.1f}", f"{found / (rate * 1448 / 1538):.4f}"])
        points.append((rate, round(found, 2)))
    worst = min(float(row[2]) for row in rows)
    return Outcome(
        agrees=worst >= 0.98,
        why="" if worst >= 0.98 else "Throughput grows with bandwidth, but from 250 Mbit/s on the"
        " queue of 64 kB holds no more than the path (2 ms), and Reno, halved, leaves it idle.",
        ours=f"{worst:.1%} to {max(float(row[2]) for row in rows):.1%} of what the line leaves for"
        " payload",
        table=Table(["bandwidth, Mbit/s", "throughput, Mbit/s", "of the line's payload"], rows),
        plot=Plot("bandwidth, Mbit/s", "throughput, Mbit/s", {"NetLoom, simulated": points},
                  levels={"published: emulated, one machine": 250,
                          "published: emulated, two machines": 130}),
    )


def beside(lab):
    lab.needs_root()
    words = [] if lab.is_full else ["--rates", 10, 90, 170, "--flows", 1, 8, "--seconds", 4]
    text = lab.bench("python3", "benches/tcp/throughput.py", *words, accept=(0, 1))
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in text.splitlines()
            if line.startswith("| ") and line[2].isdigit()]
    if not [row for row in rows if row[5] != "invalid"]:
        raise NotMeasured("all runs were `invalid`")
    return Outcome(
        agrees=not any("OUTSIDE" in row for row in rows),
        ours="; ".join(f"{row[0]} Mbit/s, {row[1]} flows: {row[2]} ({row[5]})" for row in rows),
        table=Table(["bandwidth, Mbit/s", "flows", "real, Mbit/s", "simulated, Mbit/s",
                     "difference", "verdict"], [row[:6] for row in rows]),
    )
