"""Sweeps: many runs of a scenario, over values and seeds. `netloom sweep` makes them."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from . import _binary
from ._errors import Error
from ._results import Results, Table
from ._scenario import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeAlias

    from ._scenario import Scenario

    Metric: TypeAlias = "dict[str, str]"


class Flow:
    """The measures of a flow of `traffic`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def measure(self, name: str) -> Metric:
        """A measure that `netloom compare` has."""
        return {"flow": self.name, "measure": name}

    def summary(self, path: str, unit: str | None = None) -> Metric:
        """A number of the flow in `summary.json`, like `received.bytes`."""
        named = {} if unit is None else {"unit": unit}
        return {"summary": f"flows.{self.name}.{path}", **named}

    @property
    def goodput(self) -> Metric:
        return self.measure("goodput")

    @property
    def loss(self) -> Metric:
        return self.measure("loss")

    @property
    def delay(self) -> Metric:
        return self.measure("delay")

    @property
    def delay_mean(self) -> Metric:
        return self.measure("delay_mean")

    @property
    def delay_p99(self) -> Metric:
        return self.measure("delay_p99")

    @property
    def jitter(self) -> Metric:
        return self.measure("jitter")

    @property
    def received_bytes(self) -> Metric:
        return self.summary("received.bytes", "B")

    @property
    def sent_bytes(self) -> Metric:
        return self.summary("sent.bytes", "B")


class Pipe:
    """The measures of a direction of a link."""

    def __init__(self, name: str) -> None:
        self.name = name

    def measure(self, name: str) -> Metric:
        """A measure that `netloom compare` has."""
        return {"pipe": self.name, "measure": name}

    @property
    def load(self) -> Metric:
        return self.measure("load")

    @property
    def loss(self) -> Metric:
        return self.measure("loss")

    @property
    def delay(self) -> Metric:
        return self.measure("delay")

    @property
    def delay_p99(self) -> Metric:
        return self.measure("delay_p99")


def flow(name: str) -> Flow:
    """Returns the measures of a flow of `traffic`."""
    return Flow(name)


def pipe(name: str) -> Pipe:
    """Returns the measures of a direction of a link, `LINK/forward` or `LINK/reverse`."""
    return Pipe(name)


def printed(process: str, path: str, unit: str | None = None) -> Metric:
    """Returns a number in what a process prints as JSON."""
    return {"process": process, "json": path, **({} if unit is None else {"unit": unit})}


def reported(name: str, unit: str | None = None) -> Metric:
    """Returns the last value of a metric that programs reported."""
    return {"reported": name, **({} if unit is None else {"unit": unit})}


class Sweep:
    """The runs of a sweep, in its folder."""

    def __init__(self, directory: str, end: dict[str, Any]) -> None:
        self.directory = directory
        self.code: int = end["code"]
        # Points whose runs failed.
        self.failed: list[Any] = end["failed_points"]
        # A row a point and metric: parameters under `point`, mean, half of the 95 % interval.
        self.points: list[dict[str, Any]] = end["points"]

    @property
    def runs(self) -> Table:
        """A row a run and metric."""
        return Table(os.path.join(self.directory, "runs.parquet"))

    def results(self) -> list[Results]:
        """The results of all runs that are kept."""
        folder = os.path.join(self.directory, "runs")
        return [Results(os.path.join(folder, key)) for key in sorted(os.listdir(folder))]

    def report(self) -> str:
        """Returns the path of the report's HTML page."""
        return os.path.join(self.directory, "report.html")

    def require(self) -> Sweep:
        """Raises `Error` if a point's runs failed, or results could not be kept."""
        if self.code != 0:
            raise Error(f"the sweep in {self.directory} ended with {self.code}: {self.failed}")
        return self

    def __repr__(self) -> str:
        return f"<Sweep {self.directory}: {len(self.points)} rows>"

    def _repr_html_(self) -> str:
        from . import _html

        rows = [{**row.pop("point", {}), **row} for row in map(dict, self.points)]
        return f"<p>{self.directory}</p>" + _html.rows(rows, len(rows))


def sweep(
    scenario: Scenario,
    *,
    metrics: Mapping[str, Metric] | Sequence[str],
    vary: Mapping[str, object] | None = None,
    seeds: int | str | list[int] = 1,
    simulate: bool = False,
    zip: Sequence[str] = (),
    compare: Mapping[str, object] | None = None,
    stop: Mapping[str, object] | None = None,
    inputs: Sequence[str] = (),
    retry_invalid: int | None = None,
    keep: str | None = None,
    strict: bool = False,
    fail_fast: bool = False,
    jobs: int | None = None,
    output: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Sweep:
    """Runs a scenario over values and seeds, and says what all runs say together.

    What is in the folder `output` (by default `netloom-results/NAME`) is not run again. `vary` has
    paths of the scenario with their values, or a name with `{"paths": […], "values": […]}`;
    `metrics` has what a run is asked for, like `nl.flow("a").goodput`, by name, or a list of
    `MEASURE@WHAT`. The other keys are those of the file of `netloom sweep`.
    """
    folder = os.path.abspath(output or os.path.join("netloom-results", scenario.name))
    stem = os.path.join(scenario.directory, f".{scenario.name}-{os.getpid()}")
    keys: dict[str, Any] = {
        "scenario": f"{os.path.basename(stem)}.netloom.yaml",
        "mode": "simulate" if simulate else "emulate",
        "vary": plain(dict(vary or {})),
        "zip": list(zip),
        "seeds": None if stop else seeds,
        "inputs": list(inputs),
        "metrics": _metrics(metrics),
        "compare": plain(dict(compare)) if compare else None,
        "stop": plain(dict(stop)) if stop else None,
        "retry_invalid": retry_invalid,
        "keep": keep,
    }
    keys = {key: value for key, value in keys.items() if value not in (None, [], {})}
    files = {
        f"{stem}.netloom.yaml": scenario.to_yaml(),
        f"{stem}.sweep.yaml": _binary.pen({"value": keys})["text"],
    }
    arguments = ["sweep", f"{stem}.sweep.yaml", "--format", "json", "--output", folder]
    arguments += [] if jobs is None else ["--jobs", str(jobs)]
    arguments += ["--strict"] if strict else []
    arguments += ["--fail-fast"] if fail_fast else []
    try:
        for path, text in files.items():
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return _made(arguments, folder, progress or _shown)
    finally:
        for path in files:
            if os.path.exists(path):
                os.remove(path)


def _metrics(metrics: Mapping[str, Metric] | Sequence[str]) -> dict[str, Metric]:
    if isinstance(metrics, dict):
        return dict(metrics)  # pyright: ignore
    found: dict[str, Metric] = {}
    for name in metrics:
        measure, _, what = name.partition("@")
        of = {} if not what else {"pipe" if "/" in what else "flow": what}
        found[name.replace("/", "-").replace("@", "-")] = {**of, "measure": measure}
    return found


def _made(arguments: list[str], folder: str, show: Callable[[str], None]) -> Sweep:
    import tempfile

    end: dict[str, Any] | None = None
    total = 0
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [_binary.path(), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said,
            start_new_session=True,
        )
        assert process.stdout is not None
        try:
            for text in process.stdout:
                line: dict[str, Any] = json.loads(text)
                if line["event"] == "begin":
                    total = line["runs"]
                elif line["event"] == "run":
                    show(f"{line['done']}/{total} runs")
                elif line["event"] == "end":
                    end = line
        except BaseException:
            process.terminate()
            process.wait()
            raise
        process.wait()
        show("")
        said.seek(0)
        words = _binary.words_of(said.read().decode(errors="replace"))
    if end is None:
        raise Error(words or f"`netloom sweep` ended with {process.returncode}")
    return Sweep(folder, end)


def _shown(text: str) -> None:
    if sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules):
        print(f"\r{text:<40}\r", end="", file=sys.stderr, flush=True)
