"""A Ray cluster: machines are reserved by a placement group, and started by an actor on each."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

from netloom_cluster import starter
from netloom_cluster.lines import Refused

# Seconds between two words to a user who waits.
STEP = 10.0
# Seconds for an actor to start and answer.
PATIENCE = 120.0
# The resource of nodes on which a run may have the whole machine.
MARK = "netloom"
# How often Ray does a task again whose node is lost.
RETRIES = 3
# Seconds between two looks for tasks that have ended or begun.
LOOK = 0.2


def ray_module() -> Any:
    """Imports Ray, with a token always."""
    if os.environ.setdefault("RAY_AUTH_MODE", "token").lower() != "token":
        raise Refused(
            "RAY_AUTH_MODE is not `token`: who reaches a cluster without tokens can run anything "
            "on it; start it with RAY_AUTH_MODE=token (docs/machines.md)"
        )
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        import ray.util.scheduling_strategies
    except ImportError as why:
        raise Refused(f"cannot import Ray: {why}; install it: pip install ray") from why
    return ray


class RayCluster:
    """A cluster that this process is connected to, and what it has reserved there."""

    def __init__(self, ray: Any, address: str) -> None:
        self._ray = ray
        self._group: Any = None
        self._actors: list[Any] = []
        self._tasks: Tasks | None = None
        try:
            ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        except Exception as why:  # Ray has no common class for what goes wrong here.
            message = f"cannot connect to the Ray cluster at `{address}`: {brief(why)}"
            raise Refused(message) from why
        # Nodes have the code of the actor from here.
        ray.cloudpickle.register_pickle_by_value(starter)

    def about(self) -> dict[str, Any]:
        """Returns Ray's version, our address in the cluster, and the nodes that are there."""
        return {
            "ray": self._ray.__version__,
            "here": self._ray.util.get_node_ip_address(),
            "nodes": [
                {"address": node["NodeManagerAddress"], "cpus": node["Resources"].get("CPU", 0.0)}
                for node in self._ray.nodes()
                if node["Alive"]
            ],
        }

    def start(self, request: dict[str, Any], note: Callable[[str], None]) -> list[dict[str, Any]]:
        """Reserves a node for each machine, and starts a process on each."""
        machines, cpus = request["machines"], request["cpus"]
        self._reserve(machines, cpus, note)
        answers = []
        for number, machine in enumerate(machines):
            strategy = self._ray.util.scheduling_strategies.PlacementGroupSchedulingStrategy(
                self._group, placement_group_bundle_index=number
            )
            remote = self._ray.remote(starter.Starter)
            actor = remote.options(num_cpus=cpus, scheduling_strategy=strategy).remote()
            self._actors.append(actor)
            answers.append(actor.start.remote(machine["command"], request["orders"]))
        nodes = {node["NodeID"]: node["NodeManagerAddress"] for node in self._ray.nodes()}
        try:
            said = self._ray.get(answers, timeout=PATIENCE)
        except Exception as why:
            raise Refused(f"Ray cannot start NetLoom on its nodes: {brief(why)}") from why
        placed = self._ray.util.placement_group_table(self._group)["bundles_to_node_id"]
        started = []
        for number, (machine, answer) in enumerate(zip(machines, said, strict=True)):
            name, address = machine["name"], nodes[placed[number]]
            if "error" in answer:
                raise Refused(f"machine `{name}` ({address}): {answer['error']}")
            if answer["nice"] != "0":
                note(
                    f"machine `{name}` waits behind other processes there (nice {answer['nice']}): "
                    "start Ray on its nodes with RAY_worker_niceness=0"
                )
            started.append({"name": name, "address": address, "said": answer["said"]})
        return started

    def _reserve(
        self, machines: list[dict[str, Any]], cpus: int, note: Callable[[str], None]
    ) -> None:
        nodes = self.about()["nodes"]
        fit = [node["address"] for node in nodes if node["cpus"] >= cpus]
        wanted = [machine["address"] for machine in machines if machine["address"]]
        if missing := [address for address in wanted if address not in fit]:
            raise Refused(
                f"the Ray cluster has no node {missing[0]} with {counted(cpus)}; it has "
                + ", ".join(f"{node['address']} ({counted(node['cpus'])})" for node in nodes)
            )
        if len(fit) < len(machines):
            raise Refused(
                f"{len(machines)} machines are wanted, and {len(fit)} of the {len(nodes)} nodes "
                f"of the Ray cluster have {counted(cpus)}: add nodes, or ask for fewer machines"
            )
        bundles = [
            {"CPU": cpus} | ({f"node:{at}": 0.001} if (at := machine["address"]) else {})
            for machine in machines
        ]
        # All or none, each on a node of its own.
        self._group = self._ray.util.placement_group(bundles, strategy="STRICT_SPREAD")
        while not self._group.wait(STEP):
            many = f"{len(machines)} nodes of the Ray cluster"
            note(f"waiting for {many}, until each has {counted(cpus)} free")

    def tasks(self, request: dict[str, Any], done: Callable[[dict[str, Any]], None]) -> int:
        """Prepares tasks, whose ends go to `done`. Returns how many there is room for."""
        nodes = [node["Resources"] for node in self._ray.nodes() if node["Alive"]]
        marked = [node for node in nodes if node.get(MARK, 0) > 0]
        cpus = request["cpus"]
        if request["is_alone"]:
            if not marked:
                raise Refused(
                    "emulated runs need a node to themselves, and the Ray cluster has none that "
                    f"says so: start Ray there with --resources='{{\"{MARK}\": 1}}'"
                )
            needs, places = {MARK: 1.0}, len(marked)
        else:
            # Where some nodes are marked, the others may have no NetLoom.
            needs = {MARK: 0.001} if marked else {}
            places = sum(int(node.get("CPU", 0) // cpus) for node in marked or nodes)
        if places == 0:
            raise Refused(f"no node of the Ray cluster has {counted(cpus)}: ask for fewer")
        with open(request["folder"], "rb") as file:
            # In a list: else each task would get it, whether it needs it or not.
            folder = [self._ray.put(file.read())]
        remote = self._ray.remote(starter.carry)
        # Ray does a task again whose node or process is lost.
        options = remote.options(num_cpus=cpus, resources=needs, max_retries=RETRIES)
        words = (request["command"], request["greeting"])

        def carry(order: str) -> Any:
            return options.remote(*words, order, folder)

        self._tasks = Tasks(self._ray, carry, done)
        return places

    def task(self, request: dict[str, Any]) -> None:
        """Has a task carried out."""
        if self._tasks is None:
            raise Refused("there is no such request now: no tasks were asked for")
        self._tasks.begin(request)

    def release(self) -> None:
        """Gives back what was reserved, and ends tasks. What was started goes on."""
        if self._tasks is not None:
            self._tasks.end()
        try:
            if self._group is not None:
                self._ray.util.remove_placement_group(self._group)
            self._ray.shutdown()
        except Exception:  # The cluster is gone, and with it what was reserved.
            return


class Tasks:
    """Tasks that are under way, and a thread that waits for them."""

    def __init__(
        self, ray: Any, carry: Callable[[str], Any], done: Callable[[dict[str, Any]], None]
    ) -> None:
        self._ray, self._carry, self._done = ray, carry, done
        self._running: dict[Any, dict[str, Any]] = {}
        self._changes = threading.Lock()
        self._ends = threading.Event()
        self._waits = threading.Thread(target=self._wait, daemon=True)
        self._waits.start()

    def begin(self, request: dict[str, Any]) -> None:
        """Has Ray carry one out."""
        with self._changes:
            self._running[self._carry(request["request"])] = request

    def end(self) -> None:
        """Waits for none of them any more."""
        self._ends.set()
        self._waits.join()

    def _wait(self) -> None:
        while not self._ends.is_set():
            with self._changes:
                running = list(self._running)
            if not running:
                self._ends.wait(LOOK)
                continue
            ended, _ = self._ray.wait(running, num_returns=1, timeout=LOOK)
            for task in ended:
                with self._changes:
                    request = self._running.pop(task)
                self._done({"id": request["id"]} | self._taken(task, request["into"]))

    def _taken(self, task: Any, into: str) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = self._ray.get(task)
            archive = answer.pop("archive", b"")
            with open(into, "wb") as file:
                file.write(archive)
            return answer
        except Exception as why:
            return {"error": f"Ray cannot carry it out: {brief(why)}"}


def brief(why: Exception) -> str:
    """Returns the first line of an error that says something."""
    lines = [line.strip() for line in str(why).splitlines()]
    return next((line for line in lines if line), type(why).__name__)


def counted(cpus: float) -> str:
    """Returns a number of CPUs in words."""
    return f"{cpus:g} CPU" if cpus == 1 else f"{cpus:g} CPUs"
