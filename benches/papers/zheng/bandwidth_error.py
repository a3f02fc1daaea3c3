"""Section 3.3.1: the error of bandwidths in chains of 1 to 6 routers."""

from evaluation import Evaluation, Outcome, Table
from zheng.f4_2 import FRAME, PAYLOAD

EVALUATION = Evaluation(
    row="B67",
    item="3.3.1",
    source="§3.3.1, p. 32–33",
    what="The error of a bandwidth of 10 to 70 Mbit/s that is set on every link of a chain of 1 "
    "to 6 routers.",
    published="one router: “less than 4%”; several: “up to 8%”; “when the emulated bandwidth is "
    "less than 50 Mbps, the difference … can be almost ignored (less than 2%)”",
    points={"below 50 Mbit/s, %": 2, "else, %": 8},
    agreement="errors of at most 2 % below 50 Mbit/s, and of at most 8 % else",
    arms=("virtual", "emulated"),
)


CHAINS, RATES = [1, 2, 4, 6], [10, 30, 50, 70]


def scenario(rate, chain, seconds):
    path = ["a", *(f"r{number}" for number in range(1, chain + 1)), "b"]
    links = "\n".join(f"    - {{ endpoints: [{one}, {other}] }}"
                      for one, other in zip(path, path[1:]))
    routers = "\n".join(f"    {router}: {{ kind: router }}" for router in path[1:-1])
    return f"""\
name: papers-chain
topology:
  defaults: {{ node: {{ ipv6: none }}, link: {{ framing: none, rate: {rate}Mbit/s }} }}
  nodes:
    a:
    b:
{routers}
  links:
{links}
traffic:
  - {{ name: load, from: a, to: b, udp: {{}}, cbr: {{ rate: {1.1 * rate:.2f}Mbit/s }},
      size: {FRAME}B, for: {seconds}s }}
measure: {{ flows: 1s }}
"""


def measure(lab):
    seconds = 20 if lab.is_full else 5
    rows, agrees, worst = [], True, 0.0
    for chain in CHAINS:
        errors = []
        for rate in RATES:
            run = lab.run(scenario(rate, chain, seconds))
            found = run.rate("load", 1, seconds - 1) / 1e6 * FRAME / PAYLOAD
            errors.append(found / rate - 1)
            agrees &= abs(errors[-1]) <= (0.02 if rate < 50 else 0.08)
        worst = max(worst, *map(abs, errors))
        rows.append([chain, *(f"{error:+.2%}" for error in errors)])
    return Outcome(
        agrees=agrees,
        ours=f"at most {worst:.2%}",
        table=Table(["routers", *(f"{rate} Mbit/s" for rate in RATES)], rows),
    )
