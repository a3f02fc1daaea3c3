"""Results of runs: tables, verdict, processes, plots."""

from __future__ import annotations

import json
import os

from . import _binary
from ._errors import Error, Untrusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, Literal, TextIO

    from . import _api_types as t

_SUMMARY = "summary.json"
# The same file as a sweep packs it that keeps summaries only.
_PACKED = "summary.json.gz"

_ORDER = ("invalid", "suspect", "valid")

# The tables of a run, and which runs have them.
_TABLES = {
    "pipes": "every run",
    "flows": "simulated and symbiotic runs with `traffic`",
    "traffic": "emulated runs with `traffic`",
    "radio": "runs with shared media",
    "positions": "runs with shared media",
    "neighbours": "runs with shared media",
    "connections": "symbiotic runs",
    "calibration": "symbiotic runs",
    "metadata": "symbiotic runs",
}


class Verdict:
    """Whether a run can be trusted. `data` is the whole of it."""

    def __init__(self, data: t.Verdict) -> None:
        self.data = data

    @property
    def judgement(self) -> str:
        """The worse of the two judgements: `valid`, `suspect` or `invalid`."""
        return self.data["judgement"]

    @property
    def links(self) -> str:
        """The judgement on what links did to frames."""
        return self.data["links"]

    @property
    def programs(self) -> str:
        """The judgement on programs in nodes."""
        return self.data["programs"]

    @property
    def findings(self) -> list[str]:
        """Reasons why it is not `valid`, the gravest first."""
        return [finding["why"] for finding in self.data["findings"]]

    @property
    def bad(self) -> list[tuple[float, float]]:
        """Times to leave out, in seconds."""
        return [(span["from"] / 1e9, span["to"] / 1e9) for span in self.data["bad"]]

    def pipe(self, name: str) -> PipeBound:
        """Returns the error bound of a pipe, `LINK/forward` or `LINK/reverse`."""
        pipes = self.data["bound"]["pipes"]
        for pipe in pipes:
            if pipe["pipe"] == name:
                return PipeBound(pipe)
        known = ", ".join(pipe["pipe"] for pipe in pipes)
        raise KeyError(f"no frames left a pipe `{name}` for an interface; there are {known}")

    def __repr__(self) -> str:
        return f"<Verdict {self.judgement}: links {self.links}, programs {self.programs}>"


class PipeBound:
    """By how much one pipe may be wrong: latenesses in ns by percentile."""

    def __init__(self, data: t.PipeBound) -> None:
        self.data = data

    @property
    def at_most(self) -> dict[str, int]:
        """Upper bounds of the lateness of frames, in ns: `p50`, `p99`, …"""
        return dict(self.data["at_most"])  # pyright: ignore

    @property
    def late(self) -> dict[str, int]:
        """Latenesses of frames as a frame log shows them, in ns."""
        return dict(self.data["late"])  # pyright: ignore


class Table:
    """A table of a run, which is read when it is asked for."""

    def __init__(self, path: str, results: Results | None = None, only_good: bool = False) -> None:
        self.path = path
        self._results = results
        self._only_good = only_good

    def good(self) -> Table:
        """Returns the table without rows that are to be left out: those that are marked `bad`, and
        those of the times that the verdict marks."""
        return Table(self.path, self._results, True)

    def rows(self) -> list[dict[str, Any]]:
        """Returns the rows. Needs nothing but the binary."""
        rows = json_lines(_binary.output(["table", self.path, "--format", "json"]))
        return [row for row in rows if not self._only_good or self._is_good(row)]

    def to_polars(self) -> Any:
        """Returns a `polars.DataFrame`."""
        return self.scan().collect()

    def scan(self) -> Any:
        """Returns a `polars.LazyFrame`."""
        polars = extra("polars")
        frame = polars.scan_parquet(self.path)
        if not self._only_good:
            return frame
        names = frame.collect_schema().names()
        if "bad" in names:
            frame = frame.filter(polars.col("bad").fill_null(0) == 0)
        if "time_ns" in names:
            for begin, end in self._bad():
                time = polars.col("time_ns")
                frame = frame.filter((time <= begin) | (time > end))
        return frame

    def to_pandas(self) -> Any:
        """Returns a `pandas.DataFrame`."""
        frame = extra("pandas").read_parquet(self.path)
        if not self._only_good:
            return frame
        if "bad" in frame:
            frame = frame[frame["bad"].fillna(0) == 0]
        for begin, end in self._bad() if "time_ns" in frame else ():
            frame = frame[(frame["time_ns"] <= begin) | (frame["time_ns"] > end)]
        return frame

    def to_arrow(self) -> Any:
        """Returns a `pyarrow.Table`."""
        compute: Any = extra("pyarrow.compute", "arrow")
        parquet: Any = extra("pyarrow.parquet", "arrow")
        table: Any = parquet.read_table(self.path)
        if not self._only_good:
            return table
        if "bad" in table.column_names:
            table = table.filter(compute.equal(compute.fill_null(table["bad"], 0), 0))
        for begin, end in self._bad() if "time_ns" in table.column_names else ():
            before = compute.less_equal(table["time_ns"], begin)
            after = compute.greater(table["time_ns"], end)
            table = table.filter(compute.or_(before, after))
        return table

    def _bad(self) -> list[tuple[int, int]]:
        verdict = self._results.summary.get("verdict") if self._results else None
        spans = verdict["bad"] if verdict else []
        return [(span["from"], span["to"]) for span in spans]

    def _is_good(self, row: Mapping[str, Any]) -> bool:
        time = row.get("time_ns")
        late = time is not None and any(begin < time <= end for begin, end in self._bad())
        return not row.get("bad") and not late

    def __repr__(self) -> str:
        return f"<Table {os.path.basename(self.path)}>"

    def _repr_html_(self) -> str:
        from . import _html

        return _html.table(self)


class ProcessResult:
    """A process of a run in a node: how it ended, and what it printed."""

    def __init__(self, results: Results, data: Mapping[str, Any]) -> None:
        self.data = data
        self.name = str(data["process"])
        self.node = str(data["node"])
        self._results = results

    @property
    def stdout(self) -> str:
        """Its output."""
        return self._text("stdout")

    @property
    def stderr(self) -> str:
        """Its error output."""
        return self._text("stderr")

    def _text(self, stream: str) -> str:
        return self._results.text(f"processes/{self.name}@{self.node}.{stream}")

    def __repr__(self) -> str:
        return f"<Process {self.name}@{self.node}>"


class Results:
    """The directory that a run has left."""

    def __init__(self, directory: str | os.PathLike[str], code: int | None = None) -> None:
        self.directory = os.path.abspath(directory)
        self.code = code
        self._summary: Any = None

    # Tables.

    @property
    def pipes(self) -> Table:
        """Statistics of every pipe, a row each `measure.interval`."""
        return self.table("pipes")

    @property
    def flows(self) -> Table:
        """Counters of simulated flows."""
        return self.table("flows")

    @property
    def traffic(self) -> Table:
        """What became of `traffic`."""
        return self.table("traffic")

    @property
    def radio(self) -> Table:
        """What stations on shared media have sent and met."""
        return self.table("radio")

    @property
    def positions(self) -> Table:
        """Where nodes on shared media were, in µm."""
        return self.table("positions")

    @property
    def neighbours(self) -> Table:
        """Pairs of stations: distance, power, rate."""
        return self.table("neighbours")

    @property
    def connections(self) -> Table:
        """Connections of real programs in a symbiotic run."""
        return self.table("connections")

    @property
    def calibration(self) -> Table:
        """Calibrations of a symbiotic run."""
        return self.table("calibration")

    @property
    def metadata(self) -> Table:
        """What real programs did in a symbiotic run."""
        return self.table("metadata")

    def table(self, name: str) -> Table:
        """Returns a table by its name. Raises `Error` if the run has none."""
        path = os.path.join(self.directory, f"{name}.parquet")
        if not os.path.exists(path):
            which = _TABLES.get(name, "some runs")
            raise Error(f"{self.directory} has no {name}.parquet, which {which} have")
        return Table(path, self)

    @property
    def metrics(self) -> list[dict[str, Any]]:
        """What applications reported: time, node, name, value."""
        return self._lines("metrics.jsonl", "runs whose applications report metrics")

    def frames(self, link: str) -> list[dict[str, Any]]:
        """Returns what happened to every frame of a link, if the run has a frame log."""
        log = self._path("frames.nlf", "runs with `measure.frames`, or run with `frames=True`,")
        rows = json_lines(_binary.output(["frames", log, "--format", "json"]))
        return [row for row in rows if row.get("link") == link]

    def air(self, medium: str) -> list[dict[str, Any]]:
        """Returns all that happened on a shared medium, if the run has its air log."""
        log = self._path(f"air/{medium}.nlf", "runs whose `measure.frames` names the medium")
        return list(json_lines(_binary.output(["frames", log, "--format", "json"])))

    # The rest.

    @property
    def summary(self) -> t.Summary:
        """`summary.json`."""
        if self._summary is None:
            with _summary_file(self.directory) as file:
                self._summary = json.load(file)
        return self._summary

    @property
    def success(self) -> bool:
        """Whether everything in the run went well."""
        return self.summary["success"]

    @property
    def verdict(self) -> Verdict:
        """Whether the run can be trusted. Simulated runs have none: no machine disturbs them."""
        verdict = self.summary.get("verdict")
        if verdict is None:
            raise Error(f"{self.directory} has no verdict: it was simulated, or nobody watched")
        return Verdict(verdict)

    @property
    def events(self) -> list[t.Event]:
        """Everything that happened."""
        return self._lines("events.jsonl", "every run")  # pyright: ignore[reportReturnType]

    @property
    def processes(self) -> dict[str, ProcessResult]:
        """Processes by name, and also by `NAME@NODE`."""
        found = [ProcessResult(self, data) for data in self.summary["processes"]]  # pyright: ignore
        by_name = {process.name: process for process in reversed(found)}
        return {**by_name, **{f"{each.name}@{each.node}": each for each in found}}

    @property
    def expectations(self) -> list[Any]:
        """Expectations about processes, and whether they were met."""
        return list(self.summary.get("expectations") or [])

    def require(
        self,
        what: Literal["valid", "suspect", "success"] = "valid",
        *,
        of: Literal["links", "programs"] | None = None,
    ) -> Results:
        """Raises `Untrusted`, with the findings, unless the run went well and its verdict is at
        least so good: of links, of programs, or of both. Simulated runs need no verdict."""
        if not self.success:
            raise Untrusted(f"the run in {self.directory} failed", self.summary["failures"])
        if what == "success" or (
            self.summary.get("verdict") is None and self.summary.get("timing") is None
        ):
            return self
        verdict = self.verdict
        judgement = getattr(verdict, of) if of else verdict.judgement
        if _ORDER.index(judgement) < _ORDER.index(what):
            about = f" of its {of}" if of else ""
            raise Untrusted(f"the verdict{about} is {judgement}, not {what}", verdict.findings)
        return self

    def report(self) -> str:
        """Makes the report. Returns the path of its HTML page."""
        path = os.path.join(self.directory, "report.html")
        if not os.path.exists(path):
            _binary.output(["report", self.directory])
        return path

    def text(self, name: str) -> str:
        """Returns the text of a file of the results."""
        with open(os.path.join(self.directory, name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def plot(self, link: str, *, direction: str = "forward", axes: Any = None) -> Any:
        """Plots throughput, queue and drops of a pipe, with the times to leave out as bands.
        Returns the figure."""
        from . import _plot

        return _plot.pipe(self, link, direction, axes)

    def __repr__(self) -> str:
        return f"<Results {self.directory}>"

    def _repr_html_(self) -> str:
        from . import _html

        return _html.results(self)

    def _path(self, name: str, which: str) -> str:
        path = os.path.join(self.directory, name)
        if not os.path.exists(path):
            raise Error(f"{self.directory} has no {name}, which {which} have")
        return path

    def _lines(self, name: str, which: str) -> list[dict[str, Any]]:
        self._path(name, which)
        return list(json_lines(self.text(name)))


def results(directory: str | os.PathLike[str]) -> Results:
    """Returns the results in a directory."""
    files = (_SUMMARY, _PACKED)
    if not any(os.path.exists(os.path.join(directory, file)) for file in files):
        raise Error(f"{os.fspath(directory)} has no results: there is no summary.json")
    return Results(directory)


def _summary_file(directory: str) -> TextIO:
    packed = os.path.join(directory, _PACKED)
    if not os.path.exists(packed):
        return open(os.path.join(directory, _SUMMARY), encoding="utf-8")
    import gzip

    return gzip.open(packed, "rt", encoding="utf-8")


class Comparison:
    """Two runs, or two groups of runs, side by side. It is true if all is within tolerance."""

    def __init__(self, data: dict[str, Any], within: bool) -> None:
        self.data = data
        self.within = within

    def __bool__(self) -> bool:
        return self.within

    def __repr__(self) -> str:
        return f"<Comparison: {'within' if self.within else 'outside'} tolerance>"


def compare(
    first: Results | list[Results],
    second: Results | list[Results],
    *,
    tolerance: Mapping[str, str] | None = None,
    good: bool = False,
) -> Comparison:
    """Compares two runs, or the means of two groups of runs with 95 % intervals."""
    groups = [group if isinstance(group, list) else [group] for group in (first, second)]
    one, two = ([run.directory for run in group] for group in groups)
    arguments = ["compare", *one, *(two if len(one) == len(two) == 1 else ["--with", *two])]
    if tolerance:
        arguments += ["--tolerance", ",".join(f"{key}={share}" for key, share in tolerance.items())]
    arguments += ["--good"] if good else []
    done = _binary.call([*arguments, "--format", "json"])
    if done.returncode not in (0, 5):
        raise Error(_binary.words_of(done.stderr))
    return Comparison(json.loads(done.stdout), done.returncode == 0)


def json_lines(text: str) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in text.splitlines() if line.strip())


def extra(name: str, of: str | None = None) -> Any:
    """Imports a library of an extra."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Error(
            f"there is no {name}: `pip install 'netloom[{of or name}]'`, or use `rows()`"
        ) from error
