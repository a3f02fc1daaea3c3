#!/usr/bin/env python3
"""What this machine's kernel shows of connections over the loopback device. Needs no rights.

Printed are the send buffer of a fresh connection for several payloads of a packet, for each packet
of its window, with what `crates/model/tcp` takes for one; and how full the buffer of a blocked
writer is when it may write again; and the payload that a bound of the pacing rate lets through.
Constants of `crates/model/tcp` that are
"recorded (benches/tcp/loopback.py)" come from here.
"""

import fcntl
import platform
import select
import socket
import struct
import termios
import threading
import time

CONTROLS = ["reno", "cubic", "bbr"]
SIZES = [100, 200, 536, 1000, 1460, 2000, 4000, 8960]
TIMESTAMPS = 12
WINDOW = 10
# Bytes per second, and the option that bounds the pacing rate (SO_MAX_PACING_RATE of socket(7)).
PACED = 500_000
MAX_PACING_RATE = 47


def connection(size, control="reno", buffer=None):
    """Two connected sockets over the loopback device, with packets of `size` bytes and options."""
    with socket.socket() as listener:
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, size)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        sender = socket.socket()
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
        if buffer:
            sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, buffer)
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, size)
        sender.connect(listener.getsockname())
        return sender, listener.accept()[0]


def buffered(sender):
    """Bytes that were written and are not acknowledged."""
    return struct.unpack("i", fcntl.ioctl(sender, termios.TIOCOUTQ, b"\0" * 4))[0]


def model(size):
    """What `crates/model/tcp` takes for a packet of `size` bytes."""
    return (1 << (size + 576 - 1).bit_length()) + 256


def wakes(size):
    """The share of what was buffered that still is when a blocked writer is woken."""
    sender, receiver = connection(size, buffer=400_000)
    with sender, receiver:
        sender.setblocking(False)
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 20_000)
        try:
            while True:
                sender.send(b"\0" * 1000)
        except BlockingIOError:
            full = buffered(sender)
        poll = select.poll()
        poll.register(sender, select.POLLOUT)
        while not poll.poll(5):
            receiver.recv(2000)
        return buffered(sender) / full


def send_all(sender):
    try:
        while True:
            sender.send(b"\0" * 10_000)
    except OSError:
        pass


def paced(size, seconds=3):
    """Payload that arrives, for each byte of the pacing rate."""
    sender, receiver = connection(size)
    with sender, receiver:
        sender.setsockopt(socket.SOL_SOCKET, MAX_PACING_RATE, PACED)
        threading.Thread(target=send_all, args=[sender], daemon=True).start()
        # The first second fills buffers.
        begin, received = time.monotonic() + 1, 0
        while (now := time.monotonic()) < begin + seconds:
            count = len(receiver.recv(2000))
            received += count if now >= begin else 0
        sender.shutdown(socket.SHUT_RDWR)
        return received / (now - begin) / PACED


def main():
    print(f"Linux {platform.release()}")
    print("control  payload  send buffer  packets' buffers in it, for each of the window")
    for control in CONTROLS:
        for size in SIZES:
            sender, receiver = connection(size, control)
            with sender, receiver:
                buffer = sender.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
                windows = buffer / model(size) / WINDOW
                print(f"{control:7}  {size - TIMESTAMPS:7}  {buffer:11}  {windows:.3f}")
    print(f"a blocked writer is woken at {wakes(1460):.0%} of what it had written")
    for size in (200, 1460):
        print(f"payload {size - TIMESTAMPS}: {paced(size):.3f} of the pacing rate are payload")


if __name__ == "__main__":
    main()
