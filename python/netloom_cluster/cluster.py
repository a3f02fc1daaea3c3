"""A Ray cluster: machines are reserved by a placement group, and started by an actor on each."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from netloom_cluster import starter
from netloom_cluster.lines import Refused

# Seconds between two words to a user who waits.
STEP = 10.0
# Seconds for an actor to start and answer.
PATIENCE = 120.0


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

    def release(self) -> None:
        """Gives back what was reserved. What was started goes on."""
        try:
            if self._group is not None:
                self._ray.util.remove_placement_group(self._group)
            self._ray.shutdown()
        except Exception:  # The cluster is gone, and with it what was reserved.
            return


def brief(why: Exception) -> str:
    """Returns the first line of an error that says something."""
    lines = [line.strip() for line in str(why).splitlines()]
    return next((line for line in lines if line), type(why).__name__)


def counted(cpus: float) -> str:
    """Returns a number of CPUs in words."""
    return f"{cpus:g} CPU" if cpus == 1 else f"{cpus:g} CPUs"
