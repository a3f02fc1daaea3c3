"""Figure 4.1: packets through a router whose delay is set."""

from evaluation import Evaluation, Outcome, Plot, Table

DELAYS = [1, 5, 10, 20, 30, 40, 50, 60]
TICK = 0.976
EVALUATION = Evaluation(
    row="B57",
    item="4.1",
    source="§4.1, Figure 4.1, p. 49–51",
    what="Latency of packets through one router whose delay is set to 1 to 60 ms: 100 pings each.",
    published="“the measured packet latencies are quite close to the expected values”; the timer"
    " has a granularity of 976 µs",
    agreement="the mean of each 100 pings is within 0.976 ms, the paper's timer, of what was set",
    arms=("virtual", "emulated"),
    known=("Delays up to 1 s were tried, but those above 60 ms are not shown.",),
)


def scenario(interval):
    lines = ["name: papers-delay", "topology:", "  neighbours: known",
             "  defaults: { node: { ipv6: none } }", "  nodes:"]
    for delay in DELAYS:
        lines.append(f"    a{delay}:\n    r{delay}: {{ kind: router }}\n    b{delay}:")
    lines.append("  links:")
    for delay in DELAYS:
        lines.append(f"    - {{ endpoints: [a{delay}, r{delay}], rate: 100Mbit/s }}")
        lines.append(
            f"    - {{ endpoints: [r{delay}, b{delay}], rate: 100Mbit/s,"
            f" forward: {{ delay: {delay}ms }} }}"
        )
    lines.append("traffic:")
    for delay in DELAYS:
        lines.append(
            f"  - {{ name: p{delay}, from: a{delay}, to: b{delay},"
            f" ping: {{ interval: {interval}, count: 100 }} }}"
        )
    return "\n".join(lines) + "\n"


def measure(lab):
    run = lab.run(scenario("1s" if lab.is_virtual or lab.is_full else "100ms"))
    rows, points, worst = [], [], 0.0
    for delay in DELAYS:
        found = run.flows[f"p{delay}"]["delay"]
        mean = found["mean_ns"] / 1e6
        worst = max(worst, abs(mean - delay))
        points.append((delay, round(mean, 3)))
        rows.append([delay, f"{mean:.3f}", f"{found['min_ns'] / 1e6:.3f}",
                     f"{found['max_ns'] / 1e6:.3f}"])
    return Outcome(
        agrees=worst <= TICK,
        ours=f"at most {worst:.3f} ms from what was set",
        table=Table(["set, ms", "mean, ms", "least, ms", "most, ms"], rows),
        plot=Plot("delay that is set, ms", "latency measured, ms", {"NetLoom": points},
                  {"expected (the paper's line)": [(0, 0), (60, 60)]}),
    )
