#!/usr/bin/env python3
"""What a link between machines costs, by turns: CPU time a GB of TCP, and a frame of 60 bytes, of
all that takes part (control groups), beside the same link on one machine, and beside the kernel's
VXLAN over a veth pair. No encryption, no rate; NetLoom's link has a delay of 1 ms.

    cost.py [ROUNDS]
"""

import contextlib
import json
import os
import statistics
import subprocess
import time

from underlay import Group, Run, machine, rounds

SECONDS = 4
TCP = f"--time {SECONDS} --json"
SMALL = f"--time {SECONDS} --json --udp --bitrate 0 --length 18"
SCENARIO = """
name: {name}
topology:
  nodes: {{ a: {{ machine: m1 }}, b: {{ machine: m2 }} }}
  links: [{{ endpoints: [a, b], delay: 1ms }}]
processes:
  - {{ name: server, node: b, command: iperf3 --server --one-off --json, ready: {{ port: 5201 }},
      background: true }}
  - {{ name: client, node: a, command: iperf3 --client b {options},
      start: {{ after: server, when: ready }} }}
"""


def received(client, server):
    """Bytes or datagrams that the server took, and for how long, from the two outputs."""
    end = client["end"]
    if "sum_received" in end and "jitter_ms" not in end["sum_received"]:
        return end["sum_received"]["bytes"], end["sum_received"]["seconds"]
    one = server["end"].get("sum_received") or server["end"]["sum"]
    return one["packets"] - one["lost_packets"], SECONDS


def ours(options, machines):
    with Group("cost") as group:
        # What the start and the end cost, without the flow.
        scenario = SCENARIO.format(name=f"bench-cost-{os.getpid()}", options=options)
        run = Run(scenario, machines=machines, group=group)
        used = group.seconds()
    client = json.loads(run.output("client", "a"))
    server = json.loads(run.output("server", "b"))
    return used, *received(client, server)


def idle(machines):
    """CPU time of a run that sends nothing."""
    with Group("idle") as group:
        text = SCENARIO.format(name=f"bench-cost-{os.getpid()}", options="")
        text = text[: text.index("processes:")] + f"duration: {SECONDS}s\n"
        Run(text, machines=machines, group=group)
        return group.seconds()


@contextlib.contextmanager
def vxlan():
    """Two namespaces, a veth pair between them and a VXLAN over that."""
    one, two = (f"bench-vx-{os.getpid()}-{end}" for end in "ab")

    def ip(*words):
        subprocess.run(["ip", *words], check=True)

    try:
        for name in (one, two):
            ip("netns", "add", name)
        ip("link", "add", "u0", "netns", one, "mtu", "1550", "type", "veth",
           "peer", "name", "u0", "netns", two, "mtu", "1550")
        for name, end, other in ((one, 1, 2), (two, 2, 1)):
            ip("-n", name, "address", "add", f"10.98.0.{end}/24", "dev", "u0")
            ip("-n", name, "link", "set", "u0", "up")
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "link", "add", "v0", "mtu", "1500", "type", "vxlan", "id", "7",
               "local", f"10.98.0.{end}", "remote", f"10.98.0.{other}", "dstport", "4789")
            ip("-n", name, "address", "add", f"10.97.0.{end}/24", "dev", "v0")
            ip("-n", name, "link", "set", "v0", "up")
        yield one, two
    finally:
        for name in (one, two):
            subprocess.run(["ip", "netns", "del", name], check=False)


def kernel(options):
    with vxlan() as (one, two), Group("vxlan") as group:
        inside = ["ip", "netns", "exec"]
        server = subprocess.Popen(
            group.words([*inside, two, "iperf3", "--server", "--one-off", "--json"]),
            stdout=subprocess.PIPE, text=True,
        )
        time.sleep(0.7)
        words = [*inside, one, "iperf3", "--client", "10.97.0.2", *options.split()]
        client = subprocess.run(
            group.words(words), capture_output=True, text=True, check=True
        ).stdout
        said, _ = server.communicate()
        used = group.seconds()
    return used, *received(json.loads(client), json.loads(said))


def main():
    count = rounds(3)
    print(f"# cost of a link between machines: {count} rounds of {SECONDS} s\n# {machine()}\n")
    for what, options, unit in (("TCP", TCP, "GB"), ("60-byte frames", SMALL, "frame")):
        ratios = []
        for _ in range(count):
            rest = {name: idle(name) for name in (None, "local:2")}
            all_of = {"uncut": ours(options, None), "cut": ours(options, "local:2"),
                      "vxlan": kernel(options)}
            cost, rate = {}, {}
            for name, (used, units, seconds) in all_of.items():
                used -= rest.get({"uncut": None, "cut": "local:2"}.get(name, 0), 0)
                scale = 1e-9 if unit == "GB" else 1e-6
                cost[name] = used / (units * scale)
                rate[name] = units * 8e-9 / seconds if unit == "GB" else units / seconds
            shown = ", ".join(
                f"{name} {cost[name]:.2f}{' s/GB' if unit == 'GB' else ' µs'}"
                f" at {rate[name]:.{1 if unit == 'GB' else 0}f}"
                f"{' Gbit/s' if unit == 'GB' else ' frames/s'}" for name in all_of)
            ratios.append((cost["cut"] / cost["uncut"], cost["cut"] / cost["vxlan"],
                           rate["cut"] / rate["vxlan"]))
            print(f"{what}: {shown}; load {os.getloadavg()[0]:.1f}", flush=True)
        of_one, of_kernel, rates = (statistics.median(column) for column in zip(*ratios))
        print(f"{what}, medians: CPU a {unit} cut ÷ uncut {of_one:.2f}, ÷ VXLAN {of_kernel:.2f}; "
              f"rate ÷ VXLAN {rates:.2f}\n", flush=True)


main()
