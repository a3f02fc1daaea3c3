#!/usr/bin/env python3
"""Start and teardown of Mininet's own topologies, by Mininet (Debian's package, with Linux bridges
as switches) and by NetLoom, by turns. Each network is made in a machine of its own: new namespaces
for networks, mounts and processes.

The switches of a torus form loops, which need a spanning tree: Mininet's bridges speak 802.1D and
answer after half a minute, NetLoom's switches RSTP. Sixteen by sixteen is the largest torus here: a
tree has up to twenty bridges in a row.

    mininet.py [RUNS [TOPOLOGY...]]

RUNS are 3 if none are given, and one where there are more than 300 hosts.

Needs root, and `apt-get install mininet bridge-utils`. Mininet's time is that of its Python API,
from the topology to the end of `start()`, and of `stop()`, without the start of Python; NetLoom's
is that of `netloom deploy` and `netloom destroy`, as a user waits for them. Links have no
properties on either side, and nodes no processes but Mininet's shells. Reply is when the first host
has answered the last one, from the beginning: both send what IPv6 sends at the start to all hosts
of the segment.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from own_machine import own_machine

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import NETLOOM, machine, netloom  # noqa: E402

TOPOLOGIES = [
    *(f"linear,{hosts}" for hosts in (64, 128, 256, 512, 1000)),
    "tree,2,8",  # 64 hosts
    "tree,2,16",  # 256
    "tree,3,10",  # 1,000
    "torus,8,8",  # 64
    "torus,16,16",  # 256
]
# From so many hosts on, Mininet takes minutes.
MANY = 300
# How long the last host may take to reach the first, in s.
PATIENCE = 300
PEER = pathlib.Path(__file__).resolve().parent / "peers" / "lxbr.py"
# Mininet is a package of Debian's Python.
PYTHON = "/usr/bin/python3"


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


def torus(x, y):
    """As `mn --topo torus,X,Y`: a grid of switches with a host each, joined round the edges as
    well."""
    number = {(i, j): i * y + j + 1 for i in range(x) for j in range(y)}
    links = [(f"h{n}", f"s{n}") for n in number.values()]
    for (i, j), n in number.items():
        links += [(f"s{n}", f"s{number[i, (j + 1) % y]}"), (f"s{n}", f"s{number[(i + 1) % x, j]}")]
    return links


def edges(topology):
    kind, *sizes = topology.split(",")
    return {"linear": linear, "tree": tree, "torus": torus}[kind](*map(int, sizes))


def nodes_of(links):
    """The nodes in the order of their numbers: hosts, then switches."""
    nodes = {node for link in links for node in link}
    return sorted(nodes, key=lambda node: (node[0], int(node[1:])))


def scenario(name, links, has_loops):
    nodes = nodes_of(links)
    lines = [f"name: {name}", "topology:", "  nodes:"]
    for node in nodes:
        kind = "host" if node[0] == "h" else "switch"
        tree = ", spanning_tree: true" if has_loops and kind == "switch" else ""
        lines.append(f"    {node}: {{ kind: {kind}{tree} }}")
    lines.append("  links:")
    used = dict.fromkeys(nodes, 0)
    for a, b in links:
        used[a] += 1
        used[b] += 1
        lines.append(f"    - {{ endpoints: ['{a}:eth{used[a]}', '{b}:eth{used[b]}'] }}")
    return "\n".join(lines) + "\n"


def in_a_machine(*words):
    """Runs a program that prints three times: see `compare`."""
    done = subprocess.run(own_machine(words), capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")
    return [float(word) for word in done.stdout.split()]


def ours(name, file, first, last):
    """What runs in the machine for NetLoom."""
    begin = time.perf_counter()
    netloom("deploy", "-t", file)
    up = time.perf_counter() - begin
    # By IPv4, as Mininet's hosts do: where many hosts share a segment, the machine's table of IPv6
    # neighbours is small.
    ping = [NETLOOM, "exec", f"{last}@{name}", "--", "ping", "-4", "-c", "1", "-W", "1", first]
    while subprocess.run(ping, capture_output=True).returncode != 0:
        if time.perf_counter() - begin > up + PATIENCE:
            raise SystemExit(f"{last} does not reach {first}")
    reply = time.perf_counter() - begin
    begin = time.perf_counter()
    netloom("destroy", name)
    print(up, reply, time.perf_counter() - begin)


def compare(topology, runs):
    """Up, reply (from the beginning until the first host has answered the last one), gone."""
    links = edges(topology)
    hosts = [node for node in nodes_of(links) if node[0] == "h"]
    name = f"bench-scale-{os.getpid()}"
    mine, theirs = [], []
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
        file = pathlib.Path(folder) / "scenario.yaml"
        file.write_text(scenario(name, links, has_loops=topology.startswith("torus")))
        for _ in range(runs or (1 if len(hosts) > MANY else 3)):
            mine.append(
                in_a_machine(sys.executable, __file__, "--ours", name, file, hosts[0], hosts[-1])
            )
            theirs.append(in_a_machine(PYTHON, PEER, topology))
    cells = f"  {topology:<12}{len(hosts):>6}{len(links):>7}{len(mine):>6}"
    for index in range(3):
        own, other = (statistics.median(run[index] for run in side) for side in (mine, theirs))
        cells += f" |{other:>9.2f}{own:>9.2f}{other / own:>8.1f}"
    print(cells, flush=True)


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else None
    found = subprocess.run(
        [PYTHON, "-I", "-c", "import mininet.net; print(mininet.net.VERSION)"],
        capture_output=True,
        text=True,
    )
    if found.returncode != 0 or os.geteuid() != 0:
        raise SystemExit("mininet.py needs root, and Mininet: apt-get install mininet bridge-utils")
    print(f"Mininet {found.stdout.strip()} (lxbr) and NetLoom, on {machine()}")
    headings = ("up, s", "reply, s", "gone, s")
    print(f"  {'':<31}" + "".join(f" |{what:>9}{'':>17}" for what in headings))
    heads = f"{'Mininet':>9}{'NetLoom':>9}{'ratio':>8}"
    print(f"  {'topology':<12}{'hosts':>6}{'links':>7}{'runs':>6}" + f" |{heads}" * 3, flush=True)
    for topology in sys.argv[2:] or TOPOLOGIES:
        compare(topology, runs)


if sys.argv[1:2] == ["--ours"]:
    ours(*sys.argv[2:])
else:
    main()
