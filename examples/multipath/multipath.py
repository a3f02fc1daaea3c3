#!/usr/bin/env python3
"""A sender that has two of several paths in use at a time, one to each receiver.

    multipath.py receive
    multipath.py send fixed|loss|bandwidth [--seconds 58] [--every 1] RECEIVER...

The sender asks the engine for the paths from its node (`GET /v1/paths` on the socket that
`$NETLOOM_METRICS` names) and sends over TCP, as fast as it can, on the two that are best:

fixed      those with the least delay, whatever happens
loss       those that lose the smallest share of frames
bandwidth  those on whose narrowest link other traffic leaves most

It asks again every so many seconds. Where paths are equal, the one with less delay is taken. At its
end it prints what it did as JSON: when it began (CLOCK_MONOTONIC), and the receivers in use after
each question. A receiver prints a line for each second in which bytes came: that second, and how
many.
"""

import argparse
import http.client
import json
import os
import select
import socket
import sys
import time

PORT = 7000
IN_USE = 2
CHUNK = bytes(64 << 10)


def free(path):
    """What other traffic leaves, in bit/s."""
    bits = path["free_bits_per_second"]
    return float("inf") if bits is None else bits


# What is best comes first.
STRATEGIES = {
    "fixed": lambda path: path["delay_ns"],
    "loss": lambda path: (path["loss"], path["delay_ns"]),
    "bandwidth": lambda path: (-free(path), path["delay_ns"]),
}


class Engine(http.client.HTTPConnection):
    """HTTP over the socket for processes in nodes."""

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(os.environ["NETLOOM_METRICS"])


def paths():
    """The paths of the last period, as the simulated network had them."""
    engine = Engine("netloom", timeout=10)
    engine.request("GET", "/v1/paths")
    answer = engine.getresponse()
    body = answer.read()
    engine.close()
    if answer.status != 200:
        sys.exit(f"the engine says of paths: {body.decode()}")
    return json.loads(body)


def best(strategy, receivers):
    """The receivers at the ends of the paths to use."""
    here = socket.gethostname()
    mine = [path for path in paths() if path["from"] == here and path["to"] in receivers]
    mine.sort(key=STRATEGIES[strategy])
    return [path["to"] for path in mine[:IN_USE]]


def connect(receiver):
    connection = socket.socket()
    connection.setblocking(False)
    connection.connect_ex((socket.gethostbyname(receiver), PORT))
    return connection


def send(arguments):
    began = time.monotonic()
    used, history, asked = {}, [], began - arguments.every
    while (now := time.monotonic()) < began + arguments.seconds:
        if now >= asked + arguments.every:
            asked = now
            wanted = best(arguments.strategy, arguments.receivers)
            for receiver in set(used) - set(wanted):
                # What is under way is given up: the path is bad.
                used.pop(receiver).close()
            used.update({one: connect(one) for one in wanted if one not in used})
            history.append([round(now - began, 3), sorted(used)])
        left = max(0, asked + arguments.every - time.monotonic())
        for connection in select.select([], used.values(), [], left)[1]:
            try:
                connection.send(CHUNK)
            except BlockingIOError:
                pass
            except ConnectionError:
                # The receiver is not there yet: try again with the next question.
                used = {to: one for to, one in used.items() if one is not connection}
    for connection in used.values():
        connection.close()
    switches = sum(a[1] != b[1] for a, b in zip(history, history[1:]))
    print(json.dumps({"began": began, "switches": switches, "used": history}))


def receive():
    listener = socket.create_server(("", PORT))
    connections, bytes_in, second = [], 0, 0
    while True:
        ready = select.select([listener, *connections], [], [], 0.1)[0]
        now = int(time.monotonic())
        if now != second:
            if bytes_in:
                print(second, bytes_in, flush=True)
            second, bytes_in = now, 0
        for one in ready:
            if one is listener:
                connections.append(listener.accept()[0])
                continue
            try:
                came = len(one.recv(1 << 20))
            except ConnectionError:
                came = 0
            bytes_in += came
            if not came:
                connections.remove(one)
                one.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    roles = parser.add_subparsers(dest="role", required=True)
    roles.add_parser("receive")
    sender = roles.add_parser("send")
    sender.add_argument("strategy", choices=STRATEGIES)
    sender.add_argument("receivers", nargs="+")
    sender.add_argument("--seconds", type=float, default=58)
    sender.add_argument("--every", type=float, default=1)
    arguments = parser.parse_args()
    send(arguments) if arguments.role == "send" else receive()


if __name__ == "__main__":
    main()
