"""What the benchmarks of several machines share: machines that are nodes of a NetLoom network, so
that what is between them has a delay, a rate and losses, and runs on them."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import NETLOOM, machine, netloom, percentile  # noqa: E402, F401

CPUACCT = pathlib.Path("/sys/fs/cgroup/cpuacct")
UNIFIED = pathlib.Path("/sys/fs/cgroup")
# How long a run may take, in s.
LIMIT = 300


class Underlay:
    """Two machines joined by a modelled link. Each is a network namespace, in which a member is
    started; `before` stands between that and the member, like `unshare --time …`."""

    def __init__(self, properties="", before=("", ""), env="", keys=""):
        self.name = f"bench-under-{os.getpid()}"
        self.properties = properties
        self.before = before
        self.env = env
        self.keys = keys

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="netloom-bench-")
        self.directory = pathlib.Path(self.folder.name)
        (self.directory / "netloom.yaml").write_text(
            f"name: {self.name}\ntopology:\n  nodes:\n"
            "    m1: { interfaces: { eth1: { ipv4: 10.99.0.1/24 } } }\n"
            "    m2: { interfaces: { eth1: { ipv4: 10.99.0.2/24 } } }\n"
            f'  links:\n    - {{ endpoints: ["m1:eth1", "m2:eth1"]{self.properties} }}\n'
        )
        netloom("deploy", cwd=self.directory)
        return self

    def __exit__(self, *_):
        netloom("destroy", self.name)
        self.folder.cleanup()

    def machines(self, file):
        """Writes the list of the machines."""
        lines = [f"m{number}: {{ frames: 10.99.0.{number}, netloom: '{self.program(number)}' }}"
                 for number in (1, 2)]
        command = f"{self.env} XDG_CACHE_HOME={file.parent}/cache exec {{netloom}} __member"
        file.write_text(
            f"start: {{ command: {json.dumps(command.strip())} }}\n"
            + "machines:\n  " + "\n  ".join(lines) + f"\n{self.keys}\n"
        )

    def program(self, number):
        inside = f"nsenter --net=/run/netns/{self.name}.m{number}"
        return f"{inside} {self.before[number - 1]} {NETLOOM}"


class Run:
    """A run on machines, or on one if there are none, and what it left."""

    def __init__(self, scenario, machines=None, underlay=None, group=None):
        self.folder = tempfile.TemporaryDirectory(prefix="netloom-bench-")
        directory = pathlib.Path(self.folder.name)
        (directory / "netloom.yaml").write_text(scenario)
        (directory / ".netloomignore").write_text("cache\n")
        (directory / "cache").mkdir()
        words = [str(NETLOOM), "run", "-o", "results"]
        if underlay:
            underlay.machines(directory / "machines.yaml")
            machines = "machines.yaml"
        if machines:
            words += ["--machines", machines]
        if group:
            words = group.words(words)
        done = subprocess.run(
            words, cwd=directory, capture_output=True, text=True, timeout=LIMIT, check=False
        )
        self.said = done.stdout + done.stderr
        self.code = done.returncode
        self.results = directory / "results"
        summary = self.results / "summary.json"
        if not summary.exists():
            raise SystemExit(f"the run left no summary: {self.said}")
        self.summary = json.loads(summary.read_text())

    def output(self, process, node):
        return (self.results / "processes" / f"{process}@{node}.stdout").read_text()

    @property
    def judgement(self):
        return self.summary["verdict"]["judgement"]

    def findings(self, signal):
        found = self.summary["verdict"]["findings"]
        return [one for one in found if one["signal"] == signal]

    def wakeup(self):
        """p99 of the machine's wake-ups, in ms."""
        return self.summary["timing"]["timer_wakeup"]["p99_us"] / 1000

    def link(self, name):
        return next(link for link in self.summary["links"] if link["name"] == name)


class Group:
    """A control group, whose CPU time is that of all that takes part."""

    def __init__(self, name):
        self.is_old = (CPUACCT / "cpuacct.usage").exists()
        root = CPUACCT if self.is_old else UNIFIED
        self.path = root / f"bench-{name}-{os.getpid()}"

    def __enter__(self):
        self.path.mkdir()
        return self

    def __exit__(self, *_):
        for _ in range(50):
            for pid in (self.path / "cgroup.procs").read_text().split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            with contextlib.suppress(OSError):
                return self.path.rmdir()
            time.sleep(0.1)

    def words(self, words):
        return ["sh", "-c", f'echo $$ >{self.path}/cgroup.procs; exec "$@"', "sh", *words]

    def seconds(self):
        if self.is_old:
            return int((self.path / "cpuacct.usage").read_text()) / 1e9
        usage = dict(line.split() for line in (self.path / "cpu.stat").read_text().splitlines())
        return int(usage["usage_usec"]) / 1e6


def round_trips(text):
    """The round trips that `ping` has printed, in ms."""
    return [float(part.split()[0]) for part in text.split("time=")[1:]]


def rounds(text):
    """The number of rounds that the command line asks for."""
    return int(sys.argv[1]) if len(sys.argv) > 1 else text


def noisy(wakeup):
    """What stands behind a figure if the machine cannot tell."""
    return "" if wakeup <= 1 else f" (machine too noisy: wake-ups p99 {wakeup:.2f} ms)"
