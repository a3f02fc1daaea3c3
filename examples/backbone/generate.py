#!/usr/bin/env python3
"""Writes a backbone of the size of SNDlib's germany50, and demands between its routers.

Routers lie at random in a plane, and links join near ones. A pair's demand grows with the sizes of
both places and falls with their distance. The same seed gives the same files.
"""
import argparse
import math
import pathlib
import random

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--routers", type=int, default=50)
parser.add_argument("--links", type=int, default=88)
parser.add_argument("--demands", type=int, default=662)
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
# A tree of the shortest links, then the shortest others that shorten a way by half.
part = {name: name for name in names}


def root(name):
    while part[name] != name:
        name = part[name]
    return name


links = []
for a, b in pairs:
    if root(a) != root(b):
        part[root(a)] = root(b)
        links.append((a, b))


def ways(start):
    """Lengths of the shortest ways from a router."""
    near = {name: {} for name in names}
    for a, b in links:
        near[a][b] = near[b][a] = distance(a, b)
    lengths, open_ = {}, {start: 0.0}
    while open_:
        name = min(open_, key=open_.get)
        lengths[name] = open_.pop(name)
        for other, far in near[name].items():
            if other not in lengths:
                open_[other] = min(open_.get(other, math.inf), lengths[name] + far)
    return lengths


for detour in [2.0, 1.5, 1.2, 1.0]:
    for a, b in pairs:
        if len(links) >= args.links:
            break
        if (a, b) not in links and ways(a)[b] > detour * distance(a, b):
            links.append((a, b))
links.sort()

wanted = {(a, b): size[a] * size[b] / (100 + distance(a, b)) for a in names for b in names if a != b}
largest = sorted(wanted, key=wanted.get, reverse=True)[: args.demands]
scale = 400e3 / sum(wanted[pair] for pair in largest)  # 400 Gbit/s in all

text = ["# A backbone of the size of SNDlib's germany50: 50 routers and 88 links. `generate.py` wrote it.",
        "# Costs are lengths in units of 10 km, delays those of light in fibre.",
        "name: backbone", "duration: 10s", "topology:", "  kinds: { router: { routing: cost, ipv6: none } }",
        "  defaults: { link: { rate: 100Gbit/s } }", "  nodes:"]
text += [f"    {name}: {{ kind: router }}" for name in names]
text.append("  links:")
for a, b in links:
    far = distance(a, b)
    text.append(f"    - {{ endpoints: [{a}, {b}], delay: {far / 200:.3f}ms, cost: {max(1, round(far / 10))} }}")
text += ["traffic:", "  - { name: demands, matrix: { file: demands.csv, unit: Mbit/s, as: fluid } }"]
(args.folder / "netloom.yaml").write_text("\n".join(text) + "\n")
rows = [f"{a},{b},{wanted[a, b] * scale:.3f}" for a, b in sorted(largest)]
(args.folder / "demands.csv").write_text("\n".join(["from,to,rate", *rows]) + "\n")
