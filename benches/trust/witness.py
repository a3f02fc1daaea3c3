"""Whether the machine itself stood still: how late the timers interrupted by which threads sleep,
by the kernel's account. Only the hypervisor, or the kernel with interrupts off, can be late by
milliseconds.

By ftrace, which needs root. No thread takes part: one that is more urgent than a worker of the
engine, and woken often on each CPU, has the kernel move the worker to another CPU each time, where
others run.
"""

import re

from ftrace import Instance

# From here on it is told.
LATE_MS = 3
# One pause delays several timers, each by what was left of it.
APART_MS = 100
# Of each CPU.
BUFFER_KB = 65536

STARTED = re.compile(r"hrtimer_start: hrtimer=(\S+) .* expires=(\d+) .*mode=(\S+)")
# Those of threads that sleep. Others, the tick's among them, are put off by the kernel as it likes.
EXPIRED = re.compile(r"\[(\d+)\].* (\d+\.\d+): hrtimer_expire_entry: hrtimer=(\S+) "
                     r"function=hrtimer_wakeup now=(\d+)")


class Witness:
    """After it, `pauses` has for how long the machine stood still, in ms, the longest first."""

    def __enter__(self):
        self.instance = Instance("witness", BUFFER_KB)
        for event in ("hrtimer_start", "hrtimer_expire_entry"):
            self.instance.note(f"timer/{event}")
        return self

    def __exit__(self, *_):
        try:
            pauses = pauses_of(self.instance.lines())
        finally:
            self.instance.close()
        self.pauses = sorted(pauses, reverse=True)

    def __str__(self):
        if not self.pauses:
            return f"the machine never stood still for {LATE_MS} ms"
        return (
            f"the machine stood still {len(self.pauses)} times, for {self.pauses[0]:.0f} ms at "
            f"most"
        )


def pauses_of(trace):
    """The longest lateness of each pause of each CPU, in ms."""
    due, last, pauses = {}, {}, []
    for line in trace:
        if started := STARTED.search(line):
            timer, expires, mode = started.groups()
            # Those that expire in softirqs wait for these.
            due[timer] = None if "SOFT" in mode else int(expires)
        elif expired := EXPIRED.search(line):
            cpu, at, timer, now = expired.groups()
            expires = due.pop(timer, None)
            late = (int(now) - expires) / 1e6 if expires else 0
            if late <= LATE_MS:
                continue
            at = float(at) * 1000
            before, index = last.get(cpu, (-APART_MS, None))
            if at - before < late or at - before < APART_MS and late < pauses[index]:
                pauses[index] = max(pauses[index], late)
            else:
                index = len(pauses)
                pauses.append(late)
            last[cpu] = at, index
    return pauses
