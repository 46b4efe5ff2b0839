"""An OpenAI-compatible endpoint on loopback that fails in the ways that endpoints fail."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import sleep
from typing import Any

import numpy as np

DIMENSIONS = 16
SLOW_SECONDS = 6.0


class Endpoint:
    """What a test says of the endpoint: how it behaves from now on.

    Attributes:
        chat: ``ok``, ``refused`` (the connection is closed), ``slow``, ``429``, ``500``, ``cut`` (a stream ends in the
            middle of its length), ``ended`` (a stream ends without its last piece), ``endless`` (a stream has no end), ``malformed`` or
            ``no choices``.
        embeddings: ``ok``, ``refused``, ``500``, ``malformed`` or ``no choices`` (an object without vectors).
        url: where it is.
    """

    def __init__(self, url: str) -> None:
        self.chat = self.embeddings = "ok"
        self.url = url


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Serve HTTP on loopback for a while; yield the URL, with the ``/v1`` of OpenAI's routes."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()  # ends as soon as it may
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def serving() -> Iterator[Endpoint]:
    """Serve an endpoint that fails as it is told."""

    class Handler(_Handler):
        pass

    with listening(Handler) as url:
        Handler.endpoint = Endpoint(url)
        yield Handler.endpoint


class _Handler(BaseHTTPRequestHandler):
    endpoint: Endpoint

    def log_message(self, *_: object) -> None:
        """Stay silent."""

    def do_GET(self) -> None:
        self._json({"object": "list", "data": [{"id": "served", "object": "model"}]})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        embeds = self.path.endswith("/embeddings")
        mode = self.endpoint.embeddings if embeds else self.endpoint.chat
        with suppress(BrokenPipeError, ConnectionResetError):
            match mode:
                case "refused":
                    self.close_connection = True
                case "429" | "500":
                    self._json({"error": {"message": f"status {mode}"}}, int(mode))
                case "malformed":
                    self._send(b"<html>no JSON</html>" if not asked.get("stream") else b"data: {no json\n\n")
                case "no choices":
                    self._json({"id": "1", "object": "chat.completion", "created": 1, "model": "served"})
                case _ if embeds:
                    self._embed(asked)
                case _:
                    self._chat(asked, mode)

    def _embed(self, asked: dict[str, Any]) -> None:
        texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
        data = [
            {"object": "embedding", "index": n, "embedding": _vector(text)} for n, text in enumerate(texts)
        ]
        self._json(
            {"object": "list", "data": data, "model": "e", "usage": {"prompt_tokens": 1, "total_tokens": 1}}
        )

    def _chat(self, asked: dict[str, Any], mode: str) -> None:
        if mode == "slow":
            sleep(SLOW_SECONDS)
        said = "请看退款政策。"
        if not asked.get("stream"):
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}
            usage = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}
            head = {"id": "1", "object": "chat.completion", "created": 1, "model": "served"}
            self._json({**head, "choices": [choice], "usage": usage})
            return
        if mode == "endless":
            self._send(b"", "text/event-stream", more=2**40)
            while True:
                self.wfile.write(_piece({"role": "assistant", "content": f"{said}\n"}))
        pieces = [_piece({"role": "assistant", "content": letter}) for letter in said]
        ending = [_piece({}, "stop"), b"data: [DONE]\n\n"]
        body = b"".join(pieces if mode in {"cut", "ended"} else pieces + ending)
        self._send(body, "text/event-stream", more=100 if mode == "cut" else 0)

    def _json(self, body: object, status: int = 200) -> None:
        self._send(json.dumps(body).encode(), "application/json", status)

    def _send(self, body: bytes, kind: str = "application/json", status: int = 200, more: int = 0) -> None:
        """Send a body that is to be ``more`` bytes longer than it is."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) + more))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True


def _piece(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = {
        "id": "1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "served",
        "choices": [choice],
    }
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def _vector(text: str) -> list[float]:
    """Return a direction of the text's own."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    drawn = np.random.default_rng(seed).normal(size=DIMENSIONS)
    return [float(part) for part in drawn / np.linalg.norm(drawn)]
