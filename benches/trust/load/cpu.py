#!/usr/bin/env python3
"""A CPU spinner: SHARE percent of one CPU, in slots that do not overlap with those of its fellows.

    cpu.py CPU NUMBER OF SHARE SECONDS

In each period of 100 ms, each of the OF spinners computes for SHARE ms of CPU time; they begin at
equal distances. One that is behind its time goes on without a pause, so that 100 % on one CPU or
more leave it no idle moment.
"""

import os
import sys
import time

from settling import settle

PERIOD = 100_000_000  # ns


def main():
    cpu, number, of, share, seconds = int(sys.argv[1]), *map(float, sys.argv[2:])
    os.sched_setaffinity(0, {cpu})
    work = int(share * 1_000_000)
    settle()
    begin = (time.monotonic_ns() // PERIOD + 2) * PERIOD
    slot = begin + int(number / of * PERIOD)
    # Said when it is so: on a busy machine, a sleep may last longer.
    time.sleep(max(0, slot - time.monotonic_ns()) / 1e9)
    print(f"began {time.time()}", flush=True)
    while slot < begin + seconds * 1e9:
        # A sleep of nothing would be an idle moment.
        if slot > time.monotonic_ns():
            time.sleep(max(0, slot - time.monotonic_ns()) / 1e9)
        until = time.thread_time_ns() + work
        while time.thread_time_ns() < until:
            pass
        slot += PERIOD


main()
