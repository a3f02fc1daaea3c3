"""A run on two machines that loses one of them, or its lead, at a random moment: a member's engine
is killed or stands still for a while, a cable is cut, the lead is killed. The run ends, names the
machine that was lost and calls itself invalid; the others' results are there; what a lost machine
or a killed lead left is collected; nothing stays on any machine."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import time

from lab import NETLOOM, State, Trouble, kill_group, shell

NAMES = ["m1", "m2"]
# Machines are network namespaces on a bridge; what is up for NetLoom is up for them.
NETWORK = """
ip link add under type bridge
ip link set under up
for number in 1 2; do
    ip netns add m$number
    ip link add um$number type veth peer name eth0 netns m$number
    ip link set um$number master under up
    ip -n m$number address add 10.99.0.$number/24 dev eth0
    ip -n m$number link set eth0 up
    ip -n m$number link set lo up
done
"""
SCENARIO = """
topology:
  nodes:
    a: { machine: m1 }
    r1: { kind: router, machine: m1 }
    r2: { kind: router, machine: m2 }
    b: { machine: m2 }
  links:
    - { endpoints: [a, r1], delay: 1ms }
    - { endpoints: [r1, r2], delay: 20ms }
    - { endpoints: [r2, b], delay: 1ms }
processes:
  - { name: MARK, node: a, command: ping -i 0.05 -p PATTERN b, background: true }
duration: 20s
"""
PATTERN = "a7c3195be24d60f8813fd2967eb40c5a"
# A machine has its own folder, and what leads to it is another process than the shell.
LIST = """
start: { command: "echo welcome; XDG_CACHE_HOME=FOLDER/{address}-cache
    nsenter --net=/run/netns/{address} {netloom} __member" }
machines:
  m1: { address: m1, frames: 10.99.0.1, netloom: BINARY }
  m2: { address: m2, frames: 10.99.0.2, netloom: BINARY }
lost_after: 2s
"""
KINDS = ["member killed", "member stopped", "cable cut", "lead killed"]
LOST_AFTER = 2
# How long the machines may take to be down after that, in s.
DOWN = 15
# How long a member may stand still, or a cable be cut, in s.
AWAY = 5
# How long a run may take beside other work to begin, in s.
BEGIN = 60


class Machines:
    """The machines, their state before, and how much of what was tried met a run that went."""

    # Of all tries, whatever went wrong between them.
    counts = dict.fromkeys(KINDS, 0)
    met = dict.fromkeys(KINDS, 0)
    sums = {"named": 0, "collected": 0, "slowest": 0}

    def __init__(self, lab):
        self.lab = lab
        self.timers = []
        lab.write(SCENARIO.replace("PATTERN", PATTERN))
        text = LIST.replace("FOLDER", str(lab.folder)).replace("BINARY", NETLOOM)
        (lab.folder / "machines.yaml").write_text(text)
        (lab.folder / ".netloomignore").write_text("m1-cache\nm2-cache\n")
        for name in NAMES:
            (lab.folder / f"{name}-cache").mkdir()
        os.makedirs("/run/netloom", exist_ok=True)
        self.before = State(lab.name)


    def later(self, action):
        """Does something in a while."""
        self.timers.append(threading.Timer(AWAY, action))
        self.timers[-1].start()

    def await_all(self):
        """Waits until all of that is done."""
        while self.timers:
            self.timers.pop().join()


def prepare(lab):
    if not os.path.exists("/run/netns/m1"):
        shell(NETWORK)
    machines = Machines(lab)
    nothing_is_read(machines)
    return machines


def nothing_is_read(machines):
    """Who reads the cable finds nothing of what nodes send, which is encrypted."""
    if not shutil.which("tcpdump"):
        print("  skipped: whether frames can be read on the way: there is no tcpdump")
        return
    reader = subprocess.Popen(
        ["tcpdump", "-i", "under", "-w", "-", "-U", "udp"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )
    run = start(machines.lab, "read")
    try:
        await_run(machines.lab, run, "read")
        time.sleep(2)
        os.kill(run.pid, signal.SIGINT)
        await_end(run, "the run whose cable is read")
    finally:
        kill_group(run)
        reader.terminate()
        read, _ = reader.communicate()
    if len(read) < 10_000:
        raise SystemExit(f"tcpdump has read {len(read)} bytes only")
    pattern = bytes.fromhex(PATTERN)
    sent = (machines.lab.folder / "read" / "processes" / "MARK@a.stdout").read_text()
    if sent.count("time=") < 10 or pattern[:8] in read:
        raise SystemExit("frames are not encrypted between machines, or were not sent")
    print(f"  read {len(read)} bytes between the machines: nothing of the nodes' in them")
    shutil.rmtree(machines.lab.folder / "read")


def start(lab, results):
    words = ["run", "--machines", "machines.yaml", "-o", results]
    return lab.start(*words, stderr=open(lab.folder / "said", "wb"))


def await_run(lab, run, results):
    """Waits until the run goes, which the first ping of its node shows; whether it does."""
    deadline = time.monotonic() + BEGIN
    while run.poll() is None and time.monotonic() < deadline:
        kept = (lab.folder / "m1-cache/netloom/members").glob(f"*-{lab.name}-m1")
        if any((part / "processes/MARK@a.stdout").exists() for part in kept):
            return True
        time.sleep(0.05)
    raise Trouble(f"no run within {BEGIN} s: {said(lab)}")


def said(lab):
    return (lab.folder / "said").read_text(errors="replace")[-400:]


def members():
    """Process ids of members' engines, by machine."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            words = pathlib.Path("/proc", pid, "cmdline").read_bytes().split(b"\0")
            if len(words) > 2 and words[1] == b"__member" and words[0].endswith(b"netloom"):
                net = os.stat(f"/proc/{pid}/ns/net").st_ino
                cache = pathlib.Path("/proc", pid, "environ").read_bytes()
                for name in NAMES:
                    if f"/{name}-cache".encode() in cache:
                        found.setdefault(name, []).append((int(pid), net))
    return found


def one(machines, draw):
    lab = machines.lab
    kind = draw.choice(KINDS)
    victim = draw.choice(NAMES)
    moment = draw.random() * 3
    begins = draw.random() < 0.75
    for old in [*lab.folder.glob("results*"), *lab.folder.glob("rest*")]:
        shutil.rmtree(old)
    run = start(lab, "results")
    what = f"{kind}, {victim}, {moment:.2f} s {'into the run' if begins else 'after its start'}"
    try:
        if begins:
            await_run(lab, run, "results")
        time.sleep(moment)
        machines.counts[kind] += 1
        struck = time.time()
        hit = strike(machines, kind, victim, run)
        machines.met[kind] += hit
        await_end(run, what)
        took = time.time() - struck
        are_gone(what)
        if hit and begins:
            is_judged(machines, kind, victim, struck, took)
        tidy(machines, kind, hit and begins)
        machines.before.compare()
    except Trouble as trouble:
        raise Trouble(f"{what}: {trouble}") from None
    finally:
        kill_group(run)
        machines.await_all()


def strike(machines, kind, victim, run):
    """Does it; whether there was something to do it to."""
    if run.poll() is not None:
        return False
    if kind == "lead killed":
        os.kill(run.pid, signal.SIGKILL)
        return True
    if kind == "cable cut":
        shell(f"ip link set u{victim} down")
        machines.later(lambda: shell(f"ip link set u{victim} up"))
        return bool(members().get(victim))
    pids = members().get(victim, [])
    for pid, _ in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL if kind == "member killed" else signal.SIGSTOP)
            if kind == "member stopped":
                machines.later(lambda pid=pid: go_on(pid))
    return bool(pids)


def go_on(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)


def await_end(run, what):
    deadline = time.monotonic() + 60
    while run.poll() is None:
        if time.monotonic() > deadline:
            raise Trouble(f"{what}: the lead does not end within 60 s")
        time.sleep(0.02)


def are_gone(what):
    """Members end, those that stood still once they go on."""
    deadline = time.monotonic() + DOWN + AWAY
    while left := members():
        if time.monotonic() > deadline:
            raise Trouble(f"{what}: members are left: {left}")
        time.sleep(0.05)


def is_judged(machines, kind, victim, struck, took):
    """The run has ended in time, and says what was lost."""
    lab = machines.lab
    if kind == "lead killed":
        return
    summary = json.loads((lab.folder / "results" / "summary.json").read_text())
    lost = {one["name"]: one["lost"] for one in summary["machines"] if "lost" in one}
    judgement = summary["verdict"]["judgement"]
    # Of two machines that hear nothing of each other, it is not known which one is cut off.
    expected = NAMES if kind == "cable cut" else [victim]
    if judgement != "invalid" or not lost or not set(lost) <= set(expected):
        raise Trouble(f"{judgement}, lost {lost}: {said(lab)}")
    heard = summary["started_unix"] + min(lost.values()) / 1e9 - struck
    if heard > LOST_AFTER + 1 or took > DOWN:
        raise Trouble(f"heard of it after {heard:.2f} s, down after {took:.2f} s")
    left = [name for name in NAMES if name not in lost]
    if not (lab.folder / "results" / "machines" / left[0] / "summary.json").exists():
        raise Trouble(f"there are no results of {left[0]}")
    machines.sums["named"] += 1
    machines.sums["slowest"] = max(machines.sums["slowest"], heard)


def tidy(machines, kind, must_collect):
    """What a person does afterwards: collect, and clean up on all machines."""
    lab = machines.lab
    rest = lab.ok("machines", "collect", "--machines", "machines.yaml", "-o", "rest")
    if kind == "lead killed" and must_collect:
        summary = json.loads((lab.folder / "rest" / "summary.json").read_text())
        if len(summary["machines"]) != 2 or "2 of 2 machines" not in rest:
            raise Trouble(f"not all was collected: {rest}")
    machines.sums["collected"] += "machines are in" in rest
    lab.ok("cleanup", "--machines", "machines.yaml")
    # The folder of all experiments may stay or go.
    os.makedirs("/run/netloom", exist_ok=True)
    for name in NAMES:
        left = list((lab.folder / f"{name}-cache/netloom/members").glob("*"))
        # A member that was killed before its run had anything to keep has a folder.
        if any((part / "member.json").exists() for part in left):
            raise Trouble(f"results are left on {name}: {left}")
        for part in left:
            shutil.rmtree(part)


def notes(machines):
    each = ", ".join(f"{machines.counts[kind]} × {kind} ({machines.met[kind]} met one)"
                     for kind in KINDS)
    named, collected, slowest = machines.sums.values()
    return (f": {each}; {named} named the machine, {slowest:.2f} s after it at the latest; "
            f"{collected} collected a rest")
