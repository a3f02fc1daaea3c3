"""Plots of pipes, by matplotlib."""

# pyright: reportUnknownMemberType=false
from __future__ import annotations

from ._errors import Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._results import Results


def pipe(results: Results, link: str, direction: str, axes: Any = None) -> Any:
    """Plots throughput, queue and drops of a pipe over time. Returns the figure."""
    from ._results import extra

    pyplot = extra("matplotlib.pyplot", "plot")
    rows = [
        row for row in results.pipes.rows() if row["link"] == link and row["direction"] == direction
    ]
    if not rows:
        raise Error(f"{results.directory} has no pipe `{link}/{direction}`")
    if axes is None:
        _, axes = pyplot.subplots(3, sharex=True, figsize=(8, 6))
    time = [row["time_ns"] / 1e9 for row in rows]
    steps = list(zip(rows, rows[1:], strict=False))
    rate = [
        (now["delivered_bytes"] - before["delivered_bytes"])
        * 8e3
        / max(1, now["time_ns"] - before["time_ns"])
        for before, now in steps
    ]
    drops = [now["dropped_frames"] - before["dropped_frames"] for before, now in steps]
    axes[0].step(time[1:], rate, where="pre")
    axes[0].set_ylabel("Mbit/s")
    axes[1].plot(time, [row["queued_frames"] for row in rows])
    axes[1].set_ylabel("queue (frames)")
    axes[2].step(time[1:], drops, where="pre")
    axes[2].set_ylabel("drops")
    axes[2].set_xlabel("time (s)")
    verdict = results.summary.get("verdict")
    for span in verdict["bad"] if verdict else ():
        for each in axes:
            each.axvspan(span["from"] / 1e9, span["to"] / 1e9, color="tab:red", alpha=0.2)
    axes[0].set_title(f"{results.summary['name']}: {link}/{direction}")
    return axes[0].figure
