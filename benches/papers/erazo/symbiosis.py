"""The cases of §5.7 without TCP, as the bench `paper` of `netloom-symbiosis` prints them."""

import os
import re

from lab import binary

FRESH = {}


def tables(lab, case):
    """The Markdown tables that a case prints: heads and rows, as text."""
    if case not in FRESH:
        words = ["--quiet", "--locked", "--bench", "paper"]
        # A development build has all that the bench is made of.
        words += (["--workspace", "--profile", "dev"] if "debug" in binary().parts
                  else ["--package", "netloom-symbiosis"])
        cargo = os.environ.get("CARGO", "cargo")
        FRESH[case] = parse(lab.bench(cargo, "bench", *words, "--", case))
    return FRESH[case]


def parse(text):
    found, table = [], []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            table.append([cell.strip() for cell in line.strip().strip("|").split("|")])
        elif table:
            found.append((table[0], table[2:]))
            table = []
    return found


def errors(cell):
    """The shares of a cell in percent, like `2.53 %; 0.02 %, 0.25 %`, in their order."""
    return [float(one.replace("−", "-")) for one in re.findall(r"([-+−]?[\d.]+) %", cell)]
