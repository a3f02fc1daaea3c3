"""Section 5: routers that receive a feed of routes from outside."""

from evaluation import Evaluation

EVALUATION = Evaluation(
    row="C30",
    item="5.feed",
    source="§5, XORP",
    what="A network of virtual routers with different routing software that receives a view of "
    "routes from an external router.",
    published="“a couple of nodes were running XORP, while other virtual routers ran zebra, while "
    "the whole emulated network received a routing view feed from an external environment”",
    agreement="routers of two routing programs all have the routes that a router outside of the "
    "experiment announces",
    missing="not written: FRR and BIRD run in nodes and `nat:`/`host:` links lead outside "
    "(examples/outside, docs/services.md), but no bench feeds a table",
)
