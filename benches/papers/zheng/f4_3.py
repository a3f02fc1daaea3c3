"""Figure 4.3: the share of packets that a router drops."""

from evaluation import Evaluation, Outcome, Plot, Table

SHARES = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]
EVALUATION = Evaluation(
    row="B59",
    item="4.3",
    source="§4.1, Figure 4.3, p. 50–52",
    what="Loss through one router whose drop rate is set to 0 to 90 %: 500 pings each.",
    published="“less than 5% when the drop rate is less than 50%, after that there is up to 10%"
    " difference”, because of the random number generator",
    agreement="the loss is within 5 percentage points of what was set below 50 %, and within 10"
    " from there on",
    arms=("virtual", "emulated"),
    known=("It is not said whether the differences are percentage points or shares; here they are"
           " percentage points. Of 500 draws, the standard deviation is 2.2 points at 50 %.",),
)


def scenario(interval):
    lines = ["name: papers-loss", "topology:", "  neighbours: known",
             "  defaults: { node: { ipv6: none } }", "  nodes:"]
    for share in SHARES:
        lines.append(f"    a{share}:\n    r{share}: {{ kind: router }}\n    b{share}:")
    lines.append("  links:")
    for share in SHARES:
        lines.append(f"    - {{ endpoints: [a{share}, r{share}], rate: 100Mbit/s }}")
        lines.append(
            f"    - {{ endpoints: [r{share}, b{share}], rate: 100Mbit/s,"
            f" forward: {{ loss: {share}% }} }}"
        )
    lines.append("traffic:")
    for share in SHARES:
        lines.append(
            f"  - {{ name: p{share}, from: a{share}, to: b{share},"
            f" ping: {{ interval: {interval}, count: 500 }} }}"
        )
    return "\n".join(lines) + "\n"


def measure(lab):
    run = lab.run(scenario("1s" if lab.is_virtual or lab.is_full else "20ms"))
    rows, points, agrees, worst = [], [], True, 0.0
    for share in SHARES:
        flow = run.flows[f"p{share}"]
        found = 100 * (1 - flow["received"]["frames"] / flow["sent"]["frames"])
        agrees &= abs(found - share) <= (5 if share < 50 else 10)
        worst = max(worst, abs(found - share))
        rows.append([share, f"{found:.1f}", f"{found - share:+.1f}"])
        points.append((share, round(found, 2)))
    return Outcome(
        agrees=agrees,
        ours=f"at most {worst:.1f} percentage points from what was set",
        table=Table(["set, %", "found, %", "difference, points"], rows),
        plot=Plot("drop rate that is set, %", "drop rate measured, %", {"NetLoom": points},
                  {"expected (the paper's line)": [(0, 0), (90, 90)]}),
    )
