"""Figures 4.4 and 4.5: fairness of two HighSpeed flows."""

from evaluation import Evaluation, NotMeasured, Outcome, Plot, Table
from lab import jain

EVALUATION = Evaluation(
    row="E50",
    item="4.5",
    source="§4.6.1, Figures 4.4 and 4.5, p. 66–67",
    what="Two flows of HighSpeed TCP over 10 Mbit/s with 64 ms and queues of 64 kB, of which the "
    "second begins 20 s after the first.",
    published="“both flows eventually converge with a fair share of the bandwidth (at about 30 "
    "seconds after the second flow starts transmitting)”",
    points={"s": 30},
    agreement="simulated: Jain's index over 10 s is at least 0.95 for good from 15 to 60 s after "
    "the second flow's start; one real and one simulated flow (`benches/tcp/shared.py`): at least "
    "0.95 from 30 s on",
    arms=("virtual", "emulated"),
)


SECOND, END, WINDOW = 20, 120, 10
SCENARIO = f"""\
name: papers-fair
topology:
  defaults: {{ node: {{ ipv6: none }}, link: {{ rate: 1Gbit/s, queue: {{ limit: 64kB }} }} }}
  nodes:
    a1:
    a2:
    b1:
    b2:
    l: {{ kind: router }}
    r: {{ kind: router }}
  links:
    - {{ endpoints: [a1, l] }}
    - {{ endpoints: [a2, l] }}
    - {{ endpoints: [l, r], rate: 10Mbit/s, delay: 64ms }}
    - {{ endpoints: [r, b1] }}
    - {{ endpoints: [r, b2] }}
traffic:
  - {{ name: first, from: a1, to: b1, tcp: {{ congestion_control: highspeed }}, bulk: {{}},
      for: {END}s }}
  - {{ name: second, from: a2, to: b2, tcp: {{ congestion_control: highspeed }}, bulk: {{}},
      start: {SECOND}s, for: {END - SECOND}s }}
measure: {{ flows: 1s, interval: 10s }}
"""


def measure(lab):
    if not lab.is_virtual:
        lab.needs_root()
        text = lab.bench("python3", "benches/tcp/shared.py", accept=(0, 1))
        rows = [[cell.strip() for cell in line.strip("| ").split("|")]
                for line in text.splitlines() if line.startswith("| highspeed")]
        if not rows or rows[0][-1] == "invalid":
            raise NotMeasured("the run was `invalid`")
        return Outcome(
            agrees=float(rows[0][3]) >= 0.95, ours=f"Jain's index {rows[0][3]}",
            table=Table(["flows", "real, Mbit/s", "simulated, Mbit/s", "Jain", "verdict"], rows),
        )
    run = lab.run(SCENARIO)
    curves, received = {}, {}
    for name in ("first", "second"):
        rows = run.rows("flows.parquet", flow=name)
        curves[name] = [(row["time_ns"] // 10**9, row["cwnd"]) for row in rows if row["cwnd"]]
        received[name] = {row["time_ns"] // 10**9: row["received_bytes"] for row in rows}
    table, fair = [], None
    for end in range(SECOND + WINDOW, END + 1):
        rates = [8 * (received[name][end] - received[name].get(end - WINDOW, 0)) / WINDOW / 1e6
                 for name in received]
        index = jain(rates)
        fair = (fair or end) if index >= 0.95 else None
        if end % 10 == 0:
            table.append([f"{end - WINDOW} to {end}", *(f"{rate:.2f}" for rate in rates),
                          f"{index:.3f}"])
    after = fair - WINDOW - SECOND if fair else None
    return Outcome(
        agrees=after is not None and 15 <= after <= 60,
        ours=f"fair for good from {after} s after the second flow's start on" if fair
        else "the flows do not converge in 100 s",
        table=Table(["s", "first, Mbit/s", "second, Mbit/s", "Jain"], table),
        plot=Plot("time, s", "congestion window, packets", curves),
    )
