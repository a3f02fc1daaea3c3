"""The seam to NetLoom: a request in each line of the input, answers in lines of the output.

| request | answers |
|---|---|
| `{"connect": {"address"}}` | `{"connected": {"ray", "here", "nodes": [{"address", "cpus"}]}}` |
| `{"start": {"machines": [{"name", "address", "command"}], "cpus", "orders"}}` | `{"note"}` while \
it waits, then `{"started": [{"name", "address", "said"}]}` |
| `{"tasks": {"command", "greeting", "cpus", "is_alone", "folder"}}` | `{"tasks": {"places"}}`: \
how many tasks the cluster has room for |
| `{"task": {"id", "request", "into"}}` | when it has ended, in any order, \
`{"done": {"id", "node", "said"}}` with an archive in the file `into`, or \
`{"done": {"id", "error"}}` |

`{"error"}` answers a request that cannot be carried out, and is the end. When the input ends, what
was reserved is given back; what was started goes on.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from typing import Any, Protocol, TextIO


class Refused(Exception):
    """A request that cannot be carried out, in words for the user."""


class Cluster(Protocol):
    """What requests are carried out on."""

    def about(self) -> dict[str, Any]:
        """Returns what NetLoom must know of it."""

    def start(self, request: dict[str, Any], note: Callable[[str], None]) -> list[dict[str, Any]]:
        """Reserves machines and starts a process on each."""

    def tasks(self, request: dict[str, Any], done: Callable[[dict[str, Any]], None]) -> int:
        """Prepares tasks, whose ends go to `done`. Returns how many there is room for."""

    def task(self, request: dict[str, Any]) -> None:
        """Has a task carried out."""

    def release(self) -> None:
        """Gives back what was reserved, and ends tasks."""


def connect(address: str) -> Cluster:
    """Connects to a cluster by Ray."""
    from netloom_cluster import cluster

    return cluster.RayCluster(cluster.ray_module(), address)


def serve(requests: Iterable[str], out: TextIO, connect: Callable[[str], Cluster]) -> int:
    """Answers requests until there are no more. Returns the exit code."""

    saying = threading.Lock()

    def say(answer: dict[str, Any]) -> None:
        with saying:
            print(json.dumps(answer), file=out, flush=True)

    cluster: Cluster | None = None
    try:
        for line in requests:
            match json.loads(line):
                case {"connect": {"address": str(address)}} if cluster is None:
                    cluster = connect(address)
                    say({"connected": cluster.about()})
                case {"start": dict(request)} if cluster is not None:
                    say({"started": cluster.start(request, lambda note: say({"note": note}))})
                case {"tasks": dict(request)} if cluster is not None:
                    places = cluster.tasks(request, lambda done: say({"done": done}))
                    say({"tasks": {"places": places}})
                case {"task": dict(request)} if cluster is not None:
                    cluster.task(request)
                case other:
                    raise Refused(f"there is no such request now: {other}")
    except (Refused, ValueError) as why:
        say({"error": str(why)})
        return 1
    finally:
        if cluster is not None:
            cluster.release()
    return 0
