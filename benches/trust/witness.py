"""Whether the machine itself stood still: a thread more urgent than any of ours on each CPU, that sleeps for 2 ms
at a time. Only the hypervisor, or the kernel with interrupts off, can wake it late by milliseconds.
"""

import multiprocessing
import os
import time

PAUSE_MS = 2
# From here on it is told.
LATE_MS = 3


def watch(cpu, ended, seen):
    os.sched_setaffinity(0, [cpu])
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    late = []
    while not ended.is_set():
        before = time.monotonic()
        time.sleep(PAUSE_MS / 1000)
        by = (time.monotonic() - before) * 1000 - PAUSE_MS
        if by > LATE_MS:
            late.append(by)
    seen.put(late)


class Witness:
    """After it, `pauses` has for how long the machine stood still, in ms, the longest first."""

    def __enter__(self):
        self.ended, self.seen = multiprocessing.Event(), multiprocessing.Queue()
        cpus = os.sched_getaffinity(0)
        arguments = [(cpu, self.ended, self.seen) for cpu in cpus]
        self.watchers = [multiprocessing.Process(target=watch, args=each) for each in arguments]
        for watcher in self.watchers:
            watcher.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.pauses = sorted((by for _ in self.watchers for by in self.seen.get()), reverse=True)
        for watcher in self.watchers:
            watcher.join()

    def __str__(self):
        if not self.pauses:
            return f"the machine never stood still for {LATE_MS} ms"
        return f"the machine stood still {len(self.pauses)} times, for {self.pauses[0]:.0f} ms at most"
