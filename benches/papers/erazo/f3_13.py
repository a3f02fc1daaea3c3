"""Figures 3.12 and 3.13: response times of web downloads beside bursts."""

from evaluation import Evaluation, NotMeasured, Outcome, Table

EVALUATION = Evaluation(
    row="E46",
    item="3.13",
    source="§3.3.6, Figures 3.12 and 3.13, p. 46–48",
    what="Times of downloads of 10 kB, 100 kB and 1 MB over a bottleneck, beside light and heavy "
    "bursts (PPBP, Hurst 0.8, mean 1 s), with Reno, CUBIC and Scalable TCP.",
    published="“although the response time for small objects is almost indistinguishable among "
    "the TCP variants, with larger object sizes, certain TCP variants perform better than others”",
    agreement="all-real and hybrid runs have the same distribution of times (Kolmogorov and "
    "Smirnov, p above 0.01) for each size",
    arms=("emulated",),
    known=(
        "PPBP has the arrival rate of bursts (µ = 1, 100), their mean duration and the Hurst "
        "parameter, but no rate of a burst; the bottleneck's bandwidth is not given either.",
    ),
)


def measure(lab):
    lab.needs_root()
    text = lab.bench("python3", "benches/tcp/downloads.py", "--load", "light", "--trials",
                     30 if lab.is_full else 6, accept=(0, 1))
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in text.splitlines()
            if line.startswith("| light")]
    valid = [row for row in rows if "invalid" not in row[5]]
    if not valid:
        raise NotMeasured("the runs were `invalid`")
    return Outcome(
        agrees=all(float(row[4]) > 0.01 for row in valid),
        ours="p of " + ", ".join(f"{row[4]} ({row[1]})" for row in valid),
        table=Table(["load", "size", "all real, s", "hybrid, s", "p", "verdicts"],
                    [row[:6] for row in rows]),
    )
