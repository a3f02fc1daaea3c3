"""Figure 5.9: packets that are dropped, by rate."""

from evaluation import Evaluation, Outcome, Plot, Table
from zheng.hmdn import run, seconds

RATES = [3, 3.8, 4.2, 4.6, 5]
EVALUATION = Evaluation(
    row="B72",
    item="5.9",
    source="§5.1.3, Figure 5.9, p. 76–77",
    what="Packets dropped of both classes in the networks of Figure 5.8.",
    published="“non-preferred traffic in the All-DS network suffers even higher packet drop rate"
    " than in the HMDN due to the service differentiation on the congested links”",
    points_from="the axis of the plot ends at 25,000 packets, in 100 s",
    agreement="no drops below 4 Mbit/s; above, DS drops other traffic only, and more of it than"
    " HMDN; at 5 Mbit/s, 20,000 to 25,000 in 100 s",
    arms=("virtual",),
    known=("5 + 5 Mbit/s into 8 Mbit/s for 100 s are 25,000 packets of 1000 bytes too many: the end"
           " of the axis.",),
)
NAMES = ["DS, preferred", "DS, other", "HMDN, preferred", "HMDN, other"]


def measure(lab):
    rows, agrees = [], True
    scale = 100 / seconds(lab)
    for rate in RATES:
        _, ds = run(lab, rate, rate)
        _, hmdn = run(lab, rate, rate, without=(3,))
        rows.append([rate, *(round(one * scale) for one in (*ds, *hmdn))])
        if rate < 4:
            agrees &= not any((*ds, *hmdn))
        if rate > 4:
            agrees &= ds[0] == 0 and ds[1] > hmdn[1]
    agrees &= 20_000 <= rows[-1][2] <= 25_000
    return Outcome(
        agrees=agrees,
        ours=f"in 100 s at 5 Mbit/s each: DS {rows[-1][1]} and {rows[-1][2]}, HMDN {rows[-1][3]}"
        f" and {rows[-1][4]} packets",
        table=Table(["Mbit/s each", *NAMES], rows),
        plot=Plot("rate of each class, Mbit/s", "packets dropped in 100 s",
                  {name: [(row[0], row[place + 1]) for row in rows]
                   for place, name in enumerate(NAMES)}),
    )
