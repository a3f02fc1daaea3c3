"""Mutated scenarios and results for `validate`, `graph`, `report`, `judge` and `frames`: whatever
is in a file, NetLoom neither crashes nor hangs nor sends escape sequences to the terminal."""

import re
import resource
import shutil

from lab import NETLOOM, ROOT, Trouble, call

# A file may not keep a command busy for longer, in s.
HANG = 20
MEMORY = 3 << 30
# Codes of the command line that are answers.
ANSWERS = {0, 1, 2, 3, 4}
SCENARIO = """
duration: 2s
topology:
  nodes: {a: , b: , s: {kind: switch}}
  links:
    - {endpoints: ["a:eth1", "b:eth1"], rate: 10Mbit/s, delay: 5ms, loss: 5%, duplicate: 1%}
    - {endpoints: ["a:eth2", "s:p1"]}
    - {endpoints: ["b:eth2", "s:p2"]}
processes:
  - {name: ping, node: a, command: ping -i 0.01 -c 100 b}
timeline:
  - {at: 1s, link: a--b, set: {delay: 10ms}}
measure: {frames: true, observations: true}
"""
# Files of a run that each command reads.
READ = {
    "report": ["summary.json", "scenario.json", "machine.json", "events.jsonl", "pipes.parquet"],
    "judge": ["observations.jsonl", "scenario.json", "summary.json"],
    "frames": ["frames.nlf"],
}
HOSTILE = [b"\xff" * 8, b"\0" * 4, b"\x1b]0;x\a", b"\\u001b[31m", b'"\\e[2J"', b"-1", b"1e999"]
HOSTILE += [b"99999999999999999999", b"{", b"[" * 200, b"&a *a", b"\xc2\x9b31m", b"\xe2\x80\xae"]
# What a terminal obeys, written so that the file can still be read.
ESCAPES = {
    ".yaml": [b'"\\e[2J"', b'"\\x9b31m"', b'"a\\e]0;x\\a"'],
    ".json": [b"\\u001b[31m", b"\\u009b2J"],
}


class Files:
    """Results of one run, and the texts of scenarios."""

    def __init__(self, lab):
        self.lab = lab
        path = lab.write(SCENARIO)
        self.results = lab.folder / "results"
        shutil.rmtree(self.results, ignore_errors=True)
        lab.ok("run", "-t", path, "-o", self.results)
        self.scenarios = [SCENARIO.encode(), *examples(), *texts_of_tests()]


def prepare(lab):
    return Files(lab)


def examples():
    for path in sorted((ROOT / "examples").rglob("*.yaml")):
        yield path.read_bytes()


def texts_of_tests():
    """Scenarios that stand in the end-to-end tests."""
    for path in sorted((ROOT / "tests").rglob("*.rs")):
        for text in re.findall(r'r#*"(.*?)"#*;', path.read_text(), re.DOTALL):
            if "topology:" in text:
                yield text.encode()


def one(files, draw):
    command = draw.choice(["validate", "validate", "graph", *READ])
    work = files.lab.folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    if command in READ:
        shutil.copytree(files.results, work)
        name = draw.choice([name for name in READ[command] if (work / name).exists()])
    else:
        work.mkdir()
        name = "netloom.yaml"
        (work / name).write_bytes(draw.choice(files.scenarios))
    content = (work / name).read_bytes()
    if draw.random() < 0.3:
        content = escaped(content, "." + name.split(".")[1][:4], draw)
    else:
        content = mutated(content, draw)
    (work / name).write_bytes(content)
    words = {
        "report": ["report", work, "-o", work / "report.html"],
        "judge": ["judge", work],
        "frames": ["frames", work / name, "--csv", work / "frames.csv"],
    }.get(command, [command, "-t", work / name])
    check(words, name)


def check(words, name):
    """Runs a command on a mutated file, and judges how it ended."""
    done = call([NETLOOM, *words], HANG, preexec_fn=bounded)
    where = f"{words[0]} with a mutated {name}"
    if done.code not in ANSWERS or "panicked at" in done.output:
        raise Trouble(f"{where}: {done.said()}")
    if re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", done.output):
        raise Trouble(f"{where}: control characters: {done.said()}")
    if done.code != 0 and not done.output.strip():
        raise Trouble(f"{where}: code {done.code} without a word")


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def escaped(content, kind, draw):
    """A file with an escape sequence in the place of one word."""
    content = bytearray(content)
    text(content, draw.randrange(len(content) + 1), draw, ESCAPES.get(kind, HOSTILE))
    return bytes(content)


def mutated(content, draw):
    """A file with one to twenty changes."""
    content = bytearray(content)
    for _ in range(draw.choice([1, 1, 2, 5, 20])):
        at = draw.randrange(len(content) + 1)
        change(content, at, draw)
    return bytes(content)


def change(content, at, draw):
    kind = draw.randrange(8)
    if kind == 0 and at < len(content):
        content[at] = draw.randrange(256)
    elif kind == 1:
        content[at:at] = draw.randbytes(draw.randrange(1, 9))
    elif kind == 2:
        del content[at : at + draw.randrange(1, 50)]
    elif kind == 3 and draw.random() < 0.3:
        del content[at:]
    elif kind == 4:
        other = draw.randrange(len(content) + 1)
        content[at:at] = content[other : other + draw.randrange(1, 200)]
    elif kind == 5:
        end = at + draw.randrange(1, 9)
        content[at:end] = draw.choice(HOSTILE)
    else:
        text(content, at, draw)


def text(content, at, draw, instead=HOSTILE):
    """Puts something hostile in the place of a number or word near `at`."""
    found = re.compile(rb"[0-9A-Za-z_.]+").search(content, at)
    if found:
        content[found.start() : found.end()] = draw.choice(instead)


def notes(files):
    return f", of {len(files.scenarios)} scenarios and the results of one run"
