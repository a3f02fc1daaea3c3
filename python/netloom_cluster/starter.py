"""What runs on a node of the cluster. Ray sends it there, so it needs nothing but Python."""

import contextlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any


class Starter:
    """Starts a process that outlives it."""

    def start(self, command: str, orders: str) -> dict[str, str]:
        """Starts a shell's command detached, with `orders` on its standard input.

        Returns its first line as `said` and by how much it is behind other processes as `nice`, or
        what is wrong as `error`.
        """
        if wrong := refused():
            return {"error": wrong}
        nice = first_in_line()
        # A session of its own: nothing that ends Ray's processes ends it.
        process = begun(["setsid", "-f", "sh", "-c", f"exec {command}"])
        assert process.stdin is not None and process.stdout is not None
        with process.stdin, process.stdout:
            try:
                process.stdin.write(orders.encode() + b"\n")
                said = process.stdout.readline().decode(errors="replace").strip()
            except BrokenPipeError:
                said = ""
        process.wait()
        if said:
            return {"said": said, "nice": str(nice)}
        return {
            "error": f"`{command}` says nothing there; is NetLoom on the machine, where the list "
            "of machines says? (what it printed is in Ray's logs of that node)"
        }


def carry(command: str, greeting: str, request: str, folder: list[Any]) -> dict[str, Any]:
    """Carries out a request by a command that greets, and ends with this task.

    It is given the archive that is in `folder` if it wants that. Returns the last line that it says
    as `said`, the archive that follows as `archive`, and the node; or what is wrong as `error`.
    """
    import ray

    node = ray.util.get_node_ip_address()
    if wrong := refused():
        return {"error": f"node {node}: {wrong}"}
    first_in_line()
    process = begun(["sh", "-c", f"exec {command}"])
    assert process.stdin is not None and process.stdout is not None
    # The end of its standard input is its own: it stays open until there is an answer. One that
    # has ended does not read, and what it has said tells why.
    with process, contextlib.suppress(BrokenPipeError):
        lines = iter(process.stdout.readline, b"")
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(request.encode() + b"\n")
        words = next((line for line in map(bytes.decode, lines) if is_greeting(line)), "")
        if not words.startswith(greeting):
            return {
                "error": f"node {node}: `{command}` starts no NetLoom of the version that asks "
                f"({words.strip() or 'it says nothing'}): put the same on all nodes, in the PATH "
                "of Ray; what it printed is in Ray's logs of that node"
            }
        for line in lines:
            said = json.loads(line)
            if said == "want":
                process.stdin.write(ray.get(folder[0]))
            elif said != "here":
                return {"node": node, "said": line.decode(), "archive": process.stdout.read()}
    return {"error": f"node {node}: `{command}` ended before its run had (exit {process.wait()})"}


def is_greeting(line: str) -> bool:
    """Whether a line is NetLoom's greeting."""
    return line.startswith("NETLOOM ")


def refused() -> str:
    """Returns why nothing is started in this cluster, if nothing is."""
    if os.environ.get("RAY_AUTH_MODE", "").lower() == "token":
        return ""
    return (
        "this cluster takes orders from anybody who reaches it: start all of its nodes with "
        "RAY_AUTH_MODE=token (docs/machines.md)"
    )


def first_in_line() -> int:
    """Returns by how much processes here wait behind others, if that cannot be changed.

    Those of Ray wait behind all others of the machine; ours must not.
    """
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    if nice > 0:
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, 0, 0)
            nice = 0
    return nice


def begun(words: list[str]) -> "subprocess.Popen[bytes]":
    """Begins a process, with pipes."""
    # A token of Ray's is nothing for the programs of an experiment.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    return subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path.home(),
        env=environment,
        bufsize=0,
    )
