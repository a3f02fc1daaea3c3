#!/usr/bin/env python3
"""What the contention monitor costs: of one CPU, under load, and of a saturated link's throughput.

`netloom run` runs each load. The shares of the verdict (`overhead`) stand beside the CPU time that
the kernel counts for the monitor's threads, read from /proc while the load runs, and what of that
were interrupts, which a kernel without CONFIG_IRQ_TIME_ACCOUNTING counts as the thread's that they
interrupt, whomever they serve: the monitor's own part is without them. Throughput is measured in
turns, monitor on, off, off, on, so that what drifts meanwhile falls on both.

overhead.py [--seconds N] [--rounds N] [--only shares|throughput]
"""

import argparse
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import time

from interrupts import Interrupts
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
SERVER = (
    "  - { name: server, node: b, command: iperf3 --server, ready: { port: 5201 }, "
    "background: true }\n"
)
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


def threads_of(pid):
    """The monitor's threads."""
    tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
    threads = [task for task in tasks if (task / "comm").read_text().strip() in THREADS]
    if len(threads) < len(THREADS):
        raise OSError("not all of the monitor's threads are there")
    return threads


def cpu_seconds(threads):
    """CPU time of threads so far."""
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


class WatchedRun(Run):
    """A run whose monitor's threads are looked at from outside, every half second of its middle."""

    def execute(self, directory):
        command = [NETLOOM, "run", "-o", "results"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
        running = subprocess.Popen(command, cwd=directory, **quiet)
        looks, threads, interrupts = [], None, None
        try:
            while running.poll() is None:
                time.sleep(0.5)
                # Not there yet, or not any more.
                with contextlib.suppress(SystemExit, OSError):
                    if not threads:
                        view = json.loads(netloom("inspect", name(), "--format", "json"))
                        threads = threads_of(view["experiment"]["engine_pid"])
                        interrupts = Interrupts([thread.name for thread in threads])
                    looks.append((time.monotonic(), cpu_seconds(threads)))
            if running.returncode:
                raise SystemExit(running.stderr.read())
            (begin, before), (end, after) = looks[0], looks[-1]
            self.threads = (after - before) / (end - begin)
            taken = interrupts.seconds(begin, end)
            self.interrupts = None if taken is None else taken / (end - begin)
        finally:
            if interrupts:
                interrupts.close()


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
    if run.interrupts is None:
        columns += f" {'?':>10} {'?':>6}"
    else:
        columns += f" {100 * run.interrupts:10.2f} {threads - 100 * run.interrupts:6.2f}"
    print(f"  {what:34} {columns}   {verdict['judgement']}", flush=True)


def shares(seconds):
    print(f"share of one CPU in %, {seconds} s each (wanted: at most 1)")
    print(f"  {'load':34} {'monitoring':>11} {'+notification':>13} {'elapsed':>8} {'threads':>8} "
          f"{'interrupts':>10} {'own':>6}   verdict")
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
    print(f"\nTCP over a link without a rate, in Gbit/s, {seconds} s each: monitor on, off, off, "
          f"on (wanted: ratio at least 0.98)")
    ratios = []
    for _ in range(rounds):
        on, off, off_too, on_too = (
            goodput(seconds, watched) for watched in (True, False, False, True)
        )
        ratios.append((on + on_too) / (off + off_too))
        print(f"  {on:6.2f} {off:6.2f} {off_too:6.2f} {on_too:6.2f}   on / off "
              f"{ratios[-1]:.3f}", flush=True)
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
