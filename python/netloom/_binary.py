"""The `netloom` binary that belongs to this package, and calls of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from ._errors import Error
from ._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

VARIABLE = "NETLOOM_BINARY"

_checked: dict[str, str] = {}


def path() -> str:
    """Returns the path of the binary: `$NETLOOM_BINARY`, or that of the wheel, or that on `PATH`.

    Raises `Error` if there is none, or if its version is not this package's and nobody asked for it
    by `$NETLOOM_BINARY`.
    """
    named = os.environ.get(VARIABLE)
    if named:
        return named
    beside = os.path.join(os.path.dirname(sys.executable), "netloom")
    if os.access(beside, os.X_OK):
        return _of_this_version(beside)
    import shutil

    found = shutil.which("netloom")
    if found is None:
        raise Error(
            "there is no `netloom` beside this Python nor on PATH: `pip install netloom` brings "
            f"it, and {VARIABLE} names another"
        )
    return _of_this_version(found)


def _of_this_version(found: str) -> str:
    if found not in _checked:
        said = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
        _checked[found] = said.split()[-1] if said.split() else "unknown"
    if _checked[found] != __version__:
        raise Error(
            f"{found} is version {_checked[found]}, and this package is version {__version__}: "
            f"install one version of both, or name a binary by {VARIABLE} all the same"
        )
    return found


def call(
    arguments: Sequence[str], input: str | None = None, cwd: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the binary and returns what it printed. Its exit code is the caller's to judge."""
    return subprocess.run(
        [path(), *arguments],
        input=input,
        stdin=subprocess.DEVNULL if input is None else None,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=cwd,
    )


def output(arguments: Sequence[str], input: str | None = None) -> str:
    """Runs the binary and returns what it printed. Raises `Error` if it failed."""
    done = call(arguments, input)
    if done.returncode != 0:
        raise Error(words_of(done.stderr) or f"`netloom {' '.join(arguments)}` failed")
    return done.stdout


def words_of(stderr: str) -> str:
    """Returns the words of an error that a command printed."""
    return stderr.strip().removeprefix("error: ")


def pen(order: dict[str, Any]) -> dict[str, Any]:
    """Reads, edits or writes the text of a scenario. The answer has `text`, `value` and `places`,
    or the finding that refuses the order as `refused`."""
    done = call(["__pen"], json.dumps(order))
    if not done.stdout:
        raise Error(words_of(done.stderr))
    answer = json.loads(done.stdout)
    return answer.get("done") or {"refused": answer["refused"]}
