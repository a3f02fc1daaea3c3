"""Hostile frames from two nodes over links, switches and a VLAN switch at once: the engine lives,
no link fails, and every pipe's frames add up."""

import json
import pathlib
import time

from lab import LIMIT, STATE, State, Trouble, kill_group, unbalanced

HOSTILE = (pathlib.Path(__file__).parent / "hostile.py").read_text()
INTERFACES = "e1,t,w,d,n"
SECONDS = 4
NETWORK = """
topology:
  nodes:
    a: {interfaces: {t.10: {}}}
    b: {interfaces: {t.10: {}}}
    v: {kind: switch, interfaces: {
        p1: {vlan: {trunk: {allowed: all, native: 1}}},
        p2: {vlan: {trunk: {allowed: [10, 20-29], native: 5}}}}}
    s: {kind: switch, spanning_tree: true}
    r: {kind: switch, spanning_tree: true}
  links:
    - {endpoints: ["a:e1", "b:e1"], rate: 100Mbit/s, queue: {discipline: fq_codel}, delay: 1ms,
       corrupt: 1%, duplicate: 1%, loss: 0.5%, reorder: {probability: 1%}, ber: 1e-7}
    - {endpoints: ["a:t", "v:p1"]}
    - {endpoints: ["b:t", "v:p2"], rate: 200Mbit/s, queue: {discipline: drr}}
    - {endpoints: ["a:w", "s:p1"]}
    - {endpoints: ["b:w", "s:p2"], rate: 50Mbit/s, pipe_mtu: 1400}
    - {endpoints: ["s:x", "r:x"]}
    - {endpoints: ["s:y", "r:y"]}
    - {endpoints: ["a:d", "b:d"], rate: 20Mbit/s, queue: {discipline: pie}, delay: 20ms,
       jitter: {normal: 5ms}}
    - {endpoints: ["a:n", "b:n"]}
"""


class Frames:
    """The lab, the machine's state before, and how many frames were sent."""

    def __init__(self, lab):
        self.lab = lab
        lab.write(NETWORK)
        lab.ok("deploy")
        lab.ok("destroy", lab.name)
        self.before = State(lab.name)
        self.sent = self.refused = self.offered = 0


def prepare(lab):
    return Frames(lab)


def one(frames, draw):
    lab = frames.lab
    lab.ok("deploy")
    engine = (STATE / lab.name / "engine.pid").read_text().split()[0]
    senders = [
        lab.inside(node, HOSTILE, INTERFACES, str(SECONDS), f"{draw.random()}")
        for node in ("a", "b")
    ]
    try:
        for sender in senders:
            count(frames, sender)
    finally:
        for sender in senders:
            kill_group(sender)
    time.sleep(1)
    if not pathlib.Path("/proc", engine, "exe").exists():
        raise Trouble("the engine died")
    pipes = lab.pipes()
    frames.offered += sum(pipe["offered"] for pipe in pipes.values())
    wrong = unbalanced(pipes) + lab.api("timing").get("failures", [])
    if wrong:
        raise Trouble("; ".join(wrong))
    lab.ok("destroy", lab.name)
    frames.before.compare()


def count(frames, sender):
    output, _ = sender.communicate(timeout=SECONDS + LIMIT)
    try:
        counts = json.loads(output)
    except ValueError:
        raise Trouble(f"the sender ended with code {sender.returncode}: {output!r}") from None
    frames.sent += counts["sent"]
    frames.refused += counts["refused"]


def notes(frames):
    text = f", {frames.sent} frames and super-frames sent, {frames.refused} refused by the kernel"
    return f"{text}, {frames.offered} on the wires"
