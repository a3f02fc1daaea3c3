#!/usr/bin/env python3
"""Memory in continuous use, in a cgroup that may not have as much.

    memory.py MEGABYTES SECONDS

With swap, pages of anonymous memory are written to. Without, pages of a mapped file are read, which
the kernel evicts and reads again: what does not fit into the limit comes from the disk either way.
"""

import mmap
import os
import pathlib
import random
import sys
import time

PAGE = mmap.PAGESIZE
# How long it prepares, in seconds: files have to be written.
PREPARES = 5
# What the cgroup's name begins with.
LIMITED = "netloom-limited"


def join():
    """Waits until it is in the cgroup with the limit: only from outside a node can it be moved
    there."""
    while LIMITED not in pathlib.Path("/proc/self/cgroup").read_text():
        time.sleep(0.01)


def memory(megabytes):
    size = megabytes << 20
    swap = len(pathlib.Path("/proc/swaps").read_text().splitlines()) > 1
    if swap:
        print("writes to anonymous memory", flush=True)
        return mmap.mmap(-1, size), True
    print("reads a mapped file: this machine has no swap", flush=True)
    # Unlinked at once: nothing is left, however this ends.
    file = os.open(f"pages.{os.getpid()}", os.O_RDWR | os.O_CREAT | os.O_EXCL)
    os.unlink(f"pages.{os.getpid()}")
    for _ in range(megabytes):
        os.write(file, os.urandom(1 << 20))
    os.fsync(file)
    mapped = mmap.mmap(file, size, prot=mmap.PROT_READ)
    mapped.madvise(mmap.MADV_RANDOM)
    return mapped, False


def main():
    started = time.monotonic()
    megabytes, seconds = int(sys.argv[1]), float(sys.argv[2])
    join()
    mapped, write = memory(megabytes)
    # Once over all of it: first touches are no contention.
    pages = range(0, megabytes << 20, PAGE)
    for page in pages:
        mapped[page]
    time.sleep(max(0, PREPARES - time.monotonic() + started))
    print(f"began {time.time()}", flush=True)
    order = list(pages)
    random.Random(1).shuffle(order)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for page in order:
            if write:
                mapped[page] = 1
            else:
                mapped[page]
            if page % (256 * PAGE) == 0:
                time.sleep(0.001)
                if time.monotonic() >= until:
                    break


main()
