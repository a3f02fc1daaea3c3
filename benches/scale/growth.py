"""Does the engine grow while its links are changed?"""

import http.client
import json
import os
import pathlib
import random
import socket
import time

from cycle import Lab, state_root

CHANGES = 10_000
# Changes from before the count begins: so many are kept for clients, as far as they fit into 4 MiB.
FIRST = 12_000
# More is growth: it would be some 100 bytes a change. Memory comes in pages, whatever it holds.
ROOM = 1 << 20


class Engine(http.client.HTTPConnection):
    """An engine, through its socket."""

    def __init__(self, name):
        super().__init__("localhost")
        self.state = state_root() / name

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self.state / "api.sock"))

    def change(self, link, change):
        body = json.dumps({"changes": [{"link": link, "direction": "forward", "change": change}]})
        self.request("PATCH", "/v1/links", body)
        answer = self.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{change}: {answer.status} {text.decode()}")

    def size(self):
        """Bytes of memory, open files, threads."""
        proc = pathlib.Path("/proc", (self.state / "engine.pid").read_text().strip())
        fields = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines())
        # Not those of processes that its probes look at, which come and go.
        files = [
            file for file in (proc / "fd").iterdir() if not os.readlink(file).startswith("/proc")
        ]
        return int(fields["VmRSS"].split()[0]) * 1024, len(files), int(fields["Threads"])


def changes(number):
    """Every request changes one link; all of them can be repeated."""
    return [
        {"rate": f"{10 + number % 90}Mbit/s"},
        {"delay": f"{number % 50}ms"},
        {"loss": f"{number % 5}%"},
        {"queue": {"limit": f"{50 + number % 50}packets"}},
        {"state": ["up", "down"][number % 2]},
        {"jitter": {"uniform": f"{number % 4}ms"}} if number % 4 else {"duplicate": "1%"},
    ][number % 6]


def growth(number_of_run):
    """Changes links of a network, and prints the engine's size before and after; whether it stayed
    as it was."""
    lab = Lab(f"bench-growth-{number_of_run}", random.Random(1))
    lab.network = "a pair"
    with lab.scenario() as folder:
        lab.ok("deploy", folder=folder)
        engine = Engine(lab.name)
        # It gets ready for a while: the programs of its probes are loaded beside.
        time.sleep(3)
        fresh = engine.size()
        for number in range(FIRST):
            engine.change("a--b", changes(number))
        before = engine.size()
        for number in range(CHANGES):
            engine.change("a--b", changes(number))
        after = engine.size()
        engine.close()
        lab.ok("destroy", lab.name)
    print(f"  the engine: {fresh[0] / 1024:.0f} kB; after {FIRST} changes, of which the last are "
          f"kept, {before[0] / 1024:.0f} kB", end="")
    print(f"; after {CHANGES} more {after[0] / 1024:.0f} kB", end="")
    print(f"; open files {before[1]}, then {after[1]}; threads {before[2]}, then {after[2]}")
    return after[0] - before[0] <= ROOM and after[1:] == before[1:]
