#!/usr/bin/env python3
"""Writes netloom.yaml's link delays and the routers' FRR files from city coordinates.

Delays are great-circle distances at 2/3 of the speed of light in vacuum, rounded to 1 us; an OSPF
cost is the delay in units of 10 us. Prints the links; writes frr/CITY.conf.
"""

import math
import pathlib

CITIES = {
    "seattle": (47.6062, -122.3321),
    "sunnyvale": (37.3688, -122.0363),
    "losangeles": (34.0522, -118.2437),
    "denver": (39.7392, -104.9903),
    "kansascity": (39.0997, -94.5786),
    "houston": (29.7604, -95.3698),
    "chicago": (41.8781, -87.6298),
    "indianapolis": (39.7684, -86.1581),
    "atlanta": (33.7490, -84.3880),
    "washington": (38.9072, -77.0369),
    "newyork": (40.7128, -74.0060),
}
LINKS = [
    ("seattle", "sunnyvale"), ("seattle", "denver"), ("sunnyvale", "losangeles"),
    ("sunnyvale", "denver"), ("losangeles", "houston"), ("denver", "kansascity"),
    ("kansascity", "houston"), ("kansascity", "indianapolis"), ("houston", "atlanta"),
    ("indianapolis", "chicago"), ("indianapolis", "atlanta"), ("chicago", "newyork"),
    ("atlanta", "washington"), ("newyork", "washington"),
]
HOSTS = ["seattle", "losangeles", "atlanta", "newyork"]
EARTH_KM = 6371.0
FIBRE_KM_PER_S = 299_792.458 * 2 / 3


def delay_us(a, b):
    """One-way delay between two cities in whole microseconds."""
    (lat1, lon1), (lat2, lon2) = (map(math.radians, CITIES[city]) for city in (a, b))
    half = math.sin((lat2 - lat1) / 2) ** 2
    half += math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return round(2 * EARTH_KM * math.asin(math.sqrt(half)) / FIBRE_KM_PER_S * 1e6)


def router_config(city):
    """The FRR configuration of one router: OSPF for IPv4 and IPv6 on every interface."""
    costs = [delay_us(a, b) // 10 for a, b in LINKS if city in (a, b)]
    lines = [f"hostname {city}", "!"]
    for number, cost in enumerate(costs, start=1):
        lines += [
            f"interface eth{number}",
            " ip ospf area 0",
            " ip ospf network point-to-point",
            " ip ospf hello-interval 1",
            " ip ospf dead-interval 4",
            " ip ospf retransmit-interval 1",
            f" ip ospf cost {cost}",
            " ipv6 ospf6 area 0",
            " ipv6 ospf6 network point-to-point",
            " ipv6 ospf6 hello-interval 1",
            " ipv6 ospf6 dead-interval 4",
            " ipv6 ospf6 retransmit-interval 1",
            f" ipv6 ospf6 cost {cost}",
            "!",
        ]
    stubs = ["lo"] + ([f"eth{len(costs) + 1}"] if city in HOSTS else [])
    for name in stubs:
        lines += [
            f"interface {name}",
            " ip ospf area 0",
            " ip ospf passive",
            " ip ospf cost 1",
            " ipv6 ospf6 area 0",
            " ipv6 ospf6 passive",
            " ipv6 ospf6 cost 1",
            "!",
        ]
    lines += [
        "router ospf",
        " timers throttle spf 0 50 1000",
        " timers throttle lsa all 200",
        " timers lsa min-arrival 100",
        "!",
        "router ospf6",
        " timers throttle spf 0 50 1000",
        " timers lsa min-arrival 100",
        "!",
    ]
    return "\n".join(lines) + "\n"


def main():
    here = pathlib.Path(__file__).parent
    for city in CITIES:
        (here / "frr" / f"{city}.conf").write_text(router_config(city))
    for a, b in LINKS:
        delay = delay_us(a, b) / 1000
        print(f"    - {{ endpoints: [{a}, {b}], rate: 10Gbit/s, delay: {delay:g}ms }}")


if __name__ == "__main__":
    main()
