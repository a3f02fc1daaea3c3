"""One cycle of `cycles.py`: a small random network, and what can be done to it."""

import contextlib
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from common import NETLOOM

PR_SET_CHILD_SUBREAPER = 36
# How long anything may take, in s.
LIMIT = 60


def become_reaper():
    """Makes orphans of all that is started below children of this process, which reaps them."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def state_root():
    if os.geteuid() == 0:
        return pathlib.Path("/run/netloom")
    return pathlib.Path(os.environ["XDG_RUNTIME_DIR"]) / "netloom"


def engines():
    """The engines of this machine, from their first moment on: they have no state then."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if "__engine" in pathlib.Path("/proc", pid, "cmdline").read_text(errors="replace"):
                yield int(pid)


# Leaves a process in a node that the command does not wait for.
STAY = "setsid sleep 1000 </dev/null >/dev/null 2>&1 &"
NETWORKS = {
    "a pair": ("a: , b:", ["[a, b], delay: 1ms"]),
    "a direct link": ("a: , b:", ["[a, b], direct: true"]),
    "a switch": (
        "a: , b: , c: , s: { kind: switch }",
        ["[a, s]", "[b, s], rate: 10Mbit/s", "[c, s]"],
    ),
    "routers": (
        "a: , r1: { kind: router }, r2: { kind: router }, r3: { kind: router }, b:",
        ["[a, r1]", "[r1, r2], delay: 2ms", "[r2, r3]", "[r3, r1]", "[r3, b], loss: 1%"],
    ),
}
SERVER = "setsid sleep 1000 & echo up; exec sleep 1000"
PROCESSES = f"""
processes:
  - {{ name: server, node: b, command: '{SERVER}', ready: {{ output: up }}, background: true }}
  - {{ name: client, node: a, command: sleep 0.3, start: {{ after: server, when: ready }} }}
"""


class Lab:
    """Experiments one after the other, each with a network and a folder of its own."""

    def __init__(self, prefix, draw):
        self.prefix = prefix
        self.draw = draw
        self.while_up = lambda: None
        self.engines_killed = self.clients_killed = self.interrupted = 0
        self.next(0)

    def next(self, number):
        # A few names only: most experiments find what one of the same name was.
        self.name = f"{self.prefix}-{number % 3}"
        self.network = self.draw.choice(list(NETWORKS))

    @contextlib.contextmanager
    def scenario(self, processes=False):
        """A folder with the scenario, which goes with all that was put into it."""
        nodes, links = NETWORKS[self.network]
        lines = [f"name: {self.name}", "topology:", f"  nodes: {{ {nodes} }}", "  links:"]
        lines += [f"    - {{ endpoints: {link} }}" for link in links]
        folder = tempfile.mkdtemp(prefix="netloom-bench-")
        text = "\n".join(lines) + (PROCESSES if processes else "\n")
        pathlib.Path(folder, "netloom.yaml").write_text(text)
        try:
            yield folder
        finally:
            shutil.rmtree(folder)

    def ok(self, *words, folder="/"):
        """Runs `netloom`, which must succeed."""
        done = subprocess.run(
            [NETLOOM, *words],
            cwd=folder,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=LIMIT,
        )
        if done.returncode != 0:
            raise SystemExit(f"netloom {' '.join(words)} ({self.network}): "
                             f"{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def start(self, *words, folder="/"):
        """Starts `netloom`, and leaves it."""
        quiet = subprocess.DEVNULL
        return subprocess.Popen(
            [NETLOOM, *words], cwd=folder, stdin=quiet, stdout=quiet, stderr=quiet
        )

    def moment(self, longest):
        """Waits for up to `longest` s; rather a little than long."""
        time.sleep(longest * self.draw.random() ** 2)

    def kill_engine(self):
        for pid in list(engines()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                self.engines_killed += 1

    def kill_client(self, client):
        if client.poll() is None:
            self.clients_killed += 1
        client.kill()
        client.wait(LIMIT)

    def interrupt(self, client):
        if client.poll() is None:
            self.interrupted += 1
            client.send_signal(signal.SIGINT)
        client.wait(LIMIT)

    def use(self):
        """Something happens in the network."""
        self.while_up()
        words = {
            "ping": ["exec", f"a@{self.name}", "--", "ping", "-c", "1", "-W", "1", "b"],
            "stay": ["exec", f"b@{self.name}", "--", "sh", "-c", STAY],
            "inspect": ["inspect", self.name, "--format", "json"],
            "nothing": None,
        }[self.draw.choice(["ping", "stay", "inspect", "nothing"])]
        if words:
            self.start(*words).wait(LIMIT)

    def tidy(self):
        """After a kill, what people do: `cleanup`, or the next start of the same name."""
        self.await_end()
        if self.draw.random() < 0.3:
            with self.scenario() as folder:
                self.ok("deploy", folder=folder)
                self.ok("destroy", self.name)
        else:
            self.ok("cleanup", self.name)

    def await_end(self):
        """An engine whose client is gone ends, or gets ready and must be told to end."""
        deadline = time.monotonic() + LIMIT
        while any(engines()):
            self.start("destroy", self.name).wait(LIMIT)
            if time.monotonic() > deadline:
                raise SystemExit(f"the engine of {self.name} does not end")
            time.sleep(0.02)
