"""Figures 5.4 and 5.5: delays through a DS domain and one without, as two queues in series."""

import math

from evaluation import Evaluation, Outcome, Plot, Table

SERVICE, SECONDS = 300, 200
EVALUATION = Evaluation(
    row="B70",
    item="5.4",
    source="§5.1.2 and §5.1.3, Figures 5.3–5.5, p. 70–73",
    what="Mean delays of preferred and other packets through a queue with non-preemptive priority"
    " and a FIFO behind it, each with exponential service at 300 packets/s, by the size of buffers"
    " (100 packets/s of each class) and by the rate of each class (buffers of 20).",
    published="“When the buffer size is small, preferred traffic demonstrates a clear higher"
    " priority over non-preferred traffic”",
    points_from="the axis of Figure 5.4 ends at 40 ms, that of Figure 5.5, whose rates end at 100"
    " packets/s, at 20 ms",
    agreement="preferred packets are faster at each size and rate, both delays grow with the rate,"
    " and no delay is beyond the axes; at 100 packets/s of each class and buffers of 50, delays are"
    " within 5 % of those of unbounded queues (M/M/1 with non-preemptive priority, then M/M/1):"
    " 16.67 and 23.33 ms",
    arms=("virtual",),
    known=("The state of three numbers of packets (p. 70) does not say which class is in service,"
           " so it cannot describe the non-preemptive priority of the text (p. 68).",
           "(1) and (2) give both classes the same share of the second queue. Preferred packets"
           " leave the first one more evenly and wait less there: a bare event simulation of both"
           " queues has 9.35 and 10.66 ms in the second one, and the sums are 16.0 and 23.7 ms.",
           "With buffers of 20, a chain with the class in service in its state, solved by"
           " iteration, has 16.64 and 23.30 ms by (1) and (2): other packets are above the axis of"
           " Figure 5.5 there, too."),
)


def service():
    """Exponential times on the line, as a distribution function in 400 steps."""
    points, steps = ["{ probability: 0%, time: 0ns }"], 400
    for step in range(1, steps):
        share = 1 - (1 - step / steps) ** 2
        points.append(f"{{ probability: {100 * share:.6f}%,"
                      f" time: {-math.log(1 - share) / SERVICE * 1e9:.0f}ns }}")
    longest = (2 * math.log(steps) + 2) / SERVICE
    points.append(f"{{ probability: 100%, time: {longest * 1e9:.0f}ns }}")
    return "[" + ", ".join(points) + "]"


def scenario(rate, buffer, seed):
    return f"""\
name: papers-two-queues
seed: {seed}
topology:
  defaults: {{ node: {{ ipv6: none }}, link: {{ framing: none }} }}
  kinds: {{ router: {{ loopback: none }} }}
  nodes:
    s1:
    s2:
    d1: {{ kind: router }}
    d2: {{ kind: router }}
    d3: {{ kind: router }}
    k:
  links:
    - {{ endpoints: [s1, d1], forward: {{ condition: [{{ conform: {{ dscp: ef }} }}] }} }}
    - {{ endpoints: [s2, d1] }}
    - endpoints: [d1, d2]
      forward:
        mac_overhead: {service()}
        queue:
          limit: {2 * buffer}packets
          discipline:
            prio: {{ classes: [{{ match: {{ dscp: ef }}, limit: {buffer}packets }},
                               {{ limit: {buffer}packets }}] }}
    - endpoints: [d2, d3]
      forward: {{ mac_overhead: {service()}, queue: {{ limit: {buffer}packets }} }}
    - {{ endpoints: [d3, k] }}
traffic:
  - {{ name: preferred, from: s1, to: k, udp: {{}}, poisson: {{ rate: {8 * rate}kbit/s }},
      size: 1000B, for: {SECONDS}s }}
  - {{ name: other, from: s2, to: k, udp: {{}}, poisson: {{ rate: {8 * rate}kbit/s }}, size: 1000B,
      for: {SECONDS}s }}
measure: {{ interval: 100s }}
"""


def delays(lab, rate, buffer):
    """Mean delays of both classes in ms, over seeds."""
    seeds = range(1, 11 if lab.is_full else 3)
    runs = [lab.run(scenario(rate, buffer, seed)) for seed in seeds]
    return [sum(run.flows[name]["delay"]["mean_ns"] for run in runs) / len(runs) / 1e6
            for name in ("preferred", "other")]


def measure(lab):
    sizes = [(buffer, *delays(lab, 100, buffer)) for buffer in (2, 5, 10, 20, 50)]
    rates = [(rate, *delays(lab, rate, 20)) for rate in (25, 50, 75)] + [(100, *sizes[3][1:])]
    law = all(preferred < other for _, preferred, other in sizes + rates)
    law &= all(sooner[1] < later[1] and sooner[2] < later[2]
               for sooner, later in zip(rates, rates[1:]))
    law &= abs(sizes[-1][1] / 16.67 - 1) <= 0.05 and abs(sizes[-1][2] / 23.33 - 1) <= 0.05
    beyond = rates[-1][2] > 20
    return Outcome(
        agrees=law and not beyond,
        why="" if not law or not beyond else "all but the axis of Figure 5.5 agrees: other packets"
        f" take {rates[-1][2]:.1f} ms at 100 packets/s of each class, where that axis ends at 20"
        " ms. Unbounded queues have 23.33 ms, so the plot cannot be of the system of the text.",
        ours=f"{sizes[3][1]:.2f} and {sizes[3][2]:.2f} ms at 100 packets/s and buffers of 20;"
        f" {sizes[-1][1]:.2f} and {sizes[-1][2]:.2f} ms with 50",
        table=Table(["", "preferred, ms", "other, ms"],
                    [[f"buffers of {size}", f"{one:.2f}", f"{two:.2f}"] for size, one, two in sizes]
                    + [[f"{rate} packets/s each", f"{one:.2f}", f"{two:.2f}"]
                       for rate, one, two in rates]),
        plot=Plot("buffer size, packets", "mean delay, ms",
                  {"preferred": [(size, round(one, 3)) for size, one, _ in sizes],
                   "other": [(size, round(two, 3)) for size, _, two in sizes]},
                  levels={"unbounded, preferred": 16.67, "unbounded, other": 23.33}),
    )
