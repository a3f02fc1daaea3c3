#!/usr/bin/env python3
"""Writes the two traces of this example: Mahimahi's format, a line for each millisecond in which
1500 bytes may leave.

Not a recording: a rate that wanders as that of a cellular link does, with a fade of half a second
in which nothing passes. Fixed seed.
"""

import random
from pathlib import Path

PERIOD_MS = 4000
FADE_MS = range(2500, 3000)


def trace(mean_mbit, seed):
    """Milliseconds of opportunities: a rate that moves every 100 ms, between a third and twice the
    mean."""
    rng = random.Random(seed)
    factor, credit, lines = 1.0, 0.0, []
    for ms in range(1, PERIOD_MS + 1):
        if ms % 100 == 1:
            factor = min(2.0, max(0.33, factor * rng.lognormvariate(0, 0.4)))
        if ms in FADE_MS:
            continue
        credit += factor * mean_mbit * 1e6 / 8 / 1500 / 1000
        while credit >= 1:
            credit -= 1
            lines.append(ms)
    # The last line is the period.
    lines.append(PERIOD_MS)
    return lines


for name, mean, seed in [("downlink.trace", 6, 1), ("uplink.trace", 2, 2)]:
    lines = trace(mean, seed)
    mbit = len(lines) * 1500 * 8 / PERIOD_MS / 1000
    Path(__file__).with_name(name).write_text("".join(f"{ms}\n" for ms in lines))
    print(f"{name}: {len(lines)} opportunities in {PERIOD_MS} ms, {mbit:.2f} Mbit/s")
