#!/usr/bin/env python3
"""Predictive value: a flow of 90 Mbit/s through a chain of routers with links of 100 Mbit/s, longer
and longer, until it deviates from what the chain would do with a machine for each node; does the
verdict speak at or before that, and is it silent before?

The reference is the model, given when each datagram was in fact sent: it waits at the first link
until those before it have left, and from then on takes one sending time and one delay a link (the
tests of the link model hold it to that in virtual time). The flow deviates if less than 99 % of
what was sent arrive, or if in any second the 99th percentile of how late they are is more than a
millisecond, the criterion's own window and tolerance: as the program sends them, by its own plan,
or as the kernel of the receiving node has them, or its program, by the reference.

    chain.py [QUIET RUNS]
"""

import array
import base64
import os
import sys

from watched import Watched, load, machine, percentile

SECONDS = 6
LENGTHS = (1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 128)
DELAY_MS = 1
WIRE_BITS = 1538 * 8
TOLERANCE_US = 1000


def chain(routers):
    names = ["a", *(f"r{n}" for n in range(1, routers + 1)), "b"]
    nodes = {name: {"kind": "host" if name in "ab" else "router"} for name in names}
    links = [
        {"endpoints": list(pair), "rate": "100Mbit/s", "delay": f"{DELAY_MS}ms"}
        for pair in zip(names, names[1:])
    ]
    receive = {"name": "receive", "node": "b", "command": load("flow", "receive", SECONDS + 3)}
    send = {
        "name": "send",
        "node": "a",
        "command": load("flow", "send", "b", 90, SECONDS),
        "start": {"after": "receive", "when": "started", "delay": "500ms"},
    }
    return {
        "name": f"trust-{os.getpid()}",
        "topology": {"nodes": nodes, "links": links},
        "processes": [receive, send],
        # Programs start, the last after 500 ms, which criteria see for a second; only then is there
        # something to be true.
        "monitor": {"warm_up": "1700ms"},
    }


def lateness(times, links):
    """How much later than by the model datagrams were received, in us, in the order in which they
    were sent; `times` are (sent, received), in ns."""
    sending = WIRE_BITS * 10
    rest = (links - 1) * sending + links * DELAY_MS * 1_000_000
    free, late = 0, []
    for sent, received in sorted(times):
        free = max(free, sent) + sending
        late.append((received - free - rest) / 1000)
    return late


def worst_second(late):
    """The 99th percentile of the second in which it is greatest, of one that begins every 0.1 s."""
    step = max(1, len(late) // (10 * SECONDS))
    seconds = [late[first : first + 10 * step] for first in range(0, len(late) - 9 * step, step)]
    return max((percentile(second, 0.99) for second in seconds), default=float("inf"))


def received(run):
    """How late each datagram was sent, when it was, and when the kernel and the program received
    it, in ns."""
    times = array.array("q", base64.b64decode(run.output("receive", "b").splitlines()[-1]))
    return [times[column::4] for column in range(4)]


def look(routers):
    """The run, the part that arrived, how late the worst second was for the sender, the kernel and
    the receiver, in us, and whether it deviates."""
    run = Watched(chain(routers))
    late, sent, *received_by = received(run)
    arrived = len(sent) / run.json("send", "a")["sent"]
    by_model = (lateness(zip(sent, times), routers + 1) for times in received_by)
    above = [worst_second(times) for times in ([ns / 1000 for ns in late], *by_model)]
    return run, arrived, above, arrived < 0.99 or max(above) > TOLERANCE_US


def main():
    print(f"Predictive value, on {machine()}")
    print(f"  {'':>7}  {'':>8}  {'late, p99 of the worst second':>36}")
    print(f"  {'routers':>7}  {'arrived':>8}  {'sender':>10}  {'kernel':>11}  {'receiver':>11}  "
          f"{'deviates':<8}  verdict, why")
    alarm = deviates = None
    for routers in LENGTHS:
        run, arrived, above, off = look(routers)
        verdict = run.verdict
        why = verdict["findings"][0]["why"] if verdict["findings"] else ""
        print(
            f"  {routers:>7}  {100 * arrived:>6.2f} %  {above[0]:>7.0f} us  {above[1]:>8.0f} us  "
            f"{above[2]:>8.0f} us  {'yes' if off else 'no':<8}"
            f"  {verdict['judgement']} {why[:90]}; {run.witness}",
            flush=True,
        )
        alarm = alarm or (routers if verdict["judgement"] != "valid" else None)
        deviates = deviates or (routers if off else None)
        if alarm and deviates:
            break
    if deviates is None:
        print(f"  no deviation up to {LENGTHS[-1]} routers")
    else:
        right = "as wanted" if alarm <= deviates else "NOT AS WANTED"
        print(f"  first alarm at {alarm} routers, first deviation at {deviates}: {right}")
    runs = int(sys.argv[1]) if sys.argv[1:] else 10
    # The longest that was quiet.
    quiet = max(
        (n for n in LENGTHS if n < min(alarm or n + 1, deviates or n + 1)), default=LENGTHS[0]
    )
    looks = [look(quiet) for _ in range(runs)]
    is_valid = [run.verdict["judgement"] == "valid" for run, *_ in looks]
    false = [run for (run, _, _, off), valid in zip(looks, is_valid) if not off and not valid]
    missed = [(run, above) for (run, _, above, off), valid in zip(looks, is_valid) if off and valid]
    print(
        f"  {runs} runs with {quiet} routers: {sum(off for *_, off in looks)} deviated, of which "
        f"{len(missed)} without"
        f" an alarm; {len(false)} alarms without a deviation (wanted: 0 and 0)"
    )
    for run in false:
        print(f"    alarm: {run.verdict['findings'][0]['why'][:110]}; {run.witness}")
    for run, above in missed:
        late = ", ".join(f"{us:.0f} us" for us in above)
        print(f"    none: sender, kernel, receiver late by {late}; {run.witness}")


main()
