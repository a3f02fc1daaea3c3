#!/usr/bin/env python3
"""Writes netloom.yaml: a grid of routers with hosts, and as many TCP flows as there are nodes.

    ./generate.py > netloom.yaml
    ./generate.py --rows 10 --columns 10 --hosts 49 > larger.yaml
"""

import argparse


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=5)
    parser.add_argument("--columns", type=int, default=8)
    parser.add_argument("--hosts", type=int, default=24, help="hosts at each router")
    parser.add_argument("--duration", default="10s")
    args = parser.parse_args()
    routers = [[f"r{row}x{column}" for column in range(args.columns)] for row in range(args.rows)]
    flat = [router for row in routers for router in row]
    hosts = {router: [f"h{router[1:]}n{number}" for number in range(args.hosts)] for router in flat}
    print("# Written by generate.py.")
    print(f"name: thousand\nseed: 1\nduration: {args.duration}\n\ntopology:\n  groups:")
    print("    routers:\n      kind: router\n      members:")
    lines(flat)
    print("    hosts:\n      members:")
    lines([host for router in flat for host in hosts[router]])
    print("  nodes:")
    for router in flat:
        for node in [router, *hosts[router]]:
            print(f"    {node}:")
    print("  defaults:\n    link: { rate: 20Mbit/s, delay: 100us }\n  links:")
    core = "rate: 100Mbit/s, delay: 2ms, queue: { limit: 200packets }"
    for row in range(args.rows):
        for column in range(args.columns):
            here = routers[row][column]
            if column + 1 < args.columns:
                print(f"    - {{ endpoints: [{here}, {routers[row][column + 1]}], {core} }}")
            if row + 1 < args.rows:
                print(f"    - {{ endpoints: [{here}, {routers[row + 1][column]}], {core} }}")
            for host in hosts[here]:
                print(f"    - {{ endpoints: [{host}, {here}] }}")
    print("\ntraffic:")
    print("  - { name: flow, from: { group: hosts }, to: { group: hosts }, tcp: {}, bulk: {} }")
    print("  - { name: up, from: { group: routers }, to: { group: hosts }, tcp: {}, bulk: {} }")
    print("\nmeasure: { interval: 1s }")


def lines(names):
    for start in range(0, len(names), 8):
        print("        " + ("[" if start == 0 else " "), end="")
        last = start + 8 >= len(names)
        print(", ".join(names[start : start + 8]) + ("]" if last else ","))


main()
