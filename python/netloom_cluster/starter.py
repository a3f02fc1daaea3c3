"""What runs on a node of the cluster. Ray sends it there, so it needs nothing but Python."""

import contextlib
import os
import subprocess
from pathlib import Path


class Starter:
    """Starts a process that outlives it."""

    def start(self, command: str, orders: str) -> dict[str, str]:
        """Starts a shell's command detached, with `orders` on its standard input.

        Returns its first line as `said` and by how much it is behind other processes as `nice`, or
        what is wrong as `error`.
        """
        if os.environ.get("RAY_AUTH_MODE", "").lower() != "token":
            return {
                "error": "this cluster takes orders from anybody who reaches it: start all of its "
                "nodes with RAY_AUTH_MODE=token (docs/machines.md)"
            }
        # Ray's processes wait behind all others of the machine; ours must not.
        nice = os.getpriority(os.PRIO_PROCESS, 0)
        if nice > 0:
            with contextlib.suppress(PermissionError):
                os.setpriority(os.PRIO_PROCESS, 0, 0)
                nice = 0
        # A token of Ray's is nothing for the programs of an experiment.
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("RAY_")
        }
        # A session of its own: nothing that ends Ray's processes ends it.
        process = subprocess.Popen(
            ["setsid", "-f", "sh", "-c", f"exec {command}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path.home(),
            env=environment,
            bufsize=0,
        )
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
