"""Figure 3.32: what the machine has left to compute."""

from evaluation import Evaluation

EVALUATION = Evaluation(
    row="D65",
    item="3.32",
    source="§3.7.3.1, Figure 3.32, p. 103",
    what="The share of the machine's computing that is left while the chains of Figures 3.31 and "
    "3.34 carry TCP, by the number of nodes.",
    published="“the remaining idle performance decreases with an increasing number of vnodes per "
    "pnode”; wireless, “about 10 % at a maximum of 28 vnodes”",
    points={"wireless, 28 nodes, %": 10},
    agreement="what is left falls with each longer chain, and runs are not `valid` where nothing "
    "is left",
    missing="not written; CPU a gigabyte by hops is row C37. It needs an idle machine",
)
