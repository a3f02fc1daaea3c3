#!/usr/bin/env python3
"""Direct writes of 4 MB to a disk, eight at a time, during SHARE percent of each 40 ms: Maier 2011
wrote 256 KB, which a fast disk answers before the next ones come, so that it has idle moments at
any load.

    disk.py DEVICE SHARE SECONDS

One process has all eight under way (Linux's asynchronous I/O): eight that wait for the same moment
would keep each other from the CPU, which is a load of another class. At the end it says how long
the longest write took: on a machine that shares its disk with others, a single one may take longer
than it takes to call a disk contended.
"""

import ctypes
import mmap
import os
import platform
import struct
import sys
import time

from settling import settle

SIZE, AT_ONCE = 4 << 20, 8
BLOCKS = 32
PERIOD = 0.04

# The system calls io_setup, io_getevents and io_submit, which C libraries do not wrap.
SETUP, GETEVENTS, SUBMIT = {"x86_64": (206, 208, 209), "aarch64": (0, 4, 2)}[platform.machine()]
# Of io_submit(2): data, key, flags, operation, priority, file, buffer, bytes, offset, and what is
# not used.
CONTROL_BLOCK = struct.Struct("QIIHhIQQq16x")
PWRITE = 1
# Of io_getevents(2): data, control block, result.
EVENT = struct.Struct("QQqq")

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


def syscall(*arguments):
    # Numbers as long as a register.
    arguments = (ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)
    result = libc.syscall(*arguments)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


class Writes:
    """Writes to a file that are under way."""

    def __init__(self, file):
        self.file = file
        self.buffer = mmap.mmap(-1, SIZE)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.buffer))
        self.context = ctypes.c_ulong(0)
        syscall(SETUP, AT_ONCE, ctypes.byref(self.context))
        self.events = ctypes.create_string_buffer(EVENT.size * AT_ONCE)
        self.under_way = 0
        self.block = 0
        self.longest = 0

    def begin(self):
        """One more."""
        offset = self.block % BLOCKS * SIZE
        self.block += 1
        began = time.monotonic_ns()
        block = CONTROL_BLOCK.pack(began, 0, 0, PWRITE, 0, self.file, self.address, SIZE, offset)
        block = ctypes.create_string_buffer(block, len(block))
        pointer = ctypes.c_void_p(ctypes.addressof(block))
        syscall(SUBMIT, self.context, 1, ctypes.byref(pointer))
        self.under_way += 1

    def wait(self, seconds):
        """Until one ends, for so long at most."""
        timeout = struct.pack("qq", int(seconds), int(seconds % 1 * 1e9))
        ended = syscall(GETEVENTS, self.context, 1, AT_ONCE, self.events, timeout)
        self.under_way -= ended
        for number in range(ended):
            began, _, result, _ = EVENT.unpack_from(self.events, number * EVENT.size)
            self.longest = max(self.longest, time.monotonic_ns() - began)
            if result != SIZE:
                raise OSError(f"a write of {SIZE} bytes ended with {result}")


def main():
    device, share, seconds = sys.argv[1], float(sys.argv[2]) / 100, float(sys.argv[3])
    writes = Writes(os.open(device, os.O_RDWR | os.O_DIRECT))
    settle()
    period = time.monotonic()
    print(f"began {time.time()}", flush=True)
    until = period + seconds
    while period < until:
        now = time.monotonic()
        if now >= period + PERIOD * share:
            period += PERIOD
        elif now >= period:
            while writes.under_way < AT_ONCE:
                writes.begin()
            writes.wait(1)
        elif writes.under_way:
            writes.wait(period - now)
        else:
            time.sleep(period - now)
    while writes.under_way:
        writes.wait(1)
    print(f"the longest write took {writes.longest / 1e6:.0f} ms")


main()
