"""What the benchmarks share: the machine's name, and running `netloom`."""

import json
import math
import os
import pathlib
import platform
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
NETLOOM = pathlib.Path(os.environ.get("NETLOOM", TARGET / "release" / "netloom"))


def machine():
    """One line that says what was measured on."""
    model = "unknown processor"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    load = os.getloadavg()[0]
    return f"{model}, {os.cpu_count()} cores, Linux {platform.release()}, load {load:.2f}"


def netloom(*arguments, accept=(0,), **options):
    """Runs `netloom`; its standard output. Raises with what it said if it fails: 3 is the code of a
    run whose verdict is not `valid`."""
    done = subprocess.run(
        [NETLOOM, *map(str, arguments)], capture_output=True, text=True, **options
    )
    if done.returncode not in accept:
        raise SystemExit(f"netloom {' '.join(map(str, arguments))}: {done.stdout}{done.stderr}")
    return done.stdout


def build_example(name):
    """Builds an example of one of the crates, which stands beside NETLOOM in `examples`."""
    build = "cargo build --quiet --release --locked --workspace --example".split()
    subprocess.run([*build, name], cwd=ROOT, check=True)


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


def kolmogorov_smirnov(one, other):
    """The chance that two samples of one distribution differ as much as these (two-sided test of
    Kolmogorov and Smirnov, with Stephens' correction for small samples)."""
    points = sorted([*one, *other])
    most = max(
        abs(sum(v <= x for v in one) / len(one) - sum(v <= x for v in other) / len(other))
        for x in points
    )
    root = math.sqrt(len(one) * len(other) / (len(one) + len(other)))
    scaled = (root + 0.12 + 0.11 / root) * most
    terms = (2 * (-1) ** (k - 1) * math.exp(-2 * (k * scaled) ** 2) for k in range(1, 101))
    return min(1.0, max(0.0, sum(terms))) if scaled > 0.2 else 1.0


def jain(rates):
    """Jain's index of fairness."""
    squares = sum(rate * rate for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares > 0 else 0.0
