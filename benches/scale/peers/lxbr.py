#!/usr/bin/python3
"""One network of Mininet's, with Linux bridges as switches: brought up, looked at, and stopped.

    lxbr.py linear,64 | tree,2,16

Prints the seconds of start and stop, and whether the last host reached the first. The folder is its own because
`benches/scale/mininet.py` would hide the package of that name.
"""

import resource
import sys
import time

import mininet.net
from mininet.log import setLogLevel
from mininet.nodelib import LinuxBridge
from mininet.topo import LinearTopo
from mininet.topolib import TreeTopo

TOPOLOGIES = {"linear": LinearTopo, "tree": TreeTopo}


def spare_the_machine():
    """Mininet raises limits of the whole machine when it starts; the process's own are enough here."""
    mininet.net.fixLimits = lambda: None
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def main():
    kind, *sizes = sys.argv[1].split(",")
    setLogLevel("error")
    spare_the_machine()
    begin = time.perf_counter()
    net = mininet.net.Mininet(
        topo=TOPOLOGIES[kind](*map(int, sizes)), switch=LinuxBridge, controller=None, waitConnected=False
    )
    net.start()
    up = time.perf_counter() - begin
    first, last = net.hosts[0], net.hosts[-1]
    said = last.cmd("ping", "-c", "3", "-i", "0.2", "-W", "5", first.IP())
    begin = time.perf_counter()
    net.stop()
    gone = time.perf_counter() - begin
    print(up, gone, "reached" if "bytes from" in said else f"not reached: {said.strip()!r}")


main()
