"""Scenarios: networks as the CLI's files describe them, built or loaded."""

from __future__ import annotations

import copy
import os
import re
import sys

from . import _binary
from ._errors import Diagnostic, Error, ScenarioError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeAlias

    from typing_extensions import Unpack

    from . import _types as t
    from ._experiment import Experiment
    from ._results import Results

    Path: TypeAlias = "tuple[str | int, ...]"
    NodeLike: TypeAlias = "Node | str"

_HERE = os.path.dirname(__file__)
_RANGE = re.compile(r"\[(\d+)-(\d+)\]")

# Where a keyword of Python stands for a key of the file.
_KEYWORDS = {"from_": "from", "for_": "for"}


class Node:
    """A node of a scenario."""

    def __init__(self, scenario: Scenario, name: str) -> None:
        self.scenario = scenario
        self.name = name

    def __getitem__(self, key: str) -> Any:
        return self._entry()[key]

    def __setitem__(self, key: str, value: object) -> None:
        nodes: dict[str, Any] = self.scenario.data["topology"]["nodes"]
        nodes[self.name] = {**(nodes[self.name] or {}), key: plain(value)}

    def update(self, **properties: Unpack[t.NodeKeys]) -> None:
        """Sets properties."""
        for key, value in properties.items():
            self[key] = value

    def _entry(self) -> dict[str, Any]:
        return self.scenario.data["topology"]["nodes"][self.name] or {}

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<Node {self.name}>"


class Link:
    """A link of a scenario."""

    def __init__(self, scenario: Scenario, data: dict[str, Any]) -> None:
        self.scenario = scenario
        self.data = data

    @property
    def name(self) -> str:
        """Its name: the one it was given, or that of its ends."""
        return link_name(self.data)

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __setitem__(self, key: str, value: object) -> None:
        self.data[key] = plain(value)

    def update(self, **properties: Unpack[t.LinkKeys]) -> None:
        """Sets properties."""
        for key, value in properties.items():
            self[key] = value

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<Link {self.name}>"


class Medium:
    """A shared medium of a scenario."""

    def __init__(self, scenario: Scenario, name: str) -> None:
        self.scenario = scenario
        self.name = name

    def __getitem__(self, key: str) -> Any:
        return self.scenario.data["topology"]["media"][self.name][key]

    def __setitem__(self, key: str, value: object) -> None:
        self.scenario.data["topology"]["media"][self.name][key] = plain(value)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<Medium {self.name}>"


class Scenario:
    """A network, and what happens in it.

    `data` is the file as dicts and lists; every key of the file may be set there, or by
    `scenario["key"] = value`. Methods are short for the common ones. A scenario that was loaded
    keeps its text: `to_yaml` changes only what was changed here.
    """

    def __init__(
        self,
        name: str,
        *,
        directory: str | os.PathLike[str] | None = None,
        **keys: Unpack[t.ScenarioKeys],
    ) -> None:
        self.data: dict[str, Any] = {"name": name, **plain(keys)}
        self.data.setdefault("topology", {})
        self.data["topology"].setdefault("nodes", {})
        self.directory = os.path.abspath(directory or ".")
        self.file: str | None = None
        self._read: tuple[str, dict[str, Any]] | None = None
        self._calls: dict[Path, str] = {}

    @property
    def name(self) -> str:
        """Its name, which is that of its experiments."""
        return str(self.data["name"])

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __setitem__(self, key: str, value: object) -> None:
        self.data[key] = plain(value)
        self._called((key,))

    def __delitem__(self, key: str) -> None:
        del self.data[key]

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def __repr__(self) -> str:
        return f"<Scenario {self.name}: {len(self.nodes)} nodes, {len(self.links)} links>"

    # What there is.

    @property
    def nodes(self) -> dict[str, Node]:
        """The nodes by name."""
        return {name: Node(self, name) for name in self._topology("nodes", {})}

    @property
    def links(self) -> dict[str, Link]:
        """The links by name. Of links without names between the same nodes, the second one is
        `a--b#2`, and so on."""
        links: dict[str, Link] = {}
        counts: dict[str, int] = {}
        for link in (Link(self, data) for data in self._topology("links", [])):
            number = counts[link.name] = counts.get(link.name, 0) + 1
            links[link.name if number == 1 else f"{link.name}#{number}"] = link
        return links

    @property
    def media(self) -> dict[str, Medium]:
        """The shared media by name."""
        return {name: Medium(self, name) for name in self._topology("media", {})}

    # Building.

    def node(self, name: str, **properties: Unpack[t.NodeKeys]) -> Node:
        """Adds a node: a host, or what `kind` says."""
        nodes = self._topology("nodes", {}, keep=True)
        if name in nodes:
            raise ScenarioError(f"there is a node `{name}` already")
        nodes[name] = plain(properties) or None
        self._called(("topology", "nodes", name))
        return Node(self, name)

    def host(self, name: str, **properties: Unpack[t.NodeKeys]) -> Node:
        """Adds a host."""
        return self.node(name, **properties)

    def router(self, name: str, **properties: Unpack[t.NodeKeys]) -> Node:
        """Adds a router."""
        return self.node(name, **{"kind": "router", **properties})

    def switch(self, name: str, **properties: Unpack[t.NodeKeys]) -> Node:
        """Adds a switch."""
        return self.node(name, **{"kind": "switch", **properties})

    def hosts(self, *names: str, **properties: Unpack[t.NodeKeys]) -> list[Node]:
        """Adds hosts; `n[1-50]` is fifty."""
        return [self.host(name, **properties) for name in _expand(names)]

    def routers(self, *names: str, **properties: Unpack[t.NodeKeys]) -> list[Node]:
        """Adds routers; `r[1-50]` is fifty."""
        return [self.router(name, **properties) for name in _expand(names)]

    def link(self, a: NodeLike, b: NodeLike, **properties: Unpack[t.LinkKeys]) -> Link:
        """Joins two nodes; `a:eth1` names an interface."""
        data = {"endpoints": [str(a), str(b)], **plain(properties)}
        if "name" in data:
            data = {"name": data.pop("name"), **data}
        links: list[dict[str, Any]] = self._topology("links", [], keep=True)
        links.append(data)
        self._called(("topology", "links", len(links) - 1))
        return Link(self, data)

    def medium(self, name: str, **properties: Unpack[t.MediumKeys]) -> Medium:
        """Adds a shared medium."""
        self._topology("media", {}, keep=True)[name] = plain(properties)
        self._called(("topology", "media", name))
        return Medium(self, name)

    def at(
        self, time: str | dict[str, Any], what: Link | Node | str | None = None, **change: Any
    ) -> None:
        """Adds an event of the timeline: a change of a link (or of a direction of it), keys of a
        node, or the keys of an event as they are."""
        event: dict[str, Any] = {"at": time}
        if isinstance(what, str):
            what = self.links.get(what) or self.nodes.get(what) or _unknown(self, what)
        own = {"state", "run", "route", "move", "position", "power", "radio", "disk", "for"}
        repeats = {"direction", "every", "times", "until", "for", "fails"}
        change = {_KEYWORDS.get(key, key): plain(value) for key, value in change.items()}
        if isinstance(what, Link):
            event["link"] = what.name
            event.update({key: change.pop(key) for key in repeats & change.keys()})
            if change:
                event["set"] = change
        elif isinstance(what, Node):
            unknown = change.keys() - own - repeats
            if unknown:
                raise ScenarioError(f"an event of a node has no key `{min(unknown)}`")
            event.update({"node": what.name, **change})
        else:
            event.update(change)
        self._append("timeline", event)

    def traffic(
        self,
        name: str,
        from_: NodeLike | dict[str, str],
        to: NodeLike | dict[str, str],
        *,
        duration: str | None = None,
        **keys: Unpack[t.TrafficKeys],
    ) -> None:
        """Adds traffic between nodes, or between groups; `duration` is `for` in the file."""
        ends = {"from": plain(from_), "to": plain(to)}
        lasting = {} if duration is None else {"for": duration}
        self._append("traffic", {"name": name, **ends, **plain(keys), **lasting})

    def process(
        self, name: str, node: NodeLike, command: str | list[str], **keys: Unpack[t.ProcessKeys]
    ) -> None:
        """Adds a process that a run starts."""
        self._append(
            "processes", {"name": name, "node": str(node), "command": command, **plain(keys)}
        )

    # Text.

    def to_yaml(self) -> str:
        """Returns the text of the file. Of a scenario that was loaded, it is the text that was
        read, with what was changed since; its comments stay."""
        return self._written()[0]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_yaml())

    def validate(self) -> list[Diagnostic]:
        """Checks the scenario. Returns warnings; raises `ScenarioError` with all errors."""
        text, places = self._written()
        found = self._findings(text, places)
        errors = [finding for finding in found if finding.severity == "error"]
        if errors:
            raise ScenarioError("\n".join(map(str, errors)), found)
        return found

    def _findings(self, text: str, places: list[dict[str, Any]]) -> list[Diagnostic]:
        import json

        arguments = ["validate", "-t", "-", "--directory", self.directory, "--format", "json"]
        done = _binary.call(arguments, text)
        if not done.stdout:
            raise ScenarioError(_binary.words_of(done.stderr))
        return [
            Diagnostic(
                self._origin(found["line"], places),
                found["line"],
                found["column"],
                found["severity"],
                found["message"],
                found.get("help"),
            )
            for found in json.loads(done.stdout)[0]["diagnostics"]
        ]

    def _origin(self, line: int, places: list[dict[str, Any]]) -> str:
        """Returns the name of the file of a line: of one that a call has written, the call."""
        name = self.file or f"<{self.name}>"
        covering = [place for place in places if place["line"] <= line <= place["end_line"]]
        for place in sorted(covering, key=lambda place: -len(place["path"])):
            call = self._calls.get(tuple(place["path"]))
            if call is not None:
                return f"{call} (line {line} of {name})"
        return name

    def _written(self) -> tuple[str, list[dict[str, Any]]]:
        if self._read is None:
            order: dict[str, Any] = {"value": self.data}
        else:
            text, value = self._read
            if value == self.data:
                return text, []
            order = {"text": text, "edits": list(_edits((), value, self.data))}
        done = _binary.pen(order)
        if "refused" in done:
            found = done["refused"]
            where = self.file or self.name
            raise ScenarioError(
                f"the text of {where} cannot be changed so: {found['message']}; set the whole "
                "section, or change the file"
            )
        return done["text"], done["places"]

    # Running.

    def deploy(
        self,
        *,
        keep: bool = False,
        wait: str | None = None,
        name: str | None = None,
        workers: int | None = None,
        progress: Callable[[str], None] | None = None,
    ) -> Experiment:
        """Brings the network up. It is gone at the end of `with`, after `close`, and when this
        Python ends, in whatever way; with `keep` it stays until it is destroyed."""
        from . import _experiment

        return _experiment.deploy(
            self, keep=keep, wait=wait, name=name, workers=workers, progress=progress
        )

    def run(
        self,
        *,
        simulate: bool = False,
        output: str | os.PathLike[str] | None = None,
        seed: int | None = None,
        name: str | None = None,
        frames: bool = False,
        progress: Callable[[str], None] | None = None,
    ) -> Results:
        """Runs the scenario, emulated or in virtual time. Returns its results, also of a run in
        which something failed: `results.require("success")`."""
        from . import _experiment

        return _experiment.run(
            self,
            simulate=simulate,
            output=output,
            seed=seed,
            name=name,
            frames=frames,
            progress=progress,
        )

    def graph(self, format: str = "svg") -> str:
        """Returns a drawing: `svg`, `dot` or `mermaid`."""
        arguments = ["graph", "-t", "-", "--directory", self.directory, "--format", format]
        done = _binary.call(arguments, self.to_yaml())
        if done.returncode == 2:
            self.validate()
        if done.returncode != 0:
            raise Error(_binary.words_of(done.stderr))
        return done.stdout

    def to_networkx(self) -> Any:
        """Returns the network as a `networkx.MultiGraph`; attributes are the keys of the file."""
        from . import _graphs

        return _graphs.to_networkx(self)

    def _repr_html_(self) -> str:
        from . import _html

        return _html.scenario(self)

    # Inside.

    def _topology(self, key: str, default: Any, keep: bool = False) -> Any:
        topology: dict[str, Any] = self.data.get("topology") or {}
        if keep:
            self.data["topology"] = topology
        if topology.get(key) is None:
            if not keep:
                return default
            topology[key] = default
        return topology[key]

    def _append(self, key: str, entry: dict[str, Any]) -> None:
        if self.data.get(key) is None:
            self.data[key] = []
        self.data[key].append(entry)
        self._called((key, len(self.data[key]) - 1))

    def _called(self, path: Path) -> None:
        """Notes which line of the user's program has made what is at `path`."""
        frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == _HERE:
            frame = frame.f_back
        self._calls[path] = f"{frame.f_code.co_filename}:{frame.f_lineno}"


def load(path: str | os.PathLike[str]) -> Scenario:
    """Loads a scenario's file, and keeps its text with all comments."""
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    done = _binary.pen({"text": text})
    file_name = os.fspath(path)
    if "refused" in done:
        found = done["refused"]
        place = (found["line"], found["column"], found["severity"], found["message"])
        finding = Diagnostic(file_name, *place, found.get("help"))
        raise ScenarioError(str(finding), [finding])
    value: dict[str, Any] = done["value"]
    if not isinstance(value, dict):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ScenarioError(f"{file_name} is no scenario: it has no keys")
    scenario = Scenario.__new__(Scenario)
    scenario.data = copy.deepcopy(value)
    scenario.data.setdefault("name", os.path.basename(os.path.dirname(os.path.abspath(path))))
    value.setdefault("name", scenario.data["name"])
    scenario.file = file_name
    scenario.directory = os.path.dirname(os.path.abspath(path))
    scenario._read = (text, value)  # pyright: ignore[reportPrivateUsage]
    scenario._calls = {}  # pyright: ignore[reportPrivateUsage]
    return scenario


def link_name(data: Mapping[str, Any]) -> str:
    """Returns the name of a link of a file."""
    if data.get("name"):
        return str(data["name"])
    return "--".join(str(end).partition(":")[0] for end in data.get("endpoints") or ())


def plain(value: Any) -> Any:
    """Returns a value as the file has it: nodes and links by name, tuples as lists."""
    if isinstance(value, (Node, Link, Medium)):
        return value.name
    if isinstance(value, dict):
        entries: Any = value  # pyright: ignore[reportUnknownVariableType]
        return {_KEYWORDS.get(key, str(key)): plain(entry) for key, entry in entries.items()}
    if isinstance(value, (list, tuple)):
        elements: Any = value  # pyright: ignore[reportUnknownVariableType]
        return [plain(element) for element in elements]
    return value


def _expand(names: Iterable[str]) -> list[str]:
    """Writes out `n[1-50]`."""
    expanded: list[str] = []
    for name in names:
        found = _RANGE.search(name)
        if found is None:
            expanded.append(name)
            continue
        first, last = found[1], found[2]
        width = len(first) if first.startswith("0") else 0
        numbers = range(int(first), int(last) + 1)
        before, after = name[: found.start()], name[found.end() :]
        expanded += _expand(f"{before}{number:0{width}}{after}" for number in numbers)
    return expanded


def _edits(path: Path, old: Any, new: Any) -> Iterable[dict[str, Any]]:
    """Returns the changes from one value to another, in an order in which they can be made."""
    if isinstance(old, dict) and isinstance(new, dict) and old:
        was: dict[str, Any] = old  # pyright: ignore[reportUnknownVariableType]
        now: dict[str, Any] = new  # pyright: ignore[reportUnknownVariableType]
        for key in was.keys() - now.keys():
            yield {"remove": {"path": [*path, key]}}
        for key, value in now.items():
            if key in was:
                yield from _edits((*path, key), was[key], value)
            else:
                yield {"insert": {"path": [*path, key], "value": value}}
    elif isinstance(old, list) and isinstance(new, list) and old and new:
        before: list[Any] = old  # pyright: ignore[reportUnknownVariableType]
        after: list[Any] = new  # pyright: ignore[reportUnknownVariableType]
        common = min(len(before), len(after))
        for index in range(common):
            yield from _edits((*path, index), before[index], after[index])
        for index in range(common, len(after)):
            yield {"insert": {"path": [*path, index], "value": after[index]}}
        for index in reversed(range(common, len(before))):
            yield {"remove": {"path": [*path, index]}}
    elif old != new or type(old) is not type(new):  # pyright: ignore[reportUnknownArgumentType]
        yield {"set": {"path": list(path), "value": new}}


def _unknown(scenario: Scenario, name: str) -> Any:
    raise ScenarioError(f"`{scenario.name}` has neither a link nor a node `{name}`")
