"""Figures 3.16 to 3.18: a wireless chain with AODV, by ways of virtualisation."""

from evaluation import Evaluation, NotMeasured, Outcome, Plot, Table
import re

EVALUATION = Evaluation(
    row="D56",
    item="3.17",
    source="§3.7.1.2, Figures 3.16–3.18, p. 91–93",
    what="First round trips through a chain of relays with AODV, and TCP throughput at 11 Mbit/s "
    "without contention.",
    published="expanding rings up to the TTL threshold, then “RTTs with linear increase starting "
    "at 10 hops, i.e. 11 vnodes”; TCP deviates at 2 nodes for UML, 7 for Xen, 30 for NET",
    points={"linear from, hops": 10, "UML": 2, "Xen": 7, "NET": 30},
    agreement="the first round trip grows in steps by the waits of the rings, and by less than 10 "
    "ms a hop from 10 hops on",
    arms=("emulated",),
    known=(
        "AODV-UU 0.8 is not available; the daemon is examples/aodv (RFC 3561).",
    ),
)


def measure(lab):
    hops = "1,2,3,4,5,6,7,8,10,12,15" if lab.is_full else "1,2,3,5,8,10,12"
    text = lab.bench("python3", "benches/medium/aodv.py", hops)
    if "verdict: invalid" in text:
        raise NotMeasured("the run was `invalid`")
    rows = [[int(found[1]), float(found[2]), float(found[3]), float(found[4])] for found in
            re.finditer(r"^ *(\d+) +([\d.]+) +([\d.]+) +([\d.]+)$", text, re.M)]
    if len(rows) < 4:
        raise NotMeasured("too few of the pings were answered")
    late = max(first - waits - 30 * hops for hops, first, waits, _ in rows)
    early = min(first - waits for _, first, waits, _ in rows)
    return Outcome(
        agrees=early >= 0 and late <= 0,
        ours="first pings of " + ", ".join(f"{row[1]:.0f} ms ({row[0]} hops)" for row in rows),
        table=Table(["hops", "first ping, ms", "waits of the rings, ms", "second ping, ms"], rows),
        plot=Plot("hops", "first ping, ms", {"NetLoom": [tuple(row[:2]) for row in rows]}),
    )
