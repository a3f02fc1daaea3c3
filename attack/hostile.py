"""Sends hostile frames from the interfaces of a node, with packet sockets: runts, jumbo frames,
tags, broken ARP and IPv6, and super-frames with the headers that the kernel's rules admit.

    hostile.py INTERFACE,... SECONDS SEED

Runs inside a node, so it needs nothing beside it. Prints how many were sent and refused as JSON.
"""

import collections
import json
import pathlib
import random
import socket
import struct
import sys
import time

SOL_PACKET, PACKET_VNET_HDR = 263, 15
ARP, IPV4, IPV6 = 0x0806, 0x0800, 0x86DD
TCP, UDP = 6, 17
GSO_TCP4, GSO_UDP, GSO_TCP6, GSO_UDP_L4, GSO_ECN = 1, 3, 4, 5, 0x80
NEEDS_CHECKSUM = 1
GROUPS = ["ffffffffffff", "0180c2000000", "01005e000001", "020000000002"]


class Sender:
    """Draws frames for one interface and sends them."""

    def __init__(self, interface, draw):
        self.draw = draw
        path = pathlib.Path("/sys/class/net", interface, "address")
        self.mac = bytes.fromhex(path.read_text().strip().replace(":", ""))
        self.raw = self.socket(interface)
        self.super = self.socket(interface)
        self.super.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)

    @staticmethod
    def socket(interface):
        one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        one.bind((interface, 0))
        one.setblocking(False)
        return one

    def send(self):
        """One frame; its kind."""
        kind = self.draw.choice(KINDS)
        content = kind(self)
        link = self.super if kind in SUPER else self.raw
        link.send(content)

    def number(self):
        return self.draw.randrange(1 << 16)

    def ethernet(self, protocol, tags=0):
        draw = self.draw
        group = bytes.fromhex(draw.choice(GROUPS))
        to = draw.choice([group, draw.randbytes(6), self.mac])
        frame = to + draw.choice([self.mac, draw.randbytes(6), b"\0" * 6, b"\xff" * 6])
        for _ in range(tags):
            frame += struct.pack(">HH", draw.choice([0x8100, 0x88A8, 0x9100]), self.number())
        return frame + struct.pack(">H", protocol)

    def tags(self):
        return self.draw.choice([0, 0, 0, 1, 2, 3, 5])

    def virtual(self, kind, header, size, start, offset, flags=NEEDS_CHECKSUM):
        """The header by which a program tells the kernel how to cut and sum a frame."""
        return struct.pack("=BBHHHH", flags, kind, header, size, start, offset)

    def ipv4(self, payload, protocol, options=0):
        draw = self.draw
        words = 5 + options
        first = 0x40 | words if draw.random() < 0.95 else draw.randrange(256)
        length = draw.choice([words * 4 + payload, words * 4 + payload, self.number()]) & 0xFFFF
        fragment = draw.choice([0, 0, 0x2000, 0x4000, 1])
        head = struct.pack(">BBHHHBBH", first, 0, length, 7, fragment, 64, protocol, 0)
        return head + b"\x0a\0\0\1\x0a\0\0\2" + draw.randbytes(options * 4)

    def ipv6(self, payload, following):
        head = struct.pack(">IHBB", 0x60000000, payload & 0xFFFF, following, 64)
        return head + self.draw.randbytes(32)

    def tcp(self, words=5):
        head = struct.pack(">HHIIBBHHH", 1, 2, 3, 0, words << 4, self.draw.randrange(256), 9, 0, 0)
        return head + self.draw.randbytes(max(0, words - 5) * 4)


def runt(one):
    return one.draw.randbytes(one.draw.randrange(1, 80))


def any_protocol(one):
    return one.ethernet(one.number(), one.tags()) + one.draw.randbytes(one.draw.randrange(1480))


def arp(one):
    return one.ethernet(ARP, one.tags()) + one.draw.randbytes(one.draw.randrange(60))


def broken_ipv6(one):
    return one.ethernet(IPV6, one.tags()) + b"\x60" + one.draw.randbytes(one.draw.randrange(1400))


def ipv6_headers(one):
    draw = one.draw
    following = draw.choice([0, 43, 44, 58, 60, 135])
    payload = draw.randbytes(draw.randrange(400))
    return one.ethernet(IPV6) + one.ipv6(one.number(), following) + payload


def jumbo(one):
    return one.ethernet(IPV4) + one.draw.randbytes(one.draw.randrange(1490, 9000))


def tcp4(one):
    draw = one.draw
    payload = draw.choice([draw.randrange(1, 64000), 65000, draw.randrange(1, 3000)])
    words = draw.choice([5, 5, 8, draw.randrange(16)])
    options = draw.choice([0, 0, 0, draw.randrange(11)])
    head = one.ethernet(IPV4, draw.choice([0, 0, 1, 2]))
    head += one.ipv4(payload + words * 4, TCP, options)
    kind = draw.choice([GSO_TCP4, GSO_TCP4, GSO_TCP4 | GSO_ECN, GSO_TCP6, GSO_UDP_L4, GSO_UDP])
    size = draw.choice([1, 2, 8, 100, 1448, 1448, one.number(), 65535])
    length = draw.choice([len(head) + words * 4, 0, one.number()])
    start = len(head) if draw.random() < 0.9 else one.number()
    virtual = one.virtual(kind, length, size, start, draw.choice([16, 16, 16, 6, 0, one.number()]))
    return virtual + head + one.tcp(words) + draw.randbytes(payload)


def tcp6(one):
    draw = one.draw
    payload = draw.choice([draw.randrange(1, 64000), draw.randrange(1, 3000)])
    extension = draw.choice([0, 0, 8, 40])
    first = draw.choice([0, 60]) if extension else TCP
    head = one.ethernet(IPV6, draw.choice([0, 0, 1])) + one.ipv6(payload + 20 + extension, first)
    if extension:
        head += bytes([TCP, extension // 8 - 1]) + draw.randbytes(extension - 2)
    kind = draw.choice([GSO_TCP6, GSO_TCP6, GSO_TCP6 | GSO_ECN, GSO_TCP4])
    size = draw.choice([1, 1440, 1440, one.number()])
    virtual = one.virtual(kind, len(head) + 20, size, len(head), 16)
    return virtual + head + one.tcp() + draw.randbytes(payload)


def udp4(one):
    draw = one.draw
    payload = draw.randrange(1, 60000)
    head = one.ethernet(IPV4) + one.ipv4(payload + 8, UDP)
    size = draw.choice([1, 500, 1472, one.number()])
    virtual = one.virtual(
        draw.choice([GSO_UDP_L4, GSO_UDP_L4, GSO_UDP]), len(head) + 8, size, len(head), 6
    )
    return virtual + head + struct.pack(">HHHH", 1, 2, payload + 8, 0) + draw.randbytes(payload)


def any_header(one):
    draw = one.draw
    fields = [draw.randrange(256), *(one.number() for _ in range(4)), draw.randrange(256)]
    return one.virtual(*fields) + draw.randbytes(draw.randrange(3000))


def checksum_only(one):
    draw = one.draw
    frame = one.ethernet(IPV4) + one.ipv4(100, TCP) + one.tcp() + draw.randbytes(80)
    return one.virtual(0, 0, 0, draw.randrange(200), draw.randrange(200)) + frame


SUPER = {tcp4, tcp6, udp4, any_header, checksum_only}
KINDS = [runt, any_protocol, arp, broken_ipv6, ipv6_headers, jumbo]
KINDS += [tcp4, tcp4, tcp4, tcp6, tcp6, udp4, any_header, checksum_only]


def main():
    interfaces, seconds, seed = sys.argv[1:]
    draw = random.Random(seed)
    senders = [Sender(interface, draw) for interface in interfaces.split(",")]
    counts = collections.Counter(sent=0, refused=0)
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        try:
            draw.choice(senders).send()
            counts["sent"] += 1
        except OSError:
            counts["refused"] += 1
    print(json.dumps(counts))


main()
