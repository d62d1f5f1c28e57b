"""A small server that answers as the interface of a code host is documented to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

__all__ = ["Asked", "page_of", "serving"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request; `query` has the first value of each name."""

    method: str
    path: str
    query: dict[str, str]
    body: Any


def page_of(found: list[Any], asked: Asked) -> list[Any]:
    """Return the page of a list that was asked for."""
    size, page = int(asked.query["per_page"]), int(asked.query["page"])
    return found[(page - 1) * size : page * size]


@contextmanager
def serving(answer: Callable[[Asked], tuple[int, Any]]) -> Iterator[str]:
    """Serve what `answer` returns, a status and JSON, to whoever has the token `secret`."""

    class Handler(BaseHTTPRequestHandler):
        def handle_one(self) -> None:
            assert self.headers["Authorization"] == "Bearer secret"
            split = urlsplit(self.path)
            size = int(self.headers["Content-Length"] or 0)
            status, value = answer(
                Asked(
                    method=self.command,
                    path=split.path,
                    query={name: values[0] for name, values in parse_qs(split.query).items()},
                    body=json.loads(self.rfile.read(size)) if size else None,
                )
            )
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = handle_one  # noqa: N815 - the names that http.server looks for

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
