"""The pytest plugin: the fixture `network`, which brings networks up for a test and takes them down
after it. Logs of a test that fails are kept in its report."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from ._experiment import Experiment


@pytest.fixture
def network(request: pytest.FixtureRequest) -> Iterator[Callable[..., Experiment]]:
    """Returns a function that deploys a scenario: a `Scenario`, a function that makes one, or a
    file, relative to the test's. All are taken down after the test."""
    from . import _scenario

    up: list[Experiment] = []

    def deploy(source: Any, **options: Any) -> Experiment:
        if isinstance(source, (str, os.PathLike)):
            source = _scenario.load(request.path.parent / source)
        elif callable(source):
            source = source()
        options.setdefault("name", f"{source.name[:40]}-{os.getpid()}-{len(up)}")
        up.append(source.deploy(**options))
        return up[-1]

    yield deploy
    failed = getattr(request.node, "_netloom_failed", False)
    for experiment in reversed(up):
        if failed:
            request.node.add_report_section("teardown", "netloom", _story(experiment))
        experiment.close()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    outcome: Any = yield
    report: Any = outcome.get_result()
    if report.failed:
        item._netloom_failed = True  # pyright: ignore


def _story(experiment: Experiment) -> str:
    """Returns what the engine knows of an experiment: its events and its services' logs."""
    from ._errors import Error

    lines = [f"experiment {experiment.name}"]
    try:
        lines += [f"verdict: {experiment.verdict()!r}"]
        for row in experiment.api.get("/services"):
            lines.append(f"service {row['service']}@{row['node']}: {row['state']}")
            if row.get("log"):
                lines.append(experiment[row["node"]].logs(row["service"]))
    except Error as error:
        lines.append(str(error))
    return "\n".join(lines)
