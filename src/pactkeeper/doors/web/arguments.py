"""The arguments of a request: parts of the path, the query of a request that reads, the body of one that writes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from starlette.requests import Request

from pactkeeper.doors.web.limits import whole_body
from pactkeeper.doors.web.problems import Problem
from pactkeeper.doors.web.routes import Route
from pactkeeper.ledger.shape import Items, Shape, Truth, Whole
from pactkeeper.verbs.verb import Verb

LONGEST: Final = 1_000_000  # bytes of a body
_WHOLE: Final = re.compile(r"-?[0-9]{1,18}")


async def arguments(route: Route, request: Request) -> dict[str, Any]:
    """What is asked, as the verb's shape has it; whether it fits is judged there. Raises Problem."""
    parts = {name: request.path_params[name] for name in route.names}
    query = {name: request.query_params.getlist(name) for name in request.query_params}
    if route.method == "GET":
        given = {name: _read(values, _shape(route.verb, name)) for name, values in query.items()}
    elif query:
        raise Problem(400, f"{route.method} takes its arguments in the body; leave out the query")
    else:
        given = await _body(request)
    both = sorted({*parts, *route.fixed} & given.keys())
    if both:
        raise Problem(400, f"the path says already: {', '.join(both)}")
    return {**given, **parts, **route.fixed}


def _shape(verb: Verb, name: str) -> Shape | None:
    return verb.shape.required.get(name, verb.shape.optional.get(name))


def _read(values: Sequence[str], shape: Shape | None) -> object:
    """A value of the query by its shape; what cannot be read stays text, and the shape refuses it."""
    if isinstance(shape, Items):
        return [_read([one], shape.of) for one in values]
    if len(values) != 1:
        return list(values)
    text = values[0]
    if isinstance(shape, Whole) and _WHOLE.fullmatch(text):
        return int(text)
    if isinstance(shape, Truth) and text in {"true", "false"}:
        return text == "true"
    return text


async def _body(request: Request) -> dict[str, Any]:
    held = await whole_body(request, LONGEST, "the body")
    if not held:
        return {}
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Problem(415, "send the body as application/json")
    try:
        said = json.loads(held)
    except (ValueError, RecursionError) as error:
        raise Problem(400, f"the body is not JSON: {error}") from None
    if not isinstance(said, dict):
        raise Problem(400, "the body must be a JSON object")
    return said
