"""Figure 7: CPU load by the number of hops."""

from evaluation import Evaluation, NotMeasured, Outcome, Plot, Table
import re

EVALUATION = Evaluation(
    row="C37",
    item="7",
    source="§4.2, Figure 7",
    what="The CPU load of the emulator with one TCP flow, by the number of hops.",
    published="“the CPU load on the emulator box increased linearly with the number of virtual "
    "hops”, up to a partial livelock",
    agreement="softirq time for each gigabyte over direct links grows linearly with hops: a line "
    "explains at least 90 % of its variance",
    arms=("emulated",),
    machine="CPU seconds are the machine's",
)


def measure(lab):
    lab.needs_root()
    text = lab.bench("python3", "benches/scale/hops.py", "--seconds", 3, "--hops", "1,5,10,20,30",
                     "--rounds", 3 if lab.is_full else 1)
    rows = []
    for line in text.splitlines():
        if found := re.match(r" *(\d+) .*direct ([\d.]+) ([\d.]+) ([\d.]+)", line):
            rows.append([int(found[1]), *(float(found[place]) for place in (2, 3, 4))])
    if len(rows) < 3:
        raise NotMeasured("`benches/scale/hops.py` printed no CPU time")
    hops, spent = [row[0] for row in rows], [row[3] for row in rows]
    mean_x, mean_y = sum(hops) / len(hops), sum(spent) / len(spent)
    slope = (sum((x - mean_x) * (y - mean_y) for x, y in zip(hops, spent))
             / sum((x - mean_x) ** 2 for x in hops))
    total = sum((y - mean_y) ** 2 for y in spent)
    rest = sum((y - mean_y - slope * (x - mean_x)) ** 2 for x, y in zip(hops, spent))
    explained = 1 - rest / total
    return Outcome(
        agrees=explained >= 0.9 and slope > 0,
        ours=f"{slope:.3f} CPU s a gigabyte and hop; a line explains {explained:.1%}",
        table=Table(["hops", "user, s/GB", "system, s/GB", "softirq, s/GB"], rows),
        plot=Plot("hops", "softirq, CPU s/GB", {"direct links": list(zip(hops, spent))}),
    )
