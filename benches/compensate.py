#!/usr/bin/env python3
"""What `compensate: calibrated` does to round trips: `benches/compensate.py [TURNS]`.

Calibrates the machine, then runs the backbone of `examples/abilene` without and with it, by turns.
Printed is how far the twelve median round trips are from twice the sum of delays and sending times
of their paths: the median and the largest absolute error of each run. Wanted: with compensation at
most half of the median error without.
"""

import os
import pathlib
import re
import shutil
import statistics
import sys
import tempfile

import common

sys.path.insert(0, str(common.ROOT / "examples" / "abilene"))
import report  # noqa: E402

TURNS = int(sys.argv[1]) if len(sys.argv) > 1 else 3
ABILENE = common.ROOT / "examples" / "abilene"


def scenario(compensate):
    """The backbone and its pings, without the flow and the cut."""
    text = (ABILENE / "netloom.yaml").read_text()
    text = re.sub(r"  - name: path\n.*?(?=# Thirty-three)", "", text, flags=re.S)
    defaults = f"topology:\n  defaults: {{ link: {{ compensate: {compensate} }} }}\n"
    return text.replace("topology:\n", defaults, 1)


def errors(folder, compensate):
    """How far each median round trip is from the model, in ms; and the verdict."""
    (folder / "netloom.yaml").write_text(scenario(compensate))
    results = folder / "results"
    shutil.rmtree(results, ignore_errors=True)
    common.netloom("run", "-o", "results", cwd=folder)
    found = report.Results(results)
    off = []
    for process in ("rtt1", "rtt2", "rtt3"):
        host = next(p["node"] for p in found.summary["processes"] if p["process"] == process)
        pieces = re.split(r"^to (\S+) -([46])$", found.output(process, host), flags=re.M)[1:]
        for peer, family, text in zip(*[iter(pieces)] * 3):
            times = [float(time) for time in re.findall(r"time=([0-9.]+) ms", text)]
            delay, nodes = found.path(host, peer)
            sending = found.sending(nodes, 14 + {"4": 20, "6": 40}[family] + 8 + 56)
            off.append(statistics.median(times) - 2000 * (delay + sending))
    return off, found.summary["verdict"]["judgement"]


def main():
    print(common.machine())
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as name:
        os.environ["NETLOOM_PROFILE"] = str(pathlib.Path(name) / "profile.json")
        shown = common.netloom("calibrate", "--quick")
        print(next(line for line in shown.splitlines() if line.startswith("a link takes")))
        folder = pathlib.Path(name) / "abilene"
        shutil.copytree(ABILENE, folder, ignore=shutil.ignore_patterns("results"))
        medians = {"none": [], "calibrated": []}
        for _ in range(TURNS):
            for compensate, all_turns in medians.items():
                off, judgement = errors(folder, compensate)
                size = [abs(error) for error in off]
                all_turns.append(statistics.median(size))
                print(
                    f"{compensate}: {len(off)} pairs, median error {statistics.median(size):.3f} "
                    f"ms, largest {max(size):.3f}, mean {statistics.mean(off):+.3f}, {judgement}"
                )
        without, with_it = (statistics.median(turns) for turns in medians.values())
        ratio = with_it / without
        print(f"median of {TURNS} turns: {without:.3f} and {with_it:.3f} ms, {ratio:.2f}")


main()
