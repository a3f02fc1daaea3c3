#!/bin/sh
# Ends when every other host answers over IPv4 and IPv6, and OSPF has had the time to settle on the
# shortest paths (its calculations are at most 1 s apart).
for city in seattle losangeles atlanta newyork; do
    host="host-$city"
    [ "$host" = "$NETLOOM_NODE" ] && continue
    for family in -4 -6; do
        until ping $family -c 1 -W 1 "$host" >/dev/null 2>&1; do sleep 0.1; done
    done
done
sleep 2
