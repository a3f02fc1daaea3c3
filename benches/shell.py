#!/usr/bin/env python3
"""`netloom shell`: round trips of nested shells, start and end of a shell, a question for a name.

As root, in two namespaces of its own that a cable joins: the machine's own devices stay untouched.
As an ordinary user beside it, where there is `pasta`.
"""

import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from common import NETLOOM, ROOT, machine

HERE, WORLD = f"bench-here-{os.getpid()}", f"bench-world-{os.getpid()}"
TARGET = "198.51.100.2"
AS_USER = ["sh", str(ROOT / "scripts" / "as-ordinary-user.sh")]
RESOLVER = f"""
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(('{TARGET}', 53))
while True:
    q, who = s.recvfrom(4096)
    end = q.index(b'\\0', 12) + 5
    is_a = q[end - 4:end - 2] == b'\\0\\1'
    a = b'\\xc0\\x0c\\0\\1\\0\\1\\0\\0\\0\\x3c\\0\\4\\xc0\\0\\2\\7' if is_a else b''
    s.sendto(q[:2] + b'\\x81\\x80\\0\\1\\0' + bytes([is_a]) + b'\\0\\0\\0\\0' + q[12:end] + a, who)
"""


def ip(words):
    subprocess.run(["ip", *words.split()], check=True)


def make():
    for name in (HERE, WORLD):
        ip(f"netns add {name}")
        ip(f"-n {name} link set lo up")
    ip(f"-n {HERE} link add up0 type veth peer name up0 netns {WORLD}")
    for name, address in ((HERE, "198.51.100.1/24"), (WORLD, f"{TARGET}/24")):
        ip(f"-n {name} address add {address} dev up0")
        ip(f"-n {name} link set up0 up")
    ip(f"-n {HERE} route add default via {TARGET}")
    allow = "net.ipv4.ping_group_range=0 2147483647"
    subprocess.run(["nsenter", f"--net=/run/netns/{HERE}", "sysctl", "-q", allow], check=True)


def shell(arguments, by, resolver=None):
    """A shell to its end: how long it took, its exit code, its output."""
    words = [*by, NETLOOM, "shell", *arguments]
    if resolver:
        mount = f"mount --bind {resolver} /etc/resolv.conf && exec \"$@\""
        words = ["unshare", "-m", "--propagation", "slave", "sh", "-c", mount, "sh", *words]
    began = time.monotonic()
    done = subprocess.run(
        ["nsenter", f"--net=/run/netns/{HERE}", *words], capture_output=True, text=True, check=False
    )
    return time.monotonic() - began, done.returncode, done.stdout + done.stderr


def measure(who, by, resolver):
    ping = ["ping", "-n", "-c", "20", "-i", "0.2", TARGET]
    inner = [NETLOOM, "shell", "--delay", "15ms", "--", *ping]
    _, _, printed = shell(["--delay", "10ms", "--", *inner], by)
    times = [float(t) for t in re.findall(r"time=([0-9.]+) ms", printed)]
    if len(times) < 20:
        sys.exit(f"{len(times)} of 20 pings were answered: {printed}")
    print(f"{who}")
    middle, last = statistics.median(times), sorted(times)
    print(f"  nested ping, 10 ms and 15 ms (wanted: 50.0 to 52.0): median {middle:.2f} ms")
    print(f"    least {last[0]:.2f}, second most {last[-2]:.2f}, most {last[-1]:.2f} ms")
    alone = statistics.median(run(by, ["true"]) for _ in range(10))
    whole = statistics.median(shell(["--", "true"], by)[0] for _ in range(10))
    print(f"  shell -- true, median of 10 (wanted: 1 s at most): {whole:.2f} s")
    print(f"    `true` alone: {alone:.2f} s")
    print(f"  exit code of `exit 7`: {shell(['--', 'sh', '-c', 'exit 7'], by)[1]}")
    ask = "getent ahostsv4 host.netloom.test >/dev/null || exit 1"
    timed = f"s=$(date +%s%N); {ask}; e=$(date +%s%N); echo $(((e-s)/1000)) us"
    _, code, printed = shell(["--delay", "100ms", "--", "sh", "-c", timed], by, resolver)
    asked = re.search(r"(\d+) us", printed)
    if code or not asked:
        sys.exit(f"no name was found: {printed}")
    print(f"  getent with 100 ms each way (wanted: 200 ms at least): {int(asked[1]) / 1000:.1f} ms")


def run(by, words):
    began = time.monotonic()
    subprocess.run(["nsenter", f"--net=/run/netns/{HERE}", *by, *words], check=True)
    return time.monotonic() - began


def main():
    print(f"# shell: nested delays, start and end, names\n# {machine()}\n")
    folder = tempfile.TemporaryDirectory(prefix="netloom-bench-")
    resolver = pathlib.Path(folder.name) / "resolv.conf"
    resolver.write_text(f"nameserver {TARGET}\noptions timeout:30\n")
    os.chmod(folder.name, 0o755)
    make()
    command = ["nsenter", f"--net=/run/netns/{WORLD}", sys.executable, "-c", RESOLVER]
    server = subprocess.Popen(command)
    try:
        measure("as root", [], resolver)
        if shutil.which("pasta"):
            measure("as an ordinary user, by pasta", AS_USER, resolver)
        else:
            print("as an ordinary user: SKIPPED, there is no `pasta` (package passt)")
    finally:
        server.kill()
        server.wait()
        for name in (HERE, WORLD):
            ip(f"netns delete {name}")


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("shell: SKIPPED, it makes namespaces, which takes root")
    main()
