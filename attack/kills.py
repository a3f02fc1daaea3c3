"""`kill -9` of engine, init or client at a random moment of deploy, run, apply, destroy or exec,
with all kinds of ends outside. After `netloom cleanup`, the machine is as it was: nothing left,
nothing missing, no device down."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import time

from lab import State, Trouble, kill_group, shell

from cycle import engines

DEVICES = """
for pair in dev0:dev1 dev2:dev3 par0:par1; do
    one=${pair%:*} other=${pair#*:}
    ip link show $one >/dev/null 2>&1 || ip link add $one type veth peer name $other
    for device in $one $other; do
        sysctl -qw net.ipv6.conf.$device.disable_ipv6=1
        ip link set $device up
    done
done
"""
NETWORK = """
duration: 1500ms
topology:
  total_limits: {{pids: 500}}
  nodes:
    a: {{limits: {{memory: 200MB, pids: 50}}, files: {{/etc/at.conf: {{content: x}}}},
        publish: ["18080:80"]}}
    b: {{startup: ["true"]}}
    c: {{}}
    s: {{kind: switch}}
    r: {{kind: router, routes: [{{to: 0.0.0.0/0, via: 172.30.0.1}}]}}
  links:
    - {{endpoints: ["a:eth1", "s:p1"], delay: {delay}}}
    - {{endpoints: ["b:eth1", "s:p2"], rate: 10Mbit/s}}
    - {{endpoints: ["c:eth1", "s:p3"]}}
    - {{endpoints: ["r:eth1", "s:p4"]}}
    - {{endpoints: ["b:eth2", "c:eth2"], direct: true}}
    - {{endpoints: ["r:out", "nat:lab0"], addresses: [172.30.0.1/24]}}
    - {{endpoints: ["c:out", "host:lab1"], addresses: [172.31.0.1/24]}}
    - {{endpoints: ["a:dev", "device:dev0"]}}
    - {{endpoints: ["b:mv", "macvlan:par0"]}}
{more}
processes:
  - {{name: p, nodes: [a, b, c], command: "sleep 5 & sleep 0.5", background: true}}
"""
MORE = """    - {endpoints: ["c:dev", "device:dev2"]}
    - {endpoints: ["c:vm", "tap:vm0"]}"""
# What is done, and how long at most before the kill, in s.
OPERATIONS = {
    "deploy": (["deploy", "-t", "first.yaml"], 0.8),
    "run": (["run", "-t", "first.yaml", "-o", "results"], 4),
    "apply": (["apply", "-t", "second.yaml"], 0.8),
    "destroy": (["destroy", "NAME"], 0.4),
    "exec": (["exec", "b@NAME", "--", "sleep", "1"], 0.4),
}
VICTIMS = ["engine", "engine", "init", "client"]
# How long a command may take whose engine, init or process was killed, in s.
END = 70


class Kills:
    """The lab, the machine's state before, and kills that met a process."""

    def __init__(self, lab):
        self.lab = lab
        self.met = 0
        self.write()
        # What the first experiment makes for all that follow is nothing left.
        lab.ok("deploy", "-t", "first.yaml")
        lab.ok("destroy", lab.name)
        self.before = State(lab.name)

    def write(self):
        self.lab.write(NETWORK.format(delay="1ms", more=MORE), "first.yaml")
        self.lab.write(NETWORK.format(delay="2ms", more=""), "second.yaml")


def prepare(lab):
    shell(DEVICES)
    return Kills(lab)


def one(kills, draw):
    lab = kills.lab
    shutil.rmtree(lab.folder / "results", ignore_errors=True)
    # Most can go wrong while what was lent is given back.
    operation = draw.choice([*OPERATIONS, "destroy"])
    victim = draw.choice(VICTIMS)
    words, longest = OPERATIONS[operation]
    moment, which = draw.random() * longest, draw.random()
    if operation not in ("deploy", "run"):
        lab.ok("deploy", "-t", "first.yaml")
    command = [word.replace("NAME", lab.name) for word in words]
    client = lab.start(*command, stderr=subprocess.DEVNULL)
    what = f"{victim} killed {moment:.3f} s into {operation}"
    try:
        time.sleep(moment)
        kills.met += strike(victim, which, client)
        await_end(client, what)
        time.sleep(0.2)
        lab.tidy()
        kills.before.compare()
    except Trouble as trouble:
        raise Trouble(f"{what}: {trouble}") from None
    finally:
        kill_group(client)


def strike(victim, which, client):
    """Kills one of the victims; whether there was one."""
    pids = {"engine": engines, "init": inits, "client": lambda: [client.pid]}[victim]
    pids = sorted(pids())
    if not pids or client.poll() is not None and victim == "client":
        return False
    with contextlib.suppress(ProcessLookupError):
        os.kill(pids[int(which * len(pids))], signal.SIGKILL)
        return True
    return False


def inits():
    """First processes of nodes."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if "__init" in pathlib.Path("/proc", pid, "cmdline").read_text(errors="replace"):
                yield int(pid)


def await_end(client, what):
    deadline = time.monotonic() + END
    while client.poll() is None:
        if time.monotonic() > deadline:
            raise Trouble(f"{what}: the client does not end within {END} s")
        time.sleep(0.02)


def notes(kills):
    return f", {kills.met} kills met a process"
