"""An instance of ftrace: what the kernel is to note, apart from all that others have it note. Needs
root.

Where nobody has mounted the kernel's tracefs at its place, as systemd does, that is done and stays
so.
"""

import contextlib
import os
import pathlib
import subprocess

TRACEFS = pathlib.Path("/sys/kernel/tracing")
INSTANCES = TRACEFS / "instances"
PREFIX = "netloom-bench-"


class Instance:
    """Notes nothing so far; times are of the monotonic clock. What a bench that was killed has left
    goes first."""

    def __init__(self, purpose, buffer_kb):
        if not INSTANCES.exists():
            subprocess.run(["mount", "-t", "tracefs", "tracefs", TRACEFS], check=True)
        remove_left()
        self.folder = INSTANCES / f"{PREFIX}{purpose}-{os.getpid()}"
        self.folder.mkdir()
        (self.folder / "trace_clock").write_text("mono")
        (self.folder / "buffer_size_kb").write_text(str(buffer_kb))

    def note(self, event, only=None):
        """Notes an event from now on, `only` where that holds."""
        event = self.folder / "events" / event
        if only:
            (event / "filter").write_text(only)
        (event / "enable").write_text("1")

    def lines(self):
        """What was noted until now; nothing is noted any more."""
        (self.folder / "tracing_on").write_text("0")
        with (self.folder / "trace").open() as trace:
            yield from trace

    def close(self):
        self.folder.rmdir()


def remove_left():
    """Removes the instances of processes that are there no more."""
    for folder in INSTANCES.glob(f"{PREFIX}*"):
        if not pathlib.Path("/proc", folder.name.rpartition("-")[2]).exists():
            # Another bench may be at it, too.
            with contextlib.suppress(OSError):
                folder.rmdir()
