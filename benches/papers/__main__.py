#!/usr/bin/env python3
"""The evaluations of the five papers, run again.

    python3 benches/papers list [WHAT…]
    python3 benches/papers run [WHAT…] [--virtual|--emulated] [--quick|--full] [-o DIR] [--report]
    python3 benches/papers page [FILE…]

WHAT selects evaluations: a PAPER (carbone, zheng, zec, maier, erazo), a PAPER.ITEM (zheng.4.1), an
ITEM of the named papers (zheng 4.1), or a row (B57); with commas or spaces between them. Without
it, all are selected. A line for each arm of each evaluation: `agrees`, `differs: why` or `not
measured: why`. The file `papers.json` in DIR (default: target/papers) has all of it; with --report,
it is merged into docs/measured/papers/papers.json, and the page docs/measured/papers.md and its
drawings (with matplotlib) are written. `page` merges other files of this kind and writes these.

Codes: 0, also where something differs; 1 if an evaluation failed. `NETLOOM` is the binary.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import re
import sys
import tempfile
import traceback

from evaluation import ARMS, NotMeasured, select
from lab import Lab, binary, common
import report

PAGE = common.ROOT / "docs" / "measured" / "papers.md"
KEPT = common.ROOT / "docs" / "measured" / "papers" / "papers.json"


def attempt(one, measure, lab):
    """What an arm found, as it is kept in `papers.json`."""
    lab.begin()
    try:
        outcome = measure(lab)
    except NotMeasured as why:
        found = {"verdict": "not measured", "why": str(why), "ours": "", "table": None,
                 "plot": None}
    else:
        found = dataclasses.asdict(outcome)
        found["verdict"] = "agrees" if found.pop("agrees") else "differs"
        if found["verdict"] == "differs" and not found["why"] and lab.findings:
            found["why"] = f"The machine did not keep up: {lab.findings[0]}"
    found["machine"] = found.get("machine") or lab.machine()
    found["on"] = ""
    # Virtual figures are the same on every machine, and have its name nowhere.
    if not lab.is_virtual:
        found["machine"] += f"{'; ' if found['machine'] else ''}load {os.getloadavg()[0]:.0f}"
        build = ", development build" if "debug" in binary().parts else ""
        found["on"] = re.sub(r"(Linux \d+\.\d+).*", r"\1", common.machine()) + build
    return found


def run(options):
    with tempfile.TemporaryDirectory(prefix="netloom-papers-") as folder:
        labs = {arm: Lab(arm, options.full, options.threads, folder) for arm in ARMS}
        if options.only:
            labs = {options.only: labs[options.only]}
        options.output.mkdir(parents=True, exist_ok=True)
        results, failed = run_all(options.what, labs, options.output / "papers.json")
    if options.report:
        merge(results)
        write_page()
    return int(failed)


def run_all(what, labs, file):
    """What each evaluation found, by PAPER.ITEM, in `file` too; and whether one failed."""
    results, failed = {}, False
    for paper, one, measure in select(what):
        name = f"{paper}.{one.item}"
        result = {"row": one.row, "source": one.source, "published": one.published,
                  "agreement": one.agreement, "arms": {}}
        results[name] = result
        if measure is None:
            result["missing"] = one.missing
            print(f"{one.row} {name}: not measured: {one.missing}", flush=True)
            continue
        for arm, lab in labs.items():
            if arm not in one.arms:
                continue
            try:
                found = attempt(one, measure, lab)
            except Exception:
                traceback.print_exc()
                failed = True
                print(f"{one.row} {name}, {arm}: failed", flush=True)
                continue
            result["arms"][arm] = found
            words = " ".join(word for word in (found["ours"], found["why"]) if word)
            print(f"{one.row} {name}, {arm}: {found['verdict']}: {words}", flush=True)
            # What is there stays if the rest is interrupted.
            file.write_text(report.to_json(results))
    file.write_text(report.to_json(results))
    return results, failed


def merge(results):
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    for name, result in results.items():
        arms = {**kept.get(name, {}).get("arms", {}), **result["arms"]}
        # An attempt that came to nothing does not replace a figure.
        for arm, found in kept.get(name, {}).get("arms", {}).items():
            if arms[arm]["verdict"] == "not measured":
                arms[arm] = found
        kept[name] = {**result, "arms": arms}
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    KEPT.write_text(report.to_json(kept))


def write_page():
    kept = json.loads(KEPT.read_text())
    drawings = report.draw(kept, KEPT.parent)
    PAGE.write_text(report.page(kept, drawings))
    print(f"papers: wrote {PAGE.relative_to(common.ROOT)}")


def show(options):
    for paper, one, measure in select(options.what):
        arms = ", ".join(one.arms) if measure else f"not measured: {one.missing}"
        print(f"{one.row}  {paper}.{one.item}  {one.source}: {one.what} [{arms}]")
        print(f"     published: {one.published}")


def main():
    parser = argparse.ArgumentParser(
        prog="papers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for command in ("list", "run", "page"):
        one = commands.add_parser(command)
        if command == "page":
            one.add_argument("files", nargs="*", type=pathlib.Path, help="papers.json of runs")
        else:
            one.add_argument("what", nargs="*", help="PAPER, PAPER.ITEM, ITEM or row")
        if command == "run":
            length = one.add_mutually_exclusive_group()
            length.add_argument("--quick", action="store_true", help="short runs (the default)")
            length.add_argument("--full", action="store_true", help="the papers' own lengths")
            only = one.add_mutually_exclusive_group()
            for arm in ARMS:
                only.add_argument(f"--{arm}", dest="only", action="store_const", const=arm,
                                  help=f"what is measured {arm} only")
            one.add_argument("--threads", type=int, default=1, help="of simulations")
            one.add_argument("-o", "--output", type=pathlib.Path,
                             default=common.TARGET / "papers", metavar="DIR")
            one.add_argument("--report", action="store_true", help="write the page, too")
    options = parser.parse_args()
    if options.command == "page":
        for file in options.files:
            merge(json.loads(file.read_text()))
        return write_page()
    options.what = [word for words in options.what for word in words.split(",") if word]
    return show(options) if options.command == "list" else run(options)


if __name__ == "__main__":
    sys.exit(main())
