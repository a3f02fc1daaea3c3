"""Figures 3.35 and 3.36: fifty mobile nodes with AODV."""

from evaluation import Evaluation

EVALUATION = Evaluation(
    row="D68",
    item="3.35",
    source="§3.7.3.3, Figures 3.35 and 3.36, p. 107–108",
    what="The delivery ratio and the routing overhead of AODV among 50 nodes on 1500 × 300 m for "
    "900 s, by pause times of 0 to 900 s and speeds of 1 and 20 m/s.",
    published="“For both node velocities of 20 m/s and 1 m/s, the packet delivery ratio … is "
    "comparable to [BMJ+98]”; with obstacles it is “significantly lower”, and the overhead “a "
    "multiple of the reference”",
    agreement="at least 0.95 delivered at rest, at least 0.9 moving, and a multiple of the "
    "overhead with obstacles",
    missing="AODV for simulated nodes is not built (issue 50, crate `manet`); "
    "`benches/medium/broch.py` runs the scenario with Babel and with examples/aodv, in real time",
)
