"""Starts members of a NetLoom experiment on the nodes of a Ray cluster.

`netloom run --machines ray:…` runs this as `python3 -m netloom_cluster` and speaks with it in JSON
lines (`lines`). Ray reserves machines and starts one process on each (`cluster`, `starter`); time,
barriers, liveness, results and frames are NetLoom's own.
"""
