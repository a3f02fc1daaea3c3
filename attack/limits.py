"""A run with few open files, little room, few files or little memory: it is refused with a reason
or has its summary, and nothing is left."""

import json
import resource
import shutil

from lab import State, Trouble, shell

SCENARIO = """
duration: 1s
topology:
  nodes: {a: , b: , c: , s: {kind: switch}}
  links:
    - {endpoints: [a, s], delay: 1ms}
    - {endpoints: [b, s], rate: 10Mbit/s}
    - {endpoints: [c, s]}
processes:
  - {name: ping, nodes: [a, c], command: ping -i 0.01 -c 50 b}
measure: {frames: true, observations: true}
"""
OPEN_FILES = [10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256]
ROOM = ["64k", "128k", "256k", "512k", "1m", "2m", "4m"]
NUMBER_OF_FILES = [3, 5, 8, 12, 16, 20]
# Less does not hold the program itself, which the kernel then ends while it loads it.
ADDRESSES = [192, 256, 320, 384, 448, 512, 768, 1024, 1536, 2048]
MEGABYTE = 1 << 20
# Codes of a run that answers: well, failed, wrong, or failed in part.
ANSWERS = {0, 1, 2, 3}


class Limits:
    """The lab and the machine's state before."""

    def __init__(self, lab):
        self.lab = lab
        self.room = lab.folder / "room"
        shell(f"umount -l {self.room} 2>/dev/null || true; mkdir -p {self.room}")
        lab.write(SCENARIO)
        lab.ok("run", "-o", lab.folder / "results")
        self.before = State(lab.name)
        self.refused = 0


def prepare(lab):
    return Limits(lab)


def one(limits, draw):
    kind = draw.choice(list(REASONS))
    what, options, mount = kind(draw)
    shutil.rmtree(limits.lab.folder / "results", ignore_errors=True)
    try:
        if mount:
            shell(f"mount -t tmpfs -o {mount} tmpfs {limits.room}")
        run(limits, limits.room if mount else limits.lab.folder, options, REASONS[kind])
        if mount:
            shell(f"umount {limits.room}")
        limits.lab.tidy()
        limits.before.compare()
    except Trouble as trouble:
        raise Trouble(f"{what}: {trouble}") from None


def open_files(draw):
    number = draw.choice(OPEN_FILES)
    return f"{number} open files", {"preexec_fn": limit(resource.RLIMIT_NOFILE, number)}, None


def room(draw):
    size = draw.choice(ROOM)
    return f"results on {size}", {}, f"size={size}"


def number_of_files(draw):
    number = draw.choice(NUMBER_OF_FILES)
    return f"results with {number} files", {}, f"size=16m,nr_inodes={number}"


def memory(draw):
    size = draw.choice(ADDRESSES)
    what = f"{size} MiB of addresses"
    return what, {"preexec_fn": limit(resource.RLIMIT_AS, size * MEGABYTE)}, None


def limit(what, number):
    return lambda: resource.setrlimit(what, (number, number))


# What a run that fails has to name: one of these.
REASONS = {
    open_files: ["open files", "RLIMIT_NOFILE", "os error 24"],
    room: ["no space left", "no room", "full"],
    number_of_files: ["no space left", "no room", "full"],
    memory: ["memory", "error", "failed"],
}


def run(limits, folder, options, reasons):
    """A run, judged by its code, its words and its summary."""
    results = folder / "results"
    done = limits.lab.netloom("run", "-o", results, **options)
    if done.code not in ANSWERS:
        raise Trouble(f"no answer, but {done.said()}")
    if done.code == 0:
        json.loads((results / "summary.json").read_text())
    elif not any(reason.lower() in done.output.lower() for reason in reasons):
        raise Trouble(f"no reason given: {done.said()}")
    limits.refused += done.code != 0


def notes(limits):
    return f", {limits.refused} runs refused or cut short with a reason"
