"""Quantities are texts with units, as in a scenario's file; these make numbers of them."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\s*([-+]?[0-9]+(?:\.[0-9]+)?)\s*([A-Za-zµμ/%]*)\s*\Z")

_SECONDS = {
    **{"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3},
    **{"s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0},
}

_PREFIXES = {
    **{"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12},
    **{"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40},
}


def seconds(text: str | float) -> float:
    """Returns a duration in seconds: `seconds("41us")`."""
    number, unit = _parts(text, "s")
    if unit not in _SECONDS:
        raise ValueError(f"{text!r} is no duration: `{unit}` is none of {', '.join(_SECONDS)}")
    return number * _SECONDS[unit]


def bits(text: str | float) -> float:
    """Returns a rate in bits a second, or a size in bits: `bits("10Mbit/s")`, `bits("1500B")`."""
    number, unit = _parts(text, "bit")
    found = re.match(r"([kKMGT]i?)?(bit|bps|B|bytes?|o)(/s|ps)?\Z", unit)
    if found is None:
        raise ValueError(f"{text!r} is no rate and no size, like `10Mbit/s` or `1500B`")
    scale = 1 if found[2] in ("bit", "bps") else 8
    return number * _PREFIXES[found[1] or ""] * scale


def _parts(text: str | float, unit: str) -> tuple[float, str]:
    if not isinstance(text, str):
        return float(text), unit
    found = _NUMBER.match(text)
    if found is None:
        raise ValueError(f"{text!r} is no number with a unit")
    return float(found[1]), found[2] or unit
