#!/usr/bin/env python3
"""Deploy and destroy of a 100-node ring, beside raw namespaces and veth pairs by `ip -batch`.

The raw ring has the same nodes and links, up, with one IPv4 address an interface: no routes, no
engine, no impairment, no record. Medians of RUNS; the two take turns, so that a slow moment of the
machine meets both.
"""

import os
import pathlib
import statistics
import subprocess
import tempfile
import time

from common import machine, netloom

NODES = 100
RUNS = 5


def scenario(name):
    nodes = "".join(f"    n{i}: {{ kind: router }}\n" for i in range(NODES))
    links = "".join(
        f"    - {{ endpoints: [n{i}, n{(i + 1) % NODES}], delay: 1ms }}\n" for i in range(NODES)
    )
    return f"name: {name}\ntopology:\n  nodes:\n{nodes}  links:\n{links}"


def timed(action, *arguments, **options):
    start = time.perf_counter()
    action(*arguments, **options)
    return time.perf_counter() - start


def batch(*arguments, commands):
    subprocess.run(["ip", *arguments, "-batch", "-"], input=commands, text=True, check=True)


def raw_up(prefix):
    names = [f"{prefix}{i}" for i in range(NODES)]
    batch(commands="".join(f"netns add {name}\n" for name in names))
    batch(
        commands="".join(
            f"link add eth1 netns {names[i]} type veth peer name eth2 netns "
            f"{names[(i + 1) % NODES]}\n"
            for i in range(NODES)
        )
    )
    for i, name in enumerate(names):
        batch(
            "-n",
            name,
            commands=f"link set lo up\nlink set eth1 up\nlink set eth2 up\n"
            f"address add 10.0.{i}.1/30 dev eth1\naddress add 10.0.{(i - 1) % NODES}.2/30 dev "
            f"eth2\n",
        )


def raw_down(prefix):
    """Removes the raw ring and waits until the kernel has freed it.

    The kernel frees namespaces in the order in which they were dropped: when one end of a veth pair
    in a last namespace is gone, so is everything before it.
    """
    batch(commands=f"netns add {prefix}keep\nnetns add {prefix}last\n"
          f"link add last netns {prefix}keep type veth peer name last netns {prefix}last\n")
    batch(commands="".join(f"netns del {prefix}{i}\n" for i in range(NODES)))
    batch(commands=f"netns del {prefix}last\n")
    watch = ["ip", "netns", "exec", f"{prefix}keep", "sh", "-c",
             "while grep -q last: /proc/self/net/dev; do sleep 0.002; done"]
    subprocess.run(watch, check=True)
    batch(commands=f"netns del {prefix}keep\n")


def main():
    print(f"# ring: {NODES} nodes, {NODES} links, medians of {RUNS} runs\n# {machine()}\n")
    name = f"bench-ring-{os.getpid()}"
    columns = {"netloom deploy": [], "netloom destroy": [], "raw up": [], "raw down": []}
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
        (pathlib.Path(folder) / "netloom.yaml").write_text(scenario(name))
        for _ in range(RUNS):
            columns["netloom deploy"].append(timed(netloom, "deploy", cwd=folder))
            netloom("exec", "n0", "--", "ping", "-n", "-c", "1", f"n{NODES // 2}", cwd=folder)
            columns["netloom destroy"].append(timed(netloom, "destroy", name, cwd=folder))
            prefix = f"raw{os.getpid()}-"
            columns["raw up"].append(timed(raw_up, prefix))
            columns["raw down"].append(timed(raw_down, prefix))
    for column, times in columns.items():
        print(f"  {column:16}  median {statistics.median(times):6.3f} s"
              f"  (min {min(times):.3f}, max {max(times):.3f})")
    for ours, raw in (("netloom deploy", "raw up"), ("netloom destroy", "raw down")):
        ratios = [a / b for a, b in zip(columns[ours], columns[raw])]
        print(f"  {ours} / {raw}: {statistics.median(ratios):.2f}")
    print("\nBoth times of going down include the wait until the kernel has freed everything.")


if __name__ == "__main__":
    main()
