"""Table 3.2 and Figure 3.14: eight routers mapped to machines."""

from evaluation import Evaluation, Outcome, Table
import json

from lab import common

EVALUATION = Evaluation(
    row="B68",
    item="t3.2",
    source="§3.5.3, Table 3.2, Figures 3.14 and 3.15, p. 39–41",
    what="Eight routers, two test nodes outside, placed on as few machines as bear them, by the "
    "ports and the throughput of each.",
    published="three sets: 9 ports, 270 of 304 Mbit/s; 12 ports, 220 of 271; 9 ports, 290 of 304",
    points={"P(1)": [9, 270, 304], "P(2)": [12, 220, 271], "P(3)": [9, 290, 304]},
    agreement="at most three machines, none of which carries more than its maximum network "
    "provision",
    arms=("virtual",),
    known=(
        "The steps of §3.5.3, carried out by hand on the figure’s network, take four machines, "
        "not three (examples/empower-mapping).",
    ),
)


def measure(lab):
    folder = common.ROOT / "examples" / "empower-mapping"
    text = lab.netloom("plan", folder / "netloom.yaml", "--machines", folder / "machines.yaml",
                       "--format", "json")
    plan = json.loads(text)
    rows = [[one["machine"], " ".join(one["nodes"]), one["ports"],
             round(one["anc_bits_per_second"] / 1e6), round(one["mnp_bits_per_second"] / 1e6)]
            for one in plan["machines"] if one["nodes"]]
    return Outcome(
        agrees=len(rows) <= 3 and all(anc <= mnp for *_, anc, mnp in rows),
        ours=f"{len(rows)} machines: " + ", ".join(f"{ports} ports with {anc} of {mnp} Mbit/s"
                                                   for _, _, ports, anc, mnp in rows),
        table=Table(["machine", "routers", "ports", "ANC, Mbit/s", "MNP, Mbit/s"], rows),
    )
