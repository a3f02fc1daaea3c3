"""The domain chain of section 5.1: five routers, some of which know no differentiated services."""

SHARE = 0.5


def scenario(preferred, other, without=(), seconds=20, rate=8.0, routers=5, seed=5):
    """Rates in Mbit/s. `without` are the routers (3 for R3) whose lines do not know DSCPs.

    Table 5.1: 10 Mbit/s and 1 ms between DS routers, 8 Mbit/s and 1 ms at R3, 8 Mbit/s and 2 ms at
    the edge; frames of 1000 bytes. Lines of R3 keep `rate` also where R3 is a DS router.
    """
    ds = ("queue: { discipline: { prio: { classes: [{ match: { dscp: ef }, limit: 40packets },"
          " { limit: 40packets }] } }, limit: 100packets }")
    red = ("queue: { discipline: { red: { min: 20packets, max: 40packets, max_p: 2%, gentle: false,"
           " ecn: false } }, limit: 80packets }")
    slow = set(range(3, 3 + max(1, routers - 4)))
    links = []
    for number in range(1, routers):
        ends = {number, number + 1}
        speed = rate if ends & slow else 10
        queue = red if ends & set(without) else ds
        links.append(f"    - {{ endpoints: [r{number}, r{number + 1}], rate: {speed:g}Mbit/s,"
                     f" delay: 1ms, {queue} }}")
    last = f"r{routers}"
    return f"""\
name: papers-hmdn
seed: {seed}
topology:
  defaults: {{ node: {{ ipv6: none }}, link: {{ framing: none }} }}
  kinds: {{ router: {{ loopback: none }} }}
  nodes:
    s1:
    s2:
    k1:
    k2:
{chr(10).join(f"    r{number}: {{ kind: router }}" for number in range(1, routers + 1))}
  links:
    - endpoints: [s1, r1]
      rate: 8Mbit/s
      delay: 2ms
      forward: {{ condition: [{{ conform: {{ dscp: ef }} }}] }}
    - {{ endpoints: [s2, r1], rate: 8Mbit/s, delay: 2ms }}
{chr(10).join(links)}
    - {{ endpoints: [{last}, k1], rate: 8Mbit/s, delay: 2ms }}
    - {{ endpoints: [{last}, k2], rate: 8Mbit/s, delay: 2ms }}
traffic:
  - {{ name: preferred, from: s1, to: k1, udp: {{}}, cbr: {{ rate: {preferred:g}Mbit/s }},
      size: 1000B, for: {seconds}s }}
  - {{ name: other, from: s2, to: k2, udp: {{}}, cbr: {{ rate: {other:g}Mbit/s }}, size: 1000B,
      for: {seconds}s }}
"""


def seconds(lab):
    """The paper's 100 s, or 10."""
    return 100 if lab.is_full else 10 if lab.is_virtual else 6


def run(lab, preferred, other, **rest):
    """Mean delays in ms and lost packets of both classes."""
    found = lab.run(scenario(preferred, other, seconds=seconds(lab), **rest))
    delays, lost = [], []
    for name in ("preferred", "other"):
        flow = found.flows[name]
        mean = (flow.get("delay") or {}).get("mean_ns")
        delays.append(mean / 1e6 if mean else float("nan"))
        lost.append(flow["sent"]["frames"] - flow["received"]["frames"])
    return delays, lost


def index(hmdn, all_ds, share=SHARE):
    """The Service Provision Index (3) of a class: its share times the growth of its delay."""
    return share * (hmdn - all_ds) / all_ds
