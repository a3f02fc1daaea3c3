"""Figures 3.10 and 3.11: the largest throughput by the number of routers."""

from evaluation import Evaluation, NotMeasured, Outcome, Plot, Table

EVALUATION = Evaluation(
    row="B65",
    item="3.10",
    source="§3.4, Figures 3.10 and 3.11, p. 34–36",
    what="The largest end-to-end throughput of a chain of virtual routers, and that times the "
    "number of routers, by their number.",
    published="“the more network ports are assigned to virtual routers, the smaller the maximum "
    "end-to-end throughput will be. Clearly the relationship … is not linear”; beyond “five "
    "virtual routers with ten network ports … the maximum network throughput drops fast”",
    agreement="throughput falls with each step of the chain’s length, and less than in proportion "
    "to it",
    arms=("emulated",),
    machine="Gbit/s are the machine's; a chain of bare veth pairs stands beside it in the same run",
)


def judged(rows):
    """Rows: hops, Gbit/s over raw veth pairs, direct links and links of the engine, ratios."""
    falls = all(later[3] <= 1.05 * row[3] for row, later in zip(rows, rows[1:]))
    first, last = rows[0], rows[-1]
    slower = last[3] * last[0] > first[3] * first[0]
    return Outcome(
        agrees=falls and slower,
        ours=f"{first[3]:.2f} Gbit/s over {first[0]:.0f} and {last[3]:.2f} over {last[0]:.0f}"
        f" routers: {last[5]:.2f} of bare veth pairs",
        table=Table(["routers", "veth pairs, Gbit/s", "direct links, Gbit/s", "links, Gbit/s",
                     "direct ÷ veth", "links ÷ veth"], rows),
        plot=Plot("routers", "Gbit/s", {"links": [(row[0], row[3]) for row in rows],
                                        "veth pairs": [(row[0], row[1]) for row in rows]}),
    )


def measure(lab):
    lab.needs_root()
    text = lab.bench("python3", "benches/scale/hops.py", "--seconds", 3, "--rounds",
                     3 if lab.is_full else 1)
    rows = [[float(one) for one in line.split()[:6]] for line in text.splitlines()
            if line.split() and line.split()[0].isdigit()]
    if not rows:
        raise NotMeasured("`benches/scale/hops.py` printed no row")
    return judged(rows)
