"""What one published evaluation is, and what became of it here."""

import dataclasses
import importlib
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent
# Folders, in the order of the page; and what the works are.
PAPERS = {
    "carbone": "M. Carbone, L. Rizzo: Adding Emulation to PlanetLab Nodes. CoNEXT 2009",
    "zheng": "P. Zheng: A Cluster Architecture Supporting Network Emulation (EMPOWER)."
    " Dissertation, Michigan State University, 2003",
    "zec": "M. Zec, M. Mikuc: Operating System Support for Integrated Network Emulation in IMUNES."
    " OASIS 2004",
    "maier": "S. Maier: Scalable Computer Network Emulation using Node Virtualization and Resource"
    " Monitoring. Dissertation, University of Stuttgart, 2011",
    "erazo": "M. A. Erazo: Leveraging Symbiotic Relationships for Emulation of Computer Networks"
    " (SVEET, PrimoGENI, SymbioSim). Dissertation, Florida International University, 2013",
}
ARMS = ("virtual", "emulated")


class NotMeasured(Exception):
    """Why an evaluation has no figure on this machine."""


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """What was published, and what is held against it; all of it stated before a run.

    `published` and `points` are from the paper's text and tables, unless `points_from` says that
    they were read off an axis. `agreement` is the criterion. An evaluation is measured by the
    function `measure(lab)` of its file, in each of its `arms`; without one, `missing` says why.
    `known` are errors and gaps of the source.
    """

    row: str
    item: str
    source: str
    what: str
    published: str
    agreement: str
    arms: tuple = ()
    missing: str = ""
    known: tuple = ()
    points: dict = dataclasses.field(default_factory=dict)
    points_from: str = ""
    # What the machine does to the figure, where that is not the verdict's bound.
    machine: str = ""
    # Seconds of an arm with --quick, where it takes more than one.
    seconds: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Table:
    head: list
    rows: list


@dataclasses.dataclass
class Plot:
    """Curves: name → points. `levels`: name → height of a published line."""

    x: str
    y: str
    ours: dict
    published: dict = dataclasses.field(default_factory=dict)
    levels: dict = dataclasses.field(default_factory=dict)
    logarithmic: str = ""


@dataclasses.dataclass
class Outcome:
    """What an arm found. `why` says where and why it differs."""

    agrees: bool
    ours: str
    why: str = ""
    table: Table | None = None
    plot: Plot | None = None
    # How far the machine itself may have moved the figure; nothing in virtual time.
    machine: str = ""


def all_evaluations():
    """(paper, evaluation, measure or None) of every file, in the order of the papers' rows."""
    found = []
    for paper in PAPERS:
        for file in (FOLDER / paper).glob("*.py"):
            module = importlib.import_module(f"{paper}.{file.stem}")
            if one := getattr(module, "EVALUATION", None):
                found.append((paper, one, getattr(module, "measure", None)))
    order = list(PAPERS)
    found.sort(key=lambda each: (order.index(each[0]), int(each[1].row[1:])))
    for paper, one, measure in found:
        name = f"{paper}.{one.item}"
        assert (measure is None) == bool(one.missing), f"{name}: `measure`, or `missing`"
        assert (measure is None) == (not one.arms), f"{name}: arms are those of `measure`"
        assert one.published and one.agreement and one.source, f"{name}: nothing is published"
    return found


def select(words):
    """The evaluations that PAPER, PAPER.ITEM, ITEM (of the named papers) or ROW select."""
    everything = all_evaluations()
    papers = {word for word in words if word in PAPERS}
    named = {f"{paper}.{one.item}" for paper, one, _ in everything}
    named |= {one.item for _, one, _ in everything} | {one.row for _, one, _ in everything}
    if unknown := [word for word in words if word not in papers | named]:
        raise SystemExit(
            f"papers: there is no evaluation `{unknown[0]}`; `python3 benches/papers list` has all"
        )
    items = set(words) - papers

    def is_chosen(paper, one):
        if f"{paper}.{one.item}" in items or one.row in items:
            return True
        if papers and paper not in papers:
            return False
        loose = {item for item in items if item in {each.item for _, each, _ in everything}}
        return one.item in loose if loose else paper in papers or not items

    return [each for each in everything if is_chosen(each[0], each[1])]
