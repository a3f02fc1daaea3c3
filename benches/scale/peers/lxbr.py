#!/usr/bin/python3
"""One network of Mininet's, with Linux bridges as switches: brought up, looked at, and stopped.

    lxbr.py linear,64 | tree,2,16 | torus,8,8

Prints the seconds until it was up, until the first host had answered the last one, and of its end.
The folder is its own because `benches/scale/mininet.py` would hide the package of that name.
"""

import functools
import resource
import sys
import time

import mininet.net
from mininet.log import setLogLevel
from mininet.nodelib import LinuxBridge
from mininet.topo import LinearTopo
from mininet.topolib import TorusTopo, TreeTopo

# How long the last host may take to reach the first, in s.
PATIENCE = 300
TOPOLOGIES = {"linear": LinearTopo, "tree": TreeTopo, "torus": TorusTopo}


def spare_the_machine():
    """Mininet raises limits of the whole machine when it starts; the process's own are enough
    here."""
    mininet.net.fixLimits = lambda: None
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def main():
    kind, *sizes = sys.argv[1].split(",")
    setLogLevel("error")
    spare_the_machine()
    begin = time.perf_counter()
    net = mininet.net.Mininet(
        topo=TOPOLOGIES[kind](*map(int, sizes)),
        # A torus has loops.
        switch=functools.partial(LinuxBridge, stp=kind == "torus"),
        controller=None,
        waitConnected=False,
    )
    net.start()
    up = time.perf_counter() - begin
    first, last = net.hosts[0], net.hosts[-1]
    while "bytes from" not in last.cmd("ping", "-c", "1", "-W", "1", first.IP()):
        if time.perf_counter() - begin > up + PATIENCE:
            raise SystemExit(f"{last} does not reach {first}")
    reply = time.perf_counter() - begin
    begin = time.perf_counter()
    net.stop()
    print(up, reply, time.perf_counter() - begin)


main()
