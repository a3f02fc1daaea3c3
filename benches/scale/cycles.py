#!/usr/bin/env python3
"""Does anything stay behind? A seeded random mixture of small networks that are deployed and
destroyed, run and interrupted, and whose engine or client is killed with `kill -9` at a random
moment. After every cycle, processes, namespaces, mounts, devices, cgroups, files and sockets must
be those from before. Then 10,000 live changes of links must not make the engine grow.

    cycles.py [--rootless] [CYCLES [SEED]]        1,000 cycles, seed 1

Needs root, as it counts in a machine of its own; with --rootless, NetLoom is started there by an
ordinary user. Exits with code 1 if anything was left.
"""

import collections
import os
import pathlib
import random
import shutil
import subprocess
import sys

from own_machine import own_machine

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import ROOT, machine  # noqa: E402
from cycle import Lab, become_reaper  # noqa: E402
from growth import growth  # noqa: E402
from kinds import KINDS  # noqa: E402
from remains import KernelSays, Remains  # noqa: E402


def mixture(cycles, seed, number_of_run):
    """Does the cycles; whether nothing was left."""
    draw = random.Random(seed)
    lab = Lab(f"bench-cycles-{number_of_run}", draw)
    # What the first experiment makes for all that follow is no leak.
    KINDS["deployed and destroyed"](lab)
    before, kernel = Remains.at_rest(lab.prefix), KernelSays.now()
    most, done, left = before.counts(), collections.Counter(), []
    lab.while_up = lambda: most.update(
        {what: max(most[what], count) for what, count in Remains.now(lab.prefix).counts().items()}
    )
    for number in range(1, cycles + 1):
        kind = draw.choice(list(KINDS))
        lab.next(number)
        KINDS[kind](lab)
        done[kind] += 1
        more = before.settle(lab.prefix)
        if number % 100 == 0:
            print(f"  {number} cycles", file=sys.stderr, flush=True)
        if more:
            left.append(number)
            print(f"  cycle {number} ({kind}) left {more}", flush=True)
            before = Remains.at_rest(lab.prefix)
    table(done, before, most, kernel, lab)
    print(f"  cycles that left something: {len(left)} of {cycles}")
    return not left


def table(done, before, most, kernel, lab):
    for kind, count in sorted(done.items()):
        print(f"  {count:>5} {kind}")
    after = Remains.now(lab.prefix).counts()
    print(f"  {'':<24}{'before':>8}{'most':>8}{'after':>8}")
    for what, count in before.counts().items():
        print(f"  {what:<24}{count:>8}{most[what]:>8}{after[what]:>8}")
    for what, (count, later) in kernel.since().items():
        print(f"  {what:<24}{count:>8}{'':>8}{later:>8}")
    print(f"  kills that met an engine: {lab.engines_killed}, a client: {lab.clients_killed}; "
          f"interrupts: {lab.interrupted}")


def inside(arguments, rootless):
    """The words that do the cycles in a machine of its own."""
    words = [sys.executable, __file__, *arguments]
    if rootless:
        # An ordinary user may have no way to root's Python.
        words[0] = shutil.which("python3", path="/usr/local/bin:/usr/bin:/bin")
        words = ["sh", ROOT / "scripts" / "as-ordinary-user.sh", *words]
    return own_machine(words, "mount -t tmpfs tmpfs /tmp")


def main():
    words = [word for word in sys.argv[1:] if word != "--rootless"]
    if words[:1] != ["--inside"]:
        again = ["--inside", str(os.getpid()), *words]
        raise SystemExit(subprocess.run(inside(again, "--rootless" in sys.argv)).returncode)
    number_of_run, *words = words[1:]
    cycles, seed = (int(word) for word in (words + ["1000", "1"][len(words) :])[:2])
    become_reaper()
    user = "root" if os.geteuid() == 0 else "an ordinary user"
    print(f"{cycles} cycles of seed {seed} as {user}, on {machine()}", flush=True)
    clean = mixture(cycles, seed, number_of_run)
    raise SystemExit(0 if growth(number_of_run) and clean else 1)


main()
