"""Section 3.7.4: service discovery with energy."""

from evaluation import Evaluation

EVALUATION = Evaluation(
    row="D69",
    item="3.7.4",
    source="§3.7.4, p. 108",
    what="Message overhead and energy of a service discovery among 40 nodes; memory and messages "
    "of key distribution among 25 to 250.",
    published="“The emulation scenario comprised 40 nodes. Measured metrics were message overhead "
    "and other application specific metrics. Additionally, NET has been extended to dynamically "
    "report energy consumed by transmitted frames”",
    points={"nodes": [40, 250]},
    agreement="energy by stations' times of sending, receiving and idling as in Feeney & Nilsson "
    "2001",
    missing="stations have no energy model (issue 50, §3); the two applications are not available",
)
