"""Table 4.3: what the monitor costs."""

from evaluation import Evaluation, NotMeasured, Outcome, Table
import re

EVALUATION = Evaluation(
    row="D74",
    item="t4.3",
    source="§4.6.3, Table 4.3, p. 151",
    what="The share of a CPU that the monitor takes under load.",
    published="0.012 to 5.095 × 10⁻⁶ of the time of an experiment: “≈ 0.0005 %” at most, 122 to "
    "101,905 ns for each event on average",
    points={"n_e": 2.5e-08, "n_i": 1.2e-08, "c": 5.095e-06, "m_i": 2.73e-07, "d": 1.01e-07},
    agreement="at most 1 % of a CPU, without interrupts, under each load: ours looks at events by "
    "eBPF in a process, theirs in the kernel's own paths",
    arms=("emulated",),
    known=(
        "The last column is the average time of one execution over the length of the experiment "
        "(248 ns ÷ 10 s = 0.025 × 10⁻⁶), not the sum of all of them, as the text defines it: "
        "415,170 × 248 ns are 103 ms of 10 s. By count and average, the shares are 1.03 % (n_e), "
        "1.11 % (n_i), 0.26 % (c), 0.26 % (m_i), 0.27 % (m_o) and 0.52 % (d).",
        "Table 3.3 has 128 context switches for 64 nodes; (3.1) gives 126.",
    ),
)


def measure(lab):
    lab.needs_root()
    text = lab.bench("python3", "benches/trust/overhead.py", "--only", "shares", "--seconds",
                     10 if lab.is_full else 4)
    rows = []
    for line in text.splitlines():
        found = re.match(r"  (\S.*?) {2,}([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)(?: +([\d.?]+)"
                         r" +([\d.?]+))? +(\w+)$", line)
        if found:
            own = found[7] if found[7] and found[7] != "?" else found[2]
            rows.append([found[1], float(found[2]), float(own), found[8]])
    if not rows:
        raise NotMeasured("`benches/trust/overhead.py` printed no share")
    worst = max(row[2] for row in rows)
    return Outcome(
        agrees=worst <= 1,
        ours=f"at most {worst:.2f} % of a CPU",
        table=Table(["load", "monitoring, %", "own, %", "verdict"], rows),
    )
