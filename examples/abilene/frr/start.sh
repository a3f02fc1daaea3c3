#!/bin/sh
# Starts unmodified FRR daemons in this node and hands them its configuration. /run is the node's
# own, so every node has its own /run/frr.
set -e
install -d -o frr -g frr /run/frr
for daemon in zebra ospfd ospf6d; do
    "/usr/lib/frr/$daemon" --daemon --user frr --group frr --vty_addr 127.0.0.1
done
# The router's identity: its loopback address.
router_id=$(ip -4 -o address show dev lo scope global |
    awk '{ sub("/.*", "", $4); print $4; exit }')
{
    cat "frr/$NETLOOM_NODE.conf"
    printf 'router ospf\n ospf router-id %s\n!\n' "$router_id"
    printf 'router ospf6\n ospf6 router-id %s\n!\n' "$router_id"
} > /run/frr/netloom.conf
vtysh -f /run/frr/netloom.conf
# Ready when every neighbour is a full one, in both protocols.
neighbours=$(grep -c 'network point-to-point' "frr/$NETLOOM_NODE.conf")
full() { vtysh -c 'show ip ospf neighbor' -c 'show ipv6 ospf6 neighbor' | grep -c 'Full'; }
until [ "$(full)" -ge "$neighbours" ]; do sleep 0.2; done
