"""Chains of nodes as §3.7 measures them."""


def path(hops):
    """Returns the routers and the links of a path from host `a` to host `b`, as lines of a
    scenario."""
    nodes = ["a", *(f"r{number}" for number in range(1, hops)), "b"]
    links = "\n".join(f"    - {{ endpoints: [{one}, {other}] }}"
                      for one, other in zip(nodes, nodes[1:]))
    routers = "\n".join(f"    {router}: {{ kind: router }}" for router in nodes[1:-1])
    return routers, links


def every_link(nodes, words, traffic):
    """Returns a scenario with traffic over every link of a chain at once: `words` are the links'
    properties."""
    names = [f"n{number}" for number in range(1, nodes + 1)]
    pairs = list(zip(names, names[1:]))
    links = [f"    - {{ endpoints: [{one}, {other}], {words} }}" for one, other in pairs]
    flows = [f"  - {{ name: f{number}, from: {one}, to: {other}, {traffic} }}"
             for number, (one, other) in enumerate(pairs)]
    return "\n".join([
        "name: papers-tool", "topology:", "  neighbours: known",
        "  defaults: { node: { kind: router, ipv6: none } }", "  nodes:",
        *(f"    {name}:" for name in names), "  links:", *links, "traffic:", *flows,
        "measure: { flows: 1s }", "",
    ])
