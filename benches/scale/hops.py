#!/usr/bin/env python3
"""TCP through a chain of routers: raw veth pairs, direct links and links of the engine, in one run.

The hop test of IMUNES (Zec 2004, figure 6): one TCP flow from `a` to `b` through 1 to 30 routers.
The raw chain is made by `ip`: namespaces, veth pairs, IPv4 addresses and static routes, nothing
else. The links of the engine have no properties. The three take turns at every length, so that a
slow moment of the machine meets all; medians of the rounds. CPU is of the whole machine while the
flow lasts, by /proc/stat, in CPU seconds for each gigabyte received: what sockets and applications
do (user, system), what the kernel does for frames on their way (softirq), and what of all that is
the engine's process (the kernel's work in its system calls included).

As root: hops.py [--seconds N] [--rounds N] [--hops N,N...]
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import machine, netloom

KINDS = ("raw", "direct", "engine")
TICK = os.sysconf("SC_CLK_TCK")


def name(kind):
    return f"hops{os.getpid()}{kind}"


def chain(hops):
    """The nodes in the order of the path."""
    return ["a", *(f"r{n}" for n in range(1, hops + 1)), "b"]


def batch(*arguments, commands):
    subprocess.run(["ip", *arguments, "-batch", "-"], input=commands, text=True, check=True)


class Raw:
    """A chain made by `ip`."""

    def __init__(self, kind, hops):
        self.engine = None
        self.nodes = [f"{name(kind)}.{node}" for node in chain(hops)]
        last = len(self.nodes) - 1
        batch(commands="".join(f"netns add {node}\n" for node in self.nodes))
        try:
            batch(
                commands="".join(
                    f"link add next netns {self.nodes[n]} type veth peer name back netns "
                    f"{self.nodes[n + 1]}\n"
                    for n in range(last)
                )
            )
            for n, node in enumerate(self.nodes):
                batch("-n", node, commands=self.configuration(n, last))
                self.forward(node)
        except BaseException:
            self.close()
            raise
        self.target = f"10.77.{last - 1}.2"

    @staticmethod
    def configuration(n, last):
        lines = ["link set lo up"]
        if n < last:
            lines += ["link set next up", f"address add 10.77.{n}.1/30 dev next"]
        if n > 0:
            lines += ["link set back up", f"address add 10.77.{n - 1}.2/30 dev back"]
        # Towards the ends, over the neighbours; networks of the node's own are there already.
        if n < last - 1:
            lines.append(f"route add 10.77.{last - 1}.0/30 via 10.77.{n}.2")
        if n > 1:
            lines.append(f"route add 10.77.0.0/30 via 10.77.{n - 1}.1")
        return "\n".join(lines) + "\n"

    @staticmethod
    def forward(node):
        subprocess.run(
            ["ip", "netns", "exec", node, "sysctl", "-qw", "net.ipv4.ip_forward=1"], check=True
        )

    def close(self):
        for node in self.nodes:
            subprocess.run(["ip", "netns", "del", node], check=False, stderr=subprocess.DEVNULL)


class NetLoom:
    """The same chain by NetLoom."""

    def __init__(self, kind, hops):
        nodes = chain(hops)
        self.name = name(kind)
        self.nodes = [f"{self.name}.{node}" for node in nodes]
        direct = ", direct: true" if kind == "direct" else ""
        kinds = "".join(
            f"    {node}: {{ kind: {'router' if node.startswith('r') else 'host'} }}\n"
            for node in nodes
        )
        links = "".join(
            f"    - {{ endpoints: [{here}, {there}]{direct} }}\n"
            for here, there in zip(nodes, nodes[1:])
        )
        with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
            path = pathlib.Path(folder) / "netloom.yaml"
            path.write_text(f"name: {self.name}\ntopology:\n  nodes:\n{kinds}  links:\n{links}")
            netloom("deploy", cwd=folder)
        view = json.loads(netloom("inspect", self.name, "--format", "json"))
        self.engine = view["experiment"]["engine_pid"]
        last = next(node for node in view["nodes"] if node["name"] == "b")
        self.target = next(address for address in last["primary"] if "." in address)

    def close(self):
        netloom("destroy", self.name)


def cpu():
    """User, system and softirq time of the machine, in seconds."""
    user, nice, system, _, _, _, softirq, *_ = map(
        int, pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    )
    return [(user + nice) / TICK, system / TICK, softirq / TICK]


def of_process(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def flow(network, seconds):
    """Throughput in Gbit/s, and CPU seconds a gigabyte: user, system, softirq, of them the
    engine's."""
    inside = ["ip", "netns", "exec"]
    server = subprocess.Popen(
        [*inside, network.nodes[-1], "iperf3", "--server", "--one-off"], stdout=subprocess.DEVNULL
    )
    try:
        time.sleep(0.3)
        before, engine = cpu(), of_process(network.engine) if network.engine else 0
        client = subprocess.run(
            [*inside, network.nodes[0], "iperf3", "--client", network.target]
            + ["--time", str(seconds), "--json"],
            capture_output=True,
            text=True,
        )
        after = cpu()
        engine = of_process(network.engine) - engine if network.engine else 0
    finally:
        server.terminate()
        server.wait()
    report = json.loads(client.stdout)
    if "error" in report:
        raise SystemExit(f"iperf3: {report['error']}")
    received = report["end"]["sum_received"]
    gigabytes = received["bytes"] / 1e9
    spent = [(now - then) / gigabytes for now, then in zip(after, before)]
    return [received["bits_per_second"] / 1e9, *spent, engine / gigabytes]


def measure(kind, hops, seconds):
    network = (Raw if kind == "raw" else NetLoom)(kind, hops)
    try:
        return flow(network, seconds)
    finally:
        network.close()


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seconds", type=int, default=3)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--hops", default="1,2,5,10,20,30")
    options = options.parse_args()
    print(f"TCP through routers: {machine()}")
    print(f"medians of {options.rounds} flows of {options.seconds} s")
    print(
        f"{'':>4} {'Gbit/s':^26} {'ratio to raw':^15}   {'CPU s/GB: user system softirq (engine)'}"
    )
    print(f"{'hops':>4} {'raw':>8} {'direct':>8} {'engine':>8} {'direct':>7} {'engine':>7}")
    for hops in map(int, options.hops.split(",")):
        seen = {kind: [] for kind in KINDS}
        for _ in range(options.rounds):
            for kind in KINDS:
                seen[kind].append(measure(kind, hops, options.seconds))
        medians = {
            kind: [statistics.median(values) for values in zip(*flows)]
            for kind, flows in seen.items()
        }
        raw, direct, engine = (medians[kind][0] for kind in KINDS)
        spent = "   ".join(
            f"{kind} {user:.2f} {system:.2f} {softirq:.2f}" + (f" ({own:.2f})" if own else "")
            for kind, (_, user, system, softirq, own) in medians.items()
        )
        print(
            f"{hops:>4} {raw:>8.2f} {direct:>8.2f} {engine:>8.2f} {direct / raw:>7.2f} "
            f"{engine / raw:>7.2f}   {spent}",
            flush=True,
        )


if __name__ == "__main__":
    main()
