#!/usr/bin/env python3
"""1,584 satellites (53°: 1584/72/39 at 550 km) with 3,168 links, no daemons, on one machine: how
long until they are up; the delays of 1,000 random links at random times against the formula; pings
over paths of the plan against the delays of these paths; and what the engine needs while ten places
on the ground go from satellite to satellite.

Needs root.

    leo.py [SECONDS]
"""

import heapq
import json
import math
import os
import pathlib
import random
import re
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scale"))

from common import Run, machine, netloom  # noqa: E402
from large import cpu_seconds, timed  # noqa: E402

SATELLITES, PLANES, PHASING, ALTITUDE, INCLINATION = 1584, 72, 39, 550e3, 53
EACH = SATELLITES // PLANES
EARTH, GRAVITY, LIGHT, TURN = 6371e3, 3.986004418e14, 299792458.0, 7.2921159e-5
CITIES = {
    "stuttgart": (48.78, 9.18), "newyork": (40.71, -74.01), "tokyo": (35.68, 139.69),
    "sydney": (-33.87, 151.21), "saopaulo": (-23.55, -46.63), "nairobi": (-1.29, 36.82),
    "delhi": (28.61, 77.21), "lima": (-12.05, -77.04),
    "capetown": (-33.92, 18.42), "toronto": (43.65, -79.38),
}  # fmt: skip
DURATION, CHECKED, PAIRS, PINGS = 600, 1000, 20, 20


def scenario(name, duration):
    ground = "\n".join(
        f"        {city}: {{ lat: {lat}, lon: {lon} }}" for city, (lat, lon) in CITIES.items()
    )
    return f"""name: {name}
duration: {duration}s
topology:
  defaults: {{ node: {{ ipv6: none }} }}
  nodes: {{}}
  constellations:
    leo:
      walker:
        inclination: {INCLINATION}deg
        planes: {PLANES}
        satellites: {SATELLITES}
        phasing: {PHASING}
        altitude: 550km
      ground:
{ground}
"""


def place(node, at):
    """Where a node is, in m, in a frame that does not turn."""
    if node in CITIES:
        lat, lon = (math.radians(value) for value in CITIES[node])
        lon += TURN * at
        return (
            EARTH * math.cos(lat) * math.cos(lon),
            EARTH * math.cos(lat) * math.sin(lon),
            EARTH * math.sin(lat),
        )
    plane, slot = (int(number) - 1 for number in node.split("-")[1:])
    radius = EARTH + ALTITUDE
    ascending, tilt = 2 * math.pi * plane / PLANES, math.radians(INCLINATION)
    along = (
        2 * math.pi * (slot / EACH + PHASING * plane / SATELLITES)
        + math.sqrt(GRAVITY / radius**3) * at
    )
    x, y = math.cos(along), math.sin(along)
    return (
        radius * (x * math.cos(ascending) - y * math.cos(tilt) * math.sin(ascending)),
        radius * (x * math.sin(ascending) + y * math.cos(tilt) * math.cos(ascending)),
        radius * y * math.sin(tilt),
    )


def delay(a, b, at):
    return math.dist(place(a, at), place(b, at)) / LIGHT


UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}


def seconds(text):
    """A time as NetLoom writes it, like `1.5ms`."""
    number, unit = re.fullmatch(r"([0-9.]+)(\D+)", text).groups()
    return float(number) * UNITS[unit]


def written(value, at):
    """What a link's `delay` says for a time."""
    if isinstance(value, str):
        return seconds(value)
    points = [(seconds(point["at"]), seconds(point["delay"])) for point in value["schedule"]]
    for (start, first), (end, last) in zip(points, points[1:]):
        if start <= at <= end:
            return first + (last - first) * (at - start) / (end - start)
    return points[-1][1]


def delays(links, draw):
    """The largest error of random links at random times, in s."""
    worst = 0.0
    for _ in range(CHECKED):
        link, at = draw.choice(links), draw.uniform(0, DURATION)
        a, b = (end["node"] for end in link["endpoints"])
        if a in CITIES:
            # Only while it is used: what a link is at the beginning it is at the time that its
            # state says.
            if link["forward"]["config"]["state"] == "down":
                continue
            at = 0.0
        found = written(link["forward"]["config"]["delay"], at)
        worst = max(worst, abs(found - delay(a, b, at)))
    return worst


def path(neighbours, start, end):
    """The shortest path by the delays at the beginning."""
    best, queue = {start: (0.0, None)}, [(0.0, start)]
    while queue:
        length, node = heapq.heappop(queue)
        if node == end:
            break
        for other in neighbours[node]:
            further = length + delay(node, other, 0.0)
            if other not in best or further < best[other][0] - 1e-12:
                best[other] = (further, node)
                heapq.heappush(queue, (further, other))
    nodes = [end]
    while nodes[-1] != start:
        nodes.append(best[nodes[-1]][1])
    return nodes[::-1]


def pings(name, links, draw, begun):
    """How much longer round trips take than the paths' delays, in ms a hop."""
    neighbours = {}
    for link in links:
        a, b = (end["node"] for end in link["endpoints"])
        if link["forward"]["config"]["state"] == "up":
            neighbours.setdefault(a, []).append(b)
            neighbours.setdefault(b, []).append(a)
    satellites = [node for node in neighbours if node not in CITIES]
    more = []
    for _ in range(PAIRS):
        one, other = draw.sample(satellites, 2)
        ends = path(neighbours, one, other)
        start = time.monotonic() - begun
        said = netloom(
            "exec",
            f"{one}@{name}",
            "--",
            "ping",
            "-4",
            "-i",
            "0.05",
            "-c",
            str(PINGS),
            "-W",
            "5",
            other,
        )
        middle = (start + time.monotonic() - begun) / 2
        found = statistics.median(float(value) for value in re.findall(r"time=([0-9.]+) ms", said))
        expected = 2e3 * sum(delay(a, b, middle) for a, b in zip(ends, ends[1:]))
        hops = len(ends) - 1
        more.append((found - expected) / hops)
    return more


def main():
    duration = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    draw = random.Random(1)
    print(f"{SATELLITES} satellites and {len(CITIES)} places, on {machine()}", flush=True)
    name = f"bench-leo-{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
        file = pathlib.Path(folder) / "scenario.yaml"
        file.write_text(scenario(name, DURATION))
        validated, _ = timed("validate", "-t", file)
        up, _ = timed("deploy", "-t", file)
        begun = time.monotonic()
        print(
            f"  up in {up:.1f} s (goal 30 s), of it {validated:.1f} s for the sky of {DURATION} s",
            flush=True,
        )
        try:
            shown = json.loads(netloom("inspect", name, "--format", "json"))
            worst = delays(shown["links"], draw)
            print(
                f"  delays of {CHECKED} random links and times: {worst * 1e6:.3f} µs off at most"
                " (goal 1)"
            )
            more = pings(name, shown["links"], draw, begun)
            print(
                f"  pings over {PAIRS} paths: {statistics.median(more):.3f} ms a hop above the"
                f" path's delays (median; {max(more):.3f} at most; goal 0.1)"
            )
        finally:
            print(f"  gone in {timed('destroy', name)[0]:.1f} s")
    control(duration)


def control(duration):
    """What the engine needs while links go down and up."""

    class Watched(Run):
        def execute(self, directory):
            import subprocess

            from common import NETLOOM

            name = f"bench-leo-{os.getpid()}"
            running = subprocess.Popen(
                [NETLOOM, "run", "-o", "results"], cwd=directory, stdout=subprocess.DEVNULL
            )
            self.share = None
            while running.poll() is None:
                try:
                    engine = json.loads(netloom("inspect", name, "--format", "json"))["experiment"][
                        "engine_pid"
                    ]
                    break
                except SystemExit:
                    time.sleep(0.5)
            time.sleep(5)
            spent, since = cpu_seconds(engine), time.monotonic()
            time.sleep(duration - 10)
            self.share = 100 * (cpu_seconds(engine) - spent) / (time.monotonic() - since)
            running.wait()

    run = Watched(scenario(f"bench-leo-{os.getpid()}", duration))
    timeline = run.summary["timeline"]
    print(
        f"  {len(timeline)} links down or up in {duration} s: {run.share:.1f} % of a core (goal 5)"
    )


if __name__ == "__main__":
    main()
