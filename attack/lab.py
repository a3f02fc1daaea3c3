"""What the parts of the attack share: commands with a time limit, the engine's API, and a
comparison of the machine before and after a try."""

import contextlib
import dataclasses
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benches"), str(ROOT / "benches" / "scale")]

from common import NETLOOM as RELEASE  # noqa: E402
from cycle import engines  # noqa: E402
from remains import Remains  # noqa: E402

NETLOOM = str(pathlib.Path(os.environ.get("NETLOOM", RELEASE)).absolute())
STATE = pathlib.Path("/run/netloom")
# How long one command may take, in s. Beside other work, a start takes seconds.
LIMIT = 90
# How much of an output a message repeats, in characters.
TAIL = 300


class Trouble(Exception):
    """A defect that one try has found."""


@dataclasses.dataclass
class Done:
    """A command that has ended, with its output and errors in one."""

    words: list
    code: int
    output: str
    seconds: float

    def said(self):
        """Its end in one line, safe to print."""
        return f"code {self.code}: {ascii(self.output[-TAIL:])}"


def call(words, limit=LIMIT, **options):
    """Runs a command; `Trouble` if it does not end in time."""
    begin = time.monotonic()
    quiet = {"stdin": subprocess.DEVNULL, "start_new_session": True} | options
    program = subprocess.Popen(
        list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **quiet
    )
    try:
        output, _ = program.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        raise Trouble(f"{' '.join(map(str, words))[-TAIL:]}: no end after {limit} s") from None
    finally:
        kill_group(program)
    seconds = time.monotonic() - begin
    return Done(words, program.returncode, output.decode(errors="replace"), seconds)


def kill_group(program):
    """Ends a command that was started as the leader of a session, and what it started."""
    if program.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.wait()


def shell(line):
    """Runs a line of shell that prepares a try; its output. It must succeed."""
    done = call(["sh", "-euc", line])
    if done.code != 0:
        raise SystemExit(f"{line}: {done.said()}")
    return done.output


class Lab:
    """Experiments one after the other under one name, in a folder of their own."""

    def __init__(self, name, folder):
        self.name = name
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True)

    def write(self, text, file="netloom.yaml"):
        """Writes a scenario under this lab's name; its path."""
        path = self.folder / file
        path.write_text(f"name: {self.name}\n{text}")
        return path

    def netloom(self, *words, **options):
        """Runs `netloom` and looks for a panic in what it prints."""
        done = call([NETLOOM, *words], **{"cwd": self.folder} | options)
        if "panicked at" in done.output:
            raise Trouble(f"netloom {words[0]} panicked: {done.said()}")
        return done

    def ok(self, *words, **options):
        """Runs `netloom`, which must succeed; its output."""
        done = self.netloom(*words, **options)
        if done.code != 0:
            raise Trouble(f"netloom {' '.join(map(str, words))}: {done.said()}")
        return done.output

    def start(self, *words, **options):
        """Starts `netloom` in a session of its own, and leaves it."""
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        options = {"cwd": self.folder, "start_new_session": True} | quiet | options
        return subprocess.Popen([NETLOOM, *map(str, words)], **options)

    def inside(self, node, program, *arguments, **options):
        """Starts the text `program` with Python in a node; its pipe is its output."""
        words = ["exec", f"{node}@{self.name}", "--", "/usr/bin/python3", "-c", program]
        return self.start(*words, *arguments, **{"stdout": subprocess.PIPE} | options)

    def api(self, path):
        """What the engine answers to a GET, from its JSON."""
        link = http.client.HTTPConnection("netloom", timeout=20)
        link.sock = socket.socket(socket.AF_UNIX)
        link.sock.settimeout(20)
        try:
            link.sock.connect(str(STATE / self.name / "api.sock"))
            link.request("GET", f"/v1/{path}")
            return json.loads(link.getresponse().read())
        except (OSError, http.client.HTTPException) as error:
            raise Trouble(f"GET {path}: {error}") from None
        finally:
            link.close()

    def pipes(self):
        """Frames that each modelled pipe has counted, by `link direction`."""
        counts = {}
        for link in self.api("links"):
            for direction in ("forward", "reverse"):
                statistics = link[direction].get("statistics") or {}
                if "lost_unmodelled" in statistics:
                    counts[f"{link['name']} {direction}"] = frames(statistics)
        return counts

    def tidy(self):
        """What a person does after a crash: `cleanup`, and `destroy` of what still lives."""
        self.netloom("cleanup")
        if any(engines()):
            self.netloom("destroy", self.name)
            self.netloom("cleanup")
        if any(engines()):
            self.netloom("cleanup", "--force", self.name)

    def abandon(self):
        """Ends whatever a try has left, so that the next one begins anew."""
        with contextlib.suppress(Trouble):
            self.netloom("cleanup", "--force", self.name)
        for pid in engines():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(Trouble):
            self.netloom("cleanup", "--all")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)


def frames(statistics):
    """Where a pipe's frames are."""
    one = {key: statistics[key]["frames"] for key in ("offered", "duplicated", "delivered")}
    one["dropped"] = sum(count["frames"] for count in statistics["dropped"].values())
    one["lost_unmodelled"] = statistics["lost_unmodelled"]["frames"]
    one["under way"] = statistics["in_flight"]["frames"] + statistics["queue"]["now"]["frames"]
    return one


def unbalanced(pipes):
    """Pipes whose frames do not add up, in words."""
    wrong = []
    for name, one in pipes.items():
        left = one["offered"] + one["duplicated"]
        ends = ("delivered", "dropped", "lost_unmodelled", "under way")
        if left != sum(one[end] for end in ends):
            wrong.append(f"{name}: {one}")
    return wrong


class State:
    """What an experiment could leave behind or take away, and how to compare it."""

    def __init__(self, name):
        self.name = name
        self.before = self.at_rest()

    def now(self):
        kinds = dict(Remains.now(self.name).kinds)
        # Of the machine's /tmp, which others write to, nothing is compared.
        kinds["files"] = {file for file in kinds["files"] if file.startswith("/run/netloom")}
        # What runs here but is none of NetLoom's comes and goes.
        del kinds["open files of this program"]
        kinds["devices that are up"] = set(up())
        kinds["addresses"] = set(lines(["ip", "-o", "address"], 1, 4))
        kinds["routes"] = set(lines(["ip", "-4", "route"], 0, 9))
        kinds["tables of nftables"] = set(lines(["nft", "list", "tables"], 0, 3))
        return kinds

    def at_rest(self):
        """As soon as nothing has changed for half a second."""
        known = self.now()
        while True:
            time.sleep(0.5)
            now = self.now()
            if now == known:
                return now
            known = now

    def compare(self, patience=8):
        """`Trouble` if something is left or missing a while later."""
        deadline = time.monotonic() + patience
        while True:
            wrong = list(differences(self.before, self.now()))
            if not wrong:
                return
            if time.monotonic() > deadline:
                raise Trouble("; ".join(wrong)[:900])
            time.sleep(0.1)


def differences(before, now):
    """What is left and what is missing, in words."""
    for kind, names in before.items():
        if left := now[kind] - names:
            yield f"{kind} left: {ascii(sorted(left)[:5])}"
        if gone := names - now[kind]:
            yield f"{kind} missing: {ascii(sorted(gone)[:5])}"


def up():
    """Devices that are set up, whether they have a carrier or not."""
    for device in os.listdir("/sys/class/net"):
        with contextlib.suppress(OSError):
            flags = int(pathlib.Path("/sys/class/net", device, "flags").read_text(), 16)
            if flags & 1:
                yield device


def lines(words, first, last):
    """The columns from `first` to before `last` of a command's output, if it is installed."""
    if shutil.which(words[0]):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        for line in done.stdout.splitlines():
            yield " ".join(line.split()[first:last])
