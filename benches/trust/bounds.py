#!/usr/bin/env python3
"""Is a run as exact as its verdict says? Runs with overloads planted at random, held against what
their frame logs show: `handed_over - delivered` of every frame, and the rate at which frames were
handed over.

Wanted: no run that is wrong by more than the bound that it states and says `valid`; and of the runs
that were as exact as needed, no more than one of twenty whose links are `invalid`. A stop of the
engine counts as an error by its own length: the log cannot see what came meanwhile.

    bounds.py [RUNS [SEED]]        NETLOOM is the binary, by default target/release/netloom
"""

import collections
import contextlib
import csv
import json
import math
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

from limited import Limited
from watched import LOADS, ROOT, machine

import common

NETLOOM = os.environ.get("NETLOOM", common.NETLOOM)
SECONDS = 8
# Frames a second are few: a rate is exact to one of them, and to the edges of a flow.
RATE_SLACK = 0.005
MS = 1_000_000


def scenario(name, draw, results):
    """Two hosts and a router, a flow at a rate that fills the first link or does not, and pings."""
    rate = draw.choice([2, 10, 50])
    delay = draw.choice([1, 5, 20, 100])
    flow = draw.choice(["tcp", "full", "half"])
    client = f"iperf3 -c b -t {SECONDS}"
    if flow != "tcp":
        client += f" -u -b {rate * (1.2 if flow == 'full' else 0.5):.1f}M"
    processes = [
        {"name": "server", "node": "b", "command": "iperf3 -s -1", "ready": {"port": 5201}},
        {"name": "client", "node": "a", "command": client, "start": {"after": "server"}},
        {"name": "ping", "node": "a", "command": f"ping -q -i 0.05 -w {SECONDS} b"},
    ]
    return {
        "name": name,
        "topology": {
            "nodes": {"a": None, "b": None, "r": {"kind": "router"}},
            "links": [
                {"endpoints": ["a", "r"], "rate": f"{rate}Mbit/s", "delay": f"{delay}ms"},
                {"endpoints": ["r", "b"], "delay": "1ms"},
            ],
        },
        "measure": {"frames": True},
        "processes": processes,
    }, f"{flow} {rate} Mbit/s {delay} ms", (rate * 1e6 if flow == "full" else None)


@contextlib.contextmanager
def spinner(draw, engine):
    """Programs that do nothing but count; or one that is more urgent than the engine's workers. The
    kernel ends that one after two seconds, and there is only one: on all CPUs, they would keep
    everybody from ending them."""
    number = draw.choice([1, 2, 4])
    spin = ["sh", "-c", "while :; do :; done"]
    if draw.random() < 0.3:
        number, spin = 1, ["prlimit", "--rttime=2000000", "chrt", "-f", "99", *spin]
    programs = [subprocess.Popen(spin) for _ in range(number)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


@contextlib.contextmanager
def stop(draw, engine):
    """The engine is stopped."""
    os.kill(engine, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(engine, signal.SIGCONT)


@contextlib.contextmanager
def throttle(draw, engine):
    """The engine is no real-time program any more, and gets a tenth to a half of a CPU."""
    group = pathlib.Path(f"/sys/fs/cgroup/cpu/netloom-bounds-{os.getpid()}")
    group.mkdir(exist_ok=True)
    (group / "cpu.cfs_period_us").write_text("50000")
    (group / "cpu.cfs_quota_us").write_text(str(draw.choice([5000, 10000, 25000])))
    subprocess.run(["chrt", "-a", "-o", "-p", "0", str(engine)], check=True)
    (group / "cgroup.procs").write_text(str(engine))
    try:
        yield
    finally:
        (group.parent / "cgroup.procs").write_text(str(engine))
        group.rmdir()


@contextlib.contextmanager
def disk(draw, engine):
    """Others write to the disk of the results without a break."""
    with tempfile.NamedTemporaryFile(dir=ROOT / "target") as file:
        # Over the same 256 MB, so that no disk is filled.
        write = f"dd if=/dev/zero of={file.name} bs=1M count=256 oflag=direct conv=notrunc"
        again = ["sh", "-c", f"while :; do {write}; done"]
        program = subprocess.Popen(again, stderr=subprocess.DEVNULL)
        try:
            yield
        finally:
            program.kill()
            program.wait()


@contextlib.contextmanager
def full(draw, engine):
    """The disk of the results is full from now on."""
    with open(draw.folder / "filler", "wb") as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(1 << 20))
    yield


@contextlib.contextmanager
def memory(draw, engine):
    """A program wants four times the memory that it may have."""
    with Limited(32):
        program = subprocess.Popen(
            ["python3", str(LOADS / "memory.py"), "128", "1"], stdout=subprocess.DEVNULL
        )
        try:
            yield
        finally:
            program.kill()
            program.wait()


@contextlib.contextmanager
def nothing(draw, engine):
    """Nothing."""
    yield


FAULTS = [nothing, spinner, stop, throttle, disk, full, memory]
LENGTHS = {stop: [0.01, 0.03, 0.1, 0.3, 1], full: [0.1]}


class Planted(threading.Thread):
    """A fault at a random moment of a run; how long it was there."""

    def __init__(self, name, fault, draw):
        super().__init__()
        self.name, self.fault, self.draw = name, fault, draw
        self.after = draw.uniform(1.5, SECONDS - 2)
        self.length = draw.choice(LENGTHS.get(fault, [0.1, 0.5, 2, SECONDS]))
        self.lasted = 0

    def run(self):
        engine = self.engine()
        time.sleep(self.after)
        if engine is None:
            return
        began = time.monotonic()
        with contextlib.suppress(ProcessLookupError), self.fault(self.draw, engine):
            time.sleep(self.length)
        self.lasted = time.monotonic() - began

    def engine(self):
        for _ in range(200):
            asked = [NETLOOM, "inspect", self.name, "--format", "json"]
            told = subprocess.run(asked, capture_output=True, text=True)
            if told.returncode == 0:
                return json.loads(told.stdout)["experiment"]["engine_pid"]
            time.sleep(0.05)
        return None


def logged(results, verdict):
    """By pipe: how late each wire frame was, in ns, and what was handed over when."""
    table = subprocess.run(
        [NETLOOM, "frames", results / "frames.nlf", "--csv", "-"], capture_output=True, text=True
    ).stdout
    delivered, late, handed = {}, collections.defaultdict(list), collections.defaultdict(list)
    for row in csv.DictReader(table.splitlines()):
        pipe = f"{row['link']}/{row['direction']}"
        frame, at = (pipe, row["number"]), int(row["time_ns"])
        if row["event"] == "delivered":
            delivered[frame] = at
        elif row["event"] == "handed_over" and frame in delivered:
            # Before its first look and between its last one and the verdict it counts nothing.
            if verdict["from"] + 100 * MS <= at <= verdict["to"] - 20 * MS:
                late[pipe] += [at - delivered[frame]] * int(row["frames"])
                handed[pipe].append((at, int(row["bytes"])))
    return late, handed


def ns(text):
    """A length of time as results have it."""
    for unit, factor in (("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9)):
        if text.endswith(unit) and text[: -len(unit)].replace(".", "").isdigit():
            return float(text[: -len(unit)]) * factor
    raise ValueError(text)


def lacked(handed, rate):
    """What a line that was always offered more lacked of its rate, between two and six seconds."""
    begin = handed[0][0] + 2e9
    end = begin + 4e9
    # Ethernet's framing is on the line, too: 24 bytes a frame.
    bits = sum(8 * (size + 24) for at, size in handed if begin <= at < end)
    return 1 - bits / (rate * 4)


class Compared:
    """A run's statement, and what its frame log shows."""

    def __init__(self, summary, results, rate, stopped):
        verdict = summary["verdict"]
        self.verdict = verdict
        trust, bound = verdict["trust"], verdict["bound"]
        late, handed = logged(results, verdict)
        log = summary["frame_log"]
        self.is_whole = is_whole = not log["failure"] and not log["lost"]
        pipes = {pipe["pipe"]: pipe for pipe in bound["pipes"]}
        self.above, self.beyond = [], []
        tolerance, share = ns(trust["delay"]), float(trust["share"].rstrip("%")) / 100
        for name, times in late.items():
            times.sort()
            stated = pipes.get(name)
            if stated is None:
                self.above.append(f"{name} is not stated")
                continue
            count = sum(time > tolerance for time in times)
            if count > stated["late"]["beyond"]:
                self.above.append(f"{name}: {count} late > {stated['late']['beyond']}")
            # What is stated is of all frames that the log has, and of a few more.
            for key, part in (("p50", 0.5), ("p99", 0.99), ("p999", 0.999), ("max", 1)):
                said, all_frames = ns(stated["late"][key]), stated["frames"]
                later = sum(time > said for time in times)
                if later > all_frames - math.ceil(part * all_frames):
                    self.above.append(f"{name}: {later} later than {key} {stated['late'][key]}")
            if count > share * len(times) or times[-1] > ns(trust["stall"]):
                self.beyond.append(name)
        if rate and is_whole and len(handed.get("a--r/forward", [])) > 1000:
            error = lacked(handed["a--r/forward"], rate)
            stated = (pipes["a--r/forward"]["rate"] or {"share": 0})["share"]
            # A second that the engine stood still for is of the whole run, not of four seconds.
            if error > max(stated * 2, bound["engine"]["share"] * 2) + RATE_SLACK:
                self.above.append(f"rate {error:.4f} > {stated:.4f}")
            if error > share + RATE_SLACK:
                self.beyond.append("rate")
        if stopped * 1e9 > ns(trust["stall"]):
            self.beyond.append("stopped")
            # The engine tests every 50 ms at most whether it runs.
            if ns(bound["engine"]["longest"]) < stopped * 1e9 - 60 * MS:
                self.above.append(f"stopped {stopped:.3f} s > {bound['engine']['longest']}")
        if bound["losses"]["frames"] > trust["losses"]:
            self.beyond.append("losses")
        if ns(bound["timeline"]["latest"]) > 10 * ns(trust["timeline"]):
            self.beyond.append("timeline")


def run(number, seed):
    draw = random.Random(f"{seed}/{number}")
    fault = FAULTS[number % len(FAULTS)]
    name = f"bounds-{os.getpid()}-{number}"
    with tempfile.TemporaryDirectory(prefix="netloom-bounds-", dir=ROOT / "target") as folder:
        folder = pathlib.Path(folder)
        is_small = fault is full
        if is_small:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "none", folder], check=True)
        try:
            text, what, rate = scenario(name, draw, folder)
            (folder / "netloom.yaml").write_text(json.dumps(text))
            draw.folder = folder
            planted = Planted(name, fault, draw)
            planted.start()
            done = subprocess.run(
                [NETLOOM, "run", "-o", "results"], cwd=folder, capture_output=True, text=True
            )
            planted.join()
            results = folder / "results"
            summary = json.loads((results / "summary.json").read_text())
            stopped = planted.lasted if fault is stop else 0
            compared = Compared(summary, results, rate, stopped)
        except (FileNotFoundError, KeyError, TypeError) as error:
            print(f"| {number} | {fault.__name__} | no verdict: {error!r} {done.stderr[-200:]} |")
            return None
        finally:
            if is_small:
                subprocess.run(["umount", "-l", folder], check=False)
    verdict = compared.verdict
    worst = max(verdict["bound"]["pipes"], key=lambda p: p["late"]["share"], default=None)
    true = ", ".join(compared.beyond) or ("as needed" if compared.is_whole else "not known")
    late = f"{100 * worst['late']['share']:.2f} %, {worst['late']['p99']}" if worst else "-"
    print(
        f"| {number} | {fault.__name__} {planted.lasted:.2f} s | {what} | {verdict['links']} | "
        f"{verdict['programs']} | {late} | {true} | "
        f"{'; '.join(compared.above) or 'within the bound'} |",
        flush=True,
    )
    return fault.__name__, compared


def main():
    runs = int(sys.argv[1]) if sys.argv[1:] else 200
    seed = sys.argv[2] if sys.argv[2:] else "1"
    print(f"Bounds and frame logs, {runs} runs, seed {seed}, {NETLOOM}, on {machine()}", flush=True)
    print("| run | planted | flow | links | programs | latest pipe: share, p99 | true | log |")
    print("|---|---|---|---|---|---|---|---|")
    table = collections.defaultdict(collections.Counter)
    for number in range(runs):
        done = run(number, seed)
        if done is None:
            table["(none)"]["no verdict"] += 1
            continue
        fault, compared = done
        links = compared.verdict["links"]
        # A log that is not whole does not say that there was nothing else.
        needed = "as needed" if compared.is_whole else "not known"
        needed = "beyond need" if compared.beyond else needed
        for row in (fault, "all"):
            table[row]["runs"] += 1
            table[row][links] += 1
            table[row]["programs " + compared.verdict["programs"]] += 1
            table[row][f"{needed}, {links}"] += 1
            if compared.above:
                table[row]["above the bound"] += 1
                table[row][f"above the bound, {compared.verdict['judgement']}"] += 1
    columns = ["runs", "valid", "suspect", "invalid", "programs valid", "programs suspect"]
    columns += ["programs invalid", "beyond need, valid", "as needed, invalid", "above the bound"]
    columns += ["above the bound, valid"]
    print(f"\n| planted | {' | '.join(columns)} |")
    print("|---" * (len(columns) + 1) + "|")
    for row, counts in table.items():
        print(f"| {row} | {' | '.join(str(counts[column]) for column in columns)} |")


main()
