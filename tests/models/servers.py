"""Scripted model servers on loopback, in the two dialects that client libraries speak, for any test that asks a model."""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Dialect = Literal["openai", "anthropic"]
PATHS = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}


@dataclass(frozen=True)
class Asked:
    """A request as it came in."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """Everything that the model was told, in one text."""
        return json.dumps(self.body, ensure_ascii=False)


@dataclass(frozen=True)
class Say:
    """A response of the model: a value in the requested format, or any text; `tool` names the tool that it calls."""

    value: object = None
    text: str | None = None
    tool: str | None = None
    finish: str | None = None
    refusal: str | None = None
    tokens: tuple[int, int] | None = (100, 20)
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def said(self) -> str:
        return json.dumps(self.value) if self.text is None else self.text


@dataclass(frozen=True)
class Status:
    """A failure of the server."""

    code: int
    message: str = "scripted"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """Any bytes; fewer than announced where `announced` says more, so that the connection breaks in the body."""

    body: bytes
    announced: int | None = None
    kind: str = "application/json"


@dataclass(frozen=True)
class Slow:
    """Nothing for some seconds, or until the server closes."""

    seconds: float = 30.0


@dataclass(frozen=True)
class Trickle:
    """A head that comes a byte at a time and never ends."""


Action = Say | Status | Raw | Slow | Trickle
Script = Callable[[Asked], Action] | Sequence[Action]


@dataclass
class Scripted:
    """A running server: where it is, and what it was asked so far."""

    url: str
    asked: list[Asked] = field(default_factory=list)

    def config(self, dialect: Dialect, **more: object) -> str:
        """A `models.toml` that names this server."""
        provider = "anthropic" if dialect == "anthropic" else "openai-compatible"
        said = {"provider": provider, "model": "scripted", "base_url": self.url, "key_env": "", **more}
        return "".join(f"{key} = {json.dumps(value)}\n" for key, value in said.items())


@contextmanager
def scripted(dialect: Dialect, script: Script) -> Iterator[Scripted]:
    """Serve a script: a function of what was asked, or actions one after the other, the last of them for ever."""
    server = _Server(dialect, script if callable(script) else _one_by_one(list(script)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server.running
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _one_by_one(actions: list[Action]) -> Callable[[Asked], Action]:
    lock = threading.Lock()

    def decide(_: Asked) -> Action:
        with lock:
            return actions.pop(0) if len(actions) > 1 else actions[0]

    return decide


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, dialect: Dialect, decide: Callable[[Asked], Action]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        suffix = "/v1" if dialect == "openai" else ""
        self.dialect = dialect
        self.decide = decide
        self.running = Scripted(f"http://127.0.0.1:{self.server_address[1]}{suffix}")
        self.closing = threading.Event()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else every answer of two parts waits 40 ms
    server: _Server

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers["content-length"]))
        asked = Asked(self.path, {key.lower(): value for key, value in self.headers.items()}, json.loads(data))
        self.server.running.asked.append(asked)
        try:
            self._act(self.server.decide(asked), asked)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _act(self, action: Action, asked: Asked) -> None:
        dialect = self.server.dialect
        if self.path != PATHS[dialect]:
            action = Status(404, f"no such path {self.path}")
        match action:
            case Slow(seconds):
                self.server.closing.wait(seconds)
                self.close_connection = True
            case Trickle():
                self.wfile.write(b"HTTP/1.1 200 OK\r\nx-head: ")
                while not self.server.closing.wait(0.02):
                    self.wfile.write(b"x")
            case Status(code, message, headers):
                self._send(code, _failure(dialect, message), headers)
            case Raw(body, announced, kind):
                self._send(200, body, {"content-type": kind}, announced)
            case Say():
                self._send(200, _response(dialect, action, asked), action.headers)

    def _send(self, code: int, body: bytes, headers: dict[str, str], announced: int | None = None) -> None:
        self.send_response(code)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(announced or len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = announced is not None

    def log_message(self, *_: object) -> None:
        pass


def _failure(dialect: Dialect, message: str) -> bytes:
    error = {"message": message, "type": "scripted_error", "code": None}
    return json.dumps({"type": "error", "error": error} if dialect == "anthropic" else {"error": error}).encode()


def _response(dialect: Dialect, say: Say, asked: Asked) -> bytes:
    tool = say.tool or ("answer" if asked.body.get("tools") and say.text is None and say.refusal is None else None)
    made = _anthropic(say, tool) if dialect == "anthropic" else _openai(say, tool)
    return json.dumps(made).encode()


def _openai(say: Say, tool: str | None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None if tool else say.said}
    if tool:
        call = {"id": "call_1", "type": "function", "function": {"name": tool, "arguments": say.said}}
        message["tool_calls"] = [call]
    if say.refusal:
        message |= {"content": None, "refusal": say.refusal}
    usage = say.tokens and {
        "prompt_tokens": say.tokens[0],
        "completion_tokens": say.tokens[1],
        "total_tokens": sum(say.tokens),
    }
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [
            {"index": 0, "message": message, "finish_reason": say.finish or ("tool_calls" if tool else "stop")}
        ],
        **({"usage": usage} if usage else {}),
    }


def _anthropic(say: Say, tool: str | None) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": say.said}
    if tool:
        block = {"type": "tool_use", "id": "toolu_1", "name": tool, "input": json.loads(say.said)}
    tokens = say.tokens or (0, 0)
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [] if say.refusal else [block],
        "stop_reason": "refusal" if say.refusal else say.finish or ("tool_use" if tool else "end_turn"),
        "stop_sequence": None,
        "usage": {"input_tokens": tokens[0], "output_tokens": tokens[1]},
    }
