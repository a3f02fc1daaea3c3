"""`netloom run` and `netloom sweep` on a Ray cluster of three machines: network namespaces, where
Ray and NetLoom are an ordinary user's. Needs root for the namespaces; leaves nothing.

    python3 tests/ray/cluster.py RAY-VENV NETLOOM [PART...]
"""

import contextlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV, NETLOOM = (Path(argument).resolve() for argument in sys.argv[1:3])
TAG = f"nlray{os.getpid()}"
# Ray's own files, at one path in all machines, as it wants it.
FILES = f"/tmp/{TAG}"
PORT = 6379
TOKEN = secrets.token_hex(16)
# What runs in mid-run when Ray's processes are killed: 20 s, and none of 100 packets may be lost.
PINGS = """\
name: pings
topology:
  nodes: { a: { machine: m1 }, b: { machine: m2 } }
  links: [{ endpoints: [a, b], delay: 10ms }]
processes:
  - { name: ping, node: a, command: ping -c 100 -i 0.2 b }
expect: [{ process: ping, exit: 0, output: "100 packets transmitted, 100 received" }]
"""
# A sweep of 20 simulated runs.
SIMULATED = """\
name: swept
duration: DURATION
topology:
  nodes: { a: , b: }
  links:
    - { name: l, endpoints: [a, b], rate: 5Mbit/s, delay: 5ms, forward: { loss: 1% } }
traffic: [{ name: t, from: a, to: b, tcp: { congestion_control: cubic }, bulk: {} }]
"""
SWEEP = """\
scenario: netloom.yaml
mode: simulate
vary:
  links.l.rate: [5Mbit/s, 10Mbit/s]
  control: {paths: [traffic.t.tcp.congestion_control], values: [cubic, reno]}
seeds: 5
metrics: {goodput: {measure: goodput}, load: {pipe: l/forward, measure: load}}
"""


def call(*words: object, **options: object) -> str:
    """Runs a command that must succeed. Returns what it prints."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")
    return done.stdout


def address(number: int) -> str:
    return f"10.99.0.{number}"


class Machine:
    """A network namespace, and an ordinary user's home in it."""

    def __init__(self, number: int) -> None:
        self.number, self.namespace = number, f"{TAG}-{number}"
        call("ip", "netns", "add", self.namespace)
        call(
            "ip", "-n", self.namespace, "link", "add", "up0", "type", "veth",
            "peer", "name", f"p{number}", "netns", f"{TAG}-0",
        )  # fmt: skip
        for words in (
            ("addr", "add", f"{address(number)}/24", "dev", "up0"),
            ("link", "set", "up0", "up"),
            ("link", "set", "lo", "up"),
            # By its way out, Ray finds the machine's address.
            ("route", "add", "default", "via", address(254)),
        ):
            call("ip", "-n", self.namespace, *words)
        call("ip", "-n", f"{TAG}-0", "link", "set", f"p{number}", "master", "bridge", "up")
        words = ["ip", "netns", "exec", self.namespace, "sh", "scripts/as-ordinary-user.sh"]
        words += ["sh", "-c", "echo $$ $(id -u) $HOME $XDG_RUNTIME_DIR; exec sleep 100000"]
        self.holder = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self.holder.stdout is not None
        pid, self.user, home, runtime = self.holder.stdout.readline().split()
        self.pid = int(pid)
        enter = ("nsenter", "-t", pid, "-m")
        call(*enter, "sh", "-c", f"mkdir -p {FILES} && mount -t tmpfs -o mode=1777 {TAG} {FILES}")
        call(*enter, "mount", "-t", "tmpfs", "-o", "size=512m,mode=1777", TAG, "/dev/shm")
        self.home, self.runtime = Path(home), Path(runtime)
        self.environment = {
            "PATH": f"{VENV}/bin:{NETLOOM.parent}:/usr/sbin:/usr/bin:/sbin:/bin",
            "PYTHONPATH": str(ROOT / "python"),
            "HOME": home,
            "XDG_RUNTIME_DIR": runtime,
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": f"{FILES}/token",
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_worker_niceness": "0",
            "LANG": "C.UTF-8",
        }
        self.give(TOKEN)

    def words(self, *words: object) -> list[str]:
        """Returns the words of a command here, by the ordinary user."""
        variables = [f"{name}={value}" for name, value in self.environment.items()]
        enter = ["nsenter", "-t", str(self.pid), "-m", "-n", f"--wd={ROOT}"]
        user = ["setpriv", "--reuid", self.user, "--regid", self.user, "--clear-groups"]
        user += ["--inh-caps=-all", "env", "-i", *variables]
        return enter + user + [str(word) for word in words]

    def give(self, token: str) -> None:
        """Writes the file that has Ray's token."""
        call(*self.words("sh", "-c", f"umask 77; cat >{FILES}/token"), input=token)

    def ray(self) -> None:
        """Starts Ray. The first machine leads the cluster."""
        first = self.number == 1
        leads = ["--head", f"--port={PORT}", f"--temp-dir={FILES}/r", "--include-dashboard=false"]
        words = leads if first else [f"--address={address(1)}:{PORT}"]
        at, memory = f"--node-ip-address={address(self.number)}", 80 << 20
        start = self.words("ray", "start", *words, at, "--num-cpus=1",
                           f"--object-store-memory={memory}", "--disable-usage-stats")  # fmt: skip
        # Ray gives a node 30 s, which a busy machine exceeds.
        for _ in range(4):
            if subprocess.run(start, capture_output=True).returncode == 0:
                return
            self.kill_all()
        call(*start)

    def processes(self) -> dict[int, str]:
        """Returns the command lines of what runs in its network."""
        found = {}
        for pid in map(int, call("ip", "netns", "pids", self.namespace).split()):
            with contextlib.suppress(OSError):
                line = Path(f"/proc/{pid}/cmdline").read_bytes()
                found[pid] = line.replace(b"\0", b" ").decode(errors="replace")
        # These two hold the namespaces, and remove the user's home.
        for pid in (self.pid, self.holder.pid):
            found.pop(pid, None)
        return found

    def kill_all(self) -> None:
        """Kills all that runs here."""
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        eventually("its processes have ended", lambda: not self.processes())

    def kill(self, part: str) -> None:
        """Kills what has this in its command line, and says that it must be there."""
        found = [pid for pid, line in self.processes().items() if part in line.split(" ")[0]]
        assert found, f"no {part} among {self.processes()}"
        for pid in found:
            os.kill(pid, signal.SIGKILL)

    def clean(self) -> None:
        """Removes what those who were killed could not."""
        call(*self.words("sh", "-c", f"rm -rf {FILES}/r {self.home}/.cache/netloom/sweeps"))

    def left(self) -> list[str]:
        """Returns what is left of NetLoom: processes, state, and results of members."""
        lines = [line for line in self.processes().values() if "netloom" in line.split("/tmp")[0]]
        kept = [*self.outside("user/.cache/netloom/members")]
        kept += self.outside("user/.cache/netloom/sweeps")
        return [*lines, *self.outside("runtime/netloom"), *kept]

    def outside(self, folder: str) -> list[str]:
        """Returns what is in a folder of the user's."""
        listed = subprocess.run(["ls", self.home.parent / folder], capture_output=True, text=True)
        return listed.stdout.split()

    def end(self) -> None:
        """Ends all that runs here, and the machine."""
        self.kill_all()
        os.kill(self.pid, signal.SIGKILL)
        self.holder.wait()
        call("ip", "netns", "delete", self.namespace)


def eventually(what: str, is_so: Callable[[], object]) -> None:
    until = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < until, f"not so after 60 s: {what}"
        time.sleep(0.1)


@contextlib.contextmanager
def machines(count: int) -> Iterator[list[Machine]]:
    """Machines behind one switch."""
    made: list[Machine] = []
    switch = f"{TAG}-0"
    call("ip", "netns", "add", switch)
    try:
        call("ip", "-n", switch, "link", "add", "bridge", "type", "bridge")
        call("ip", "-n", switch, "link", "set", "bridge", "up")
        for number in range(1, count + 1):
            made.append(Machine(number))
        yield made
    finally:
        for machine in made:
            machine.end()
        call("ip", "netns", "delete", switch)
        shutil.rmtree(FILES, ignore_errors=True)


class Run:
    """A `netloom run`, or another command, on the first machine."""

    def __init__(self, machine: Machine, folder: Path, *words: object, what: str = "run") -> None:
        words = machine.words(NETLOOM, what, *words)
        self.child = subprocess.Popen(
            words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def ended(self) -> tuple[int, str]:
        """Returns the exit code, and what it has said."""
        said, _ = self.child.communicate(timeout=300)
        return self.child.returncode, said


def shape(value: object) -> object:
    """Returns the form of a JSON value: keys and kinds."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    return type(value).__name__


def form(directory: Path) -> tuple[set[str], object]:
    """Returns the form of a run's results: the names of its files, and of what it says."""
    files = {str(path.relative_to(directory)) for path in directory.rglob("*")}
    return files, shape(json.loads((directory / "summary.json").read_text()))


def nothing_is_left(made: list[Machine]) -> None:
    for machine in made:
        eventually(f"nothing is left on {machine.namespace}: {machine.left()}",
                   lambda machine=machine: not machine.left())  # fmt: skip


def one_result(made: list[Machine], folder: Path) -> None:
    """A backbone on nodes of the cluster leaves what it leaves on this machine alone."""
    for example, count in (("two-machines", 2), ("abilene", 3)):
        of_one(made, folder / example, ROOT / "examples" / example / "netloom.yaml", count)


def of_one(made: list[Machine], folder: Path, file: Path, count: int) -> None:
    folder.mkdir()
    shutil.chown(folder, int(made[0].user), int(made[0].user))
    ray = f"ray:{address(1)}:{PORT},count={count}"
    for machines, results in ((ray, "by-ray"), (f"local:{count}", "local")):
        run = Run(made[0], folder, "--machines", machines, "-t", file, "-o", folder / results)
        seen = token_is_seen(run) if results == "by-ray" else False
        code, said = run.ended()
        assert code == 0 and "PASSED" in said, said
        assert not seen, "the token is in the command line of a process"
    by_ray, local = form(folder / "by-ray"), form(folder / "local")
    assert by_ray[0] == local[0], by_ray[0] ^ local[0]
    assert by_ray[1] == local[1], (by_ray[1], local[1])
    summary = json.loads((folder / "by-ray/summary.json").read_text())
    names = [f"m{number}" for number in range(1, count + 1)]
    assert [machine["name"] for machine in summary["machines"]] == names, summary
    assert summary["verdict"]["judgement"], summary


def checked(made: list[Machine], folder: Path) -> None:
    """Nodes are checked, and given back."""
    words = ("check", "--machines", f"ray:{address(1)}:{PORT},count=3", "--format", "json")
    for _ in range(2):
        code, said = Run(made[0], folder, *words, what="machines").ended()
        assert code == 0, said
        found = json.loads(said[said.index("[") : said.rindex("]") + 1])
        delays = {(one["machine"], one["to"]) for one in found if one["what"] == "delay"}
        assert len(delays) == 6, found


def sweep_file(folder: Path, duration: str) -> Path:
    """Writes a sweep of 20 simulated runs."""
    (folder / "netloom.yaml").write_text(SIMULATED.replace("DURATION", duration))
    file = folder / "s.sweep.yaml"
    file.write_text(SWEEP)
    return file


def rows(made: list[Machine], results: Path) -> tuple[list[object], list[str]]:
    """Returns the runs of a sweep without where they were, and where each was."""
    table = [NETLOOM, "table", results / "runs.parquet", "--format", "json"]
    all_rows = [json.loads(line) for line in call(*made[0].words(*table)).splitlines()]
    machines = [row.pop("machine") for row in all_rows]
    for row in all_rows:
        row.pop("beside")
    return all_rows, machines


def as_tasks(made: list[Machine], folder: Path) -> None:
    """Runs of a sweep as tasks of Ray are the same to the byte, and elsewhere."""
    file = sweep_file(folder, "300ms")
    for results, words in (("here", ()), ("tasks", ("--machines", f"ray:{address(1)}:{PORT}"))):
        run = Run(made[0], folder, file, "-o", folder / results, *words, what="sweep")
        code, said = run.ended()
        assert code == 0, said
    here, tasks = rows(made, folder / "here"), rows(made, folder / "tasks")
    assert here[0] == tasks[0], "the results differ"
    assert {*tasks[1]} <= {address(number) for number in (1, 2, 3)}, tasks[1]
    points = [(folder / name / "points.csv").read_bytes() for name in ("here", "tasks")]
    assert points[0] == points[1]
    print(f"    {len(tasks[0])} rows of 20 runs on {len({*tasks[1]})} nodes")


def a_node_is_lost(made: list[Machine], folder: Path) -> None:
    """The run of a node that is lost is done again elsewhere, and none twice."""
    file = sweep_file(folder, "60s")
    results = folder / "node-lost"
    words = (file, "-o", results, "--machines", f"ray:{address(1)}:{PORT}")
    run = Run(made[0], folder, *words, what="sweep")
    there = made[2]
    eventually("a run is on the third node", lambda: run.child.poll() is not None or any(
        "__sweep_run" in line for line in there.processes().values()))  # fmt: skip
    assert run.child.poll() is None, run.ended()
    there.kill_all()
    code, said = run.ended()
    assert code == 0, said
    keys = [json.loads(line)["key"] for line in (results / "sweep.jsonl").read_text().splitlines()]
    assert len(keys) == len({*keys}) == 20, keys
    print(f"    {len(keys)} runs, none twice")
    there.clean()
    there.ray()


def marked_nodes(made: list[Machine], folder: Path) -> None:
    """Emulated runs need a node that says that it may be theirs."""
    (folder / "pings.yaml").write_text(PINGS)
    sweep = folder / "e.sweep.yaml"
    sweep.write_text("scenario: pings.yaml\nmetrics: { m: { summary: mode } }\n")
    words = (sweep, "-o", folder / "none", "--machines", f"ray:{address(1)}:{PORT}")
    code, said = Run(made[0], folder, *words, what="sweep").ended()
    assert code == 2 and "--resources" in said, (code, said)


def token_is_seen(run: Run) -> bool:
    """Whether the token is in a command line, while a run goes."""
    members = 0
    while run.child.poll() is None:
        for line in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                text = line.read_bytes()
                members += b"__member" in text
                if TOKEN.encode() in text:
                    return True
        if members:
            return False
        time.sleep(0.2)
    return False


def refusals(made: list[Machine], folder: Path) -> None:
    """A wrong token, and more machines than there are."""
    (folder / "pings.yaml").write_text(PINGS)
    made[0].give(secrets.token_hex(16))
    for machines, why in (
        (f"ray:{address(1)}:{PORT},count=2", "cannot connect to the Ray cluster"),
        (f"ray:{address(1)}:{PORT},count=4", "4 machines are wanted, and 3 of the 3 nodes"),
    ):
        out = folder / "refused"
        run = Run(made[0], folder, "--machines", machines, "-t", folder / "pings.yaml", "-o", out)
        code, said = run.ended()
        print(f"    {said.strip()}")
        assert code == 2 and why in said, (code, said)
        assert not out.exists()
        # The first one had a wrong token.
        made[0].give(TOKEN)


def without_ray(made: list[Machine], folder: Path) -> None:
    """A run goes on when Ray is killed: first on a machine, then its head."""
    (folder / "machines.yaml").write_text(
        f"start: {{ ray: \"{address(1)}:{PORT}\" }}\n"
        f"machines:\n  m1: {{ address: {address(2)} }}\n  m2: {{ address: {address(3)} }}\n"
    )
    out = folder / "killed"
    run = Run(made[0], folder, "--machines", folder / "machines.yaml", "-t", folder / "pings.yaml",
              "-o", out)  # fmt: skip
    output = "user/.cache/netloom/members"
    eventually("the members run", lambda: run.child.poll() is not None or all(
        machine.outside(output) for machine in made[1:]))  # fmt: skip
    time.sleep(3)
    made[2].kill("raylet")
    time.sleep(2)
    made[0].kill("gcs_server")
    assert run.child.poll() is None, "it had ended before"
    code, said = run.ended()
    print("    " + said.strip().replace("\n", "\n    "))
    assert code == 0, (code, said)
    summary = json.loads((out / "summary.json").read_text())
    assert summary["success"] is True, summary


def main() -> None:
    with tempfile.TemporaryDirectory(prefix=TAG) as name, machines(3) as made:
        folder = Path(name)
        shutil.chown(folder, int(made[0].user), int(made[0].user))
        for machine in made:
            machine.ray()
        print("three nodes of Ray are up", flush=True)
        parts = (one_result, refusals, checked, as_tasks, marked_nodes, a_node_is_lost, without_ray)
        wanted = sys.argv[3:] or [part.__name__ for part in parts]
        for part in (part for part in parts if part.__name__ in wanted):
            began = time.monotonic()
            part(made, folder)
            nothing_is_left(made)
            assert part.__doc__ is not None
            print(f"ok: {part.__doc__.strip()} ({time.monotonic() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
