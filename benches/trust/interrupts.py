"""The time that interrupts took from threads: the kernel counts it as theirs, unless it was built
with CONFIG_IRQ_TIME_ACCOUNTING, whatever the interrupts were for.

By ftrace, which needs root.
"""

import contextlib

from ftrace import Instance

# Those that begin and end in the context of a thread, and do not wait.
KINDS = {
    "irq": ("softirq", "irq_handler"),
    "irq_vectors": (
        "local_timer",
        "reschedule",
        "call_function",
        "call_function_single",
        "irq_work",
    ),
}
BUFFER_KB = 16384


class Interrupts:
    """Watches some threads from now on. Nothing is there where the kernel does not permit it."""

    def __init__(self, threads):
        self.instance = None
        with contextlib.suppress(OSError):
            self.instance = Instance("interrupts", BUFFER_KB)
        if not self.instance:
            return
        mine = " || ".join(f"common_pid == {thread}" for thread in threads)
        for system, kinds in KINDS.items():
            for kind in kinds:
                for end in ("entry", "exit"):
                    # Vectors have other names on other machines.
                    with contextlib.suppress(OSError):
                        self.instance.note(f"{system}/{kind}_{end}", only=mine)

    def seconds(self, begin, end):
        """How long interrupts took from them between two times of the monotonic clock, in seconds,
        if that is known."""
        if not self.instance:
            return None
        taken, depth, since = 0.0, {}, {}
        for line in self.instance.lines():
            if line.startswith("#"):
                continue
            head, _, rest = line.partition(": ")
            *_, cpu, _, at = head.split()
            at, kind = float(at), rest.split(":")[0]
            if not begin <= at <= end:
                continue
            if kind.endswith("_entry"):
                depth[cpu] = depth.get(cpu, 0) + 1
                if depth[cpu] == 1:
                    since[cpu] = at
            elif depth.get(cpu, 0) > 0:
                depth[cpu] -= 1
                if depth[cpu] == 0:
                    taken += at - since[cpu]
        return taken

    def close(self):
        if self.instance:
            self.instance.close()
