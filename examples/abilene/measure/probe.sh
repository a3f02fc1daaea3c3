#!/bin/sh
# 100 time-stamped pings a second while the flow runs. Losses are expected: that is the point.
ping -n -4 -D -i 0.01 -c 2900 -w 29 host-newyork || true
