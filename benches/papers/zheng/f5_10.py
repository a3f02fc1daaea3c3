"""Figures 5.10 and 5.11: the Service Provision Index in two scenarios, and by bandwidth."""

from evaluation import Evaluation, Outcome, Plot, Table
from zheng.hmdn import index, run

RATES = [3, 3.8, 4.2, 4.6, 5]
LINES = [7, 7.4, 7.8, 8.2]
EVALUATION = Evaluation(
    row="B73",
    item="5.10",
    source="§5.1.3, Figures 5.10 and 5.11, p. 76–78",
    what="The Service Provision Index of both classes by rate, where both rates grow (scenario 1)"
    " and where only the preferred one does (scenario 2, the other at 4 Mbit/s); and delays by the"
    " bandwidth of R3’s lines, with 8 Mbit/s in all.",
    published="“Significant change of SPI can be seen for preferred traffic when the non-DS router"
    " is introduced. However, for non-preferred traffic, the change is not that much”; the SPI of"
    " preferred traffic in scenario 2 “is slightly smaller than that of Scenario 1”",
    agreement="above 4 Mbit/s the SPI of preferred traffic is positive and larger than ten times"
    " that below 4; that of other traffic is not above 0, and at most a third of it in size;"
    " scenario 2 is below scenario 1 for preferred traffic; in Figure 5.11, with lines of 7 to 7.8"
    " Mbit/s, HMDN has preferred above DS, and other below DS",
    arms=("virtual",),
    known=("The index is printed as SP1 and SPI, and is the Service Provision Index (p. 66, 71). It"
           " is the share of the class times the growth of its mean delay, (3).",
           "The rate of other traffic in scenario 2 is not given: 4 Mbit/s here."),
)
NAMES = ["scenario 1, preferred", "scenario 1, other", "scenario 2, preferred",
         "scenario 2, other"]


def both(lab, preferred, other, **rest):
    """The indices of both classes."""
    ds, _ = run(lab, preferred, other, **rest)
    hmdn, _ = run(lab, preferred, other, without=(3,), **rest)
    shares = (preferred / (preferred + other), other / (preferred + other))
    return [index(one, was, share) for one, was, share in zip(hmdn, ds, shares)], ds, hmdn


def measure(lab):
    rows = []
    for rate in RATES:
        one, *_ = both(lab, rate, rate)
        two, *_ = both(lab, rate, 4)
        rows.append([rate, *(round(value, 3) for value in (*one, *two))])
    lines = []
    for speed in LINES:
        _, ds, hmdn = both(lab, 4, 4, rate=speed)
        lines.append([speed, *(round(value, 2) for value in (*ds, *hmdn))])
    light = max(abs(row[1]) for row in rows if row[0] < 4)
    heavy = [row for row in rows if row[0] > 4]
    agrees = all(row[1] > 10 * max(light, 0.01) and row[2] <= 0 and abs(row[2]) <= row[1] / 3
                 and row[3] < row[1] for row in heavy)
    agrees &= all(row[3] > row[1] and row[4] < row[2] for row in lines if row[0] <= 7.8)
    top = rows[-1]
    growth = (top[1] / 0.5, top[3] / (5 / 9))
    why = ""
    if not agrees and all(row[3] >= row[1] for row in heavy):
        why = (f"in scenario 2 the preferred class is 5/9 of the traffic, and (3) multiplies by"
               f" that share. The growth of its delay alone is {growth[0]:.2f} times in scenario 1"
               f" and {growth[1]:.2f} times in scenario 2: slightly smaller, as published, which"
               f" suggests that the plot leaves the share out. All else is as published.")
    return Outcome(
        agrees=agrees,
        why=why,
        ours=f"SPI at 5 Mbit/s: {top[1]:.2f} and {top[2]:.2f} (scenario 1),"
        f" {top[3]:.2f} and {top[4]:.2f} (scenario 2); R3 at 7.4 Mbit/s: preferred"
        f" {lines[1][1]:.1f} → {lines[1][3]:.1f} ms, other {lines[1][2]:.1f} →"
        f" {lines[1][4]:.1f} ms",
        table=Table(["Mbit/s", *NAMES], rows),
        plot=Plot("rate, Mbit/s", "Service Provision Index",
                  {name: [(row[0], row[place + 1]) for row in rows]
                   for place, name in enumerate(NAMES)}),
    )
