#!/usr/bin/env python3
"""The study of queue disciplines (examples/aqm-study) beside theory, as Markdown.

    netloom sweep examples/aqm-study/aqm.sweep.yaml -o RESULTS
    benches/aqm.py RESULTS

**Queues.** A drop-tail queue that holds B seconds is filled by Reno and CUBIC as a sawtooth: the
flows' windows together grow to R + B (R: round-trip time without the queue, in seconds of the line)
and fall to a share of it, at a pace that is one packet a round trip for Reno, and RFC 9438's larger
of two curves for CUBIC. The mean of the queue over time is between that of flows that lose at the
same time and of flows that lose one after the other. Slow start and CUBIC's fast convergence
are not in it. CoDel and PIE have a target. With FQ-CoDel, a flow that sends little waits for a
frame on the line at most, and for one of each other flow.
"""

import csv
import pathlib
import sys

LINE = 10e6  # bit/s
HELD = 0.1  # s: the default of `limit`
ACCESS = 1e-3  # s, both access links of a path together, one way
FRAME = 1538 * 8  # bit, on the line
FLOWS = 2
BETA, CUBE = 0.7, 0.4  # of RFC 9438
TARGETS = {"codel": 5e-3, "pie": 15e-3}
DELAY, CONTROL, QUEUE = "links.bottleneck.delay", "control", "links.bottleneck.queue.discipline"


def sawtooth(rtt, share, pace):
    """The mean queue in seconds while the window grows from `share` of the largest to it.

    `pace(elapsed, window)` is the window after the time since the fall, in packets a flow.
    """
    packet = FRAME * FLOWS / LINE  # seconds of the line that a packet of each flow takes
    largest = (rtt + HELD) / packet
    step, elapsed, total, queued = 1e-3, 0.0, 0.0, 0.0
    window = share * largest
    while window < largest:
        queue = max(0.0, window * packet - rtt)
        total, queued, elapsed = total + step, queued + queue * step, elapsed + step
        window = pace(elapsed, window, max(rtt, window * packet), step, largest, share)
    return queued / total


def reno(_elapsed, window, rtt, step, _largest, _share):
    return window + step / rtt


class Cubic:
    """RFC 9438, sections 4.2 and 4.3: the larger of the cubic and the Reno-friendly window."""

    def __init__(self):
        self.friendly = None

    def __call__(self, elapsed, window, rtt, step, largest, share):
        if self.friendly is None:
            self.friendly = share * largest
        self.friendly += 3 * (1 - BETA) / (1 + BETA) * step / rtt
        # Of flows that lose one after the other, a fall is a part of what falls together.
        origin = largest * (1 - share) / CUBE
        cubic = CUBE * (elapsed - origin ** (1 / 3)) ** 3 + largest
        return max(window, self.friendly, cubic)


def queues(control, rtt):
    """The smallest and the largest mean queue that theory has, in seconds."""
    fall = {"reno": 0.5, "cubic": 1 - BETA}[control]
    shares = (1 - fall, 1 - fall / FLOWS)
    return [sawtooth(rtt, share, reno if control == "reno" else Cubic()) for share in shares]


def main():
    (folder,) = sys.argv[1:]
    points = {}
    with open(pathlib.Path(folder) / "points.csv", newline="") as file:
        for row in csv.DictReader(file):
            key = (row[CONTROL], row[DELAY], row[QUEUE])
            points.setdefault(key, {})[row["metric"]] = (float(row["mean"]), float(row["half"]))
    print("| control | one way | queue | mean queue, ms | theory, ms |")
    print("|---|---|---|---|---|")
    for (control, delay, queue), found in points.items():
        one_way = float(delay.removesuffix("ms")) / 1e3 + ACCESS
        mean, half = (value / 1e9 for value in found["delay"])
        # What a frame of the random flow takes to be sent on its three links.
        waiting = mean - one_way - 524 * 8 * (1 / LINE + 2 / 100e6)
        rtt = 2 * one_way
        if queue in TARGETS:
            theory = f"target {TARGETS[queue] * 1e3:.0f}"
        elif queue == "fq_codel":
            theory = f"≤ {3 * FRAME / LINE * 1e3:.1f}"
        elif control == "bbr":
            theory = "–"
        else:
            theory = " to ".join(f"{1e3 * value:.0f}" for value in sorted(queues(control, rtt)))
        print(
            f"| {control} | {delay} | {queue} "
            f"| {1e3 * waiting:.1f} ± {1e3 * half:.1f} | {theory} |"
        )


main()
