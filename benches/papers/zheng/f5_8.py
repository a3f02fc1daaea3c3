"""Figure 5.8: delays of both classes by rate."""

from evaluation import Evaluation, Outcome, Plot, Table
from zheng.hmdn import run

RATES = [3, 3.8, 4.2, 4.6, 5]
EVALUATION = Evaluation(
    row="B71",
    item="5.8",
    source="§5.1.3, Figure 5.8, Table 5.1, p. 73–77",
    what="Mean delays of preferred and other traffic, each at 3 to 5 Mbit/s, where all five routers"
    " know differentiated services (DS), and where R3 does not (HMDN).",
    published="without congestion “the end-to-end delays of both traffic classes are almost the"
    " same”; with it, in the all-DS network, preferred packets take “less than 20ms” and others"
    " “larger than 90ms”; in the HMDN there is no such difference",
    agreement="below 4 Mbit/s all four delays are within 2 ms of each other; at 4.6 and 5 Mbit/s,"
    " DS: preferred below 20 ms, other above 90; HMDN: preferred above twice that of DS, and other"
    " below that of DS",
    arms=("virtual",),
    known=("Lengths of queues and thresholds of RED are not given: 40 packets a class, and RED from"
           " 20 to 40 packets, here.",
           "Table 5.1 gives R3’s lines 8 Mbit/s; they keep it here when R3 is a DS router, since"
           " there would be no congestion otherwise."),
)
NAMES = ["DS, preferred", "DS, other", "HMDN, preferred", "HMDN, other"]


def measure(lab):
    rows, agrees = [], True
    for rate in RATES:
        ds, _ = run(lab, rate, rate)
        hmdn, _ = run(lab, rate, rate, without=(3,))
        rows.append([rate, *(round(one, 2) for one in (*ds, *hmdn))])
        if rate < 4:
            agrees &= max(*ds, *hmdn) - min(*ds, *hmdn) <= 2
        if rate >= 4.6:
            agrees &= ds[0] < 20 and ds[1] > 90 and hmdn[0] > 2 * ds[0] and hmdn[1] < ds[1]
    top = rows[-1]
    return Outcome(
        agrees=agrees,
        ours=f"at 5 Mbit/s each: DS {top[1]:.1f} and {top[2]:.1f} ms, HMDN {top[3]:.1f} and"
        f" {top[4]:.1f} ms; at 3: {min(rows[0][1:]):.1f} to {max(rows[0][1:]):.1f} ms",
        table=Table(["Mbit/s each", *(f"{name}, ms" for name in NAMES)], rows),
        plot=Plot("rate of each class, Mbit/s", "mean delay, ms",
                  {name: [(row[0], row[place + 1]) for row in rows]
                   for place, name in enumerate(NAMES)},
                  levels={"published: DS, preferred below": 20, "published: DS, other above": 90}),
    )
