#!/usr/bin/env python3
"""A link that is in the kernel until somebody sets a property on it, and again afterwards: the
design of docs/decisions/053, with a relay in place of the engine. A veth pair of two namespaces
is flipped to the relay and back, over and over, under a counted stream of frames and under TCP; by
turns with a pair that is never flipped. Prints frames lost and out of order, beside those that the
kernel's veth driver says it dropped itself, and TCP's throughput and retransmissions.

Needs root, iproute2 and iperf3; the kernel needs `sch_ingress`, `cls_u32`, `act_mirred`, `sch_tbf`.

    flip.py [FRAMES] [FRAMES_A_SECOND]
"""

import ctypes
import errno
import fcntl
import json
import os
import pathlib
import select
import socket
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import machine  # noqa: E402

# Ethertypes for local experiments: the counted frames, and marks.
COUNTED, MARK = 0x88B5, 0x88B6
HEADER = b"\xff" * 6 + bytes([2, 0, 0, 0, 0, 1])
# Length of a mark that takes all that the closed filter lets through at first, in bytes.
BURST = 1514
CLONE_NEWNET = 0x40000000
TUNSETIFF, TUNSETOFFLOAD = 0x400454CA, 0x400454D0
TAP_WITH_HEADER = 0x0002 | 0x1000 | 0x4000
LINK = "link0"
TAP = "link0.engine"


def run(line):
    subprocess.run(line.split(), check=True)


class End:
    """One end of the link: a namespace, its interface, and a TAP device that leads to the relay."""

    def __init__(self, name):
        self.name = name
        self.tap = None
        self.is_held = False
        run(f"ip netns add {name}")
        run(f"ip -n {name} link set lo up")

    def open(self):
        """Opens what flips need, once the interface is there."""
        self.sender = self.inside(lambda: packets(0))
        self.marks = self.inside(lambda: packets(MARK))
        words = f"ip netns exec {self.name} stdbuf -oL tc -batch -".split()
        self.batch = subprocess.Popen(words, stdin=-1, stdout=-1, bufsize=0)

    def inside(self, act):
        """Calls `act` on a thread in the namespace."""
        found = []

        def there():
            with open(f"/run/netns/{self.name}") as namespace:
                if ctypes.CDLL(None).setns(namespace.fileno(), CLONE_NEWNET):
                    raise SystemExit(f"cannot enter {self.name}")
            found.append(act())

        thread = threading.Thread(target=there)
        thread.start()
        thread.join()
        return found[0]

    def tc(self, line):
        """Has the running `tc` carry out a line, and waits until it has."""
        self.batch.stdin.write(f"{line}\nqdisc show dev lo\n".encode())
        answer = b""
        while b"noqueue" not in answer:
            more = os.read(self.batch.stdout.fileno(), 4096)
            if not more:
                raise SystemExit(f"tc ended at `{line}`: {answer.decode()}")
            answer += more

    def prepare(self):
        """Makes the TAP device, and leads what the relay writes to it in at the interface."""
        self.tap = self.inside(open_tap)
        show = f"ip -n {self.name} -br link show {LINK}"
        shown = subprocess.check_output(show.split(), text=True)
        # With another address, the stack would take the frames for somebody else's.
        run(f"ip -n {self.name} link set {TAP} address {shown.split()[2]} arp off")
        run(f"ip -n {self.name} link set {TAP} txqueuelen 100000 up")
        self.tc(f"qdisc add dev {LINK} clsact")
        self.tc(f"qdisc add dev {TAP} clsact")
        self.tc(f"filter add dev {TAP} ingress {all_to('ingress', LINK)}")
        passing = f"protocol {MARK:#x} u32 match u32 0 0 flowid 1:1"
        self.tc(f"filter add dev {LINK} egress prio 1 {passing}")

    def redirect(self):
        line = f"prio 2 protocol all {all_to('egress', TAP)}"
        self.tc(f"filter add dev {LINK} egress {line}")

    def hold(self):
        """Closes the way to the peer for frames that will not be redirected any more. Nothing goes
        that way now, so nothing is lost while the kernel puts the queue there."""
        self.tc(f"qdisc add dev {LINK} root tbf rate 8bit burst {BURST} limit 64mb")
        self.sender.send(HEADER + struct.pack(">HH", MARK, 0xFFFF) + bytes(BURST - 16))
        self.is_held = True

    def redirect_no_more(self):
        self.tc(f"filter del dev {LINK} egress prio 2")

    def let_go(self):
        self.tc(f"qdisc change dev {LINK} root tbf rate 400gbit burst 512kb limit 64mb")

    def remove_queue(self):
        if self.is_held:
            self.tc(f"qdisc del dev {LINK} root")
        self.is_held = False

    def dropped(self):
        """Frames that the driver of the interface dropped."""
        path = "/proc/thread-self/net/dev"
        table = self.inside(lambda: pathlib.Path(path).read_text())
        line = next(line for line in table.splitlines() if line.strip().startswith(LINK + ":"))
        return int(line.split(":")[1].split()[11])


def all_to(direction, device):
    return f"u32 match u32 0 0 action mirred {direction} redirect dev {device}"


def packets(protocol):
    opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(protocol))
    opened.bind((LINK, protocol))
    return opened


def open_tap():
    tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", TAP.encode(), TAP_WITH_HEADER))
    fcntl.ioctl(tap, TUNSETOFFLOAD, 0b1111)
    return tap


class Link:
    """A link whose frames go through the kernel or through a relay."""

    def __init__(self):
        self.ends = [End("flipA"), End("flipB")]
        names = [end.name for end in self.ends]
        run(f"ip link add {LINK} netns {names[0]} type veth peer name {LINK} netns {names[1]}")
        for number, end in enumerate(self.ends, 1):
            run(f"ip -n {end.name} addr add 10.99.0.{number}/24 dev {LINK}")
            run(f"ip -n {end.name} link set {LINK} up")
            end.open()
            end.prepare()
        # The kernel drops frames until it has noticed that the peer is up.
        time.sleep(0.5)
        self.works = threading.Event()
        self.rests = threading.Event()
        self.is_over = False
        self.relayed = 0
        self.thread = threading.Thread(target=self.relay)
        self.thread.start()

    def relay(self):
        poll = select.poll()
        taps = [end.tap for end in self.ends]
        for tap in taps:
            poll.register(tap, select.POLLIN)
        while not self.is_over:
            if not self.works.is_set():
                self.rests.set()
                self.works.wait(0.1)
                continue
            for tap, _ in poll.poll(2):
                self.carry(tap, taps[1 - taps.index(tap)], 64)

    def carry(self, source, target, most):
        for _ in range(most):
            try:
                frame = os.read(source, 1 << 17)
            except BlockingIOError:
                return
            self.relayed += 1
            os.write(target, frame)

    def pause(self):
        self.rests.clear()
        self.works.clear()
        self.rests.wait()

    def to_relay(self):
        """New frames go to the TAP devices at once. The relay begins to read them when all that
        were sent before have arrived: each CPU has a queue of its own, so each sends a mark."""
        for end in self.ends:
            end.redirect()
        cpus = os.sched_getaffinity(0)
        for end, other in [self.ends, self.ends[::-1]]:
            for cpu in cpus:
                os.sched_setaffinity(0, {cpu})
                end.sender.send(HEADER + struct.pack(">HH", MARK, cpu) + bytes(46))
            os.sched_setaffinity(0, cpus)
            missing = set(cpus)
            while missing:
                missing.discard(struct.unpack(">H", other.marks.recv(2048)[14:16])[0])
        for end in self.ends:
            end.remove_queue()
        self.works.set()

    def to_kernel(self):
        """New frames wait in front of the link until the relay has none any more."""
        for end in self.ends:
            end.hold()
        self.pause()
        for end in self.ends:
            end.redirect_no_more()
        # A thread that is in the filter cannot be interrupted: who has run on its CPU comes later.
        cpus = os.sched_getaffinity(0)
        for cpu in cpus:
            os.sched_setaffinity(0, {cpu})
        os.sched_setaffinity(0, cpus)
        for end, other in [self.ends, self.ends[::-1]]:
            self.carry(end.tap, other.tap, 1 << 40)
        for end in self.ends:
            end.let_go()

    def close(self):
        self.is_over = True
        self.works.set()
        self.thread.join()
        for end in self.ends:
            end.batch.stdin.close()
            run(f"ip netns del {end.name}")


def flipping(link, is_over):
    """Flips until `is_over`; how often, and the times in ms."""
    there, back = [], []
    while not is_over():
        for flip, times in (link.to_relay, there), (link.to_kernel, back):
            start = time.monotonic()
            flip()
            times.append(1e3 * (time.monotonic() - start))
            time.sleep(0.03)
    return there, back


def is_sent(sender, frame):
    try:
        return sender.send(frame) > 0
    except OSError as error:
        if error.errno != errno.ENOBUFS:
            raise
        return False


def send(link, frames, rate):
    """Sends numbered frames from a process of its own, whose CPU changes."""
    child = os.fork()
    if child:
        return child
    cpus, due = sorted(os.sched_getaffinity(0)), time.monotonic()
    for number in range(frames):
        if number % 200 == 0:
            os.sched_setaffinity(0, {cpus[number // 200 % len(cpus)]})
        frame = HEADER + struct.pack(">HI", COUNTED, number) + bytes(42)
        while not is_sent(link.ends[0].sender, frame):
            pass
        due += 1 / rate
        time.sleep(max(0, due - time.monotonic()))
    os._exit(0)


def counted(link, frames, rate, flips):
    received = link.ends[1].inside(lambda: packets(COUNTED))
    received.setsockopt(socket.SOL_SOCKET, 33, 1 << 26)
    received.settimeout(1)
    numbers = []

    def receive():
        try:
            while True:
                numbers.append(struct.unpack(">I", received.recv(2048)[14:18])[0])
        except TimeoutError:
            pass

    before, relayed = link.ends[0].dropped(), link.relayed
    child = send(link, frames, rate)
    receiver = threading.Thread(target=receive)
    receiver.start()
    ended = lambda: os.waitpid(child, os.WNOHANG)[0] != 0  # noqa: E731
    if flips:
        there, back = flipping(link, ended)
        times = f"{median(there):.1f} there, {median(back):.1f} back"
        words = f"{len(there)} flips (median, ms: {times})"
    else:
        os.waitpid(child, 0)
        words = "never flipped"
    receiver.join()
    late = sum(one >= next_one for one, next_one in zip(numbers, numbers[1:]))
    print(
        f"  {words}: {frames} frames, {link.relayed - relayed} of them relayed; "
        f"{frames - len(set(numbers))} lost, of which {link.ends[0].dropped() - before} dropped by "
        f"veth; {late} out of order",
        flush=True,
    )


def tcp(link, flips):
    server, client = (f"ip netns exec {end.name} iperf3" for end in link.ends[::-1])
    with subprocess.Popen(f"{server} -s -1".split(), stdout=subprocess.DEVNULL) as listening:
        time.sleep(0.5)
        words = f"{client} -c 10.99.0.2 -t 4 -J".split()
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as sending:
            output = []
            reader = threading.Thread(target=lambda: output.append(sending.stdout.read()))
            reader.start()
            if flips:
                flipping(link, lambda: sending.poll() is not None)
            reader.join()
        listening.wait()
    end = json.loads(output[0])["end"]
    return end["sum_received"]["bits_per_second"] / 1e9, end["sum_sent"]["retransmits"]


def median(values):
    return sorted(values)[len(values) // 2]


def main():
    numbers = [int(word) for word in sys.argv[1:]]
    frames, rate = (numbers + [60_000, 12_000][len(numbers):])[:2]
    print(machine())
    link = Link()
    try:
        for _ in range(3):
            for flips in False, True:
                counted(link, frames, rate, flips)
        for _ in range(3):
            raw, again = tcp(link, False)
            link.to_relay()
            link.to_kernel()
            back, again_back = tcp(link, False)
            flipped, again_flipped = tcp(link, True)
            link.to_relay()
            link.pause()
            for end in link.ends:
                end.redirect_no_more()
            print(
                f"  TCP, Gbit/s (retransmissions): never flipped {raw:.1f} ({again}); back in the "
                f"kernel {back:.1f} ({again_back}), {back / raw:.2f} x; while it is flipped "
                f"{flipped:.1f} ({again_flipped})",
                flush=True,
            )
    finally:
        link.close()


main()
