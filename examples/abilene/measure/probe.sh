#!/bin/sh
# 100 time-stamped pings a second while the flow runs. Losses are expected: that is the point.
# Routers that have no route for a moment say so, at which a ping with a deadline of its own (-w)
# would end.
timeout --signal INT 29 ping -n -4 -D -i 0.01 host-newyork || true
