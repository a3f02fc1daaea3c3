"""Experiments: networks that are up, and the runs of scenarios."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

from . import _binary
from ._api import Api
from ._errors import EngineGone, Error, Refused, ScenarioError
from ._live import ApplyPlan, Capture, LiveLink, LiveMedium, LiveNode, Named, PingAll
from ._results import Results, Verdict
from ._scenario import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from types import TracebackType
    from typing import IO, Any

    from . import _api_types as a
    from ._scenario import Node, Scenario

    Progress = Callable[[str], None]

# Longest time for an experiment to go before its engine counts as stuck, in seconds.
_PATIENCE = 120


class Experiment:
    """A network that is up. Any thread may use it."""

    def __init__(
        self,
        name: str,
        socket: str,
        scenario: Scenario | None = None,
        lease: subprocess.Popen[bytes] | None = None,
        said: IO[bytes] | None = None,
    ) -> None:
        self.name = name
        self.api = Api(name, socket)
        self.scenario = scenario
        self._lease = lease
        self._said = said

    # What there is.

    @property
    def nodes(self) -> dict[str, LiveNode]:
        """The nodes by name."""
        return {row["name"]: LiveNode(self, row["name"]) for row in self.api.get("/nodes")}

    @property
    def links(self) -> Named[LiveLink]:
        """The links by name. A name of two ends may have them in either order."""
        return Named(self, "/links", LiveLink)

    @property
    def media(self) -> Named[LiveMedium]:
        """The shared media by name."""
        return Named(self, "/media", LiveMedium)

    def __getitem__(self, node: Node | str) -> LiveNode:
        return LiveNode(self, str(node))

    @property
    def status(self) -> a.ExperimentStatus:
        """The state of the whole experiment."""
        return self.api.get("/experiment")

    @property
    def in_force(self) -> a.ScenarioInForce:
        """The scenario in force, as text and resolved."""
        return self.api.get("/scenario")

    # What it does.

    def change(self, changes: Iterable[tuple[LiveLink | object, Mapping[str, Any]]]) -> None:
        """Changes links, all at one instant or none."""
        asked: list[dict[str, Any]] = []
        for link, change in changes:
            properties = dict(plain(dict(change)))
            direction = properties.pop("direction", "both")
            name = link.name if isinstance(link, LiveLink) else str(link)
            asked.append({"link": name, "direction": direction, "change": properties})
        self.api.patch("/links", {"changes": asked})

    def move(self, positions: Mapping[str, tuple[float, ...]]) -> None:
        """Puts nodes on shared media at other places, in metres, all at one instant."""
        rows = [(str(node), *map(float, place)) for node, place in positions.items()]
        body: dict[str, Any] = {"nodes": [row[0] for row in rows]}
        body["x"] = [row[1] for row in rows]
        body["y"] = [row[2] for row in rows]
        if any(len(row) > 3 for row in rows):
            body["z"] = [row[3] if len(row) > 3 else 0.0 for row in rows]
        self.api.patch("/positions", body)

    def positions(self) -> dict[str, tuple[float, float, float] | None]:
        """Returns where nodes on shared media are, in metres; `None` while one is away."""
        stations = [station for row in self.api.get("/media") for station in row["stations"]]
        places = ((row["interface"]["node"], row.get("position")) for row in stations)
        return {node: at and (at["x"], at["y"], at["z"]) for node, at in places}

    def neighbours(self, node: Node | str) -> list[a.Neighbours]:
        """Returns whom a node reaches on its shared media, and how well."""
        return self.api.get(f"/neighbours/{node}")

    def pingall(
        self, *, routers: bool = False, ipv4: bool = True, ipv6: bool = True, tries: int = 3
    ) -> PingAll:
        """Lets every host ping every other."""
        kinds = {"host", "router"} if routers else {"host"}
        nodes = [row for row in self.api.get("/nodes") if row["kind"] in kinds]
        names = [row["name"] for row in nodes if not row.get("simulated")]
        families = [name for name, wanted in (("ipv4", ipv4), ("ipv6", ipv6)) if wanted]
        body = {"nodes": names, "families": families, "tries": tries}
        return PingAll(self.api.post("/ping", body))

    def verdict(self) -> Verdict:
        """Returns whether the experiment can be trusted so far."""
        return Verdict(self.api.get("/verdict"))

    def events(self, since: int = 0) -> Iterator[a.Event]:
        """Returns all events from a number on, then new ones as they happen."""
        return self.api.events(since)  # pyright: ignore[reportReturnType]

    def wait_for(self, what: str, *, timeout: float = 60.0, **fields: object) -> dict[str, Any]:
        """Waits for an event of a kind, like `service_ready`, whose fields are as given. One that
        has happened counts. Raises `TimeoutError`."""
        found: list[dict[str, Any]] = []
        done = threading.Event()

        def follow() -> None:
            try:
                for event in self.api.events():
                    if event["event"] == what and _fits(event, fields):
                        found.append(event)
                        break
            except Error:
                pass
            done.set()

        threading.Thread(target=follow, daemon=True).start()
        asked = ", ".join([what, *(f"{key}={plain(value)}" for key, value in fields.items())])
        if not done.wait(timeout):
            raise TimeoutError(f"no {asked} in {self.name} within {timeout:g} s")
        if not found:
            raise EngineGone(f"`{self.name}` ended before {asked}")
        return found[0]

    def capture(
        self,
        interface: str,
        *,
        to: str | os.PathLike[str],
        drops: bool = False,
    ) -> Capture:
        """Captures the frames at an interface, `node:eth1`, into a pcapng file."""
        return Capture(self.api, interface, drops, to)

    def apply(self, scenario: Scenario, *, dry_run: bool = False) -> ApplyPlan:
        """Makes the network what a scenario says, without touching what stays as it is."""
        arguments = ["apply", "-t", "-", "--directory", scenario.directory, "--format", "json"]
        arguments += ["--name", self.name, *(["--dry-run"] if dry_run else [])]
        done = _binary.call(arguments, scenario.to_yaml())
        if done.returncode == 2:
            scenario.validate()
        if done.returncode != 0:
            raise Refused(_binary.words_of(done.stderr))
        if not dry_run:
            self.scenario = scenario
        return ApplyPlan(json.loads(done.stdout))

    def route(self, node: Node | str, *changes: Mapping[str, Any]) -> None:
        """Adds, replaces and removes routes of a node, all or none: `{"remove": "10.1.0.0/24"}`."""
        self.api.patch(f"/nodes/{node}/routes", {"changes": plain(list(changes))})

    # Its end.

    def close(self) -> None:
        """Takes the experiment down, unless it was deployed to stay."""
        lease, self._lease = self._lease, None
        if lease is None:
            return
        assert lease.stdin is not None
        lease.stdin.close()
        code = lease.wait(_PATIENCE)
        said = _said(self._said)
        if code != 0 and said:
            raise EngineGone(said)

    def destroy(self) -> None:
        """Takes the experiment down, also one that was deployed to stay."""
        if self._lease is not None:
            return self.close()
        _binary.output(["destroy", self.name])

    def __enter__(self) -> Experiment:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except EngineGone:
            # The error in the block says more.
            if error is None:
                raise

    def __repr__(self) -> str:
        return f"<Experiment {self.name}>"

    def _repr_html_(self) -> str:
        from . import _html

        return _html.experiment(self)


def deploy(
    scenario: Scenario,
    *,
    keep: bool,
    wait: str | None,
    name: str | None,
    workers: int | None,
    progress: Progress | None,
) -> Experiment:
    arguments = ["deploy", *_start(scenario, name)]
    arguments += [] if keep else ["--lease"]
    arguments += [] if wait is None else [f"--wait={wait}"]
    arguments += [] if workers is None else ["--workers", str(workers)]
    call = _Call(arguments, scenario, progress)
    ready: dict[str, Any] | None = None
    for line in call:
        if "ready" in line:
            ready = line["ready"]
            if wait is None:
                break
        if "note" in line and ready is not None:
            break
    if ready is None:
        call.fail()
        raise AssertionError
    lease = None if keep else call.process
    if keep:
        call.end()
    return Experiment(ready["experiment"], ready["socket"], scenario, lease, call.said)


def run(
    scenario: Scenario,
    *,
    simulate: bool,
    output: str | os.PathLike[str] | None,
    seed: int | None,
    name: str | None,
    frames: bool,
    progress: Progress | None,
) -> Results:
    arguments = ["run", *_start(scenario, name)]
    arguments += ["--simulate"] if simulate else []
    arguments += [] if output is None else ["--output", os.path.abspath(output)]
    arguments += [] if seed is None else ["--seed", str(seed)]
    arguments += ["--frames"] if frames else []
    call = _Call(arguments, scenario, progress)
    try:
        ended = [line["ended"] for line in call if "ended" in line]
    except BaseException:
        # An interrupted run keeps its results.
        call.process.terminate()
        call.process.wait()
        raise
    if not ended:
        call.fail()
    call.end()
    return Results(ended[0]["results"], code=ended[0]["code"])


def attach(name: str) -> Experiment:
    """Returns an experiment that runs. It stays when this Python ends."""
    for row in experiments():
        if row["name"] == name:
            return Experiment(name, row["socket"])
    raise Refused(f"there is no experiment `{name}`; `experiments()` lists what runs")


def experiments() -> list[dict[str, Any]]:
    """Returns the experiments of this user on this machine."""
    found = json.loads(_binary.output(["inspect", "--all", "--format", "json"]))
    return [row for row in found if row.get("alive", True)]


class _Call:
    """A command whose output is lines of JSON."""

    def __init__(self, arguments: list[str], scenario: Scenario, progress: Progress | None) -> None:
        self.scenario = scenario
        self.text = scenario.to_yaml()
        # Imported late: it takes as long as all the rest.
        import tempfile

        self.said: IO[bytes] = tempfile.TemporaryFile()
        self.failure: dict[str, Any] | None = None
        self.process = subprocess.Popen(
            [_binary.path(), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.said,
            # Ctrl-C is for this program, which then closes the lease.
            start_new_session=True,
        )
        self._progress = progress or _shown()
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(self.text.encode() + b"\0")
            self.process.stdin.flush()
        except BrokenPipeError:
            # It says why.
            pass

    def __iter__(self) -> Iterator[dict[str, Any]]:
        assert self.process.stdout is not None
        for text in self.process.stdout:
            line: dict[str, Any] = json.loads(text)
            if "failed" in line:
                self.failure = line["failed"]
            for key in ("nodes", "services"):
                if key in line:
                    self._progress(f"{key} {line[key]['done']}/{line[key]['total']}")
            if "simulated" in line:
                self._progress(f"{line['simulated']['seconds']:.1f} s simulated")
            if "ready" in line or "ended" in line or "failed" in line:
                self._progress("")
            yield line

    def end(self) -> None:
        """Lets the command end."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait()

    def fail(self) -> None:
        """Raises the error that ended the command."""
        self.end()
        words = _said(self.said)
        if self.process.returncode == 2:
            # The findings with their places.
            self.scenario.validate()
            raise ScenarioError(words)
        message = self.failure["error"] if self.failure else words
        raise Error(message or f"`netloom` ended with {self.process.returncode}")


def _start(scenario: Scenario, name: str | None) -> list[str]:
    arguments = ["-t", "-", "--directory", scenario.directory, "--format", "json"]
    return arguments + ([] if name is None else ["--name", name])


def _said(file: IO[bytes] | None) -> str:
    if file is None or file.closed:
        return ""
    file.seek(0)
    words = _binary.words_of(file.read().decode(errors="replace"))
    file.close()
    return words


def _shown() -> Progress:
    """Returns what shows progress to somebody who watches: a line that is overwritten."""
    is_watched = sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)
    if not is_watched:
        return lambda _: None

    def show(text: str) -> None:
        print(f"\r{text:<40}\r", end="", file=sys.stderr, flush=True)

    return show


def _fits(event: dict[str, Any], fields: Mapping[str, object]) -> bool:
    return all(event.get(key) == plain(value) for key, value in fields.items())
