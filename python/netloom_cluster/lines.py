"""The seam to NetLoom: a request in each line of the input, answers in lines of the output.

| request | answers |
|---|---|
| `{"connect": {"address"}}` | `{"connected": {"ray", "here", "nodes": [{"address", "cpus"}]}}` |
| `{"start": {"machines": [{"name", "address", "command"}], "cpus", "orders"}}` | `{"note"}` while \
it waits, then `{"started": [{"name", "address", "said"}]}` |

`{"error"}` answers a request that cannot be carried out, and is the end. When the input ends, what
was reserved is given back; what was started goes on.
"""

from __future__ import annotations

import json
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

    def release(self) -> None:
        """Gives back what was reserved."""


def connect(address: str) -> Cluster:
    """Connects to a cluster by Ray."""
    from netloom_cluster import cluster

    return cluster.RayCluster(cluster.ray_module(), address)


def serve(requests: Iterable[str], out: TextIO, connect: Callable[[str], Cluster]) -> int:
    """Answers requests until there are no more. Returns the exit code."""

    def say(answer: dict[str, Any]) -> None:
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
                case other:
                    raise Refused(f"there is no such request now: {other}")
    except (Refused, ValueError) as why:
        say({"error": str(why)})
        return 1
    finally:
        if cluster is not None:
            cluster.release()
    return 0
