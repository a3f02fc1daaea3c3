#!/usr/bin/env python3
"""What nodes see in dilated time, against the frames that the machine carries in its own.

    sudo benches/dilation.py [--dilations 1 5 10] [--rate 50Mbit/s] [--seconds 10]

Two nodes with kernels of their own and a link between them. `iperf3` sends for so many seconds of
the experiment; meanwhile a packet socket counts payload in the receiver's namespace, by the
machine's clock. The rate that the receiving `iperf3` reports, divided by the counted one, is the
dilation: the script fails where it is off by more than 1 %.
"""

import argparse
import ctypes
import json
import os
import pathlib
import socket
import sys
import tempfile
import threading
import time

import common

ALLOWED = 0.01
ETH_P_ALL = 3
CLONE_NEWNET = 0x40000000
# Frames shorter than that carry no payload of a bulk transfer.
SHORT = 1000

SCENARIO = """\
name: {name}
time: {{ dilation: {dilation} }}
topology:
  nodes:
    sender: {{ kernel: own }}
    receiver: {{ kernel: own }}
  links:
    - {{ name: line, endpoints: ["sender:eth1", "receiver:eth1"], rate: {rate}, delay: 5ms }}
processes:
  - name: sink
    node: receiver
    command: iperf3 --server --one-off --json
    ready: {{ port: 5201 }}
    background: true
  - name: flow
    node: sender
    command: iperf3 --client receiver --time {seconds} --json
    start: {{ after: sink }}
"""


class Outside(threading.Thread):
    """Counts payload that comes to the receiver, by the machine's clock."""

    def __init__(self, name):
        super().__init__(daemon=True)
        self.name_of_network = name
        self.bytes = 0
        self.first = self.last = None

    def run(self):
        path = f"/run/netns/{self.name_of_network}.receiver"
        while not os.path.exists(path):
            time.sleep(0.01)
        with open(path) as namespace:
            # Of this thread only.
            if ctypes.CDLL(None).setns(namespace.fileno(), CLONE_NEWNET) != 0:
                raise SystemExit("cannot enter the receiver's namespace: run as root")
        sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        while True:
            try:
                frame, address = sock.recvfrom(65535)
            except OSError:
                return
            if address[0] != "eth1" or address[2] != socket.PACKET_HOST or len(frame) < SHORT:
                continue
            now = time.monotonic()
            # The first begins what is counted.
            if self.first is None:
                self.first = now
            else:
                self.bytes += payload(frame)
            self.last = now

    def rate(self):
        return self.bytes * 8 / (self.last - self.first)


def payload(frame):
    """Bytes of TCP's payload in an Ethernet frame of IPv4 or IPv6 without extension headers."""
    if frame[12:14] == b"\x86\xdd":
        length, header = int.from_bytes(frame[18:20], "big"), 54
    else:
        size = (frame[14] & 15) * 4
        length, header = int.from_bytes(frame[16:18], "big") - size, 14 + size
    return length - (frame[header + 12] >> 4) * 4


def measure(dilation, options):
    name = f"dilation{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="netloom-dilation-") as folder:
        file = pathlib.Path(folder) / "netloom.yaml"
        times = {"rate": options.rate, "seconds": options.seconds}
        file.write_text(SCENARIO.format(name=name, dilation=dilation, **times))
        outside = Outside(name)
        outside.start()
        results = pathlib.Path(folder) / "results"
        common.netloom("run", "-t", file, "-o", results)
        summary = json.loads((results / "summary.json").read_text())
        report = (results / "processes" / "sink@receiver.stdout").read_text()
    received = json.loads(report)["end"]["sum_received"]
    verdict = summary["verdict"]["judgement"]
    return received["bits_per_second"] / 1e6, outside.rate() / 1e6, verdict


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--dilations", nargs="+", default=["1", "5", "10"])
    options.add_argument("--rate", default="50Mbit/s")
    options.add_argument("--seconds", type=int, default=10)
    options = options.parse_args()
    print(f"{common.machine()}\n")
    print("| dilation | in the node, Mbit/s | outside, Mbit/s | ratio | off by | verdict |")
    print("|---|---|---|---|---|---|", flush=True)
    failed = False
    for dilation in options.dilations:
        inside, outside, verdict = measure(dilation, options)
        ratio = inside / outside
        off = ratio / float(dilation) - 1
        failed |= abs(off) > ALLOWED
        print(
            f"| {dilation} | {inside:.2f} | {outside:.2f} | {ratio:.3f} | {off:+.2%} | {verdict} |",
            flush=True,
        )
    sys.exit(failed)


if __name__ == "__main__":
    main()
