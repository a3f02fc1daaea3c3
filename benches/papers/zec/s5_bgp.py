"""Section 5: a testbed of 14 nodes for BGP."""

from evaluation import Evaluation

EVALUATION = Evaluation(
    row="C42",
    item="5.bgp",
    source="§5, Verkaik et al.",
    what="A network of 14 virtual nodes that run BGP.",
    published="“they successfully created a virtual network topology consisting of 14 virtual "
    "nodes”",
    points={"nodes": 14},
    agreement="14 routers, each a system of its own, learn the prefixes of all others by BGP",
    missing="not written: the service `bgp` (docs/services.md) is there, and its tests have "
    "smaller networks",
)
