"""Errors, which keep what the tool knows about them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._exec import Finished


class Diagnostic:
    """A finding about a scenario: where, what, and what to do."""

    __slots__ = ("column", "file", "help", "line", "message", "severity")

    def __init__(
        self, file: str, line: int, column: int, severity: str, message: str, help: str | None
    ) -> None:
        self.file = file
        self.line = line
        self.column = column
        self.severity = severity
        self.message = message
        self.help = help

    def __str__(self) -> str:
        text = f"{self.file}:{self.line}: {self.severity}: {self.message}"
        return f"{text}; {self.help}" if self.help else text

    def __repr__(self) -> str:
        return f"<Diagnostic {self}>"


class Error(Exception):
    """Base of all errors of this package."""


class ScenarioError(Error):
    """The scenario is wrong, and nothing was changed."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.diagnostics = list(diagnostics)


class CommandFailed(Error):
    """A command in a node ended with another code than 0."""

    def __init__(self, finished: Finished) -> None:
        words = finished.args if isinstance(finished.args, str) else " ".join(finished.args)
        last = finished.stderr.strip().splitlines()[-1:]
        why = f": {last[0]}" if last else ""
        super().__init__(f"`{words}` in {finished.node} ended with {finished.returncode}{why}")
        self.finished = finished
        self.returncode = finished.returncode
        self.stdout = finished.stdout
        self.stderr = finished.stderr


class EngineGone(Error):
    """The experiment's engine is gone. `log` has the last lines of its log."""

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(f"{message}\n{log}" if log else message)
        self.log = log


class Refused(Error):
    """The engine or the tool refused a request."""


class Untrusted(Error):
    """Results that are not what was required, with the findings of the verdict."""

    def __init__(self, message: str, findings: Sequence[str] = ()) -> None:
        super().__init__("\n".join([message, *(f"  {finding}" for finding in findings)]))
        self.findings = list(findings)
