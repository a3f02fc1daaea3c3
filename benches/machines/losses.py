#!/usr/bin/env python3
"""Datagrams that are lost between machines: what was counted beside what is missing, and verdicts.

    losses.py [ROUNDS]

The way between two machines is a NetLoom link that loses 0.1 % of its frames, then none; then, of
one TCP flow, one whose sockets have the buffers that an ordinary user has where
`net.core.rmem_max` is 212,992.
"""

import csv
import io
import pathlib
import subprocess
import tempfile

from underlay import NETLOOM, Run, Underlay, machine, rounds

TOPOLOGY = """
name: losses
seed: {seed}
topology:
  nodes: {{ a: {{ machine: m1 }}, b: {{ machine: m2 }} }}
  links: [{{ endpoints: [a, b], delay: 20ms }}]
"""
DATAGRAMS = """
traffic:
  - { name: u, from: a, to: b, udp: {}, cbr: { rate: 20Mbit/s }, for: 3s }
measure: { frames: true }
"""
FLOW = """
processes:
  - { name: server, node: b, command: iperf3 --server, ready: { port: 5201 }, background: true }
  - { name: client, node: a, command: iperf3 --client b --time 3 --json,
      start: { after: server, when: ready } }
"""
# Buffers as they are where `net.core.rmem_max` is 212,992 and nobody may exceed it.
SMALL = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>
int setsockopt(int fd, int level, int name, const void *value, socklen_t length)
{
    static int (*real)(int, int, int, const void *, socklen_t);
    int most = 212992;
    if (!real) real = dlsym(RTLD_NEXT, "setsockopt");
    if (level == SOL_SOCKET && name == SO_RCVBUFFORCE) { errno = EPERM; return -1; }
    if (level == SOL_SOCKET && name == SO_RCVBUF && *(const int *)value > most) value = &most;
    return real(fd, level, name, value, length);
}
"""


def handed_over(run, direction):
    """Wire frames of the link that the log says were handed over, and that the model delivered."""
    log = subprocess.run(
        [NETLOOM, "frames", run.results / "frames.nlf", "--csv", "-"],
        capture_output=True, text=True, check=True,
    ).stdout
    counts = {"delivered": 0, "handed_over": 0}
    for row in csv.DictReader(io.StringIO(log)):
        event = row["event"]
        if row["link"] == "a--b" and row["direction"] == direction and event in counts:
            counts[event] += 1
    return counts["delivered"], counts["handed_over"]


def planted(seed, properties):
    """A run over such a way: frames that are missing, and that were counted as lost."""
    with Underlay(properties) as underlay:
        run = Run(TOPOLOGY.format(seed=seed) + DATAGRAMS, underlay=underlay)
    missing = counted = 0
    for direction in ("forward", "reverse"):
        delivered, over = handed_over(run, direction)
        missing += delivered - over
        counted += run.link("a--b")[direction]["statistics"]["lost_unmodelled"]["frames"]
    return run, missing, counted


def tunnel_losses(run):
    drops = run.summary["timing"]["unmodelled_drops"]
    return sum(count for cause, count in drops.items() if cause.startswith("tunnel"))


def names_tunnel(run):
    """Whether the verdict says that frames were lost between machines."""
    found = run.findings("unmodelled_drop")
    return any("tunnel" in str(one) for one in found)


def of_losses(count):
    exact = invalid = 0
    for seed in range(count):
        run, missing, counted = planted(seed, ", loss: 0.1%")
        exact += missing == counted and missing > 0
        invalid += run.judgement == "invalid" and names_tunnel(run)
        print(f"  0.1 % lost: {missing} missing, {counted} counted, {run.judgement}", flush=True)
    print(f"0.1 % lost: counted = missing {exact}/{count}, invalid for that {invalid}/{count}\n",
          flush=True)
    none = found = 0
    for seed in range(count):
        run, missing, counted = planted(seed, "")
        none += missing == counted == 0
        found += bool(run.findings("tunnel")) or names_tunnel(run)
    print(f"nothing lost: nothing missing nor counted {none}/{count}, findings of tunnels "
          f"{found}/{count}\n", flush=True)


def of_small_buffers(count):
    with tempfile.TemporaryDirectory() as folder:
        source, library = pathlib.Path(folder, "small.c"), pathlib.Path(folder, "small.so")
        source.write_text(SMALL)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        silent = lost = 0
        for seed in range(count):
            with Underlay(", rate: 10Gbit/s", env=f"LD_PRELOAD={library}") as underlay:
                run = Run(TOPOLOGY.format(seed=seed) + FLOW, underlay=underlay)
            drops = tunnel_losses(run)
            lost += drops > 0
            silent += drops > 0 and not (run.judgement == "invalid" and names_tunnel(run))
            print(f"  small buffers: {drops} frames lost, {run.judgement}", flush=True)
    print(f"one TCP flow, buffers of 212,992 B: losses {lost}/{count}, silent {silent}/{count}")


def main():
    count = rounds(10)
    print(f"# losses between machines: {count} rounds\n# {machine()}\n", flush=True)
    of_losses(count)
    of_small_buffers(count)


main()
