"""What users of `attack/shape.py` do on a host: shape_tools.py KIND WORDS. Prints JSON, or a line
as soon as it goes on by itself."""

import ipaddress
import json
import resource
import socket
import struct
import sys
import threading
import time


def connect(path):
    one = socket.socket(socket.AF_UNIX)
    one.settimeout(60)
    one.connect(path)
    return one


def answer(one):
    data = b""
    try:
        while part := one.recv(1 << 20):
            data += part
    except OSError:
        pass
    return data


def ask(path, method, where, body):
    began = time.monotonic()
    one = connect(path)
    data = b"" if body == "null" and method in ("GET", "DELETE") else body.encode()
    head = f"{method} /v1{where} HTTP/1.1\r\nhost: l\r\nconnection: close\r\n"
    try:
        one.sendall(f"{head}content-length: {len(data)}\r\n\r\n".encode() + data)
    except OSError:
        pass  # It has answered without reading all of it.
    head, _, text = answer(one).partition(b"\r\n\r\n")
    words = head.split()
    try:
        found = json.loads(text)
    except ValueError:
        found = text.decode(errors="replace")[:300]
    status = int(words[1]) if len(words) > 1 else 0
    return {"status": status, "body": found, "seconds": time.monotonic() - began}


def many():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def hold(path, count, length, sent):
    many()
    kept = []
    for _ in range(int(count)):
        try:
            one = connect(path)
            one.settimeout(1)
            head = f"POST /v1/claims HTTP/1.1\r\nhost: l\r\ncontent-length: {length}\r\n\r\n"
            one.sendall(head.encode())
            one.sendall(b"x" * int(sent))
            kept.append(one)
        except OSError:
            pass
    print("held", flush=True)
    time.sleep(600)


def captures(path, name, count):
    kept = []
    for _ in range(int(count)):
        one = connect(path)
        one.sendall(f"GET /v1/claims/{name}/capture HTTP/1.1\r\nhost: l\r\n\r\n".encode())
        kept.append(one)
    print("captured", flush=True)
    time.sleep(600)


def flood(path, method, where, body):
    print("flooding", flush=True)

    def go_on():
        while True:
            try:
                ask(path, method, where, body)
            except OSError:
                time.sleep(0.01)

    for _ in range(20):
        threading.Thread(target=go_on, daemon=True).start()
    time.sleep(600)


def send(there, port, count, size):
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    lost = 0
    for _ in range(int(count)):
        try:
            one.sendto(b"z" * int(size), (there, int(port)))
        except OSError:
            lost += 1
    return lost


def round_trips(there, port, count, delay):
    """Datagrams that come back, and the fastest of them, in s."""
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.connect((there, int(port)))
    one.settimeout(20)
    trips = []
    for number in range(int(count)):
        began = time.monotonic()
        one.send(b"%d" % number)
        try:
            one.recv(100)
        except OSError:
            continue
        trips.append(time.monotonic() - began)
    return {"back": len(trips), "fastest": min(trips, default=0)}


def echo(port):
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.bind(("", int(port)))
    print("ready", flush=True)
    while True:
        data, peer = one.recvfrom(65535)
        one.sendto(data, peer)


def checksum(data):
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def fragments(here, there, port, first, count, which):
    """The first or the last fragments of datagrams, one for each identifier from `first` on."""
    a, b = (ipaddress.ip_address(one).packed for one in (here, there))
    out = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    udp = struct.pack(">HHHH", 5000, int(port), 1008, 0) + b"e" * 1000
    for number in range(int(first), int(first) + int(count)):
        part, place = (udp[:800], 1 << 13) if which == "first" else (udp[800:], 100)
        head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(part), number & 0xFFFF, place, 64, 17, 0)
        out.sendto(head + a + b + part, (there, 0))
    return count


def ping(there, number, count):
    """Pings by a raw socket, with an identifier; how many were answered."""
    one = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    answered = 0
    for sequence in range(int(count)):
        blank = struct.pack(">BBHHH", 8, 0, 0, int(number), sequence) + b"12345678"
        one.sendto(blank[:2] + struct.pack(">H", checksum(blank)) + blank[4:], (there, 0))
        until = time.monotonic() + 20
        while (left := until - time.monotonic()) > 0:
            one.settimeout(left)
            try:
                data = one.recv(2000)[20:]
            except OSError:
                break
            if data[0] == 0 and struct.unpack(">HH", data[4:8]) == (int(number), sequence):
                answered += 1
                break
    return {"answered": answered}


def pings(there, number):
    """Pings all the time by a socket that any user may have."""
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)
    one.bind(("0.0.0.0", int(number)))
    one.setblocking(False)
    for sequence in range(1 << 30):
        with_socket = struct.pack(">BBHHH", 8, 0, 0, int(number), sequence & 0xFFFF) + b"bobs"
        try:
            one.sendto(with_socket, (there, 0))
            one.recv(100)
        except OSError:
            pass
        if sequence == 10:
            print("pinging", flush=True)
        time.sleep(0.0005)


KINDS = {
    "ask": ask,
    "captures": captures,
    "echo": echo,
    "flood": flood,
    "fragments": fragments,
    "hold": hold,
    "ping": ping,
    "pings": pings,
    "round": round_trips,
    "send": send,
}
print(json.dumps(KINDS[sys.argv[1]](*sys.argv[2:])))
