"""Scenarios from graphs of networkx, and back."""

from __future__ import annotations

import math
import re

from ._errors import ScenarioError
from ._scenario import Scenario

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_EARTH_KM = 6371.0088


def from_networkx(
    graph: Any,
    *,
    name: str | None = None,
    kind: str = "router",
    rate: str | None = None,
    delay: str | None = None,
    cost: str | None = None,
    hosts: int = 0,
) -> Scenario:
    """Makes a scenario of a graph: each vertex a node of a kind, each edge a link.

    `rate`, `delay` and `cost` name an attribute of edges; a rate that is a number is in bit/s, a
    delay that is a number in seconds. `delay="ATTRIBUTE:5us/km"` makes a delay of a length in km,
    and `delay="from-distance:5us/km"` one of the great circle between `Latitude` and `Longitude`.
    `hosts` hosts are added to each node.
    """
    scenario = Scenario(name or _name(graph.name or "graph"))
    names: dict[Any, str] = {}
    for vertex, data in graph.nodes(data=True):
        wanted = _name(data.get("label", vertex))
        unique, number = wanted, 2
        while unique in names.values():
            unique, number = f"{wanted}-{number}", number + 1
        names[vertex] = unique
        scenario.node(unique, **({} if kind == "host" else {"kind": kind}))  # pyright: ignore
    delay_of = _delay(graph, delay)
    for a, b, data in graph.edges(data=True):
        if a == b:
            continue
        properties: dict[str, Any] = {}
        if rate is not None and rate in data:
            value = data[rate]
            properties["rate"] = value if isinstance(value, str) else f"{round(value)}bit/s"
        if (found := delay_of(a, b, data)) is not None:
            properties["delay"] = found
        if cost is not None and cost in data:
            properties["cost"] = int(data[cost])
        scenario.link(names[a], names[b], **properties)
    for vertex in list(names.values()) if hosts else ():
        for number in range(1, hosts + 1):
            scenario.link(scenario.host(f"{vertex}-h{number}"), vertex)
    return scenario


def to_networkx(scenario: Scenario) -> Any:
    """Returns the network as a `networkx.MultiGraph`."""
    import networkx  # pyright: ignore

    graph: Any = networkx.MultiGraph(name=scenario.name)  # pyright: ignore
    for name, node in scenario.nodes.items():
        data: dict[str, Any] = scenario.data["topology"]["nodes"][node.name] or {}
        graph.add_node(name, **data)
    for name, link in scenario.links.items():
        ends = [str(end).partition(":")[0] for end in link.data["endpoints"]]
        data = {key: value for key, value in link.data.items() if key != "endpoints"}
        graph.add_edge(*ends, key=name, **data)
    return graph


def _delay(graph: Any, how: str | None) -> Callable[[Any, Any, dict[str, Any]], str | None]:
    if how is None:
        return lambda a, b, data: None
    attribute, _, per_km = how.partition(":")
    if not per_km:

        def given(a: Any, b: Any, data: dict[str, Any]) -> str | None:
            value = data.get(attribute)
            return value if value is None or isinstance(value, str) else _nanoseconds(value)

        return given
    found = re.fullmatch(r"([0-9.]+)(ns|us|ms)/km", per_km)
    if found is None:
        raise ScenarioError(f"`{per_km}` is no delay per distance, like `5us/km`")
    scale = float(found[1]) * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3}[found[2]]

    def of_length(a: Any, b: Any, data: dict[str, Any]) -> str | None:
        if attribute != "from-distance":
            value = data.get(attribute)
            return None if value is None else _nanoseconds(float(value) * scale)
        ends = [graph.nodes[vertex] for vertex in (a, b)]
        if any("Latitude" not in end or "Longitude" not in end for end in ends):
            return None
        return _nanoseconds(_distance(*ends) * scale)

    return of_length


def _distance(a: dict[str, Any], b: dict[str, Any]) -> float:
    """Returns the great circle between two places, in km (haversine formula)."""
    one, two = (math.radians(float(place["Latitude"])) for place in (a, b))
    turn = math.radians(float(b["Longitude"]) - float(a["Longitude"]))
    half = math.sin((two - one) / 2) ** 2 + math.cos(one) * math.cos(two) * math.sin(turn / 2) ** 2
    return 2 * _EARTH_KM * math.asin(math.sqrt(half))


def _nanoseconds(seconds: float) -> str:
    return f"{round(seconds * 1e9)}ns"


def _name(wanted: object) -> str:
    """Returns a name that a node may have."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", str(wanted)).strip("-")[:63]
    return name or "n"
