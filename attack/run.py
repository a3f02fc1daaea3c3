#!/usr/bin/env python3
"""Attacks NetLoom as its worst users would: kills, broken files, full disks, hostile frames.

    run.py [PART...] [--seconds N] [--seed S] [--try N]

Parts are kills, files, limits, frames, losses, shape, truth and machines; without any, all of them
share the time. Each prints how many tries it made and how many NetLoom survived, and names those
that it did not survive, so that `run.py PART --seed S --try N` repeats them. Ends with code 1 if
there were any.

Takes root: all of it happens in namespaces of its own for networks, mounts and processes, with a
/run of its own. NETLOOM=PATH attacks another binary than target/release/netloom.
"""

import argparse
import contextlib
import importlib
import os
import random
import signal
import subprocess
import sys
import time
import traceback

from lab import NETLOOM, Lab, Trouble

from common import machine
from cycle import become_reaper
from own_machine import own_machine

PARTS = ["kills", "files", "limits", "frames", "losses", "shape", "truth", "machines"]
# How long the namespaces' end may take after an interrupt, in s.
PATIENCE = 60
# For how long last tries may go on when the time is over, in s.
LAST_TRIES = 240


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--seconds", type=float, default=900, help="time for all parts together")
    parser.add_argument("--seed", type=int, default=None, help="drawn and printed by default")
    parser.add_argument("--try", type=int, dest="only", help="repeat this try alone")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}: parts are {', '.join(PARTS)}")
    given.parts = given.parts or PARTS
    if given.seed is None:
        given.seed = random.randrange(1_000_000)
    return given


def one_try(part, state, seed, number):
    """One try; what went wrong, or None."""
    draw = random.Random(f"{part.__name__} {seed} {number}")
    try:
        part.one(state, draw)
    except Trouble as trouble:
        return str(trouble)
    except Exception:  # A defect of the attack: it must be seen, and count.
        return traceback.format_exc(limit=-3)
    return None


class Count:
    """What one part did."""

    def __init__(self, name):
        self.name = name
        self.tries = 0
        self.wrong = []

    def line(self):
        survived = self.tries - len(self.wrong)
        return f"{self.name:<8} {self.tries:>5} tries, {survived} survived"


def attack(name, given, deadline, prefix):
    """Runs one part until `deadline`; its count. Prints the line also if it is interrupted."""
    part = importlib.import_module(name)
    count = Count(name)
    lab = Lab(f"{prefix}-{name}", f"/run/attack/{name}")
    state = part.prepare(lab)
    number = given.only or 1
    try:
        while count.tries == 0 or (given.only is None and time.monotonic() < deadline):
            wrong = one_try(part, state, given.seed, number)
            count.tries += 1
            if wrong:
                count.wrong.append(number)
                print(f"  {name} --seed {given.seed} --try {number}: {wrong}", flush=True)
                lab.abandon()
                state = part.prepare(lab)
            number += 1
    finally:
        print(count.line() + part.notes(state), flush=True)
        lab.abandon()
    return count


def inside(given):
    """All parts, in a machine of their own; whether all tries were survived."""
    become_reaper()
    os.makedirs("/run/attack/tmp")
    os.environ["TMPDIR"] = "/run/attack/tmp"
    end = time.monotonic() + given.seconds
    print(f"attack of seed {given.seed} on {NETLOOM}, {machine()}", flush=True)
    wrong = 0
    for position, name in enumerate(given.parts):
        left = max(0, end - time.monotonic()) / (len(given.parts) - position)
        count = attack(name, given, time.monotonic() + left, given.inside)
        wrong += len(count.wrong)
    print("nothing went wrong" if wrong == 0 else f"tries that went wrong: {wrong}")
    return wrong == 0


def remove_cgroups(prefix):
    """Control groups are the machine's, whatever the namespaces: none of ours may stay."""
    for folder, _, _ in os.walk("/sys/fs/cgroup", topdown=False):
        if any(part.startswith(f"{prefix}-") for part in folder.split("/")):
            with contextlib.suppress(OSError):
                os.rmdir(folder)


def outside(given):
    """Makes the namespaces, waits for what is in them, and removes what they cannot hold."""
    prefix = f"attack-{os.getpid()}"
    words = [sys.executable, __file__, *sys.argv[1:], "--inside", prefix]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    child = subprocess.Popen(own_machine(words))
    try:
        code = child.wait(given.seconds + LAST_TRIES)
    except subprocess.TimeoutExpired:
        print(f"ended: a try goes on {LAST_TRIES} s after the time is over", flush=True)
        code = 1
    except KeyboardInterrupt:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(PATIENCE)
        code = 130
    finally:
        # All that is inside ends with it.
        child.kill()
        child.wait()
        remove_cgroups(prefix)
    return code


def main():
    given = arguments()
    if not os.access(NETLOOM, os.X_OK):
        raise SystemExit(f"no binary at {NETLOOM}: `make build`, or name another in NETLOOM")
    if given.inside is None:
        raise SystemExit(outside(given))
    try:
        raise SystemExit(0 if inside(given) else 1)
    except KeyboardInterrupt:
        raise SystemExit(130) from None


main()
