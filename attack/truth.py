"""Runs whose engine stands still while traffic with pauses begins again, over links, switches,
trees, media and simulated routers, held against the kernel's stamps of each datagram: a run that is
wrong by more than the bound that it states must not be valid."""

import sys

from lab import ROOT, Trouble

sys.path.append(str(ROOT / "benches" / "trust"))

import rhythms  # noqa: E402


class State:
    """How many datagrams were compared."""

    def __init__(self, lab):
        self.lab = lab
        self.runs = self.wrong = self.number = 0


def prepare(lab):
    return State(lab)


def one(state, draw):
    state.number += 1
    what = tuple(map(draw.choice, (rhythms.PATHS, rhythms.RHYTHMS, ["stopped", "hog"])))
    found = rhythms.once(state.number, state.lab.name, what, draw)
    if found is None:
        raise Trouble(f"{what}: no verdict, or no witness")
    state.runs += 1
    if found["above"]:
        state.wrong += 1
        if found["judgement"] == "valid":
            raise Trouble(f"{what}: valid, and wrong by more than its bound")


def notes(state):
    return f", {state.runs} runs compared, {state.wrong} above their bound"
