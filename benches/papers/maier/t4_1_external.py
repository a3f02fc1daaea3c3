"""Table 4.1, row of external traffic."""

from evaluation import Evaluation

EVALUATION = Evaluation(
    row="D71",
    item="t4.1.external",
    source="§4.6.2.1, Table 4.1, row n_e, p. 146",
    what="The number of nodes at which external traffic is reported, and no class before it.",
    published="external traffic: reported at 5 nodes of 100 Mbit/s; CPU from 8 on",
    points={"n_e": 5, "c": 8},
    agreement="the class of the loaded resource is reported first",
    missing="it needs an uplink whose capacity is known, with planted load (issue 50, D37)",
)
