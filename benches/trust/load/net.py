#!/usr/bin/env python3
"""Frames of 1500 bytes to nowhere: UDP to a port at which nobody listens.

    net.py HOST MBIT_PER_S SECONDS

The rate is that of the frames with their Ethernet headers. The kernel gets 44 datagrams at once,
and the engine splits them.
"""

import socket
import sys
import time

from settling import settle

UDP_SEGMENT = 103
DATAGRAM, DATAGRAMS = 1458, 44
FRAME = 1500
DISCARD = 9


def main():
    host, rate, seconds = sys.argv[1], float(sys.argv[2]) * 1e6, float(sys.argv[3])
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.setsockopt(socket.SOL_UDP, UDP_SEGMENT, DATAGRAM)
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    to = (socket.gethostbyname(host), DISCARD)
    burst = bytes(DATAGRAM * DATAGRAMS)
    pause = FRAME * 8 * DATAGRAMS / rate
    settle()
    print(f"began {time.time()}", flush=True)
    begin = due = time.monotonic()
    sent = 0
    while due < begin + seconds:
        time.sleep(max(0, due - time.monotonic()))
        sender.sendto(burst, to)
        sent += DATAGRAMS
        due += pause
    lasted = time.monotonic() - begin
    print(f"sent {sent * FRAME * 8 / lasted / 1e6:.0f} Mbit/s")


main()
