"""Random regular graphs as scenarios."""

import random

# Neighbours of each node.
DEGREE = 4


def regular(nodes, degree, seed=1):
    """The edges of a connected random graph in which every node has `degree` neighbours (by
    shuffled stubs, with swaps where an edge is double or a loop; Steger and Wormald 1999)."""
    draw = random.Random(seed)
    while True:
        stubs = [node for node in range(nodes) for _ in range(degree)]
        draw.shuffle(stubs)
        edges = set()
        left = []
        for a, b in zip(stubs[::2], stubs[1::2]):
            edge = (min(a, b), max(a, b))
            if a == b or edge in edges:
                left.append((a, b))
            else:
                edges.add(edge)
        # An edge that cannot be is swapped with one that is there.
        for a, b in left:
            order = sorted(edges)
            while True:
                c, d = draw.choice(order)
                one, two = (min(a, c), max(a, c)), (min(b, d), max(b, d))
                loops = a == c or b == d
                if not loops and one != two and not {one, two} & edges and (c, d) in edges:
                    edges.remove((c, d))
                    edges.update((one, two))
                    break
        if connected(nodes, edges):
            return sorted(edges)


def connected(nodes, edges):
    neighbours = [[] for _ in range(nodes)]
    for a, b in edges:
        neighbours[a].append(b)
        neighbours[b].append(a)
    seen, todo = {0}, [0]
    while todo:
        for other in neighbours[todo.pop()]:
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return len(seen) == nodes


def scenario(name, nodes, edges, direct=0):
    """Routers with shaped links, of which some are direct instead: static routes, IPv4 and IPv6."""
    lines = [f"name: {name}", "topology:", "  nodes:"]
    lines += [f"    n{node}: {{ kind: router }}" for node in range(nodes)]
    lines.append("  links:")
    used = [0] * nodes
    for number, (a, b) in enumerate(edges):
        used[a] += 1
        used[b] += 1
        ends = f"['n{a}:eth{used[a]}', 'n{b}:eth{used[b]}']"
        how = "direct: true" if number < direct else "rate: 100Mbit/s, delay: 2ms"
        lines.append(f"    - {{ endpoints: {ends}, {how} }}")
    return "\n".join(lines) + "\n"
