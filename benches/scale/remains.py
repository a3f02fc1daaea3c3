"""What is there: everything that an experiment could leave behind in a machine of its own."""

import dataclasses
import os
import pathlib
import time

# How long what has ended may take to go, in s.
PATIENCE = 10


def read(path):
    try:
        return pathlib.Path(path).read_text(errors="replace")
    except OSError:
        return ""


@dataclasses.dataclass
class Remains:
    """By kind: what there is, by names under which it is found again."""

    kinds: dict

    @classmethod
    def now(cls, prefix):
        """Of cgroups, which the machine shares with others, those of experiments whose name begins
        with `prefix`."""
        return cls(
            {
                "processes": set(processes()),
                "namespaces": set(namespaces()),
                "names of namespaces": set(os.listdir("/run/netns"))
                if os.path.isdir("/run/netns")
                else set(),
                "mounts": set(read("/proc/self/mountinfo").splitlines()),
                "devices": set(os.listdir("/sys/class/net")),
                "cgroups": set(cgroups(prefix)),
                "files": set(files()),
                "Unix sockets": set(line.split()[6] for line in sockets() if len(line.split()) > 7),
                "open files of this program": set(f"descriptor {n}" for n in descriptors()),
            }
        )

    @classmethod
    def at_rest(cls, prefix):
        """As soon as nothing has changed for a second: what ends takes a moment to go."""
        known = cls.now(prefix)
        while True:
            time.sleep(1)
            now = cls.now(prefix)
            if now == known:
                return now
            known = now

    def counts(self):
        return {kind: len(names) for kind, names in self.kinds.items()}

    def settle(self, prefix):
        """What is more than this a while later, by kind; empty as soon as nothing is."""
        deadline = time.monotonic() + PATIENCE
        while True:
            now = Remains.now(prefix)
            more = {kind: sorted(names - self.kinds[kind]) for kind, names in now.kinds.items()}
            more = {kind: names for kind, names in more.items() if names}
            if not more or time.monotonic() > deadline:
                return more
            time.sleep(0.02)


def pids():
    return [entry for entry in os.listdir("/proc") if entry.isdigit()]


def processes():
    """With their words, as numbers are given again; what waits to be reaped has ended."""
    reap()
    for pid in pids():
        stat = read(f"/proc/{pid}/stat")
        if stat and stat.rsplit(")", 1)[1].split()[0] != "Z":
            words = read(f"/proc/{pid}/cmdline").replace("\0", " ") or stat.split(" ", 2)[1]
            yield f"{pid} {words.strip()}"


def namespaces():
    """Those in which processes are, and those that are held by a mount."""
    for pid in pids():
        for kind in ("net", "mnt", "pid", "pid_for_children", "uts", "ipc", "user", "cgroup"):
            try:
                yield os.readlink(f"/proc/{pid}/ns/{kind}")
            except OSError:
                pass  # It has ended.
    for line in read("/proc/self/mountinfo").splitlines():
        if " - nsfs " in line:
            yield line.split()[3]


def cgroups(prefix):
    for folder, _, _ in os.walk("/sys/fs/cgroup"):
        if any(part.startswith(prefix) for part in folder.split("/")):
            yield folder


def files():
    for root in ("/run", "/tmp"):
        for folder, folders, names in os.walk(root):
            yield from (os.path.join(folder, name) for name in folders + names)


def sockets():
    return read("/proc/net/unix").splitlines()[1:]


def descriptors():
    # Without the one that lists them.
    return os.listdir("/proc/self/fd")[:-1]


def reap():
    """Takes leave of orphans that have ended; this program is no other's parent when it counts."""
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        pass


@dataclasses.dataclass
class KernelSays:
    """What the kernel counts itself, for the whole machine: others may make and remove such things
    as well."""

    counts: dict

    @classmethod
    def now(cls):
        slabs = {
            line.split()[0]: line.split()[1] for line in read("/proc/slabinfo").splitlines()[2:]
        }
        kinds = {
            "net namespaces (slab)": "net_namespace",
            "mounts (slab)": "mnt_cache",
            "processes (slab)": "task_struct",
        }
        counts = {what: int(slabs[name]) for what, name in kinds.items() if name in slabs}
        open_files = read("/proc/sys/fs/file-nr").split()
        counts["open files (kernel)"] = int(open_files[0])
        return cls(counts)

    def since(self):
        now = KernelSays.now().counts
        return {what: (count, now[what]) for what, count in self.counts.items()}
