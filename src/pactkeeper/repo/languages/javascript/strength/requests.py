"""Whether anything hears that an assertion about a request fails: supertest hands its failures to a callback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.javascript.claims.branches import always_fails
from pactkeeper.repo.languages.javascript.claims.module import names_in
from pactkeeper.repo.languages.javascript.claims.project import returned_function
from pactkeeper.repo.languages.javascript.claims.syntax import (
    Link,
    bare,
    body_of,
    chain,
    descend,
    parameters_of,
    text,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from pactkeeper.repo.languages.javascript.strength.lowering import Lowering

_METHODS: Final = frozenset({"get", "post", "put", "patch", "delete", "del", "head", "options"})
_SENDS: Final = frozenset({"expect", "end"})
_LOGS: Final = frozenset({"console", "logger", "log", "debug"})
_KEEPS: Final = frozenset({"arguments", "throw_statement", "assignment_expression", "variable_declarator"})
_MOST_GIVEN: Final = 2  # arguments of `.expect` without a callback


def is_request(links: tuple[Link, ...], lower: Lowering) -> bool:
    """Whether a chain asserts of a request that it makes, or that the name at its head holds."""
    if links[0].name == "expect" or all(link.name != "expect" for link in links[1:]):
        return False
    held = (one.value for one in lower.module.bindings.get(links[0].name, ())[:1] if one.value is not None)
    made = (*(link for value in held for link in chain(value)), *links)
    return any(link.name in _METHODS and link.arguments for link in made[1:])


def is_heard(links: tuple[Link, ...], lower: Lowering, *, dropped: bool) -> bool:
    """Whether a failure reaches the test: by a callback, or by the request, if its value is not dropped."""
    callback = _callback(links, lower)
    if callback is not None:
        return _hears(callback, lower)
    makes = any(link.name in _METHODS for link in links[1:])
    return not (dropped and makes and links[-1].name in _SENDS)


def _callback(links: tuple[Link, ...], lower: Lowering) -> Node | None:
    """Return what supertest tells how a request ended: the last argument of `.end(…)` or `.expect(200, …)`."""
    for link in reversed(links[1:]):
        given = [bare(each) for each in link.arguments or ()]
        if given and link.name == "end":
            return given[-1]
        if link.name == "expect" and len(given) > 1:
            handed = any(one.kind == "given" for one in lower.module.bindings.get(text(given[-1]), ()))
            if handed or len(given) > _MOST_GIVEN or lower.function_at(given[-1]) is not None:
                return given[-1]
    return None


def _hears(callback: Node, lower: Lowering) -> bool:
    """Whether a callback hands on the error that it gets first; one that isn't in sight does."""
    function = lower.function_at(callback)
    if function is None and callback.type == "call_expression":
        maker = lower.follow(lower.module, callback)
        function = returned_function(maker) if maker is not None else None
    if function is None:
        return True
    parameters, body = parameters_of(function), body_of(function)
    names = {text(name) for one in parameters[:1] for name in names_in(one)}
    inside = list(descend(body)) if body is not None else []
    rest = any(one.type == "rest_pattern" for one in parameters[:1]) or "arguments" in map(text, inside)
    return rest or any(one.type == "identifier" and text(one) in names and _hands_on(one, function) for one in inside)


def _hands_on(name: Node, function: Node) -> bool:
    """Whether an error fails the test, is asserted about, kept or passed on where its name stands, but not logged."""
    node, above, used = name, name.parent, False
    while above is not None and above != function:
        if above.type == "arguments" and above.parent is not None and chain(above.parent)[0].name in _LOGS:
            return False
        if above.type == "if_statement" and above.child_by_field_name("condition") == node:
            return used or always_fails(above.child_by_field_name("consequence"))
        speaks = above.type == "member_expression" and text(above.child_by_field_name("property")) == "should"
        used = used or speaks or above.type in _KEEPS
        node, above = above, above.parent
    return used
