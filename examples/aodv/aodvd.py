#!/usr/bin/env python3
"""A routing daemon that speaks AODV (RFC 3561), small enough to be read.

    aodvd.py INTERFACE NETWORK

A route is looked for when a packet needs it. Packets without a route reach the daemon through a TUN
device, to which all addresses of the network lead that have no route of their own. The daemon
floods a route request (RREQ) over rings that grow, and sends the packets once a reply (RREP) has
come. Hello messages detect neighbours that went away, and route errors (RERR) report it.

Times and rings are those of RFC 3561, section 10. Left out are multicast, gratuitous replies,
replies of nodes between (the destination answers, as with the flag D), lists of links in one
direction, and local repair.
"""

import collections
import errno
import fcntl
import heapq
import ipaddress
import os
import select
import socket
import struct
import subprocess
import sys
import time

PORT = 654
RREQ, RREP, RERR = 1, 2, 3
# Seconds and hops of RFC 3561, section 10.
ACTIVE_ROUTE_TIMEOUT = 3.0
ALLOWED_HELLO_LOSS = 2
HELLO_INTERVAL = 1.0
NET_DIAMETER = 35
NODE_TRAVERSAL_TIME = 0.040
RREQ_RETRIES = 2
TIMEOUT_BUFFER = 2
TTL_START, TTL_INCREMENT, TTL_THRESHOLD = 1, 2, 7
NET_TRAVERSAL_TIME = 2 * NODE_TRAVERSAL_TIME * NET_DIAMETER
PATH_DISCOVERY_TIME = 2 * NET_TRAVERSAL_TIME
MY_ROUTE_TIMEOUT = 2 * ACTIVE_ROUTE_TIMEOUT
# Packets that wait for one destination.
WAITING = 32

TUN = "aodv0"
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
SIOCGIFADDR = 0x8915
SO_BINDTODEVICE = 25
IP_TTL, IP_RECVTTL = 2, 12
ETH_P_IP = 0x0800
PACKET_OUTGOING = 4

RREQ_FORMAT = struct.Struct("!BBBBI4sI4sI")
RREP_FORMAT = struct.Struct("!BBBB4sI4sI")


def newer(one, other):
    """Whether a sequence number is newer than another one: they wrap around (section 6.1)."""
    return ((one - other) & 0xFFFFFFFF) < 0x80000000 and one != other


class Route:
    """An entry of the routing table (section 2)."""

    def __init__(self):
        self.sequence = None
        self.hops = 0
        self.via = None
        self.until = 0.0
        self.is_active = False
        # Neighbours that send to this destination over us.
        self.precursors = set()


class Search:
    """A route that is looked for (sections 6.3 and 6.4)."""

    def __init__(self):
        self.ttl = TTL_START
        self.retries = 0
        self.turn = 0
        self.waiting = collections.deque(maxlen=WAITING)


class Daemon:
    def __init__(self, interface):
        self.interface = interface
        self.routes = collections.defaultdict(Route)
        self.searches = {}
        # Requests that have been handled: until when they are remembered.
        self.handled = {}
        self.sequence = 0
        self.request = 0
        self.last_broadcast = 0.0
        self.timers = []
        self.order = 0

        probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        name = struct.pack("256s", interface.encode())
        self.address = fcntl.ioctl(probe, SIOCGIFADDR, name)[20:24]
        self.messages = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.messages.setsockopt(socket.SOL_SOCKET, SO_BINDTODEVICE, interface.encode())
        self.messages.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        self.messages.setsockopt(socket.IPPROTO_IP, IP_RECVTTL, 1)
        self.messages.bind(("", PORT))
        # Sees what is sent and forwarded, so that routes in use stay.
        self.traffic = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_IP))
        self.traffic.bind((interface, ETH_P_IP))
        self.raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        self.tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(self.tun, TUNSETIFF, struct.pack("16sH22x", TUN.encode(), IFF_TUN | IFF_NO_PI))

    def start(self, network):
        ip("link", "set", TUN, "up")
        ip("route", "replace", network, "dev", TUN, "metric", "1000", "src", text(self.address))
        self.after(0, self.hello)
        self.after(1, self.sweep)

    # --- Time ---

    def after(self, seconds, action):
        self.order += 1
        heapq.heappush(self.timers, (time.monotonic() + seconds, self.order, action))

    def run(self):
        readers = {self.messages: self.receive, self.traffic: self.watch, self.tun: self.catch}
        while True:
            wait = max(0.0, self.timers[0][0] - time.monotonic())
            for ready in select.select(list(readers), [], [], wait)[0]:
                readers[ready]()
            while self.timers[0][0] <= time.monotonic():
                heapq.heappop(self.timers)[2]()

    # --- Routes ---

    def usable(self, destination):
        route = self.routes.get(destination)
        is_usable = route is not None and route.is_active and route.until > time.monotonic()
        return route if is_usable else None

    def learn(self, destination, sequence, hops, via, lifetime):
        """Takes a route that a message offers, if it is newer or shorter (section 6.2)."""
        route = self.routes[destination]
        known = route.sequence
        is_better = (
            not route.is_active
            or known is None
            or (sequence is not None and newer(sequence, known))
            or ((sequence is None or sequence == known) and hops < route.hops)
        )
        until = time.monotonic() + lifetime
        is_same = route.is_active and (route.via, route.hops) == (via, hops)
        if is_better and not is_same:
            ways = ["dev", self.interface, "src", text(self.address)]
            if via != destination:
                ways = ["via", text(via), *ways, "onlink"]
            ip("route", "replace", f"{text(destination)}/32", *ways)
            route.via, route.hops, route.is_active = via, hops, True
            route.until = until
        if is_better or is_same:
            route.sequence = sequence if sequence is not None else known
            route.until = max(route.until, until)
        self.release(destination)

    def refresh(self, destination):
        """A route that carries packets lives on (section 6.2)."""
        if destination in self.routes and self.routes[destination].is_active:
            route = self.routes[destination]
            route.until = max(route.until, time.monotonic() + ACTIVE_ROUTE_TIMEOUT)
            if route.via != destination and route.via in self.routes:
                hop = self.routes[route.via]
                hop.until = max(hop.until, time.monotonic() + ACTIVE_ROUTE_TIMEOUT)

    def drop(self, destination):
        route = self.routes[destination]
        if route.is_active:
            route.is_active = False
            if route.sequence is not None:
                route.sequence = (route.sequence + 1) & 0xFFFFFFFF
            ip("route", "del", f"{text(destination)}/32", "dev", self.interface)

    def sweep(self):
        """Ends routes whose time is over; those over a silent neighbour are errors (6.9, 6.11)."""
        now = time.monotonic()
        over = [one for one, route in self.routes.items() if route.is_active and route.until <= now]
        for destination in over:
            self.broken(destination)
        self.handled = {request: until for request, until in self.handled.items() if until > now}
        self.after(0.2, self.sweep)

    def broken(self, neighbour):
        """A route is over: so are all that lead over it, and those who use them are informed."""
        lost = [neighbour]
        lost += [
            one
            for one, route in self.routes.items()
            if route.is_active and route.via == neighbour and one != neighbour
        ]
        for destination in lost:
            self.drop(destination)
        self.report([one for one in lost if self.routes[one].precursors])

    def report(self, destinations):
        """Sends a route error about destinations that cannot be reached (section 6.11)."""
        if destinations:
            body = b"".join(
                one + struct.pack("!I", self.routes[one].sequence or 0) for one in destinations
            )
            self.broadcast(struct.pack("!BBBB", RERR, 0, 0, len(destinations)) + body, 1)

    # --- Packets without a route ---

    def catch(self):
        """Reads packets that have no route: own ones wait for one, others are an error."""
        while True:
            try:
                packet = os.read(self.tun, 65536)
            except OSError as error:
                if error.errno == errno.EAGAIN:
                    return
                raise
            if len(packet) < 20 or packet[0] >> 4 != 4:
                continue
            source, destination = packet[12:16], packet[16:20]
            if self.usable(destination) is not None:
                self.send(packet, destination)
            elif source == self.address:
                self.search(destination).waiting.append(packet)
            else:
                self.report([destination])

    def send(self, packet, destination):
        self.raw.sendto(packet, (text(destination), 0))

    def search(self, destination):
        if destination not in self.searches:
            self.searches[destination] = Search()
            self.ask(destination)
        return self.searches[destination]

    def ask(self, destination):
        """Floods a request as far as its ring reaches, and waits for its round trip."""
        search = self.searches[destination]
        known = self.routes[destination].sequence
        self.sequence = (self.sequence + 1) & 0xFFFFFFFF
        self.request = (self.request + 1) & 0xFFFFFFFF
        # U: no sequence number is known. D: only the destination answers.
        flags = 0x10 | (0x08 if known is None else 0)
        self.handled[self.address, self.request] = time.monotonic() + PATH_DISCOVERY_TIME
        request = RREQ_FORMAT.pack(
            RREQ, flags, 0, 0, self.request, destination, known or 0, self.address, self.sequence
        )
        self.broadcast(request, search.ttl)
        is_ring = search.ttl <= TTL_THRESHOLD
        wait = 2 * NODE_TRAVERSAL_TIME * (search.ttl + TIMEOUT_BUFFER)
        if not is_ring:
            wait = NET_TRAVERSAL_TIME * 2**search.retries
        search.turn += 1
        turn = search.turn
        self.after(wait, lambda: self.widen(destination, search, turn))

    def widen(self, destination, search, turn):
        """No reply came in time: asks a wider ring, and gives up after the widest (section 6.4)."""
        if self.searches.get(destination) is not search or search.turn != turn:
            return
        if search.ttl >= NET_DIAMETER:
            search.retries += 1
            if search.retries > RREQ_RETRIES:
                del self.searches[destination]
                return
        elif search.ttl + TTL_INCREMENT > TTL_THRESHOLD:
            search.ttl = NET_DIAMETER
        else:
            search.ttl += TTL_INCREMENT
        self.ask(destination)

    def release(self, destination):
        """Sends what waited for a route that is there."""
        if destination in self.searches and self.usable(destination) is not None:
            for packet in self.searches.pop(destination).waiting:
                self.send(packet, destination)

    # --- Messages ---

    def broadcast(self, message, ttl):
        self.last_broadcast = time.monotonic()
        self.messages.setsockopt(socket.IPPROTO_IP, IP_TTL, ttl)
        self.messages.sendto(message, ("255.255.255.255", PORT))

    def unicast(self, message, neighbour):
        self.messages.setsockopt(socket.IPPROTO_IP, IP_TTL, 255)
        try:
            self.messages.sendto(message, (text(neighbour), PORT))
        except OSError as error:
            print(f"no reply to {text(neighbour)}: {error}", flush=True)

    def hello(self):
        """Nodes of an active route are heard of by their neighbours (section 6.9). A node that has
        no route sends none, and is found by a request."""
        is_used = any(self.usable(one) for one in self.routes)
        if is_used and time.monotonic() - self.last_broadcast >= HELLO_INTERVAL * 0.9:
            lifetime = int(ALLOWED_HELLO_LOSS * HELLO_INTERVAL * 1000)
            message = RREP_FORMAT.pack(
                RREP, 0, 0, 0, self.address, self.sequence, self.address, lifetime
            )
            self.broadcast(message, 1)
        self.after(HELLO_INTERVAL, self.hello)

    def receive(self):
        message, control, _, (sender, _) = self.messages.recvmsg(4096, 256)
        neighbour = socket.inet_aton(sender)
        if neighbour == self.address or not message:
            return
        ttl = next(
            (
                struct.unpack("i", data)[0]
                for level, kind, data in control
                if (level, kind) == (socket.IPPROTO_IP, IP_TTL)
            ),
            1,
        )
        if message[0] == RREQ and len(message) == RREQ_FORMAT.size:
            self.requested(message, neighbour, ttl)
        elif message[0] == RREP and len(message) == RREP_FORMAT.size:
            self.replied(message, neighbour)
        elif message[0] == RERR and len(message) >= 4:
            self.failed(message, neighbour)

    def requested(self, message, neighbour, ttl):
        """Handles a route request (section 6.5): answers it, or passes it on."""
        _, flags, _, hops, number, destination, known, origin, sequence = RREQ_FORMAT.unpack(
            message
        )
        hops += 1
        self.learn(neighbour, None, 1, neighbour, ACTIVE_ROUTE_TIMEOUT)
        if (origin, number) in self.handled:
            return
        self.handled[origin, number] = time.monotonic() + PATH_DISCOVERY_TIME
        back = 2 * NET_TRAVERSAL_TIME - 2 * hops * NODE_TRAVERSAL_TIME
        self.learn(origin, sequence, hops, neighbour, back)
        if destination == self.address:
            # Section 6.6.1: as new as the request asks for.
            if not flags & 0x08 and newer(known, self.sequence):
                self.sequence = known
            reply = RREP_FORMAT.pack(
                RREP, 0, 0, 0, self.address, self.sequence, origin, int(MY_ROUTE_TIMEOUT * 1000)
            )
            self.unicast(reply, neighbour)
        elif ttl > 1:
            passed = RREQ_FORMAT.pack(
                RREQ, flags, 0, hops, number, destination, known, origin, sequence
            )
            self.broadcast(passed, ttl - 1)

    def replied(self, message, neighbour):
        """Handles a route reply (section 6.7) or a hello, which is one of a single hop."""
        _, _, _, hops, destination, sequence, origin, lifetime = RREP_FORMAT.unpack(message)
        hops += 1
        self.learn(neighbour, None, 1, neighbour, ACTIVE_ROUTE_TIMEOUT)
        self.learn(destination, sequence, hops, neighbour, lifetime / 1000)
        if destination == origin or origin == self.address:
            return
        back = self.usable(origin)
        if back is None:
            print(f"no route back to {text(origin)}", flush=True)
            return
        passed = RREP_FORMAT.pack(RREP, 0, 0, hops, destination, sequence, origin, lifetime)
        self.routes[destination].precursors.add(back.via)
        self.routes[origin].precursors.add(neighbour)
        self.refresh(origin)
        self.unicast(passed, back.via)

    def failed(self, message, neighbour):
        """Handles a route error (section 6.11): routes over who sent it are over."""
        lost = []
        for at in range(4, len(message) - 7, 8):
            destination = message[at : at + 4]
            route = self.routes.get(destination)
            if route is not None and route.is_active and route.via == neighbour:
                self.drop(destination)
                route.sequence = struct.unpack("!I", message[at + 4 : at + 8])[0]
                lost.append(destination)
        self.report([one for one in lost if self.routes[one].precursors])

    def watch(self):
        """Packets on the interface keep the routes at both of their ends (section 6.2)."""
        packet, (_, _, kind, *_) = self.traffic.recvfrom(64)
        if len(packet) < 20 or packet[9] == socket.IPPROTO_UDP and self.is_own(packet):
            return
        source, destination = packet[12:16], packet[16:20]
        if kind == PACKET_OUTGOING:
            self.refresh(destination)
            self.refresh(source)
        elif destination == self.address:
            self.refresh(source)

    @staticmethod
    def is_own(packet):
        """Whether a packet is a message of this protocol."""
        header = (packet[0] & 15) * 4
        return packet[header + 2 : header + 4] == struct.pack("!H", PORT)


def text(address):
    return str(ipaddress.IPv4Address(address))


def ip(*arguments):
    done = subprocess.run(["ip", *arguments], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"ip {' '.join(arguments)}: {done.stderr.strip()}", flush=True)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: aodvd.py INTERFACE NETWORK, as in aodvd.py wlan1 10.0.0.0/16")
    daemon = Daemon(sys.argv[1])
    daemon.start(sys.argv[2])
    print(f"aodv on {sys.argv[1]} as {text(daemon.address)}", flush=True)
    daemon.run()


if __name__ == "__main__":
    main()
