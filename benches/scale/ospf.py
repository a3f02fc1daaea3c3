#!/usr/bin/env python3
"""OSPF routers (FRR's zebra and ospfd in each) on a random 4-regular graph, on one machine: how
long until every router has a route to the loopback address of every other, what memory all of it
takes, and how long it takes when a link is cut until neither of its ends sends anything over it and
every router has all routes (again).

Needs root, and FRR.

    ospf.py [ROUTERS]
"""

import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from graphs import DEGREE, regular
from large import available, timed

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import machine, netloom  # noqa: E402

# Seconds between hellos, and without one until a neighbour is gone.
HELLO, DEAD = 2, 8
CLONE_NEWNET = 0x40000000
# Until the programs give up.
PATIENCE = 600


def scenario(name, routers, edges):
    lines = [f"name: {name}", "topology:", "  kinds:"]
    lines.append(f"    router: {{ ipv6: none, services: {{ ospf: {{ hello: {HELLO}, dead: {DEAD} "
                 f"}} }} }}")
    lines.append("  nodes:")
    lines += [f"    n{router}: {{ kind: router }}" for router in range(routers)]
    lines.append("  links:")
    lines += [f"    - {{ endpoints: [n{a}, n{b}], delay: 1ms }}" for a, b in edges]
    return "\n".join(lines) + "\n"


class Routes:
    """The kernel's routes of all routers, read in their namespaces."""

    def __init__(self, name, routers):
        shown = json.loads(netloom("inspect", name, "--format", "json"))
        self.nodes = {node["name"]: node for node in shown["nodes"]}
        self.engine = shown["experiment"]["engine_pid"]
        self.files = [open(namespace(name, router)) for router in range(routers)]
        # Nobody is to be found in a node when it is taken down.
        self.home = open("/proc/thread-self/ns/net")
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.loopbacks = {
            as_hex(self.nodes[f"n{router}"]["primary"][0]) for router in range(routers)
        }

    def complete(self, router):
        """Whether the router has a route to every loopback address but its own."""
        self.enter(self.files[router])
        try:
            lines = pathlib.Path("/proc/thread-self/net/route").read_text().splitlines()[1:]
        finally:
            self.enter(self.home)
        known = {line.split()[1] for line in lines} & self.loopbacks
        return len(known) >= len(self.loopbacks) - 1

    def enter(self, namespace):
        if self.libc.setns(namespace.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter {namespace.name}")


def namespace(name, router):
    return f"/run/netns/{name}.n{router}"


def as_hex(address):
    """As the kernel writes it in /proc: four bytes, the last one first."""
    return "".join(f"{int(byte):02X}" for byte in reversed(address.split(".")))


def until_all(holds, routers, since):
    """Seconds from `since` until `holds` was true of every router."""
    open_ones = list(range(routers))
    while open_ones:
        if time.perf_counter() - since > PATIENCE:
            raise SystemExit(f"{len(open_ones)} of {routers} routers are not done after "
                             f"{PATIENCE} s")
        open_ones = [router for router in open_ones if not holds(router)]
        if open_ones:
            time.sleep(0.2)
    return time.perf_counter() - since


def proportional(name):
    """Memory of all processes in nodes, shared pages divided among those that share them; how many
    they are."""
    needle = f"NETLOOM_EXPERIMENT={name}\0".encode()
    total, count = 0, 0
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if needle not in (process / "environ").read_bytes():
                continue
            lines = (process / "smaps_rollup").read_text().splitlines()
        except OSError:
            # It has ended meanwhile.
            continue
        total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024
        count += 1
    return total, count


def ways_over(name, router, interface):
    """How many routes to loopback addresses lead over an interface, among those to several
    neighbours at once, too."""
    command = ["nsenter", f"--net={namespace(name, router)}", "ip", "-4", "-oneline", "route"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    own = [line for line in shown.splitlines() if "proto kernel" not in line]
    return sum(f"dev {interface} " in line + " " for line in own)


def cut(name, routes, edge, change, routers):
    """Cuts the link of two routers by a change of its properties; seconds until it is done."""
    a, b = edge
    link = f"n{a}--n{b}"
    ends = {}
    for router in (a, b):
        interfaces = routes.nodes[f"n{router}"]["interfaces"]
        ends[router] = next(each["name"] for each in interfaces if each["link"] == link)
    if not all(ways_over(name, router, interface) for router, interface in ends.items()):
        raise SystemExit(f"{link} is not used from both sides: nothing would be measured")
    netloom("set", f"{link}@{name}", change)
    begin = time.perf_counter()

    def done(router):
        unused = router not in ends or not ways_over(name, router, ends[router])
        return unused and routes.complete(router)

    return until_all(done, routers, begin)


def main():
    routers = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    edges = regular(routers, DEGREE)
    print(f"{routers} routers and {len(edges)} links, hello {HELLO} s, dead {DEAD} s, on "
          f"{machine()}", flush=True)
    name = f"bench-ospf-{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
        file = pathlib.Path(folder) / "scenario.yaml"
        file.write_text(scenario(name, routers, edges))
        before = available()
        begin = time.perf_counter()
        up, _ = timed("deploy", "-t", file)
        rows = [("network up, all daemons ready", f"{up:.1f} s")]
        try:
            rows += look(name, routers, edges, begin, before)
        finally:
            rows.append(("gone", f"{timed('destroy', name)[0]:.1f} s"))
            for what, measured in rows:
                print(f"  {what:<52} {measured:>12}")


def look(name, routers, edges, begin, before):
    routes = Routes(name, routers)
    converged = until_all(routes.complete, routers, begin)
    rows = [("from the beginning: every router knows every loopback", f"{converged:.1f} s")]
    used = before - available()
    rows.append(("memory in all, by what the machine has left", f"{used / 1e9:.2f} GB"))
    mine, processes = proportional(name)
    rows.append((f"memory of the routers' {processes} processes (PSS)", f"{mine / 1e9:.2f} GB"))
    rows.append(("the same for each router", f"{mine / routers / 1e6:.1f} MB"))
    for edge, change, what in (
        (edges[0], "state=down", "a link goes down (no carrier): other ways after"),
        (edges[-1], "loss=100%", "a link loses everything (dead interval): after"),
    ):
        rows.append((what, f"{cut(name, routes, edge, change, routers):.1f} s"))
    return rows


if __name__ == "__main__":
    main()
