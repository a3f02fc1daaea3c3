"""One who watches a network live, over the socket of its engine, and the CPU time of processes."""

import base64
import json
import os
import pathlib
import socket
import struct
import threading

TICK = os.sysconf("SC_CLK_TCK")


def cpu(pid):
    """CPU time of a process so far, in s."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


class Watcher(threading.Thread):
    """One who watches over the engine's socket, and reads all that comes."""

    def __init__(self, path, stalled=False):
        super().__init__(daemon=True)
        self.bytes, self.ticks = 0, 0
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((
            "GET /v1/live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
            f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
        ).encode())
        self.file = self.socket.makefile("rb")
        while self.file.readline() not in (b"\r\n", b""):
            pass
        asked = json.dumps({"interval_ms": 250, "links": "all"}).encode()
        self.socket.sendall(struct.pack("!BBH", 0x81, 0x80 | 126, len(asked)) + bytes(4) + asked)
        if not stalled:
            self.start()

    def run(self):
        try:
            while True:
                kind, length = self.file.read(2)
                if length == 126:
                    (length,) = struct.unpack("!H", self.file.read(2))
                elif length == 127:
                    (length,) = struct.unpack("!Q", self.file.read(8))
                self.file.read(length)
                self.bytes += length
                self.ticks += kind & 15 == 2
        except (OSError, ValueError):
            pass

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
