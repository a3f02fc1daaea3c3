"""Those who watch a network live, at its engine or through `netloom ui`; CPU time of processes."""

import base64
import json
import os
import pathlib
import socket
import struct
import subprocess
import threading
import urllib.request

TICK = os.sysconf("SC_CLK_TCK")


def cpu(pid):
    """CPU time of a process so far, in s."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


class Page:
    """A `netloom ui` with experiments of its own state directory, and a session with it."""

    def __init__(self, netloom, folder):
        words = [netloom, "ui", "--no-open", folder]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        address, token = self.process.stdout.readline().strip().split("/#")
        self.origin, self.key = address, None
        self.port = int(address.rsplit(":", 1)[1])
        self.key = self.ask("/session", {"token": token})["key"]

    def ask(self, path, body):
        headers = {"Origin": self.origin, "Content-Type": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(self.origin + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def watch(self, experiment, stalled=False):
        """One who watches an experiment through this server."""
        path = f"/api/experiments/{experiment}/v1/live"
        ticket = self.ask("/api/tickets", {"path": path})["ticket"]
        stream = socket.create_connection(("127.0.0.1", self.port))
        host = f"127.0.0.1:{self.port}\r\nOrigin: {self.origin}"
        return Watcher(stream, stalled, f"{path}?ticket={ticket}", host)

    def close(self):
        self.process.terminate()
        self.process.wait()


def connected(path):
    """A connection to the socket of an engine."""
    stream = socket.socket(socket.AF_UNIX)
    try:
        stream.connect(path)
    except OSError:
        stream.close()
        raise
    return stream


class Watcher(threading.Thread):
    """One who watches all links at 4 Hz, and reads all that comes."""

    def __init__(self, stream, stalled=False, path="/v1/live", host="localhost"):
        super().__init__(daemon=True)
        self.bytes, self.ticks = 0, 0
        self.socket = stream
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((
            f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\n"
            f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
        ).encode())
        self.file = self.socket.makefile("rb")
        status = self.file.readline()
        if b" 101 " not in status:
            raise OSError(f"nobody may watch: {status}")
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
