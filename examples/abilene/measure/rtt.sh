#!/bin/sh
# Round-trip times to the hosts named, over IPv4 and IPv6, 20 a second.
for host in "$@"; do
    for family in -4 -6; do
        echo "to $host $family"
        ping -n $family -c 40 -i 0.05 "$host"
    done
done
