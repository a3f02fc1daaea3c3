"""The target network of section 4.2: three routers, whose way back leads over the third."""

SCENARIO = """\
name: papers-target
duration: {duration}s
topology:
  neighbours: known
  defaults: {{ node: {{ ipv6: none }}, link: {{ rate: 100Mbit/s }} }}
  kinds: {{ router: {{ routing: none }} }}
  nodes:
    a: {{ interfaces: {{ eth1: {{ ipv4: 10.1.0.1/24 }} }} }}
    b: {{ interfaces: {{ eth1: {{ ipv4: 10.3.0.1/24 }} }} }}
    r1:
      kind: router
      interfaces:
        eth1: {{ ipv4: 10.1.0.254/24 }}
        eth2: {{ ipv4: 10.13.0.1/24 }}
        eth3: {{ ipv4: 10.12.0.1/24 }}
      routes: [{{ to: 10.3.0.0/24, via: 10.13.0.3 }}]
    r2:
      kind: router
      interfaces:
        eth1: {{ ipv4: 10.12.0.2/24 }}
        eth2: {{ ipv4: 10.23.0.2/24 }}
      routes: [{{ to: 10.1.0.0/24, via: 10.12.0.1 }}]
    r3:
      kind: router
      interfaces:
        eth1: {{ ipv4: 10.3.0.254/24 }}
        eth2: {{ ipv4: 10.13.0.3/24 }}
        eth3: {{ ipv4: 10.23.0.3/24 }}
      routes: [{{ to: 10.1.0.0/24, via: 10.23.0.2 }}]
  links:
    - {{ endpoints: ["a:eth1", "r1:eth1"] }}
    - {{ endpoints: ["b:eth1", "r3:eth1"] }}
    - {{ endpoints: ["r1:eth2", "r3:eth2"]{direct} }}
    - {{ endpoints: ["r3:eth3", "r2:eth2"]{detour} }}
    - {{ endpoints: ["r2:eth1", "r1:eth3"]{detour} }}
timeline:
  - {{ at: {gone}s, node: r3, route: {{ remove: 10.1.0.0/24 }} }}
  - {{ at: {back}s, node: r3, route: {{ add: {{ to: 10.1.0.0/24, via: 10.13.0.1 }} }} }}
traffic:
  - {traffic}
measure: {{ flows: 100ms }}
"""
