"""The engine's API over its Unix socket. Every call has a connection of its own, so that any thread
may make any call."""

from __future__ import annotations

import http.client
import json
import os
import socket
from urllib.parse import quote

from ._errors import EngineGone, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# Lines of an engine's log that an error has.
LOG_LINES = 20


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(self._path)


class Api:
    """The API of one engine. Documents are those of `docs/openapi.json`, as dicts."""

    def __init__(self, experiment: str, path: str) -> None:
        self.experiment = experiment
        self.path = path

    def get(self, path: str) -> Any:
        return self._asked("GET", path, None)

    def patch(self, path: str, body: object) -> Any:
        return self._asked("PATCH", path, body)

    def post(self, path: str, body: object = None) -> Any:
        return self._asked("POST", path, body)

    def stream(self, path: str) -> http.client.HTTPResponse:
        """Sends a GET request. Returns the response, whose body may have no end."""
        return self._send("GET", path, None)

    def events(self, since: int = 0) -> Iterator[dict[str, Any]]:
        """Returns all events from a number on, then new ones as they happen, until the end of the
        experiment."""
        response = self.stream(f"/events?since={since}")
        try:
            for line in response:
                if line.startswith(b"data:"):
                    yield json.loads(line[5:])
        except (OSError, http.client.HTTPException):
            # An engine that is gone ends the stream as one that closes it.
            return
        finally:
            response.close()

    def gone(self, why: object) -> EngineGone:
        """Returns the error for an engine that does not answer."""
        log = ""
        try:
            with open(os.path.join(os.path.dirname(self.path), "engine.log")) as file:
                log = "".join(file.readlines()[-LOG_LINES:])
        except OSError:
            pass
        return EngineGone(f"the engine of `{self.experiment}` is gone: {why}", log)

    def _asked(self, method: str, path: str, body: object) -> Any:
        response = self._send(method, path, body)
        try:
            text = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise self.gone(error) from error
        finally:
            response.close()
        return json.loads(text) if text else None

    def _send(self, method: str, path: str, body: object) -> http.client.HTTPResponse:
        connection = _Connection(self.path)
        data = None if body is None else json.dumps(body)
        headers = {"Content-Type": "application/json", "Connection": "close"}
        try:
            connection.request(method, f"/v1{path}", data, headers)
            response = connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise self.gone(error) from error
        if response.status < 300:
            return response
        text = response.read().decode(errors="replace")
        try:
            refused = json.loads(text)
            words = "; ".join(filter(None, [refused["error"], refused.get("help")]))
        except (ValueError, KeyError):
            words = f"the engine answered {response.status}: {text}"
        raise Refused(words)


def query(**values: object) -> str:
    """Returns a query of a path."""
    pairs = (f"{key}={quote(str(value), safe='')}" for key, value in values.items())
    return "?" + "&".join(pairs)
