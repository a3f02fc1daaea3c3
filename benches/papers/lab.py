"""Where evaluations are measured: runs of NetLoom in virtual time or in namespaces, and benches."""

import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

BENCHES = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(BENCHES))

import common  # noqa: E402
from evaluation import NotMeasured  # noqa: E402


def binary():
    """`NETLOOM`, or the release build, or the development build."""
    if chosen := os.environ.get("NETLOOM"):
        return pathlib.Path(chosen).resolve()
    builds = [common.TARGET / profile / "netloom" for profile in ("release", "debug")]
    for build in builds:
        if build.exists():
            return build
    raise SystemExit("papers: there is no netloom; build one (`make build`), or set NETLOOM")


class Run:
    """The results of a run."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.summary = json.loads((self.folder / "summary.json").read_text())
        self.flows = {flow["name"]: flow for flow in self.summary.get("flows", [])}

    def rows(self, file, **where):
        """The rows of a Parquet file of the results, as dictionaries."""
        words = [f"--where={column}={value}" for column, value in where.items()]
        command = [binary(), "table", "--format", "json", *words, self.folder / file]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def output(self, process, node):
        return (self.folder / "processes" / f"{process}@{node}.stdout").read_text()

    def samples(self, flow):
        """The samples of a flow of `traffic`, simulated or real."""
        simulated = self.folder / "flows.parquet"
        file = simulated if simulated.exists() else self.folder / "traffic.parquet"
        return self.rows(file.name, flow=flow)

    def rate(self, flow, begin, end):
        """Received payload of a flow in bit/s, between the samples next to two times in s."""
        rows = self.samples(flow)
        first, last = (min(rows, key=lambda row: abs(row["time_ns"] - time * 1e9))
                       for time in (begin, end))
        if first is last:
            raise NotMeasured(f"`{flow}` has no two samples from {begin} to {end} s")
        bits = 8 * (last["received_bytes"] - first["received_bytes"])
        return bits / (last["time_ns"] - first["time_ns"]) * 1e9

    def findings(self):
        """The reasons why the run is not `valid`, without what else ran on the machine."""
        found = self.summary["verdict"]["findings"]
        return [finding["why"].split("; meanwhile")[0] for finding in found]


class Lab:
    def __init__(self, arm, is_full, threads, temporary):
        self.arm = arm
        self.is_full = is_full
        self.threads = threads
        self.temporary = pathlib.Path(temporary)
        self.runs = {}
        self.begin()

    def begin(self):
        """Begins an evaluation: its runs are judged from here on."""
        self.judgements, self.findings = [], []

    @property
    def is_virtual(self):
        return self.arm == "virtual"

    def run(self, scenario, seed=None):
        """Runs a scenario's text in this arm, once: other evaluations have the same run. One that
        is `invalid` is not measured."""
        key = (scenario, seed)
        if key not in self.runs:
            self.runs[key] = self.execute(scenario, seed)
        run = self.runs[key]
        if not self.is_virtual:
            judgement = run.summary["verdict"]["judgement"]
            self.judgements.append(judgement)
            self.findings += run.findings()[:1]
            if judgement == "invalid":
                raise NotMeasured(f"the run was `invalid`: {run.findings()[0]}")
        return run

    def execute(self, scenario, seed):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.temporary))
        (folder / "netloom.yaml").write_text(scenario)
        words = ["run", "--quiet", "-t", folder / "netloom.yaml", "-o", folder / "results"]
        if seed is not None:
            words += ["--seed", seed]
        if self.is_virtual:
            words += ["--simulate", "--threads", self.threads]
        self.netloom(*words)
        return Run(folder / "results")

    def netloom(self, *words):
        command = [str(binary()), *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 3):
            said = (done.stderr or done.stdout).strip().splitlines()
            raise RuntimeError(f"{' '.join(command)}: {' '.join(said[:4])}")
        return done.stdout

    def bench(self, *words, timeout=1800, accept=(0,)):
        """What an existing bench prints. Its binary is the lab's."""
        environment = {**os.environ, "NETLOOM": str(binary())}
        done = subprocess.run(
            [str(word) for word in words], cwd=common.ROOT, env=environment, capture_output=True,
            text=True, timeout=timeout,
        )
        if done.returncode not in accept:
            said = (done.stderr or done.stdout).strip().splitlines()
            raise NotMeasured(f"`{' '.join(map(str, words))}` failed: {said[-1] if said else ''}")
        return done.stdout

    def needs_root(self):
        if os.geteuid() != 0:
            raise NotMeasured("it needs root")

    def machine(self):
        """What the verdicts of this arm's runs were."""
        if self.is_virtual:
            return "none: virtual time"
        counts = {one: self.judgements.count(one) for one in sorted(set(self.judgements))}
        return ", ".join(f"{count} runs {one}" for one, count in counts.items())


def mean95(values):
    """The mean, and half of Student's 95 % interval."""
    if len(values) < 2:
        return statistics.fmean(values), math.nan
    half = common.student(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return statistics.fmean(values), half


def jain(values):
    return common.jain(values)
