#!/usr/bin/env python3
"""What the contention monitor costs: of one CPU, under load, and of a saturated link's throughput.

`netloom run` runs each load. The shares of the verdict (`overhead`) stand beside the CPU time that the
kernel counts for the monitor's threads, read from /proc while the load runs. Throughput is measured in
turns, monitor on, off, off, on, so that what drifts meanwhile falls on both.

overhead.py [--seconds N] [--rounds N] [--only shares|throughput]
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import time

from watched import Run, machine, netloom

from common import NETLOOM

THREADS = ("netloom-monitor", "netloom-pulse")
NODES = 100

PAIR = """
name: {name}
topology:
  nodes: {{ a: , b: }}
  links: [{{ endpoints: [a, b] }}]
{more}processes:
"""
SERVER = "  - { name: server, node: b, command: iperf3 --server, ready: { port: 5201 }, background: true }\n"
CLIENT = (
    "  - {{ name: client, node: a, command: iperf3 --client b --time {seconds} --json {options},"
    " start: {{ after: server, when: ready }} }}\n"
)


def name():
    return f"bench-overhead-{os.getpid()}"


def pair(processes, more=""):
    return PAIR.format(name=name(), more=more) + processes


def tcp(seconds, more=""):
    return pair(SERVER + CLIENT.format(seconds=seconds, options=""), more)


def flood(seconds):
    """Frames of 60 bytes (18 of payload), as fast as one sender can."""
    options = "--udp --bitrate 0 --length 18"
    return pair(SERVER + CLIENT.format(seconds=seconds, options=options))


def pings(seconds):
    return pair(f"  - {{ name: ping, node: a, command: ping -n -q -i 0.01 -w {seconds} b }}\n")


def many(seconds):
    """Pairs of nodes, all of which ping each other a hundred times a second."""
    pairs = [(f"a{n}", f"b{n}") for n in range(NODES // 2)]
    nodes = "".join(f"    {node}:\n" for both in pairs for node in both)
    links = "".join(f"    - {{ endpoints: [{a}, {b}] }}\n" for a, b in pairs)
    command = f"ping -n -q -i 0.01 -w {seconds}"
    processes = "".join(
        f"  - {{ name: {here}, node: {here}, command: {command} {there} }}\n"
        for a, b in pairs
        for here, there in ((a, b), (b, a))
    )
    topology = f"name: {name()}\ntopology:\n  nodes:\n{nodes}  links:\n{links}"
    return f"{topology}processes:\n{processes}"


class Spinners:
    """Processes outside the experiment that do nothing but count, one for each CPU."""

    def __enter__(self):
        command = ["sh", "-c", "while :; do :; done"]
        self.processes = [subprocess.Popen(command) for _ in range(os.cpu_count())]

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def thread_times(pid):
    """CPU time of the monitor's threads so far, in seconds."""
    times = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        name = (task / "comm").read_text().strip()
        if name in THREADS:
            times[name] = int((task / "schedstat").read_text().split()[0])
    if len(times) < len(THREADS):
        raise OSError("not all of the monitor's threads are there")
    return sum(times.values()) / 1e9


class WatchedRun(Run):
    """A run whose monitor's threads are looked at from outside, every half second of its middle."""

    def execute(self, directory):
        command = [NETLOOM, "run", "-o", "results"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
        running = subprocess.Popen(command, cwd=directory, **quiet)
        looks, pid = [], None
        while running.poll() is None:
            time.sleep(0.5)
            try:
                pid = pid or json.loads(netloom("inspect", name(), "--format", "json"))["experiment"]["engine_pid"]
                looks.append((time.monotonic(), thread_times(pid)))
            except (SystemExit, OSError):
                # Not there yet, or not any more.
                continue
        if running.returncode:
            raise SystemExit(running.stderr.read())
        (begin, before), (end, after) = looks[0], looks[-1]
        self.threads = (after - before) / (end - begin)


def row(what, scenario):
    run = WatchedRun(scenario)
    verdict = run.summary["verdict"]
    overhead, lasted = verdict["overhead"], verdict["to"] - verdict["from"]
    monitoring, both = (
        100 * nanos / lasted
        for nanos in (
            overhead["monitoring_ns"],
            overhead["monitoring_ns"] + overhead["notification_ns"],
        )
    )
    elapsed = 100 * overhead.get("elapsed_ns", 0) / lasted
    threads = 100 * run.threads
    columns = f"{monitoring:11.2f} {both:13.2f} {elapsed:8.2f} {threads:8.2f}"
    print(f"  {what:34} {columns}   {verdict['judgement']}", flush=True)


def shares(seconds):
    print(f"share of one CPU in %, {seconds} s each (wanted: at most 1)")
    print(f"  {'load':34} {'monitoring':>11} {'+notification':>13} {'elapsed':>8} {'threads':>8}   verdict")
    row("a ping", pings(seconds))
    row("a saturated link, TCP", tcp(seconds))
    row("frames of 60 bytes, flooding", flood(seconds))
    with Spinners():
        row(f"a ping, {os.cpu_count()} spinners beside", pings(seconds))
    row(f"{NODES} nodes that ping each other", many(seconds))


def goodput(seconds, watched):
    run = Run(tcp(seconds, "" if watched else "monitor: { enabled: false }\n"))
    client = json.loads(run.output("client", "a"))
    return client["end"]["sum_received"]["bits_per_second"] / 1e9


def throughput(seconds, rounds):
    print(f"\nTCP over a link without a rate, in Gbit/s, {seconds} s each: monitor on, off, off, on (wanted: ratio at least 0.98)")
    ratios = []
    for _ in range(rounds):
        on, off, off_too, on_too = (goodput(seconds, watched) for watched in (True, False, False, True))
        ratios.append((on + on_too) / (off + off_too))
        print(f"  {on:6.2f} {off:6.2f} {off_too:6.2f} {on_too:6.2f}   on / off {ratios[-1]:.3f}", flush=True)
    middle = statistics.median(ratios)
    print(f"  median ratio {middle:.3f}, range {min(ratios):.3f} to {max(ratios):.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=["shares", "throughput"], help="one table of the two")
    chosen = parser.parse_args()
    print(f"# what the monitor costs\n# {machine()}\n")
    if chosen.only != "throughput":
        shares(chosen.seconds)
    if chosen.only != "shares":
        throughput(chosen.seconds, chosen.rounds)
