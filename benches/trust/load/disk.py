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


def write(file, number, share, begin, until):
    buffer = mmap.mmap(-1, SIZE)
    block = number
    period = begin
    while period < until:
        time.sleep(max(0, period - time.monotonic()))
        while time.monotonic() < period + PERIOD * share:
            os.pwrite(file, buffer, block % BLOCKS * SIZE)
            block += AT_ONCE
        period += PERIOD


def main():
    device, share, seconds = sys.argv[1], float(sys.argv[2]) / 100, float(sys.argv[3])
    file = os.open(device, os.O_RDWR | os.O_DIRECT)
    print(f"began {time.time()}", flush=True)
    begin = time.monotonic()
    writers = [
        multiprocessing.Process(target=write, args=(file, number, share, begin, begin + seconds))
        for number in range(AT_ONCE)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()


main()
