#!/usr/bin/env python3
"""CUBIC's window after pauses, on a kernel and simulated.

    sudo benches/tcp/pauses.py [--pauses 0.3 1 3 10 30 60] [--own] [--responses 4] [--control cubic]

A client asks a server for 1 MB over one connection, again and again, and pauses in between. The
path has a round trip of 50 ms and 100 Mbit/s, and loses one packet of the first response. (Without
a rate, whole windows come at once, for which a kernel of a node's own is too slow.) Printed is the
server's congestion window after each response: of the kernel, that of this machine or with `--own`
one of the nodes' own (Debian's `user-mode-linux`), and simulated. The script fails if one of them
differs by more than 10 %. Windows are not restarted after pauses (`tcp_slow_start_after_idle` is
0), so that the pauses alone could make them differ. Needs pyarrow.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import pyarrow.parquet

ROOT = pathlib.Path(__file__).resolve().parents[2]
NETLOOM = pathlib.Path(os.environ.get("NETLOOM", ROOT / "target" / "debug" / "netloom"))
SIZE, TOLERANCE = 1_000_000, 0.10
# Numbers of struct tcp_info, in words of 32 bits after its first 8 bytes: snd_cwnd is the 19th.
CWND = 18
SERVER = f"""\
import socket, struct, sys, time
listener = socket.create_server(("", 9000))
listener.setsockopt(socket.IPPROTO_TCP, 13, sys.argv[1].encode())
print("ready", flush=True)
connection, _ = listener.accept()
while connection.recv(1):
    connection.sendall(bytes({SIZE}))
    while True:
        info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
        words = struct.unpack("24I", info[8:104])
        if words[4] == 0:  # tcpi_unacked
            break
        time.sleep(0.005)
    print(words[{CWND}], flush=True)
"""
CLIENT = f"""\
import socket, sys, time
connection = socket.create_connection((sys.argv[1], 9000))
for _ in range(int(sys.argv[3])):
    connection.send(b"x")
    left = {SIZE}
    while left > 0:
        left -= len(connection.recv(left))
    time.sleep(float(sys.argv[2]))
"""
BUFFERS = 'net.ipv4.tcp_rmem: "4096 131072 6291456", net.ipv4.tcp_wmem: "4096 16384 4194304"'


def scenario(pause, options, simulated):
    loss = "0" * 400 + "1" + "0" * 20_000
    kernel = "kernel: own, " if options.own and not simulated else ""
    sysctls = f'net.ipv4.tcp_slow_start_after_idle: "0", {BUFFERS}'
    text = f"""\
name: tcp-pauses
topology:
  defaults:
    node: {{ {kernel}ipv6: none, sysctls: {{ {sysctls} }} }}
    link: {{ rate: 100Mbit/s, queue: {{ limit: 10000packets }} }}
  nodes: {{ c: , s: }}
  links: [{{ endpoints: [s, c], delay: 25ms, forward: {{ loss: {{ pattern: "{loss}" }} }} }}]
measure: {{ flows: 10ms }}
"""
    if simulated:
        hz = "simulation: { tcp: { hz: 100 } }\n" if options.own else ""
        return hz + text + f"""\
traffic:
  - {{ name: f, from: c, to: s, tcp: {{ congestion_control: {options.control} }}, \
http: {{ requests: {options.responses + 1}, sizes: {SIZE}B, think: {pause}s }} }}
"""
    return text + f"""\
processes:
  - {{ name: server, node: s, command: [python3, server.py, {options.control}], background: true, \
ready: {{ output: ready }} }}
  - {{ name: client, node: c, command: [python3, client.py, s, "{pause}", "{options.responses}"], \
start: {{ after: server }} }}
"""


def run(folder, text, *how):
    (folder / "netloom.yaml").write_text(text)
    (folder / "server.py").write_text(SERVER)
    (folder / "client.py").write_text(CLIENT)
    command = [NETLOOM, "run", *how, "-o", "results"]
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        sys.exit(f"{done.stdout}{done.stderr}")
    return folder / "results"


def of_kernel(pause, options):
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
        results = run(pathlib.Path(folder), scenario(pause, options, False))
        verdict = json.loads((results / "summary.json").read_text())["verdict"]["judgement"]
        printed = (results / "processes" / "server@s.stdout").read_text().split()
        return [int(one) for one in printed[1:]], verdict


def of_simulation(pause, options):
    """The window after each response. One more is asked for, so that the connection stays."""
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
        results = run(pathlib.Path(folder), scenario(pause, options, True), "--simulate")
        table = pyarrow.parquet.read_table(results / "flows.parquet").to_pydict()
    windows, wanted = [], SIZE
    for acked, cwnd in zip(table["acked_bytes"], table["cwnd"]):
        if acked is not None and acked >= wanted and cwnd:
            windows.append(cwnd)
            wanted += SIZE
    return windows[:options.responses]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--pauses", type=float, nargs="+", default=[0.3, 1, 3, 10, 30, 60])
    arguments.add_argument("--responses", type=int, default=4)
    arguments.add_argument("--control", default="cubic")
    arguments.add_argument("--own", action="store_true")
    options = arguments.parse_args()
    print("| pause | kernel | simulated | verdict |\n|---|---|---|---|")
    outside = 0
    for pause in options.pauses:
        kernel, verdict = of_kernel(pause, options)
        simulated = of_simulation(pause, options)
        far = [abs(b / a - 1) > TOLERANCE for a, b in zip(kernel, simulated)]
        outside += any(far) or len(kernel) != len(simulated)
        words = [", ".join(map(str, one)) for one in (kernel, simulated)]
        print(f"| {pause:g} s | {words[0]} | {words[1]} | {verdict} |", flush=True)
    sys.exit(outside > 0)


if __name__ == "__main__":
    main()
