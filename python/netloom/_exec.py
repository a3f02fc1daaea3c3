"""Commands in nodes. Their standard streams are pipes of this process, which `exec.sock` passes on:
`select` works on them, and nothing copies their bytes."""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import subprocess
import threading
import time

from . import _binary
from ._errors import CommandFailed, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any, TypeAlias

    from ._api import Api

    Command: TypeAlias = "str | list[str]"
    Stream: TypeAlias = "int | IO[Any] | None"

# Longest message of the engine, and of a request.
_LONGEST = 200 * 1024


class Finished:
    """A command in a node that has ended."""

    def __init__(
        self,
        node: str,
        args: Command,
        returncode: int,
        stdout: str,
        stderr: str,
        seconds: float,
    ) -> None:
        self.node = node
        self.args = args
        self.returncode = returncode
        self.stdout = stdout
        self.stderr = stderr
        self.seconds = seconds

    def check(self) -> Finished:
        """Raises `CommandFailed` unless the code is 0."""
        if self.returncode != 0:
            raise CommandFailed(self)
        return self

    def __repr__(self) -> str:
        return f"<Finished {self.args!r} in {self.node}: {self.returncode}>"


class Process:
    """A command in a node that runs, with the attributes and methods of a `subprocess.Popen`.

    `pid` is its process id as the machine knows it. It ends when this Python ends.
    """

    def __init__(
        self,
        api: Api,
        node: str,
        command: Command,
        *,
        env: dict[str, str] | None = None,
        cwd: str | None = None,
        stdin: Stream = subprocess.DEVNULL,
        stdout: Stream = subprocess.PIPE,
        stderr: Stream = subprocess.PIPE,
        text: bool = True,
    ) -> None:
        self.node = node
        self.args = command
        self.returncode: int | None = None
        self.pid: int | None = None
        self.stdin: IO[Any] | None = None
        self.stdout: IO[Any] | None = None
        self.stderr: IO[Any] | None = None
        self._api = api
        self._lock = threading.Lock()
        request = {
            "node": node,
            "command": ["/bin/sh", "-c", command] if isinstance(command, str) else command,
            "env": env or {},
            "directory": cwd,
        }
        message = json.dumps(request).encode()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        theirs: list[int] = []
        opened: list[int] = []
        try:
            self._socket.connect(os.path.join(os.path.dirname(api.path), "exec.sock"))
            for number, stream in enumerate((stdin, stdout, stderr)):
                theirs.append(self._open(number, stream, theirs, opened, text))
            socket.send_fds(self._socket, [message], theirs)
            self._take(self._notice())
        except OSError as error:
            self._close()
            if isinstance(error, (ConnectionError, FileNotFoundError)):
                raise api.gone(error) from error
            raise
        except BaseException:
            self._close()
            raise
        finally:
            for descriptor in opened:
                os.close(descriptor)

    def _open(
        self, number: int, stream: Stream, theirs: list[int], opened: list[int], text: bool
    ) -> int:
        """Returns the command's end of a stream, and keeps the other end of a pipe."""
        if stream is None:
            return number
        if stream == subprocess.STDOUT:
            return theirs[1]
        if stream == subprocess.DEVNULL:
            opened.append(os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC))
            return opened[-1]
        if stream != subprocess.PIPE:
            return stream if isinstance(stream, int) else stream.fileno()
        readable, writable = os.pipe()
        own, other = (writable, readable) if number == 0 else (readable, writable)
        opened.append(other)
        mode = "w" if number == 0 else "r"
        file: IO[Any] = open(own, mode if text else f"{mode}b", errors="replace" if text else None)
        setattr(self, ("stdin", "stdout", "stderr")[number], file)
        return other

    def fileno(self) -> int:
        """Returns a descriptor that is readable when the engine has news of the command."""
        return self._socket.fileno()

    def poll(self) -> int | None:
        """Returns the exit code, or `None` while the command runs."""
        with self._lock:
            while self.returncode is None and self._is_readable(0):
                self._take(self._notice())
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Waits for the end of the command. Returns its exit code, which is 128 and the number of
        the signal if one has ended it. Raises `subprocess.TimeoutExpired`."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if self.returncode is None and not self._is_readable(left) and timeout is not None:
                raise subprocess.TimeoutExpired(self.args, timeout)
            code = self.poll()
            if code is not None:
                return code

    def communicate(
        self, input: str | bytes | None = None, timeout: float | None = None
    ) -> tuple[Any, Any]:
        """Sends input, reads all output, and waits for the end."""
        kept: dict[int, Any] = {1: None, 2: None}

        def read(number: int, file: IO[Any]) -> None:
            with file:
                kept[number] = file.read()

        readers = [
            threading.Thread(target=read, args=(number, file), daemon=True)
            for number, file in ((1, self.stdout), (2, self.stderr))
            if file is not None and not file.closed
        ]
        for reader in readers:
            reader.start()
        if self.stdin is not None and not self.stdin.closed:
            try:
                with self.stdin:
                    if input:
                        self.stdin.write(input)
            except BrokenPipeError:
                pass
        deadline = None if timeout is None else time.monotonic() + timeout
        for reader in readers:
            reader.join(None if deadline is None else max(0.0, deadline - time.monotonic()))
            if reader.is_alive() and timeout is not None:
                raise subprocess.TimeoutExpired(self.args, timeout)
        self.wait(None if deadline is None else max(0.0, deadline - time.monotonic()))
        return kept[1], kept[2]

    def send_signal(self, number: int) -> None:
        """Sends a signal to the command and all that it has started in its process group."""
        if self.poll() is None:
            self._socket.send(json.dumps({"signal": int(number)}).encode())

    def terminate(self) -> None:
        """Sends SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Sends SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        for file in (self.stdout, self.stderr, self.stdin):
            if file is not None:
                file.close()
        self.wait()

    def __repr__(self) -> str:
        state = "runs" if self.returncode is None else self.returncode
        return f"<Process {self.args!r} in {self.node}: {state}>"

    def _is_readable(self, timeout: float | None) -> bool:
        with selectors.DefaultSelector() as selector:
            selector.register(self._socket, selectors.EVENT_READ)
            return bool(selector.select(timeout))

    def _notice(self) -> Any:
        message = self._socket.recv(_LONGEST)
        if not message:
            raise self._api.gone(f"it ended while `{self.args}` ran in {self.node}")
        return json.loads(message)

    def _take(self, notice: dict[str, Any]) -> None:
        if "started" in notice:
            self.pid = notice["started"].get("machine_pid")
        elif "exited" in notice:
            self.returncode = notice["exited"]["code"]
            self._socket.close()
        elif "failed" in notice:
            self._socket.close()
            failed = notice["failed"]
            raise Refused(failed["error"]["error"])
        elif "own_kernel" in notice:
            raise OwnKernel

    def _close(self) -> None:
        self._socket.close()
        for file in (self.stdin, self.stdout, self.stderr):
            if file is not None:
                file.close()


class OwnKernel(Exception):
    """The node has a kernel of its own, which cannot use descriptors of this machine."""


def popen(api: Api, node: str, command: Command, **options: Any) -> Process:
    """Starts a command in a node. In one with a kernel of its own, `netloom exec` relays its
    streams."""
    try:
        return Process(api, node, command, **options)
    except OwnKernel:
        return _relayed(api, node, command, **options)  # pyright: ignore[reportReturnType]


def _relayed(
    api: Api,
    node: str,
    command: Command,
    *,
    env: dict[str, str] | None = None,
    cwd: str | None = None,
    **streams: Any,
) -> subprocess.Popen[Any]:
    arguments = [_binary.path(), "exec"]
    for key, value in (env or {}).items():
        arguments += ["--env", f"{key}={value}"]
    if cwd is not None:
        arguments += ["--workdir", cwd]
    words = ["/bin/sh", "-c", command] if isinstance(command, str) else command
    arguments += [f"{node}@{api.experiment}", "--", *words]
    usual: dict[str, Any] = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
    }
    return subprocess.Popen(arguments, start_new_session=True, **{**usual, **streams})


def run(
    api: Api,
    node: str,
    command: Command,
    *,
    check: bool = False,
    input: str | None = None,
    timeout: float | None = None,
    env: dict[str, str] | None = None,
    cwd: str | None = None,
) -> Finished:
    """Runs a command in a node to its end. After `timeout` seconds it is killed, and
    `subprocess.TimeoutExpired` raised."""
    began = time.monotonic()
    stdin = subprocess.DEVNULL if input is None else subprocess.PIPE
    process = popen(api, node, command, env=env, cwd=cwd, stdin=stdin)
    try:
        if input is None and timeout is None:
            stdout, stderr = _read(process)
            code = process.wait()
        else:
            stdout, stderr = process.communicate(input, timeout)
            code = process.wait()
    except BaseException:
        process.kill()
        raise
    finished = Finished(node, command, code, stdout, stderr, time.monotonic() - began)
    return finished.check() if check else finished


def _read(process: Process) -> tuple[str, str]:
    """Reads both outputs up to their ends."""
    kept: dict[int, list[bytes]] = {}
    with selectors.DefaultSelector() as selector:
        files = [file for file in (process.stdout, process.stderr) if file is not None]
        for file in files:
            kept[file.fileno()] = []
            selector.register(file.fileno(), selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select():
                data = os.read(key.fd, 65536)
                if data:
                    kept[key.fd].append(data)
                else:
                    selector.unregister(key.fd)
    for file in files:
        file.close()
    stdout, stderr = (b"".join(data).decode(errors="replace") for data in kept.values())
    return stdout, stderr
