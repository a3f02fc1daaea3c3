#!/usr/bin/env python3
"""A flow of datagrams with the time at which each was sent, at a constant rate.

    flow.py receive SECONDS
    flow.py send HOST MBIT_PER_S SECONDS

The rate is that of the frames on the wire, framing included. The clock is that of the machine,
which all nodes share. The receiver prints of each datagram how late it was sent, when it was sent,
when the kernel received it, and when the program did, in ns: as 64-bit numbers in base64, since
words for forty thousand of them would keep a CPU busy for a fifth of a second.
"""

import array
import base64
import json
import socket
import struct
import sys
import time

PORT = 7000
PAYLOAD = 1472
WIRE = 1538
RESOLVING = 1.2
# How late it was sent, and when.
STAMPS = struct.Struct("!qq")
SO_TIMESTAMPNS = 35
TIMESPEC = struct.Struct("qq")


def receive(seconds):
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    receiver.bind(("", PORT))
    receiver.settimeout(0.5)
    print("ready", flush=True)
    receiver.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    times = array.array("q")
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            datagram, [(_, _, stamp)], _, _ = receiver.recvmsg(2048, 64)
        except TimeoutError:
            continue
        now = time.time_ns()
        if not datagram:
            continue
        whole, nanoseconds = TIMESPEC.unpack(stamp)
        times.extend((*STAMPS.unpack_from(datagram), whole * 10**9 + nanoseconds, now))
    print(base64.b64encode(times).decode())


def send(host, rate, seconds):
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    to = (socket.gethostbyname(host), PORT)
    # Every router on the way looks for its neighbour when the first datagram comes; that is not the
    # flow's.
    sender.sendto(b"", to)
    time.sleep(RESOLVING)
    pause = round(WIRE * 8 / (rate * 1e6) * 1e9)
    rest = bytes(PAYLOAD - STAMPS.size)
    count = round(seconds * 1e9 / pause)
    due = time.monotonic_ns()
    for _ in range(count):
        wait = due - time.monotonic_ns()
        if wait > 0:
            time.sleep(wait / 1e9)
        sender.sendto(STAMPS.pack(time.monotonic_ns() - due, time.time_ns()) + rest, to)
        due += pause
    print(json.dumps({"sent": count}))


if sys.argv[1] == "receive":
    receive(float(sys.argv[2]))
else:
    send(sys.argv[2], float(sys.argv[3]), float(sys.argv[4]))
