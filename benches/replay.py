#!/usr/bin/env python3
"""How well `replay` keeps the pace of a capture: `benches/replay.py [SECONDS] [FRAMES_A_SECOND]`.

A made-up capture of 1,000 frames a second, with random gaps, is replayed for 60 s over a link, and
each frame's time in a capture at the sending interface is held against its time in the file.
Printed are percentiles of how much later than due frames left, counted from the one that was
least late; and how much later they were at the end than at the beginning. The capture's times are
the engine's, so that what its worker takes to notice a frame is part of it.

Beside it stands a witness, a thread that sleeps until one time after another, as many a second, in
the same seconds: what the machine makes of any such sender. A stall makes all late that was due in
it, of both.
"""

import ctypes
import pathlib
import random
import struct
import sys
import threading
import time

import common

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
RATE = float(sys.argv[2]) if len(sys.argv) > 2 else 1000.0
MARK = b"paced"
SCENARIO = """
name: replay-pace
topology:
  nodes: { a: , b: }
  links: [{ endpoints: ["a:eth1", "b:eth1"] }]
measure: { capture: ["a:eth1"] }
traffic:
  - { name: day, from: a, to: b, for: %ds,
      replay: { file: day.pcap, rewrite: { 192.0.2.1: a, 192.0.2.2: b } } }
"""


def packet(number):
    """A datagram over IPv4 that holds its number. Its checksums are for `replay` to make."""
    payload = MARK + struct.pack(">I", number) + bytes(91)
    datagram = struct.pack(">HHHH", 5004, 5005, 8 + len(payload), 1) + payload
    addresses = bytes([192, 0, 2, 1, 192, 0, 2, 2])
    header = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(datagram), 0, 0x4000, 64, 17, 0)
    return header + addresses + datagram


def capture(file):
    """Writes the capture; when each frame is due, in ns after the first one."""
    due, at = [], 0
    draws = random.Random(1)
    with open(file, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 101))
        while at < SECONDS * 1e9:
            due.append(at)
            frame = packet(len(due) - 1)
            head = (at // 10**9, at % 10**9, len(frame), len(frame))
            out.write(struct.pack("<IIII", *head) + frame)
            at += int(draws.expovariate(RATE) * 1e9) + 1
    return due


def left(file):
    """When frames passed the interface, by number, in ns."""
    data = pathlib.Path(file).read_bytes()
    at, times = 0, {}
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 6:
            high, low, captured = struct.unpack_from("<III", data, at + 12)
            frame = data[at + 28 : at + 28 + captured]
            place = frame.find(MARK)
            # The first copy of it: answers of the kernel quote it.
            if place == 42:
                number = struct.unpack_from(">I", frame, place + len(MARK))[0]
                times.setdefault(number, high << 32 | low)
        at += length
    return times


class Witness(threading.Thread):
    """Sleeps until one time after another, and notes how late it is for each, in ns."""

    def __init__(self):
        super().__init__(daemon=True)
        self.late, self.stop = [], threading.Event()

    def run(self):
        libc = ctypes.CDLL(None, use_errno=True)
        # PR_SET_TIMERSLACK, as the sender does.
        libc.prctl(29, 1, 0, 0, 0)
        gap = int(1e9 / RATE)
        due = time.monotonic_ns()
        while not self.stop.is_set():
            due += gap
            until = (ctypes.c_long * 2)(due // 10**9, due % 10**9)
            # CLOCK_MONOTONIC, TIMER_ABSTIME.
            libc.clock_nanosleep(1, 1, until, None)
            self.late.append(time.monotonic_ns() - due)


class Run(common.Run):
    def execute(self, directory):
        self.due = capture(directory / "day.pcap")
        witness = Witness()
        witness.start()
        super().execute(directory)
        witness.stop.set()
        witness.join()
        self.witness = witness.late


def main():
    print(common.machine())
    run = Run(SCENARIO % (SECONDS + 2))
    times = left(run.results / "captures" / "a-eth1.pcapng")
    late = [times[number] - due for number, due in enumerate(run.due) if number in times]
    least = min(late)
    late = [one - least for one in late]
    print(f"{len(times)} of {len(run.due)} frames left in {run.due[-1] / 1e9:.1f} s")
    shares = [0.5, 0.9, 0.99, 0.999]
    print("late by, in µs:  " + "".join(f"{f'p{100 * share:g}':>10}" for share in shares + [1]))
    for name, values in [("replay", late), ("witness", run.witness)]:
        figures = [common.percentile(values, share) / 1e3 for share in shares]
        figures.append(max(values) / 1e3)
        print(f"{name:<17}" + "".join(f"{figure:10.1f}" for figure in figures))
    tenth = max(1, len(late) // 10)
    # The least late of each tenth: stalls are no drift.
    first, last = min(late[:tenth]), min(late[-tenth:])
    print(f"drift: {(last - first) / 1e3:+.1f} µs from the first tenth of the time to the last")


main()
