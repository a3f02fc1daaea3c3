"""A cgroup with little memory, for the loads that want more."""

import contextlib
import pathlib
import threading
import time

NAME = "netloom-limited"


def controller():
    """Where the memory controller is, and the name of its limit: version 2 of cgroups, or 1 beside
    it."""
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        mount, _, source = line.partition(" - ")
        kind, _, options = source.split(" ", 2)
        place = pathlib.Path(mount.split(" ")[4])
        if kind == "cgroup2" and "memory" in (place / "cgroup.controllers").read_text().split():
            return place, "memory.max"
        if kind == "cgroup" and "memory" in options.split(" ")[-1].split(","):
            return place, "memory.limit_in_bytes"
    raise SystemExit("this machine has no memory controller: memory cannot be limited")


class Limited:
    """Moves every process of the command `memory.py`, as it comes, into a cgroup of its own with a
    limit."""

    def __init__(self, megabytes):
        self.place, self.file = controller()
        self.bytes = megabytes << 20
        self.groups = []
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.move)

    def __enter__(self):
        # What a bench that was killed has left: those with a process in them stay.
        for left in self.place.glob(f"{NAME}-*"):
            with contextlib.suppress(OSError):
                left.rmdir()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        for group in self.groups:
            # Its process has ended; the kernel may need a moment more.
            for _ in range(100):
                try:
                    group.rmdir()
                    break
                except OSError:
                    time.sleep(0.05)

    def move(self):
        known = set()
        while not self.ended.wait(0.05):
            for process in pathlib.Path("/proc").glob("[0-9]*"):
                if process.name in known:
                    continue
                try:
                    command = (process / "cmdline").read_bytes().split(b"\0")
                except OSError:
                    continue
                if len(command) > 1 and command[1].endswith(b"trust/load/memory.py"):
                    known.add(process.name)
                    group = self.place / f"{NAME}-{process.name}"
                    group.mkdir()
                    self.groups.append(group)
                    (group / self.file).write_text(str(self.bytes))
                    (group / "cgroup.procs").write_text(process.name)
