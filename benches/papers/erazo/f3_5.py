"""Figure 3.5: throughput under random loss."""

from evaluation import Evaluation, NotMeasured, Outcome, Plot, Table
import math

from lab import mean95

EVALUATION = Evaluation(
    row="E43",
    item="3.5",
    source="§3.2.2, Figure 3.5, p. 34",
    what="Throughput of a download of 100 s over 10 Mbit/s by the probability of loss, 10⁻⁶ to "
    "10⁻¹, with Reno, CUBIC and Scalable TCP.",
    published="“In all cases, very similar results were produced by both platforms” (simulated "
    "and emulated)",
    agreement="simulated, after 10 s: throughput falls with loss, and Reno from a loss of 0.1 % "
    "on is between Mathis et al. 1997 for receivers that acknowledge each second packet and for "
    "those that acknowledge each, within 20 % (first stated for the former alone, and without "
    "leaving out 10 s: a kernel's Reno is not within that either, docs/simulated-tcp.md); "
    "emulated: means of simulated and emulated flows have overlapping intervals, or are 5 % apart "
    "(10 % from a loss of 1 % on)",
    arms=("virtual", "emulated"),
)


CONTROLS = ["reno", "cubic", "scalable"]
LOSSES = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1]
MSS, RTT = 1448, 0.128
BEGIN = 10


def mathis(loss, each=2):
    """Mbit/s where receivers acknowledge one of `each` packets."""
    return min(10 * MSS / 1538, MSS * 8 / RTT * math.sqrt(3 / (2 * each * loss)) / 1e6)


def scenario(control, loss, flows, seconds):
    nodes, links, traffic = [], [], []
    for flow in range(flows):
        nodes += [f"    a{flow}:", f"    b{flow}:"]
        links.append(f"    - {{ endpoints: [a{flow}, b{flow}], rate: 10Mbit/s, delay: 64ms,"
                     f" queue: {{ limit: 66kB }}, forward: {{ loss: {100 * loss:g}% }} }}")
        traffic.append(f"  - {{ name: f{flow}, from: a{flow}, to: b{flow}, tcp:"
                       f" {{ congestion_control: {control} }}, bulk: {{}}, for: {seconds}s }}")
    return "\n".join(["name: papers-losses", "topology:", "  defaults: { node: { ipv6: none } }",
                      "  nodes:", *nodes, "  links:", *links, "traffic:", *traffic,
                      "measure: { flows: 10s, interval: 10s }", ""])


def measure(lab):
    return simulated(lab) if lab.is_virtual else beside_a_kernel(lab)


def simulated(lab):
    flows, seconds = (10, 100) if lab.is_full else (5, 40)
    rows, curves, agrees = [], {}, True
    for control in CONTROLS:
        means = []
        for loss in LOSSES:
            run = lab.run(scenario(control, loss, flows, seconds))
            mean, half = mean95([run.rate(name, BEGIN, seconds) / 1e6 for name in run.flows])
            means.append((loss, round(mean, 4)))
            least, most = mathis(loss), mathis(loss, each=1)
            formula = f"{least:.3f} to {most:.3f}" if control == "reno" else "–"
            if control == "reno" and loss >= 1e-3:
                agrees &= 0.8 * least <= mean <= 1.2 * most
            rows.append([control, f"{loss:g}", f"{mean:.3f} ± {half:.3f}", formula])
        agrees &= all(later <= 1.05 * sooner for (_, sooner), (_, later) in zip(means, means[1:]))
        curves[control] = means
    curves["Mathis et al., Reno"] = [(loss, round(mathis(loss), 4)) for loss in LOSSES]
    at = {row[0]: row[2] for row in rows if row[1] == "0.01"}
    return Outcome(
        agrees=agrees,
        ours="at a loss of 1 %: " + ", ".join(f"{name} {value}" for name, value in at.items())
        + " Mbit/s",
        table=Table(["control", "loss", "Mbit/s", "Mathis"], rows),
        plot=Plot("probability of loss", "throughput, Mbit/s", curves, logarithmic="x"),
    )


def beside_a_kernel(lab):
    lab.needs_root()
    words = ["--flows", 10, "--seconds", 100] if lab.is_full else [
        "--flows", 5, "--seconds", 30, "--losses", "0.01%", "0.1%", "1%"]
    text = lab.bench("python3", "benches/tcp/losses.py", *words, accept=(0, 1))
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in text.splitlines()
            if line.startswith(("| reno", "| cubic"))]
    valid = [row for row in rows if row[-1] != "invalid"]
    if not valid:
        raise NotMeasured("all runs were `invalid`")
    outside = [row for row in valid if "OUTSIDE" in row]
    return Outcome(
        agrees=not outside,
        ours=f"{len(valid) - len(outside)} of {len(valid)} pairs agree,"
        f" {len(rows) - len(valid)} more were `invalid`",
        table=Table(["control", "loss", "simulated, Mbit/s", "kernel, Mbit/s", "difference",
                     "Mathis", "", "verdict"], rows),
    )
