#!/usr/bin/env python3
"""Live changes: batches through the API while a 1 Gbit/s flow of datagrams crosses the link.

Wanted: 100,000 parameter changes a second, and no frame lost, duplicated or reordered by them. The
same flow without changes runs first: what it loses, the machine loses.
"""

import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time

from common import NETLOOM, machine, netloom

SCENARIO = """
name: {name}
topology:
  nodes: {{ a: , b: }}
  links:
    - {{ endpoints: [a, b], rate: 2Gbit/s, delay: 5ms, queue: {{ limit: 500ms }} }}
"""
SECONDS = 8
BATCH = 1000


class Api(http.client.HTTPConnection):
    """The engine's socket."""

    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self.path))

    def ask(self, method, path, body=None):
        self.request(method, path, body)
        answer = self.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{method} {path}: {answer.status} {text.decode()}")
        return json.loads(text)


def batch(turn):
    """1000 changes of rate, delay and queue; the delay never shrinks within a batch's reach."""
    values = [
        {"rate": f"{2 + turn % 2}Gbit/s"},
        {"delay": f"{5000 + turn % 7}us"},
        {"queue": {"limit": f"{500 + turn % 3}ms"}},
        {"duplicate": "0%"},
    ]
    changes = [
        {"link": "a--b", "direction": "forward", "change": values[index % len(values)]}
        for index in range(BATCH)
    ]
    return json.dumps({"changes": changes})


def flow(name, api, change):
    server = subprocess.Popen(
        [NETLOOM, "exec", f"b@{name}", "--", "iperf3", "--server", "--one-off"],
        stdout=subprocess.DEVNULL,
    )
    time.sleep(1)
    client = subprocess.Popen(
        [NETLOOM, "exec", f"a@{name}", "--", "iperf3", "-4", "--client", "b", "--udp", "--bitrate"]
        + ["1G", "--length", "1472", "--window", "8M", "--json", "--time", str(SECONDS)],
        stdout=subprocess.PIPE,
        text=True,
    )
    batches = [batch(turn) for turn in range(12)]
    count, start = 0, time.monotonic()
    while change and client.poll() is None:
        api.ask("PATCH", "/v1/links", batches[count % len(batches)])
        count += 1
        # 120 batches a second at most.
        time.sleep(max(0, start + count / 120 - time.monotonic()))
    elapsed = time.monotonic() - start
    end = json.loads(client.communicate()[0])
    server.wait()
    total = end["end"]["sum"]
    stream = end["end"]["streams"][0]["udp"]
    print(
        f"  flow {total['bits_per_second'] / 1e9:.3f} Gbit/s, {total['packets']} datagrams:"
        f" {total['lost_packets']} lost, {stream['out_of_order']} out of order or twice"
    )
    if change:
        print(f"  {count * BATCH / elapsed:.0f} changes/s in {count} batches of {BATCH}")


def main():
    print(f"# changes: a link changed while it carries\n# {machine()}\n")
    name = f"bench-changes-{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
        file = pathlib.Path(folder) / "netloom.yaml"
        file.write_text(SCENARIO.format(name=name))
        netloom("deploy", "-t", file)
        try:
            api = Api(pathlib.Path("/run/netloom") / name / "api.sock")
            for change in (False, True):
                print("with changes" if change else "without changes")
                flow(name, api, change)
                pipe = api.ask("GET", "/v1/links")[0]["forward"]["statistics"]
                print(f"  model: {pipe['offered']['frames']} frames offered since the start, "
                      f"{pipe['delivered']['frames']} delivered, dropped "
                      f"{sum(d['frames'] for d in pipe['dropped'].values())}")
                timing = api.ask("GET", "/v1/timing")
                print(f"  machine: {json.dumps(timing['unmodelled_drops'])}")
        finally:
            netloom("destroy", "-t", file)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: exit(1))
    main()
