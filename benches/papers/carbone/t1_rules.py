"""Table 1: what a rule costs."""

from evaluation import Evaluation, NotMeasured, Outcome, Table
import re

EVALUATION = Evaluation(
    row="A44",
    item="t1.rules",
    source="§7.1, Table 1, rows IPFW-1 and IPFW-100",
    what="The cost of a packet by the number of rules that it is compared with.",
    published="“200 matches (100 in each direction) cause an additional 20 µs delay in the "
    "response, or 100 ns per rule”",
    points={"ns a rule": 100},
    agreement="a frame costs at most twice as much with 1,000 claims as with one, and at most 100 "
    "ns more for 100 claims: a table is not searched rule by rule",
    arms=("emulated",),
    machine="nanoseconds by the kernel's own count of the program's time",
)


def measure(lab):
    lab.needs_root()
    text = lab.bench("python3", "benches/shape/claims.py", "--rounds", 3 if lab.is_full else 1)
    found = re.findall(r"(\d+) claims, (\w+) +(\d+) ns", text)
    if not found:
        raise NotMeasured(f"`benches/shape/claims.py` printed no cost: {text.strip()[-200:]}")
    cost = {(int(claims), what): int(nanos) for claims, what, nanos in found}
    ratios = [cost[1000, what] / cost[1, what] for what in ("selected", "passed")]
    more = max(cost[100, what] - cost[1, what] for what in ("selected", "passed"))
    why = ""
    if max(ratios) <= 2 and more > 100:
        why = (f"A claim more costs {more / 99:.1f} ns, where a rule of theirs costs 100; the limit"
               " of 100 ns for all 99 together is missed.")
    return Outcome(
        agrees=max(ratios) <= 2 and more <= 100,
        why=why,
        ours=f"1,000 claims cost {max(ratios):.2f} times what one costs; 99 claims more cost"
        f" {more} ns, {more / 99:.1f} ns each",
        table=Table(["claims", "frame", "ns"],
                    [[claims, what, nanos] for (claims, what), nanos in cost.items()]),
    )
