"""Emulate and simulate networks.

>>> import netloom as nl
>>> net = nl.Scenario("pair")
>>> link = net.link(*net.hosts("a", "b"), rate="10Mbit/s", delay="5ms")
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
    ScenarioError,
    Untrusted,
)
from ._scenario import Link, Medium, Node, Scenario, load
from ._units import bits, seconds
from ._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._exec import Finished, Process
    from ._experiment import Experiment, attach, experiments
    from ._graphs import from_networkx
    from ._live import LiveLink, LiveMedium, LiveNode
    from ._results import Comparison, Results, Table, Verdict, compare, results
    from ._sweep import Sweep, flow, pipe, printed, reported, sweep

# Modules that are imported when a name of them is used.
_LATE = {
    "_exec": ("Finished", "Process"),
    "_experiment": ("Experiment", "attach", "experiments"),
    "_graphs": ("from_networkx",),
    "_live": ("LiveLink", "LiveMedium", "LiveNode"),
    "_results": ("Comparison", "Results", "Table", "Verdict", "compare", "results"),
    "_sweep": ("Sweep", "flow", "pipe", "printed", "reported", "sweep"),
}

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
    "Scenario",
    "ScenarioError",
    "Sweep",
    "Table",
    "Untrusted",
    "Verdict",
    "__version__",
    "attach",
    "binary",
    "bits",
    "compare",
    "experiments",
    "flow",
    "from_networkx",
    "load",
    "pipe",
    "printed",
    "reported",
    "results",
    "seconds",
    "sweep",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    for module, names in _LATE.items():
        if name in names:
            value = getattr(import_module(f"{__name__}.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
