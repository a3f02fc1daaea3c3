"""How scenarios, experiments and results show themselves in notebooks."""

from __future__ import annotations

from html import escape

from ._errors import Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._experiment import Experiment
    from ._results import Results, Table, Verdict
    from ._scenario import Scenario

# Rows of a table that are shown.
_ROWS = 10
# Links of a run that are shown.
_LINKS = 5

_COLOURS = {"valid": "#1a7f37", "suspect": "#9a6700", "invalid": "#cf222e"}


def scenario(scenario: Scenario) -> str:
    try:
        drawing = scenario.graph("svg")
    except Error as error:
        return f"<pre>{escape(str(error))}</pre>"
    nodes, links = len(scenario.nodes), len(scenario.links)
    return f"<p><b>{escape(scenario.name)}</b>: {nodes} nodes, {links} links</p>{drawing}"


def experiment(experiment: Experiment) -> str:
    try:
        status = experiment.status
        verdict = _verdict(experiment.verdict())
    except Error as error:
        return f"<p><b>{escape(experiment.name)}</b>: {escape(str(error))}</p>"
    head = f"<p><b>{escape(experiment.name)}</b> ({escape(status['phase'])}); {verdict}</p>"
    drawn = "" if experiment.scenario is None else scenario(experiment.scenario)
    return head + drawn


def results(results: Results) -> str:
    summary = results.summary
    outcome = "went well" if summary["success"] else "failed"
    verdict = summary.get("verdict")
    judged = _verdict(results.verdict) if verdict else "simulated: no machine disturbs it"
    busiest: list[tuple[int, str]] = []
    for link in summary["links"]:
        for direction in ("forward", "reverse"):
            pipe: Any = link[direction]
            statistics: dict[str, Any] = pipe.get("statistics") or {}
            delivered: dict[str, int] = statistics.get("delivered") or {}
            size = delivered.get("bytes", 0)
            busiest.append((size, f"{link['name']}/{direction}"))
    busiest = sorted(busiest, reverse=True)[:_LINKS]
    rows = "".join(f"<tr><td>{escape(name)}</td><td>{size:,}</td></tr>" for size, name in busiest)
    return (
        f"<p><b>{escape(summary['name'])}</b> {outcome}; {judged}</p>"
        f"<table><tr><th>busiest</th><th>bytes delivered</th></tr>{rows}</table>"
    )


def table(table: Table) -> str:
    return rows(table.rows(), _ROWS)


def rows(rows: list[dict[str, Any]], most: int) -> str:
    keys = list(rows[0]) if rows else []
    head = "".join(f"<th>{escape(key)}</th>" for key in keys)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(row.get(key)))}</td>" for key in keys) + "</tr>"
        for row in rows[:most]
    )
    more = f"<p>… {len(rows):,} rows in all</p>" if len(rows) > most else ""
    return f"<table><tr>{head}</tr>{body}</table>{more}"


def _verdict(verdict: Verdict) -> str:
    return ", ".join(
        f'{what} <b style="color:{_COLOURS[judgement]}">{judgement}</b>'
        for what, judgement in (("links", verdict.links), ("programs", verdict.programs))
    )
