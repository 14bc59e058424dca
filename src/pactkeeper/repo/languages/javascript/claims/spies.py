"""sinon's assertions: `sinon.assert.calledOnce(spy)`, `sinon.assert.calledWith(spy, …)`."""

from __future__ import annotations

from pactkeeper.intent.claims import Argument, Call, Claim, Expression, Name
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.reading import UNREAD, Reading
from pactkeeper.repo.languages.javascript.claims.relations import number, qualified
from pactkeeper.repo.languages.javascript.claims.syntax import Link

_COUNTS = {"calledOnce": "1", "calledTwice": "2", "calledThrice": "3"}
_WITH = frozenset({"calledWith", "calledWithExactly", "calledWithMatch", "neverCalledWith"})


def sinon(links: tuple[Link, ...], scope: Scope) -> Reading | None:
    """Read `sinon.assert.…(spy, …)`; None where the chain is no such call."""
    if [link.name for link in links[:2]] != ["sinon", "assert"] or len(links) != 3:  # noqa: PLR2004 - and the function
        return None
    name, nodes = links[2].name, links[2].arguments
    if not nodes:
        return UNREAD
    spy, *given = (scope.read(node) for node in nodes)
    claim = _claim(name, spy, given)
    return UNREAD if claim is None else Reading((claim,))


def _claim(name: str, spy: Expression, given: list[Expression]) -> Claim | None:
    if name in {"called", "notCalled"}:
        return Claim("called", spy, negated=name == "notCalled")
    if name in _COUNTS:
        return Claim("called_times", spy, number(_COUNTS[name]))
    if name == "callCount" and given:
        return Claim("called_times", spy, given[0])
    call = Call(spy, tuple(Argument(each) for each in given))
    if name in _WITH:
        return Claim("called_with", spy, call, name == "neverCalledWith")
    if name in {"calledOnceWithExactly", "calledOnceWithMatch", "calledOnceWith"}:
        return Claim("called_with", spy, call, qualifiers=qualified(times=number("1")))
    if name == "alwaysThrew":
        return Claim("raises", Name("Error"), Call(spy))
    return None
