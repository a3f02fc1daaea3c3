"""What the benchmarks share: the machine's name, and running `netloom`."""

import json
import os
import pathlib
import platform
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
NETLOOM = TARGET / "release" / "netloom"


def machine():
    """One line that says what was measured on."""
    model = "unknown processor"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    load = os.getloadavg()[0]
    return f"{model}, {os.cpu_count()} cores, Linux {platform.release()}, load {load:.2f}"


def netloom(*arguments, **options):
    """Runs `netloom`; its standard output. Raises with what it said if it fails."""
    done = subprocess.run(
        [NETLOOM, *map(str, arguments)], capture_output=True, text=True, **options
    )
    if done.returncode != 0:
        raise SystemExit(f"netloom {' '.join(map(str, arguments))}: {done.stdout}{done.stderr}")
    return done.stdout


class Run:
    """A scenario's text, run to its end in a folder of its own."""

    def __init__(self, scenario, parent=None):
        self.folder = tempfile.TemporaryDirectory(prefix="netloom-bench-", dir=parent)
        directory = pathlib.Path(self.folder.name)
        (directory / "netloom.yaml").write_text(scenario)
        self.execute(directory)
        self.results = directory / "results"
        self.summary = json.loads((self.results / "summary.json").read_text())

    def execute(self, directory):
        netloom("run", "-o", "results", cwd=directory)

    def output(self, process, node):
        return (self.results / "processes" / f"{process}@{node}.stdout").read_text()


def student(freedom):
    """The 97.5 % quantile of Student's t with so many degrees of freedom."""
    table = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14,
             2.13, 2.12, 2.11, 2.10, 2.09, 2.09]
    return table[min(freedom, len(table)) - 1]


def percentile(values, share):
    """The value below which `share` of the values lie (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
