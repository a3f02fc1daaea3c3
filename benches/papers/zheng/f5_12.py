"""Figures 5.12 to 5.14: the Service Provision Index by the number of domains without DS."""

from evaluation import Evaluation, Outcome, Plot, Table
from zheng.hmdn import index, run

COUNTS = [0, 1, 2, 3, 4, 5]
RATE = 4.6
EVALUATION = Evaluation(
    row="B74",
    item="5.12",
    source="§5.1.3, Figures 5.12–5.14, p. 77–80",
    what="The Service Provision Index of both classes by the number of routers that do not know"
    " differentiated services, of nine; both classes at 4.6 Mbit/s.",
    published="“there is a sharp increase of SPI for preferred traffic when the first non-DS is"
    " introduced. After that, no significant changes of SPI can be observed”; other traffic"
    " “experiences a clear gain in service level when the first non-DS router is introduced”",
    agreement="the SPI of preferred traffic is 0 without, and with 1 to 5 at least 0.5 and within"
    " 15 % of that with 1; that of other traffic is below 0 with 1 to 5",
    arms=("virtual", "emulated"),
    known=("The rate is not given; 4.6 Mbit/s is in the middle of the congested rates of Figure"
           " 5.8.",),
)


def measure(lab):
    ds, _ = run(lab, RATE, RATE, routers=9)
    counts = COUNTS if lab.is_virtual else COUNTS[:4]
    rows = [[0, 0.0, 0.0, round(ds[0], 2), round(ds[1], 2)]]
    for count in counts[1:]:
        # The routers whose lines are slow, one after the other.
        hmdn, _ = run(lab, RATE, RATE, routers=9, without=range(3, 3 + count))
        rows.append([count, round(index(hmdn[0], ds[0]), 3), round(index(hmdn[1], ds[1]), 3),
                     round(hmdn[0], 2), round(hmdn[1], 2)])
    first = rows[1][1]
    agrees = first >= 0.5 and all(abs(row[1] / first - 1) <= 0.15 and row[2] < 0
                                  for row in rows[1:])
    values = [row[1] for row in rows[1:]]
    return Outcome(
        agrees=agrees,
        ours=f"preferred: 0, then {min(values):.2f} to {max(values):.2f}; other: 0, then"
        f" {min(row[2] for row in rows[1:]):.2f} to {max(row[2] for row in rows[1:]):.2f}",
        table=Table(["without DS", "SPI, preferred", "SPI, other", "delay, preferred, ms",
                     "delay, other, ms"], rows),
        plot=Plot("number of routers without DS", "Service Provision Index",
                  {"preferred": [(row[0], row[1]) for row in rows],
                   "other": [(row[0], row[2]) for row in rows]}),
    )
