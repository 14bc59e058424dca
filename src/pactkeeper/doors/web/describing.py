"""The OpenAPI description of a route: its arguments with examples, its results, and every problem it may return."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl

from pactkeeper.doors.web.problems import MEDIA, TITLES
from pactkeeper.ledger.shape import Choice, Items, Keyed, Shape, Truth, Whole, json_schema
from pactkeeper.published.schema import OneOf, schema_of
from pactkeeper.verbs.table import VERBS
from pactkeeper.verbs.verb import Verb

_PROBLEM: Final = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
    },
}
_PENDING: Final = {
    "type": "object",
    "required": ["status", "confirm", "consent"],
    "properties": {
        "status": {"const": "pending"},
        "confirm": {"type": "string"},
        "consent": schema_of(OneOf(({"key": str, "message": str}, None))),
    },
}
_EXAMPLES: Final[Mapping[str, object]] = {
    "atom": "IA-7F3KQ9T",
    "run": "REC-20261122-101500-7f3k",
    "patch": "REC-20261122-101500-7f3k",
    "question": "qu-3f9a1c2b7d10",
    "task": "fix-3f9a1c2b",
    "molecule": "M-4T8WZ1A",
    "intent": "A login with an expired token is refused.",
    "query": "expired token",
    "since": "HEAD~1",
    "at": "HEAD",
    "commit": "HEAD",
    "reason": "It says what the product does not promise.",
    "name": "IA-7F3KQ9T",
    "path": "tests",
    "pattern": "expired.*token",
    "pointer": "/total",
    "names": ["tests/test_auth.py::test_expired_token"],
    "paths": ["tests"],
    "files": ["junit.xml"],
    "coverage": ["coverage.xml"],
    "tests": ["tests/test_auth.py::test_expired_token"],
    "concepts": ["token", "login"],
    "test": "tests/test_auth.py::test_expired_token",
    "tags": ["login"],
    "outcomes": ["The response status is 401."],
    "falsified_by": ["The response status is 200."],
    "origin": "tests/test_auth.py::test_expired_token",
    "topic": "login",
    "old": "INV-101",
    "new": "INV-102",
    "thread": "login-timeout",
    "decisions": [{"op": "op-3f9a1c2b7d10", "shown_hash": "v1:6b86b273ff34", "verdict": "accept"}],
}
_CONSENT: Final = {
    "name": "Consent",
    "in": "header",
    "description": "The key of a pending answer (202): the same request with this key does what was shown.",
    "schema": {"type": "string", "pattern": "^[!-~]*$"},
}
_KEY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "Your own name for this request; repeating it returns the same answer and does nothing more.",
    "schema": {"type": "string", "maxLength": 200, "pattern": "^[!-~]*$"},
}
_IF_MATCH: Final = {
    "name": "If-Match",
    "in": "header",
    "required": True,
    "description": "The ETag of the run's patch, so decisions are about what was seen.",
    "schema": {"type": "string", "pattern": "^[!-~]+$"},
}


def described(route: Route) -> dict[str, Any]:
    """The operation of a route, beyond what FastAPI generates itself."""
    parameters = [_parameter(route, name, "path") for name in route.names]
    if route.method == "GET":
        parameters += [_parameter(route, name, "query") for name in _open(route)]
        return {"parameters": parameters}
    if not route.verb.reads:
        parameters += [_CONSENT, _KEY, *([_IF_MATCH] if route.decides else [])]
    required = any(name in route.verb.shape.required for name in _open(route))
    body = {"required": required, "content": {"application/json": {"schema": _body(route), "example": _example(route)}}}
    return {"parameters": parameters, "requestBody": body}


def responses(route: Route) -> dict[int | str, dict[str, Any]]:
    """Every response that a route may return."""
    good = {"description": route.verb.does, "content": {"application/json": {"schema": _result(route)}}}
    found: dict[int | str, dict[str, Any]] = {200: good}
    if route.method == "GET":
        found[200]["headers"] = {"ETag": {"description": "The version of this answer.", "schema": {"type": "string"}}}
        found[304] = {"description": "Nothing changed since the ETag of If-None-Match."}
        return found | {status: _problem(status) for status in (400, 401, 403, 404, 409, 422, 500, 501, 503)}
    if route.verb.reads:
        return found | {status: _problem(status) for status in (400, 401, 403, 409, 413, 415, 422, 500, 501, 503)}
    found[202] = {
        "description": "Nothing is written yet: a preview, with the key that consents to it.",
        "content": {"application/json": {"schema": _PENDING}},
    }
    statuses = (400, 401, 403, 409, 413, 415, 422, 500, 501, 503, *((412, 428) if route.decides else ()))
    return found | {status: _problem(status) for status in statuses}


def _result(route: Route) -> dict[str, Any]:
    schema = route.verb.result_schema
    return {**schema, "example": _like(schema)}


_SAMPLES: Final[Mapping[str, object]] = {"array": [], "string": "applied", "integer": 3, "number": 2.5, "boolean": True}


def _like(schema: Mapping[str, Any]) -> object:
    """A value that fits a schema, with the required members."""
    if "anyOf" in schema:
        return _like(schema["anyOf"][0])
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object":
        return {name: _like(schema["properties"][name]) for name in schema.get("required", ())}
    if "minItems" in schema:
        return [_like(schema["items"])] * schema["minItems"]
    return _SAMPLES.get(schema.get("type", ""))


def _problem(status: int) -> dict[str, Any]:
    example = {"type": "about:blank", "title": TITLES[status], "status": status, "detail": "What to do about it."}
    return {"description": TITLES[status], "content": {MEDIA: {"schema": _PROBLEM, "example": example}}}


def _shape(route: Route, name: str) -> Shape:
    shape = route.verb.shape
    return shape.required[name] if name in shape.required else shape.optional[name]


def _open(route: Route) -> list[str]:
    """The arguments that are not in the path."""
    shape = route.verb.shape
    said = {*route.names, *route.fixed}
    return [name for name in (*shape.required, *shape.optional) if name not in said]


def _parameter(route: Route, name: str, place: str) -> dict[str, Any]:
    shape = _shape(route, name)
    required = place == "path" or name in route.verb.shape.required
    parameter = {"name": name, "in": place, "required": required, "schema": json_schema(shape)}
    return {**parameter, "description": route.verb.meaning(name), "example": _sample(name, shape)}


def _body(route: Route) -> dict[str, Any]:
    shape, left = route.verb.shape, _open(route)
    required = {name: one for name, one in shape.required.items() if name in left}
    return route.verb.described(Keyed(required, {name: one for name, one in shape.optional.items() if name in left}))


def _example(route: Route) -> dict[str, object]:
    """A body with the required arguments, or the first optional one."""
    left = _open(route)
    shown = [name for name in left if name in route.verb.shape.required] or left[:1]
    return {name: _sample(name, _shape(route, name)) for name in shown}


def _sample(name: str, shape: Shape) -> object:
    match shape:
        case Choice(options):
            return options[0]
        case Items(Choice(options)):
            return [options[0]]
        case Whole():
            return 20
        case Truth():
            return True
        case _:
            return _EXAMPLES.get(name, name)


_NAME: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Route:
    """One path to a verb, such as `GET /atoms/{atom}`; `fixed` are arguments that the path itself implies."""

    method: str
    path: str
    verb: Verb
    operation: str
    fixed: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The arguments in the path."""
        return tuple(_NAME.findall(self.path))

    @property
    def decides(self) -> bool:
        """Whether the caller must name the version that the decision is based on."""
        return self.verb.version is not None and not self.verb.reads


def routes() -> tuple[Route, ...]:
    """Every route; paths without parameters come before those that would match them too."""
    found = [route for verb in VERBS for route in _of(verb)]
    return tuple(sorted(found, key=lambda one: len(one.names)))


def _of(verb: Verb) -> Iterator[Route]:
    for position, text in enumerate(verb.routes):
        method, _, rest = text.partition(" ")
        path, _, fixed = rest.partition("?")
        operation = verb.name if position == 0 else f"{verb.name}_{position + 1}"
        yield Route(method, path, verb, operation, dict(parse_qsl(fixed)))
