"""Figure 6: TCP throughput by the number of hops."""

from evaluation import Evaluation, NotMeasured, Outcome, Plot, Table

EVALUATION = Evaluation(
    row="C36",
    item="6",
    source="§4.2, Figure 6",
    what="The throughput of one TCP flow through 1 to 30 virtual routers.",
    published="the source sends at most some 420 Mbit/s; “the obtainable throughput remained flat "
    "for emulated topologies of up to 15 hops”, then decreases “to around 220 Mbit/s for the "
    "longest observed topology of 30 subsequent hops”",
    points={"to 15 hops, Mbit/s": 420, "30 hops, Mbit/s": 220},
    agreement="over direct links (veth pairs, as IMUNES' links are in the kernel), 30 hops carry "
    "at least 220/420 of what 15 carry, and at least 0.9 of a chain made by `ip` alone",
    arms=("emulated",),
    machine="Gbit/s are the machine's; a chain of bare veth pairs stands beside it in the same run",
    known=(
        "The text has 420 Mbytes/s; the plot and the rest of the text mean Mbit/s.",
    ),
)


def measure(lab):
    lab.needs_root()
    text = lab.bench("python3", "benches/scale/hops.py", "--seconds", 3, "--hops", "1,5,15,30",
                     "--rounds",                     3 if lab.is_full else 1)
    rows = [[float(one) for one in line.split()[:6]] for line in text.splitlines()
            if line.split() and line.split()[0].isdigit()]
    if not rows:
        raise NotMeasured("`benches/scale/hops.py` printed no row")
    by_hops = {row[0]: row for row in rows}
    share = by_hops[30][2] / by_hops[15][2]
    least = min(row[4] for row in rows)
    return Outcome(
        agrees=share >= 220 / 420 and least >= 0.9,
        ours=f"30 hops carry {share:.2f} of what 15 carry; direct links carry at least"
        f" {least:.2f} of bare veth pairs",
        table=Table(["hops", "veth pairs, Gbit/s", "direct links, Gbit/s", "links, Gbit/s",
                     "direct ÷ veth", "links ÷ veth"], rows),
        plot=Plot("hops", "Gbit/s", {"direct links": [(row[0], row[2]) for row in rows],
                                     "veth pairs": [(row[0], row[1]) for row in rows]}),
    )
