#!/usr/bin/env python3
"""Start and teardown of Mininet's own topologies, by Mininet (Debian's package, with Linux bridges as switches) and by
NetLoom, by turns. Each network is made in a machine of its own: new namespaces for networks, mounts and processes.

    mininet.py [RUNS [TOPOLOGY...]]        RUNS: 3, of networks with more than 300 hosts one

Needs root, and `apt-get install mininet bridge-utils`. Mininet's time is that of its Python API, from the topology to the
end of `start()`, without the start of Python; NetLoom's is that of `netloom deploy` and `netloom destroy` as a user waits for
them. Links have no properties on either side, and nodes no processes but Mininet's shells.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import machine, netloom  # noqa: E402

TOPOLOGIES = [
    *(f"linear,{hosts}" for hosts in (64, 128, 256, 512, 1000)),
    "tree,2,8",  # 64 hosts
    "tree,2,16",  # 256
    "tree,3,10",  # 1,000
]
# From so many hosts on, Mininet takes minutes.
MANY = 300
PEER = pathlib.Path(__file__).resolve().parent / "peers" / "lxbr.py"
# Mininet is a package of Debian's Python.
PYTHON = "/usr/bin/python3"
# A machine of its own: what is left in it goes with its first process.
MACHINE = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
PREPARE = """
mount -t tmpfs tmpfs /run
mount -t sysfs sysfs /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
ip link set lo up
exec "$@"
"""


def linear(count):
    """As `mn --topo linear,COUNT`: switches in a line, a host at each."""
    links = [(f"h{n}", f"s{n}") for n in range(1, count + 1)]
    links += [(f"s{n + 1}", f"s{n}") for n in range(1, count)]
    return links


def tree(depth, fanout):
    """As `mn --topo tree,DEPTH,FANOUT`: a tree of switches whose leaves are hosts."""
    links, used = [], {"h": 0, "s": 0}

    def grow(depth):
        kind = "s" if depth else "h"
        used[kind] += 1
        node = f"{kind}{used[kind]}"
        if depth:
            links.extend((node, grow(depth - 1)) for _ in range(fanout))
        return node

    grow(depth)
    return links


def edges(topology):
    kind, *sizes = topology.split(",")
    return {"linear": linear, "tree": tree}[kind](*map(int, sizes))


def nodes_of(links):
    """The nodes in the order of their numbers: hosts, then switches."""
    nodes = {node for link in links for node in link}
    return sorted(nodes, key=lambda node: (node[0], int(node[1:])))


def scenario(name, links):
    nodes = nodes_of(links)
    lines = [f"name: {name}", "topology:", "  nodes:"]
    lines += [f"    {node}: {{ kind: {'host' if node[0] == 'h' else 'switch'} }}" for node in nodes]
    lines.append("  links:")
    used = dict.fromkeys(nodes, 0)
    for a, b in links:
        used[a] += 1
        used[b] += 1
        lines.append(f"    - {{ endpoints: ['{a}:eth{used[a]}', '{b}:eth{used[b]}'] }}")
    return "\n".join(lines) + "\n"


def in_a_machine(*words):
    """Runs a program that prints two times and whether hosts reached each other."""
    line = [*MACHINE, "sh", "-euc", PREPARE, "sh", *map(str, words)]
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")
    up, gone, reached = done.stdout.strip().split(maxsplit=2)
    if reached != "reached":
        raise SystemExit(f"{' '.join(map(str, words))}: the last host and the first: {reached}")
    return float(up), float(gone)


def ours(name, file, first, last):
    """What runs in the machine for NetLoom."""
    begin = time.perf_counter()
    netloom("deploy", "-t", file)
    up = time.perf_counter() - begin
    netloom("exec", f"{last}@{name}", "--", "ping", "-c", "3", "-i", "0.2", "-W", "5", first)
    begin = time.perf_counter()
    netloom("destroy", name)
    print(up, time.perf_counter() - begin, "reached")


def compare(topology, runs):
    links = edges(topology)
    hosts = [node for node in nodes_of(links) if node[0] == "h"]
    name = f"bench-scale-{os.getpid()}"
    mine, theirs = [], []
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
        file = pathlib.Path(folder) / "scenario.yaml"
        file.write_text(scenario(name, links))
        for _ in range(1 if len(hosts) > MANY else runs):
            mine.append(in_a_machine(sys.executable, __file__, "--ours", name, file, hosts[0], hosts[-1]))
            theirs.append(in_a_machine(PYTHON, PEER, topology))
    up, gone = ([statistics.median(run[index] for run in side) for side in (mine, theirs)] for index in (0, 1))
    print(
        f"  {topology:<12}{len(hosts):>6}{len(links):>7}{len(mine):>6}"
        f" |{up[1]:>9.2f}{up[0]:>9.2f}{up[1] / up[0]:>8.1f} |{gone[1]:>9.2f}{gone[0]:>9.2f}{gone[1] / gone[0]:>8.1f}",
        flush=True,
    )


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    found = subprocess.run([PYTHON, "-c", "import mininet.net; print(mininet.net.VERSION)"], capture_output=True, text=True)
    if found.returncode != 0 or os.geteuid() != 0:
        raise SystemExit("mininet.py needs root, and Mininet: apt-get install mininet bridge-utils")
    print(f"Mininet {found.stdout.strip()} (lxbr) and NetLoom, on {machine()}")
    print(f"  {'':<12}{'':>6}{'':>7}{'':>6} |{'up, s':>9}{'':>9}{'':>8} |{'gone, s':>9}")
    heads = f"{'Mininet':>9}{'NetLoom':>9}{'ratio':>8}"
    print(f"  {'topology':<12}{'hosts':>6}{'links':>7}{'runs':>6} |{heads} |{heads}", flush=True)
    for topology in sys.argv[2:] or TOPOLOGIES:
        compare(topology, runs)
    print("  torus: left out. Its switches form loops, which lxbr needs a spanning tree for and NetLoom's switches refuse;")
    print("  a torus of routers, which NetLoom would make of it, is another workload.")


if sys.argv[1:2] == ["--ours"]:
    ours(*sys.argv[2:])
else:
    main()
