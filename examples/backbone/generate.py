#!/usr/bin/env python3
"""Writes a backbone of the size of SNDlib's germany50, and demands between its routers.

Routers lie at random in a plane, and links join near ones. A pair's demand grows with the sizes of
both places and falls with their distance. The same seed gives the same files.
"""
import argparse
import heapq
import math
import pathlib
import random

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--routers", type=int, default=50)
parser.add_argument("--links", type=int, default=88)
parser.add_argument("--demands", type=int, default=662)
parser.add_argument("--total", type=float, default=1200, help="all demands together, in Gbit/s")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(__file__).parent)
args = parser.parse_args()
rng = random.Random(args.seed)

width = len(str(args.routers))
names = [f"r{number:0{width}}" for number in range(1, args.routers + 1)]
place = {name: (rng.uniform(0, 600), rng.uniform(0, 800)) for name in names}  # km
size = {name: rng.paretovariate(1.5) for name in names}


def distance(a, b):
    return math.dist(place[a], place[b])


pairs = sorted(((a, b) for a in names for b in names if a < b), key=lambda pair: distance(*pair))
# A ring of all routers, so that no failure of one link cuts anything off: from each to the nearest
# one left, untangled (2-opt). Then the shortest others that shorten a way most.
ring = [names[0]]
while len(ring) < len(names):
    ring.append(min(set(names) - set(ring), key=lambda name: (distance(ring[-1], name), name)))
tangled = True
while tangled:
    tangled = False
    for i in range(len(ring) - 1):
        for j in range(i + 2, len(ring)):
            a, b, c, d = ring[i], ring[i + 1], ring[j], ring[(j + 1) % len(ring)]
            if a != d and distance(a, c) + distance(b, d) < distance(a, b) + distance(c, d) - 1e-9:
                ring[i + 1 : j + 1] = reversed(ring[i + 1 : j + 1])
                tangled = True
links = [tuple(sorted(pair)) for pair in zip(ring, ring[1:] + ring[:1])]


near = {name: [] for name in names}
for a, b in links:
    near[a].append(b)
    near[b].append(a)


def way(start, end):
    """Length of the shortest way between two routers."""
    lengths, open_ = {}, [(0.0, start)]
    while open_:
        far, name = heapq.heappop(open_)
        if name == end:
            return far
        if lengths.setdefault(name, far) == far:
            for other in near[name]:
                if other not in lengths:
                    heapq.heappush(open_, (far + distance(name, other), other))


nearest = {a: set(sorted(names, key=lambda b: (distance(a, b), b))[1:11]) for a in names}
for detour in [4.0, 3.0, 2.0, 1.5, 1.2, 1.0]:
    for a, b in pairs:
        if len(links) >= args.links:
            break
        is_near = b in nearest[a] and b not in near[a]
        if is_near and way(a, b) > detour * distance(a, b):
            links.append((a, b))
            near[a].append(b)
            near[b].append(a)
links.sort()

both = [(a, b) for a in names for b in names if a != b]
wanted = {(a, b): size[a] * size[b] / (100 + distance(a, b)) for a, b in both}
largest = sorted(wanted, key=wanted.get, reverse=True)[: args.demands]
scale = args.total * 1000 / sum(wanted[pair] for pair in largest)

text = [
    f"# A backbone of {len(names)} routers and {len(links)} links, which `generate.py` wrote.",
    "# Costs are lengths in units of 10 km, delays those of light in fibre.",
    "name: backbone",
    "duration: 10s",
    "topology:",
    "  kinds: { router: { routing: cost, ipv6: none } }",
    "  defaults: { link: { rate: 100Gbit/s } }",
    "  nodes:",
]
text += [f"    {name}: {{ kind: router }}" for name in names]
text.append("  links:")
for a, b in links:
    far = distance(a, b)
    delay, cost = f"{far / 200:.3f}ms", max(1, round(far / 10))
    text.append(f"    - {{ endpoints: [{a}, {b}], delay: {delay}, cost: {cost} }}")
matrix = "{ file: demands.csv, unit: Mbit/s, as: fluid }"
text += ["traffic:", f"  - {{ name: demands, matrix: {matrix} }}"]
(args.folder / "netloom.yaml").write_text("\n".join(text) + "\n")
rows = [f"{a},{b},{wanted[a, b] * scale:.3f}" for a, b in sorted(largest)]
(args.folder / "demands.csv").write_text("\n".join(["from,to,rate", *rows]) + "\n")
