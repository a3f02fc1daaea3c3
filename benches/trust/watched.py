"""What the experiments share: a load in nodes, and what the monitor said of it."""

import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from witness import Witness  # noqa: E402

from common import (  # noqa: E402, F401
    ROOT,
    TARGET,
    Run,
    build_example,
    machine,
    netloom,
    percentile,
)

LOADS = HERE / "load"
# The limit of memory in these experiments, in MB: small, so that they are short.
MEMORY = 64
# What a disk in these experiments has, in MB.
DISK = 128
# A load says that it begins shortly after or before it does, in seconds.
EARLY = 0.05
# Memory is prepared before it is used; what is contended meanwhile does not count.
PREPARING = {"warm_up": "4900ms"}
# The other loads begin when their programs have started (`load/settling.py`).
STARTING = {"warm_up": "1400ms"}
CLASSES = {
    # The specification has both under this class: no idle moment, and waiting for a CPU.
    "cpu": {"cpu", "run_queue"},
    "net": {"net_internal"},
    "memory": {"memory_in", "memory_out"},
    "disk": {"disk"},
}


def load(kind, *arguments):
    """The command of a load."""
    return ["python3", str(LOADS / f"{kind}.py"), *map(str, arguments)]


def pair(processes, nodes=("a", "b"), monitor=None, link=None):
    """A scenario: nodes in a star around a switch, or two on a link, and processes in them."""
    nodes = list(nodes)
    scenario = {
        "name": f"trust-{os.getpid()}",
        "topology": {
            "nodes": {name: None for name in nodes},
            "links": [{"endpoints": ["a:eth1", "b:eth1"], "delay": "1ms", **(link or {})}],
        },
        "processes": processes,
        "measure": {"observations": True},
        "monitor": STARTING | (monitor or {}),
    }
    if len(nodes) > 2:
        scenario["topology"]["nodes"]["switch"] = {"kind": "switch"}
        scenario["topology"]["links"] = [
            {"endpoints": [f"{name}:eth1", f"switch:{name}"], "delay": "1ms"} for name in nodes
        ]
    return scenario


class Watched(Run):
    """A run of such a scenario, with what the monitor said."""

    def __init__(self, scenario):
        # On a disk: where temporary files are, there may be none below.
        target = ROOT / "target"
        target.mkdir(exist_ok=True)
        with Witness() as self.witness:
            super().__init__(json.dumps(scenario), parent=target)
        self.verdict = self.summary["verdict"]

    def json(self, process, node):
        """What a process printed, read as JSON."""
        return json.loads(self.output(process, node).splitlines()[-1])

    def began(self, process, node):
        """When a load began, in seconds since 1970."""
        lines = self.output(process, node).splitlines()
        return float(next(line for line in lines if line.startswith("began")).split()[1])

    def contentions(self, since):
        """What began to be contended: each signal once, and how many seconds after `since`; in
        order."""
        found = {}
        for line in (self.results / "events.jsonl").read_text().splitlines():
            event = json.loads(line)
            if event["event"] == "contention" and event["signal"]["change"] == "began":
                at = self.summary["started_unix"] + event["time"] / 1e9 - since
                if at >= -EARLY:
                    found.setdefault(event["signal"]["signal"], at)
        return found

    def report(self, signals):
        """The verdict's reports on signals that were contended."""
        reports = self.verdict["signals"]
        return [r for r in reports if r["signal"] in signals and r["episodes"]]


def who(share):
    """A share's party in words."""
    party = share["who"]
    return " ".join(
        str(party[key]) for key in ("kind", "name", "pid") if party.get(key) is not None
    )
