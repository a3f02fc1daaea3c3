"""The parts of a network that is up, and what is done with them."""

from __future__ import annotations

import os
import subprocess
import threading
import time

from . import _binary, _exec
from ._api import Api, query
from ._errors import Refused
from ._scenario import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import IO, Any, Literal

    from typing_extensions import Unpack

    from . import _api_types as a
    from . import _types as t
    from ._experiment import Experiment
    from ._scenario import Node

    Direction = Literal["both", "forward", "reverse"]

# Keys of a change that say where it applies.
_BOTH: Direction = "both"


class _Live:
    """A part of an experiment."""

    _kind = ""

    def __init__(self, experiment: Experiment, name: str) -> None:
        self.experiment = experiment
        self.name = name

    def __repr__(self) -> str:
        return f"<{self._kind} {self.name} of {self.experiment.name}>"


class LiveNode(_Live):
    """A node of an experiment."""

    _kind = "Node"

    def run(
        self,
        command: str | list[str],
        *,
        check: bool = False,
        input: str | None = None,
        timeout: float | None = None,
        env: dict[str, str] | None = None,
        cwd: str | None = None,
    ) -> _exec.Finished:
        """Runs a command to its end: a line of the shell, or a program and its arguments."""
        return _exec.run(
            self.experiment.api,
            self.name,
            command,
            check=check,
            input=input,
            timeout=timeout,
            env=env,
            cwd=cwd,
        )

    def popen(
        self,
        command: str | list[str],
        *,
        env: dict[str, str] | None = None,
        cwd: str | None = None,
        stdin: _exec.Stream = subprocess.DEVNULL,
        stdout: _exec.Stream = subprocess.PIPE,
        stderr: _exec.Stream = subprocess.PIPE,
        text: bool = True,
    ) -> _exec.Process:
        """Starts a command, with the streams and methods of a `subprocess.Popen`."""
        return _exec.popen(
            self.experiment.api,
            self.name,
            command,
            env=env,
            cwd=cwd,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            text=text,
        )

    @property
    def status(self) -> a.NodeStatus:
        """The state of the node."""
        return _named(self.experiment.api.get("/nodes"), self.name)

    def logs(self, service: str) -> str:
        """Returns what a service, or `startup`, has printed."""
        place = f"{self.name}@{self.experiment.name}"
        return _binary.output(["logs", place, service])


class LiveLink(_Live):
    """A link of an experiment."""

    _kind = "Link"

    def set(self, *, direction: Direction = _BOTH, **properties: Unpack[t.LinkChangeKeys]) -> None:
        """Changes properties, from this instant on."""
        self.experiment.change([(self.name, {"direction": direction, **properties})])

    @property
    def status(self) -> a.LinkStatus:
        """The configuration and the statistics of both directions."""
        return _named(self.experiment.api.get("/links"), self.name)

    def last(self, window: str) -> a.LinkStatus:
        """The state with the statistics of the last seconds, like `5s`."""
        return _named(self.experiment.api.get("/links" + query(last=window)), self.name)


class LiveMedium(_Live):
    """A shared medium of an experiment."""

    _kind = "Medium"

    def set(self, **properties: Unpack[t.MediumChangeKeys]) -> None:
        """Changes properties, from this instant on."""
        self.experiment.api.patch(f"/media/{self.name}", {"set": plain(properties)})

    def losses(self, pairs: Iterable[tuple[Node | str, Node | str, float]]) -> None:
        """Sets losses between stations in dB, all at one instant."""
        rows = [(str(a), str(b), float(loss)) for a, b, loss in pairs]
        columns = {"from": [a for a, _, _ in rows], "to": [b for _, b, _ in rows]}
        body = {**columns, "loss": [loss for _, _, loss in rows]}
        self.experiment.api.patch(f"/media/{self.name}/losses", body)

    @property
    def status(self) -> a.MediumStatus:
        """The state of the medium and its stations."""
        return _named(self.experiment.api.get("/media"), self.name)


class PingAll:
    """Who reached whom."""

    def __init__(self, rows: list[a.Reach]) -> None:
        self.rows = rows

    @property
    def lost(self) -> list[a.Reach]:
        """Pairs of which the first did not reach the second."""
        return [row for row in self.rows if row.get("rtt_ms") is None]

    @property
    def reached(self) -> list[a.Reach]:
        """Pairs of which the first reached the second."""
        return [row for row in self.rows if row.get("rtt_ms") is not None]

    def __bool__(self) -> bool:
        return not self.lost

    def __repr__(self) -> str:
        return f"<PingAll: {len(self.reached)} of {len(self.rows)}>"


class ApplyPlan:
    """The steps from one scenario to another."""

    def __init__(self, response: a.ApplyResponse) -> None:
        self.steps = response["steps"]
        self.notes = response["notes"]
        self.at = response.get("at")

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        signs = {"add": "+", "remove": "-", "replace": "!", "change": "~"}
        lines = [
            f"{signs[step['change']]} {step['part']} {step['name']}"
            + (f": {step['detail']}" if step["detail"] else "")
            for step in self.steps
        ]
        return "\n".join(lines) or "nothing to do"

    __repr__ = __str__


class Capture:
    """A capture that goes on until `close`."""

    def __init__(self, api: Api, interface: str, drops: bool, to: str | os.PathLike[str]) -> None:
        self.path = os.fspath(to)
        asked = {"interface": interface, **({"drops": "true"} if drops else {})}
        self._response = api.stream("/capture" + query(**asked))
        self._file: IO[bytes] = open(self.path, "wb")
        self._thread = threading.Thread(target=self._copy, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends the capture. The file is whole then."""
        # Frames that have passed are on their way to us for a moment.
        time.sleep(0.1)
        sock = self._response.fp.raw._sock  # pyright: ignore
        import socket

        sock.shutdown(socket.SHUT_RD)  # pyright: ignore
        self._thread.join()
        self._response.close()

    def _copy(self) -> None:
        import http.client

        with self._file as file:
            try:
                while data := self._response.read1(65536):
                    file.write(data)
                    file.flush()
            except (OSError, ValueError, http.client.HTTPException):
                return

    def __enter__(self) -> Capture:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")

    class Named(dict[str, T]):
        """Live parts by name."""

        def __init__(self, experiment: Experiment, path: str, kind: type[T]) -> None: ...

else:

    class Named(dict):
        """Live parts by name."""

        def __init__(self, experiment, path, kind):
            rows = experiment.api.get(path)
            super().__init__({row["name"]: kind(experiment, row["name"]) for row in rows})

        def __missing__(self, name):
            turned = "--".join(reversed(name.split("--")))
            if turned in self:
                return self[turned]
            raise KeyError(f"there is no `{name}`; there are {', '.join(self) or 'none'}")


def _named(rows: list[Any], name: str) -> Any:
    for row in rows:
        if row["name"] == name:
            return row
    raise Refused(f"there is no `{name}` any more")
