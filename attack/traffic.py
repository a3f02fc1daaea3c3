"""The two ends of a flow of numbered datagrams, and what became of it. Both ends run in nodes, so
they are texts that need nothing beside them."""

import json
import subprocess
import time

from lab import LIMIT, Trouble, kill_group

SENDER = """
import json, socket, struct, sys, time
address, rate, seconds, size = sys.argv[1], *map(float, sys.argv[2:5])
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.setsockopt(socket.SOL_SOCKET, 32, 4 << 20)
link.connect((address, 9000))
fill = b"x" * (int(size) - 8)
begin, sent, tried = time.monotonic(), 0, 0
while time.monotonic() - begin < seconds:
    due = min(int((time.monotonic() - begin) * rate) - tried, 64)
    if due <= 0:
        time.sleep(0.0005)
    for _ in range(due):
        try:
            link.send(struct.pack("!II", tried, tried ^ 0xDEADBEEF) + fill)
            sent += 1
        except OSError:
            pass
        tried += 1
print(json.dumps({"sent": sent}))
"""
RECEIVER = """
import json, signal, socket, struct
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.setsockopt(socket.SOL_SOCKET, 33, 256 << 20)
link.bind(("0.0.0.0", 9000))
link.settimeout(0.3)
seen, copies, broken, stop = set(), 0, 0, []
signal.signal(signal.SIGTERM, lambda *_: stop.append(1))
print("ready", flush=True)
while True:
    try:
        datagram = link.recv(65536)
    except TimeoutError:
        if stop:
            break
        continue
    number, check = struct.unpack("!II", datagram[:8])
    if number ^ 0xDEADBEEF != check:
        broken += 1
    elif number in seen:
        copies += 1
    else:
        seen.add(number)
print(json.dumps({"received": len(seen), "copies": copies, "broken": broken}), flush=True)
"""


def mac(lab, node, interface):
    return lab.ok("exec", f"{node}@{lab.name}", "--", "cat", f"/sys/class/net/{interface}/address")


def ip(lab, node, *words):
    """`ip` in a node's network namespace."""
    done = subprocess.run(
        ["ip", "-n", f"{lab.name}.{node}", *words], capture_output=True, text=True, timeout=LIMIT
    )
    if done.returncode != 0:
        raise Trouble(f"ip {' '.join(words)} in {node}: {done.stderr.strip()}")
    return done.stdout


def address(lab, node):
    """The first address of a node's eth1."""
    one = json.loads(ip(lab, node, "-j", "-4", "address", "show", "eth1"))[0]
    return one["addr_info"][0]["local"]


def fix_neighbours(lab, one, other):
    """Neighbours that need no asking: the sender's kernel keeps no datagrams back."""
    for node, peer in ((one, other), (other, one)):
        words = ["neigh", "replace", address(lab, peer), "lladdr", mac(lab, peer, "eth1").strip()]
        ip(lab, node, *words, "dev", "eth1", "nud", "permanent")


def datagrams(lab, node):
    """What the node's kernel counts of UDP."""
    text = lab.ok("exec", f"{node}@{lab.name}", "--", "cat", "/proc/net/snmp")
    names, values = [line.split()[1:] for line in text.splitlines() if line.startswith("Udp:")]
    return dict(zip(names, map(int, values)))


def counter(lab, node, direction, what):
    """What a node's kernel counts of its eth1."""
    one = json.loads(ip(lab, node, "-j", "-s", "link", "show", "eth1"))[0]
    return one["stats64"][direction][what]


def flow(lab, rate, seconds, size, disturb):
    """A flow from `a` to `b` while `disturb` does something; what was sent and received."""
    fix_neighbours(lab, "a", "b")
    receiver = lab.inside("b", RECEIVER)
    sender = None
    try:
        receiver.stdout.readline()
        words = [address(lab, "b"), str(rate), str(seconds), str(size)]
        sender = lab.inside("a", SENDER, *words)
        disturb(lab, time.monotonic() + seconds)
        counts = answer(sender, seconds + LIMIT)
        # What is under way still arrives.
        time.sleep(1.5)
        receiver.terminate()
        return counts | answer(receiver, LIMIT)
    finally:
        for program in filter(None, (receiver, sender)):
            kill_group(program)


def answer(program, limit):
    """The last line that one end prints."""
    try:
        output, _ = program.communicate(timeout=limit)
        return json.loads(output.splitlines()[-1])
    except (subprocess.TimeoutExpired, ValueError, IndexError):
        raise Trouble(f"an end of the flow gave no answer (code {program.poll()})") from None
