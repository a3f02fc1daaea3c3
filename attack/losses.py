"""Datagrams counted from end to end in several situations: in every pipe, offered + duplicated =
delivered + dropped + lost_unmodelled + under way, and each datagram that is missing is explained
by a drop of the model, a counted loss outside it, or a drop that the kernel of a node counts."""

import contextlib
import os
import signal
import time

from lab import STATE, State, Trouble, unbalanced
from traffic import counter, datagrams, flow, ip

PAIR = """
topology:
  nodes: {{a: {{ipv6: none}}, b: {{ipv6: none}}}}
  links: [{{endpoints: ["a:eth1", "b:eth1"], {}}}]
"""
SWITCHES = """
topology:
  nodes: {a: {ipv6: none}, b: {ipv6: none}, c: {ipv6: none}, s: {kind: switch}, t: {kind: switch}}
  links:
    - {endpoints: ["a:eth1", "s:p1"]}
    - {endpoints: ["s:up", "t:up"], rate: 30Mbit/s, delay: 3ms}
    - {endpoints: ["b:eth1", "t:p1"], delay: 2ms}
    - {endpoints: ["c:eth1", "t:p2"]}
"""
BROKEN = "rate: 100Mbit/s, delay: 10ms, jitter: {normal: 3ms}, duplicate: 5%, loss: 3%"
BROKEN += ", ber: 1e-6, reorder: {probability: 5%}"
# The pipes that the datagrams cross, and that which they cross first.
PATH = {"a--b forward", "a--s forward", "s--t forward", "b--t reverse"}
FIRST = {"a--b forward", "a--s forward"}
SECONDS = 3


def nothing(_lab, _end):
    pass


def change(lab, end):
    """Rate, delay, loss and queue, all the time."""
    number = 0
    while time.monotonic() < end:
        rate, delay, loss = (5, 20, 50, 100)[number % 4], (1, 5, 30)[number % 3], number % 5
        words = [f"rate={rate}Mbit/s", f"delay={delay}ms", f"loss={loss}%"]
        lab.ok("set", f"a--b@{lab.name}", *words, f"queue.limit={10 ** (1 + number % 3)}packets")
        number += 1


def cut(lab, end):
    """The link goes down and up."""
    while time.monotonic() < end:
        for state in ("down", "up"):
            lab.ok("set", f"a--b@{lab.name}", f"state={state}")
            time.sleep(0.05)


def close(lab, end):
    """The receiving interface goes down and up in its node."""
    while time.monotonic() < end:
        for state in ("down", "up"):
            ip(lab, "b", "link", "set", "eth1", state)
            time.sleep(0.15)


def stop(lab, end):
    """The engine is stopped for 150 ms, again and again."""
    engine = int((STATE / lab.name / "engine.pid").read_text().split()[0])
    while time.monotonic() < end:
        with contextlib.suppress(ProcessLookupError):
            os.kill(engine, signal.SIGSTOP)
            time.sleep(0.15)
            os.kill(engine, signal.SIGCONT)
        time.sleep(0.25)


# Network, datagrams per second, bytes of each, and what disturbs them.
SITUATIONS = {
    "overload": (PAIR.format("rate: 10Mbit/s, delay: 20ms"), 20000, 400, nothing),
    "flood": (PAIR.format("delay: 1ms"), 1e9, 60, nothing),
    "live changes": (PAIR.format("rate: 20Mbit/s, loss: 1%"), 10000, 300, change),
    "down and up": (PAIR.format("rate: 20Mbit/s, delay: 30ms, in_flight: drop"), 8000, 200, cut),
    "in flight": (PAIR.format("rate: 20Mbit/s, delay: 30ms, in_flight: deliver"), 8000, 200, cut),
    "copies and losses": (PAIR.format(BROKEN), 10000, 500, nothing),
    "two switches": (SWITCHES, 10000, 200, nothing),
    "receiver down": (PAIR.format("rate: 50Mbit/s, delay: 10ms"), 8000, 200, close),
    "engine stopped": (PAIR.format("rate: 100Mbit/s, delay: 5ms"), 15000, 200, stop),
}


class Losses:
    """The lab, the machine's state before, and the datagrams of all tries."""

    def __init__(self, lab):
        self.lab = lab
        lab.write(PAIR.format("delay: 1ms"))
        lab.ok("deploy")
        lab.ok("destroy", lab.name)
        self.before = State(lab.name)
        self.sent = self.missing = 0


def prepare(lab):
    return Losses(lab)


def one(losses, draw):
    name = draw.choice(list(SITUATIONS))
    try:
        situation(losses, *SITUATIONS[name])
    except Trouble as trouble:
        raise Trouble(f"{name}: {trouble}") from None


def situation(losses, network, rate, size, disturb):
    lab = losses.lab
    lab.write(network)
    lab.ok("deploy")
    ends = flow(lab, rate, SECONDS, size, disturb)
    pipes, timing = lab.pipes(), lab.api("timing")
    wrong = unbalanced(pipes) + timing.get("failures", [])
    if ends["broken"]:
        wrong.append(f"{ends['broken']} datagrams with other content")
    missing = ends["sent"] - ends["received"]
    explained = explain(lab, pipes, timing, ends)
    strangers = others(lab, pipes, ends)
    least = sum(explained.values()) - strangers
    # A copy of a stranger, like an ARP request, is no copy that the receiver saw.
    most = sum(explained.values()) + min(strangers, duplicated(pipes))
    if not least <= missing <= most:
        wrong.append(f"{missing} of {ends['sent']} missing, not {least} to {most}: {explained}")
    if wrong:
        raise Trouble("; ".join(wrong))
    losses.sent += ends["sent"]
    losses.missing += missing
    lab.ok("destroy", lab.name)
    losses.before.compare()


def explain(lab, pipes, timing, ends):
    """How many datagrams are missing by each account."""
    path = [one for name, one in pipes.items() if name in PATH]
    lost = sum(pipe["lost_unmodelled"] for pipe in path)
    kernel, outside = datagrams(lab, "b"), timing["unmodelled_drops"]
    return {
        "dropped": sum(pipe["dropped"] for pipe in path),
        "lost_unmodelled": lost,
        "under way": sum(pipe["under way"] for pipe in path),
        # Lost before a pipe had them; other causes are part of `lost_unmodelled`.
        "engine": outside.get("malformed", 0) + outside.get("no_memory", 0),
        # Dropped by the kernel without a carrier, or because the engine did not read in time.
        "sender": counter(lab, "a", "tx", "dropped"),
        # The kernel counts what the engine found an interface down for, too.
        "receiver": max(0, counter(lab, "b", "rx", "dropped") - lost),
        "socket": kernel["RcvbufErrors"] + kernel["InCsumErrors"],
        # Copies took part in all these accounts.
        "copies": ends["copies"] - duplicated(pipes),
    }


def duplicated(pipes):
    """How many copies the pipes on the datagrams' path made."""
    return sum(pipe["duplicated"] for name, pipe in pipes.items() if name in PATH)


def others(lab, pipes, ends):
    """At most so many frames on the datagrams' path were none of them."""
    first = next(one for name, one in pipes.items() if name in FIRST)
    own = first["offered"] + counter(lab, "a", "tx", "dropped") - ends["sent"]
    return own + sum(one["offered"] for name, one in pipes.items() if name not in PATH)


def notes(losses):
    return f", {losses.sent} datagrams sent, {losses.missing} missing and explained"
