"""Tests of `netloom_cluster` without Ray: a fake of the few calls that it uses stands for it."""

import io
import json
import os
import signal
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from netloom_cluster import cluster, lines, starter  # noqa: E402


class Group:
    """A placement group that is ready after some looks."""

    def __init__(self, bundles: list[dict[str, float]], strategy: str, looks: int) -> None:
        self.bundles, self.strategy, self.looks = bundles, strategy, looks

    def wait(self, _seconds: float) -> bool:
        self.looks -= 1
        return self.looks < 0


class FakeRay:
    """Nodes with CPUs, and actors whose methods run here and now."""

    __version__ = "fake"

    def __init__(self, cpus: dict[str, float], looks: int = 0, wrong: str = "") -> None:
        self.cpus, self.looks, self.wrong = cpus, looks, wrong
        self.groups: list[Group] = []
        self.calls: list[str] = []
        self.actors: list[tuple[Any, int]] = []
        self.tasks: list[dict[str, Any]] = []
        self.done: list[Any] = []
        self.marked: dict[str, float] = {}
        self.cloudpickle = SimpleNamespace(register_pickle_by_value=lambda _module: None)
        self.util = SimpleNamespace(
            get_node_ip_address=lambda: "10.0.0.1",
            placement_group=self.placement_group,
            placement_group_table=self.table,
            remove_placement_group=lambda group: self.groups.remove(group),
            scheduling_strategies=SimpleNamespace(
                PlacementGroupSchedulingStrategy=lambda group, placement_group_bundle_index: (
                    group,
                    placement_group_bundle_index,
                )
            ),
        )

    def init(self, **options: Any) -> None:
        self.calls.append(f"init {options['address']}")
        if self.wrong:
            raise RuntimeError(f"\n{self.wrong}\nand more")

    def shutdown(self) -> None:
        self.calls.append("shutdown")

    def nodes(self) -> list[dict[str, Any]]:
        dead = {"Alive": False, "NodeID": "dead", "NodeManagerAddress": "10.0.0.9"}
        return [
            {
                "Alive": True,
                "NodeID": f"id of {address}",
                "NodeManagerAddress": address,
                "Resources": {"CPU": cpus}
                | ({"netloom": self.marked[address]} if address in self.marked else {}),
            }
            for address, cpus in self.cpus.items()
        ] + [dead | {"Resources": {"CPU": 64.0}}]

    def placement_group(self, bundles: list[dict[str, float]], strategy: str) -> Group:
        self.groups.append(Group(bundles, strategy, self.looks))
        return self.groups[-1]

    def table(self, group: Group) -> dict[str, Any]:
        fit = [f"id of {address}" for address in self.cpus]
        fit.reverse()
        return {"bundles_to_node_id": dict(enumerate(fit[: len(group.bundles)]))}

    def remote(self, kind: Any) -> Any:
        def carries(**options: Any) -> Any:
            self.tasks.append(options)

            def task(*words: Any) -> int:
                self.done.append(kind(*words))
                return len(self.done) - 1

            return SimpleNamespace(remote=task)

        def make(**options: Any) -> Any:
            def actor() -> Any:
                self.actors.append((options["scheduling_strategy"], options["num_cpus"]))
                return SimpleNamespace(start=SimpleNamespace(remote=kind().start))

            return SimpleNamespace(remote=actor)

        return SimpleNamespace(options=make if isinstance(kind, type) else carries)

    def put(self, thing: Any) -> tuple[Any]:
        return (thing,)

    def wait(self, running: list[int], num_returns: int, timeout: float) -> Any:
        assert timeout > 0
        return running[:num_returns], running[num_returns:]

    def get(self, answers: Any, timeout: float = 1.0) -> Any:
        assert timeout > 0
        if isinstance(answers, tuple):
            return answers[0]
        return self.done[answers] if isinstance(answers, int) else answers


def ask(ray: FakeRay, *requests: Any) -> tuple[int, list[Any]]:
    """Returns the exit code and the answers to requests."""
    out = io.StringIO()
    wanted = [request if isinstance(request, str) else json.dumps(request) for request in requests]
    code = lines.serve(wanted, out, lambda address: cluster.RayCluster(ray, address))
    return code, [json.loads(line) for line in out.getvalue().splitlines()]


def start(*machines: tuple[str, str | None], cpus: int = 1, command: str = "cat") -> Any:
    """Returns a request for machines with names, and addresses or none."""
    wanted = [{"name": name, "address": at, "command": command} for name, at in machines]
    return {"start": {"machines": wanted, "cpus": cpus, "orders": "the orders"}}


CONNECT = {"connect": {"address": "10.0.0.1:6379"}}


class Seam(unittest.TestCase):
    """What is said, and in which order."""

    def setUp(self) -> None:
        patched = mock.patch.dict(os.environ, {"RAY_AUTH_MODE": "token"})
        patched.start()
        self.addCleanup(patched.stop)

    def test_machines_are_reserved_started_and_given_back(self) -> None:
        ray = FakeRay({"10.0.0.1": 2.0, "10.0.0.2": 2.0}, looks=2)
        code, said = ask(ray, CONNECT, start(("m1", None), ("m2", None), cpus=2))
        self.assertEqual(code, 0, said)
        self.assertEqual(said[0]["connected"]["here"], "10.0.0.1")
        self.assertEqual([node["address"] for node in said[0]["connected"]["nodes"]], [*ray.cpus])
        self.assertEqual([*said[1]], ["note"], "it says that it waits")
        self.assertIn("2 nodes", said[1]["note"])
        self.assertEqual(
            said[3]["started"],
            [
                {"name": "m1", "address": "10.0.0.2", "said": "the orders"},
                {"name": "m2", "address": "10.0.0.1", "said": "the orders"},
            ],
            "each is where Ray has put it",
        )
        group = ray.actors[0][0][0]
        self.assertEqual(group.strategy, "STRICT_SPREAD")
        self.assertEqual(group.bundles, [{"CPU": 2}, {"CPU": 2}])
        self.assertEqual([(place[1], cpus) for place, cpus in ray.actors], [(0, 2), (1, 2)])
        self.assertEqual(ray.groups, [], "nothing stays reserved")
        self.assertEqual(ray.calls, ["init 10.0.0.1:6379", "shutdown"])

    def test_an_address_is_that_node(self) -> None:
        ray = FakeRay({"10.0.0.1": 1.0, "10.0.0.2": 1.0})
        ask(ray, CONNECT, start(("m1", "10.0.0.2"), ("m2", None)))
        bundles = ray.actors[0][0][0].bundles
        self.assertEqual(bundles, [{"CPU": 1, "node:10.0.0.2": 0.001}, {"CPU": 1}])

    def test_what_a_cluster_does_not_have_is_said(self) -> None:
        ray = FakeRay({"10.0.0.1": 1.0, "10.0.0.2": 4.0})
        for request, why in [
            (start(("m1", None), ("m2", None), ("m3", None)), "3 machines are wanted, and 2 of"),
            (start(("m1", None), ("m2", None), cpus=4), "1 of the 2 nodes"),
            (start(("m1", "10.0.0.9")), "no node 10.0.0.9"),
            (start(("m1", "10.0.0.1"), cpus=2), "no node 10.0.0.1 with 2 CPUs"),
        ]:
            code, said = ask(ray, CONNECT, request)
            self.assertEqual(code, 1)
            self.assertIn(why, said[-1]["error"])
            self.assertEqual(ray.calls[-1], "shutdown")
            self.assertEqual(ray.groups, [])

    def test_a_machine_that_says_nothing_is_named_and_all_are_given_back(self) -> None:
        ray = FakeRay({"10.0.0.1": 1.0})
        code, said = ask(ray, CONNECT, start(("m1", None), command="false"))
        self.assertEqual(code, 1)
        self.assertIn("machine `m1` (10.0.0.1): `false` says nothing", said[-1]["error"])
        self.assertEqual(ray.groups, [])

    def test_a_machine_that_is_behind_others_is_noted(self) -> None:
        with mock.patch.object(os, "getpriority", lambda *_: 15):
            with mock.patch.object(os, "setpriority", side_effect=PermissionError):
                code, said = ask(FakeRay({"10.0.0.1": 1.0}), CONNECT, start(("m1", None)))
        self.assertEqual(code, 0)
        self.assertIn("`m1`", said[1]["note"])
        self.assertIn("nice 15", said[1]["note"])

    def test_a_cluster_that_lets_nobody_in_is_no_cluster(self) -> None:
        code, said = ask(FakeRay({}, wrong="the token is wrong"), CONNECT)
        self.assertEqual(code, 1)
        self.assertEqual(
            said[-1]["error"],
            "cannot connect to the Ray cluster at `10.0.0.1:6379`: the token is wrong",
        )

    def test_requests_that_are_none_are_refused(self) -> None:
        for requests in (["{"], [{"dance": {}}], [start(("m1", None))], [CONNECT, CONNECT]):
            code, said = ask(FakeRay({"10.0.0.1": 1.0}), *requests)
            self.assertEqual(code, 1, requests)
            self.assertIn("error", said[-1])


# A machine: it greets, wants the archive, and ends with a line and an archive of its own.
MACHINE = """\
echo a banner; echo NETLOOM 7 1.0 x86_64; read request; echo '"here"'; echo '"want"'
archive=$(head -c 3); echo "{\\"ended\\": \\"$request\\"}"; echo of $archive"""


class Carried(unittest.TestCase):
    """Tasks, and what comes back of them."""

    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)
        (self.path / "folder").write_bytes(b"abc")
        self.ray = FakeRay({"10.0.0.1": 4.0, "10.0.0.2": 2.0})
        for patched in (
            mock.patch.dict(os.environ, {"RAY_AUTH_MODE": "token"}),
            mock.patch.dict(sys.modules, {"ray": self.ray}),
        ):
            patched.start()
            self.addCleanup(patched.stop)

    def carried(self, command: str = MACHINE, is_alone: bool = False) -> list[Any]:
        """Returns what is said when two tasks are asked for."""
        script = self.path / "machine"
        script.write_text(command)
        tasks = {"command": f"sh {script}", "greeting": "NETLOOM 7 1.0", "cpus": 2}
        tasks |= {"is_alone": is_alone, "folder": str(self.path / "folder")}
        ends = threading.Event()
        out = io.StringIO()

        def requests() -> Any:
            yield json.dumps(CONNECT)
            yield json.dumps({"tasks": tasks})
            for number in (1, 2):
                into = str(self.path / f"into{number}")
                yield json.dumps({"task": {"id": number, "request": f"r{number}", "into": into}})
            while out.getvalue().count('"done"') < 2:
                ends.wait(0.01)

        code = lines.serve(requests(), out, lambda address: cluster.RayCluster(self.ray, address))
        self.code = code
        return [json.loads(line) for line in out.getvalue().splitlines()]

    def test_each_has_its_request_the_folder_and_an_archive(self) -> None:
        said = self.carried()
        self.assertEqual(said[1], {"tasks": {"places": 3}})
        done = {one["done"]["id"]: one["done"] for one in said[2:]}
        for number in (1, 2):
            self.assertEqual(done[number]["node"], "10.0.0.1")
            self.assertEqual(json.loads(done[number]["said"]), {"ended": f"r{number}"})
            self.assertEqual((self.path / f"into{number}").read_bytes(), b"of abc\n")
        self.assertEqual(self.ray.tasks[0], {"num_cpus": 2, "resources": {}, "max_retries": 3})
        self.assertEqual(self.code, 0)

    def test_nodes_that_are_marked_get_them(self) -> None:
        self.ray.marked = {"10.0.0.2": 1.0}
        self.assertEqual(self.carried()[1], {"tasks": {"places": 1}})
        self.assertEqual(self.ray.tasks[0]["resources"], {"netloom": 0.001})
        self.assertEqual(self.carried(is_alone=True)[1], {"tasks": {"places": 1}})
        self.assertEqual(self.ray.tasks[1]["resources"], {"netloom": 1.0})

    def test_without_a_marked_node_none_is_alone(self) -> None:
        tasks = {"cpus": 1, "is_alone": True}
        code, said = ask(self.ray, CONNECT, {"tasks": tasks})
        self.assertEqual(code, 1)
        self.assertIn("--resources='{\"netloom\": 1}'", said[-1]["error"])

    def test_what_is_no_netloom_of_this_version_is_named(self) -> None:
        for command, why in (
            ("true", "it says nothing"),
            ("echo NETLOOM 7 0.9 x86_64", "NETLOOM 7 0.9 x86_64"),
            ("echo NETLOOM 7 1.0 x86_64; exit 3", "ended before its run had (exit 3)"),
        ):
            for one in self.carried(command)[2:]:
                self.assertIn("node 10.0.0.1: ", one["done"]["error"])
                self.assertIn(why, one["done"]["error"])


class Token(unittest.TestCase):
    """No cluster without a token."""

    def test_a_driver_without_a_token_is_refused(self) -> None:
        with mock.patch.dict(os.environ, {"RAY_AUTH_MODE": "disabled"}):
            with self.assertRaisesRegex(lines.Refused, "RAY_AUTH_MODE"):
                cluster.ray_module()

    def test_a_node_without_a_token_starts_nothing(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder, "made")
            for mode in ({}, {"RAY_AUTH_MODE": "disabled"}):
                with mock.patch.dict(os.environ, mode):
                    if not mode:
                        os.environ.pop("RAY_AUTH_MODE", None)
                    answer = starter.Starter().start(f"touch {made}", "")
                self.assertIn("RAY_AUTH_MODE=token", answer["error"])
            self.assertFalse(made.exists())


class Started(unittest.TestCase):
    """What is started on a node."""

    def test_it_is_detached_and_has_nothing_of_rays(self) -> None:
        secret = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "a secret"}
        command = "sh -c 'read word; echo $$ $word $RAY_AUTH_TOKEN; sleep 30'"
        with mock.patch.dict(os.environ, secret):
            said = starter.Starter().start(command, "orders")["said"].split()
        pid = int(said[0])
        try:
            self.assertEqual(said[1:], ["orders"], "no token")
            # Our child has ended; this one is in a session of its own.
            self.assertNotEqual(os.getsid(pid), os.getsid(0))
            parent = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1]
            self.assertNotEqual(int(parent), os.getpid())
        finally:
            os.killpg(os.getpgid(pid), signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
