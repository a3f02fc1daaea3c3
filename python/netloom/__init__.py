"""Emulate and simulate networks.

>>> import netloom as nl
>>> net = nl.Scenario("pair")
>>> link = net.link(net.host("a"), net.host("b"), rate="10Mbit/s", delay="5ms")
>>> with net.deploy() as exp:
...     print(exp["a"].run("ping -c 1 b", check=True).stdout)

A scenario is what `netloom`'s file is, an experiment a network that is up, and results are what a
run has left. See docs/python.md.
"""

from ._binary import path as binary
from ._errors import (
    CommandFailed,
    Diagnostic,
    EngineGone,
    Error,
    Refused,
    RunFailed,
    ScenarioError,
    Untrusted,
)
from ._exec import Finished, Process
from ._experiment import Experiment, LiveLink, LiveMedium, LiveNode, attach, experiments
from ._graphs import from_networkx
from ._results import Comparison, Results, Table, Verdict, compare, results
from ._scenario import Link, Medium, Node, Scenario, load
from ._units import bits, seconds
from ._version import __version__

__all__ = [
    "CommandFailed",
    "Comparison",
    "Diagnostic",
    "EngineGone",
    "Error",
    "Experiment",
    "Finished",
    "Link",
    "LiveLink",
    "LiveMedium",
    "LiveNode",
    "Medium",
    "Node",
    "Process",
    "Refused",
    "Results",
    "RunFailed",
    "Scenario",
    "ScenarioError",
    "Table",
    "Untrusted",
    "Verdict",
    "__version__",
    "attach",
    "binary",
    "bits",
    "compare",
    "experiments",
    "from_networkx",
    "load",
    "results",
    "seconds",
]
