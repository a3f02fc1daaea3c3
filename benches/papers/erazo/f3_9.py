"""Figure 3.9: two flows of one TCP variant."""

from evaluation import Evaluation, Outcome, Plot, Table

EVALUATION = Evaluation(
    row="E44",
    item="3.9",
    source="§3.3.4, Figure 3.9, p. 42",
    what="Windows of two flows over 100 Mbit/s with 50 ms, of which the second begins 50 s after "
    "the first, with Reno, CUBIC and Scalable TCP, at a time dilation factor of 10.",
    published="“In all cases, the emulation results match well with the corresponding simulation "
    "results. The slow convergence of Scalable TCP indicates that this protocol does not score "
    "well in intra-protocol fairness”",
    agreement="100 s after the second flow's start, over 50 s, the second flow's share of "
    "Scalable TCP is the least of the three, and below 0.4",
    arms=("virtual",),
    known=(
        "The queue is not given for this network; a quarter of bandwidth times round trip, 312 "
        "kB, here.",
        "Dilated time changes nothing in virtual time; for kernels of nodes: "
        "`benches/tcp/dilated.py`, docs/measured/dilation.md.",
    ),
)


CONTROLS = ["reno", "cubic", "scalable"]
SECOND, BEGIN, END = 50, 150, 200


def scenario(control):
    return f"""\
name: papers-two-flows
topology:
  defaults: {{ node: {{ ipv6: none }}, link: {{ rate: 1Gbit/s, delay: 100us }} }}
  nodes:
    a1:
    a2:
    b1:
    b2:
    l: {{ kind: router }}
    r: {{ kind: router }}
  links:
    - {{ endpoints: [a1, l] }}
    - {{ endpoints: [a2, l] }}
    - {{ endpoints: [l, r], rate: 100Mbit/s, delay: 50ms, queue: {{ limit: 312kB }} }}
    - {{ endpoints: [r, b1] }}
    - {{ endpoints: [r, b2] }}
traffic:
  - {{ name: first, from: a1, to: b1, tcp: {{ congestion_control: {control} }}, bulk: {{}},
      for: {END}s }}
  - {{ name: second, from: a2, to: b2, tcp: {{ congestion_control: {control} }}, bulk: {{}},
      start: {SECOND}s, for: {END - SECOND}s }}
measure: {{ flows: 1s, interval: 10s }}
"""


def measure(lab):
    rows, curves, shares = [], {}, {}
    for control in CONTROLS:
        run = lab.run(scenario(control))
        first, second = (run.rate(name, BEGIN, END) / 1e6 for name in ("first", "second"))
        shares[control] = second / (first + second)
        rows.append([control, f"{first:.1f}", f"{second:.1f}", f"{shares[control]:.2f}"])
        for name in ("first", "second"):
            curves[f"{control}, {name}"] = [
                (row["time_ns"] // 10**9, row["cwnd"]) for row in
                run.rows("flows.parquet", flow=name) if row["cwnd"] and row["time_ns"] <= END * 1e9
            ]
    return Outcome(
        agrees=min(shares, key=shares.get) == "scalable" and shares["scalable"] < 0.4,
        ours="the second flow has " + ", ".join(f"{share:.2f} ({control})"
                                               for control, share in shares.items())
        + f" of what both carry from {BEGIN} to {END} s",
        table=Table(["control", "first, Mbit/s", "second, Mbit/s", "share of the second"], rows),
        plot=Plot("time, s", "congestion window, packets", curves, logarithmic="y"),
    )
