"""How long a command in a node takes, from Python and from the shell: by turns, medians in ms.

`exp["a"].run(["true"])` beside a bare `subprocess.run(["true"])`, and what `netloom exec` takes
beyond `netloom --version`. Usage: PYTHONPATH=python NETLOOM_BINARY=… python3 benches/python/exec.py
"""

import os
import statistics
import subprocess
import time

import netloom as nl

TURNS = int(os.environ.get("TURNS", "200"))

net = nl.Scenario(f"bench-exec-{os.getpid()}")
net.link(*net.hosts("a", "b"))


def milliseconds(call) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1e3


def quietly(*words: str):
    return lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


with net.deploy() as exp:
    calls = {
        'subprocess.run(["true"])': lambda: subprocess.run(["true"], check=True),
        'subprocess.run, captured': lambda: subprocess.run(["true"], capture_output=True),
        'exp["a"].run(["true"])': lambda: exp["a"].run(["true"]),
        'exp["a"].run("true")': lambda: exp["a"].run("true"),
        "netloom --version": quietly(nl.binary(), "--version"),
        "netloom exec a true": quietly(nl.binary(), "exec", f"a@{net.name}", "true"),
    }
    exp["a"].run("true")
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(TURNS):
        for name, call in calls.items():
            taken[name].append(milliseconds(call))

medians = {name: statistics.median(times) for name, times in taken.items()}
for name, median in medians.items():
    print(f"{median:8.2f} ms  {name}")
bare, ours = medians['subprocess.run(["true"])'], medians['exp["a"].run("true")']
print(f"run / bare: {ours / bare:.2f}")
beyond = medians["netloom exec a true"] - medians["netloom --version"]
print(f"exec beyond --version: {beyond:.2f} ms")
