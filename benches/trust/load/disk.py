#!/usr/bin/env python3
"""Direct writes of 4 MB to a disk, eight at a time, during SHARE percent of each 40 ms: Maier 2011 wrote 256 KB,
which a fast disk answers before the next ones come, so that it has idle moments at any load.

    disk.py DEVICE SHARE SECONDS
"""

import mmap
import multiprocessing
import os
import sys
import time

SIZE, AT_ONCE = 4 << 20, 8
BLOCKS = 32
PERIOD = 0.04


def write(file, number, share, seconds, ready, begin):
    buffer = mmap.mmap(-1, SIZE)
    block = number
    ready.wait()
    period = begin.value
    until = period + seconds
    while period < until:
        time.sleep(max(0, period - time.monotonic()))
        while time.monotonic() < period + PERIOD * share:
            os.pwrite(file, buffer, block % BLOCKS * SIZE)
            block += AT_ONCE
        period += PERIOD


def main():
    device, share, seconds = sys.argv[1], float(sys.argv[2]) / 100, float(sys.argv[3])
    file = os.open(device, os.O_RDWR | os.O_DIRECT)
    # The load begins when all writers are there: starting them takes longer than what is measured.
    begin = multiprocessing.Value("d")
    ready = multiprocessing.Barrier(AT_ONCE + 1)
    writers = [
        multiprocessing.Process(target=write, args=(file, number, share, seconds, ready, begin))
        for number in range(AT_ONCE)
    ]
    for writer in writers:
        writer.start()
    while ready.n_waiting < AT_ONCE:
        time.sleep(0.001)
    begin.value = time.monotonic()
    print(f"began {time.time()}", flush=True)
    ready.wait()
    for writer in writers:
        writer.join()


main()
