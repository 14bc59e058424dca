"""Sentence-like assertions: chai's `expect(x).to…` and `x.should…`, should.js, expect.js, sinon-chai, chai-http."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Attribute, Claim, Expression, Value
from pactkeeper.repo.languages.javascript.claims.chai_words import METHODS, PROPERTIES, Word
from pactkeeper.repo.languages.javascript.claims.expressions import UNREAD, Reading, Scope
from pactkeeper.repo.languages.javascript.claims.relations import Claims
from pactkeeper.repo.languages.javascript.claims.syntax import Link, bare, is_function

if TYPE_CHECKING:
    from tree_sitter import Node

_FILLERS = frozenset(
    {
        "to", "be", "been", "is", "that", "which", "and", "has", "have", "with", "at", "of", "same", "but", "does",
        "still", "also", "a", "an", "it", "the", "should", "itself", "eventually", "when",
    }
)  # fmt: skip
_FLAGS = frozenset({"not", "deep", "nested", "own", "ordered", "any", "all", "only", "always", "some"})
_SENTENCE = frozenset({"to", "be", "been", "have", "has", "is", "deep", "eventually", "a", "an", "include"})
_MOVES = frozenset({"property", "ownProperty", "haveOwnProperty", "length", "lengthOf"})


@dataclass(slots=True)
class _Sentence:
    """The state of reading a sentence: its current subject and flags."""

    subject: Expression
    node: Node | None
    flags: frozenset[str] = frozenset()
    claims: Claims = ()


def sentence(links: tuple[Link, ...], scope: Scope) -> Reading | None:
    """Read a chai-like chain; None if it isn't one."""
    start = _start(links)
    if start is None:
        return None
    first, rest = links[start], links[start + 1 :]
    node = first.arguments[0] if first.arguments else first.node
    state = _Sentence(_subject(links, start, scope), node)
    for index, link in enumerate(rest):
        following = rest[index + 1].name if index + 1 < len(rest) else ""
        if not _advance(state, link, scope, following):
            return UNREAD
    if not state.claims and not any(link.name in METHODS or link.name in PROPERTIES for link in rest):
        return UNREAD
    handed = () if is_function(bare(node)) else (node,)
    return Reading(state.claims, visit=handed if first.arguments else ())


def _start(links: tuple[Link, ...]) -> int | None:
    """Return the place of the subject: `expect(x)`, `expect.soft(x)`, `should(x)`, or that before `.should`."""
    for index, link in enumerate(links):
        called = link.arguments is not None and len(link.arguments) > 0
        soft = link.name == "soft" and links[index - 1].name == "expect"
        if (link.name == "expect" or soft) and called and index <= 1:
            return index if any(each.name in _SENTENCE for each in links[index + 1 :]) else None
        if link.name == "should" and called and index == 0 and len(links) > 1:
            return index
        if link.name == "should" and link.arguments is None and 0 < index < len(links) - 1:
            return index - 1
    return None


def _subject(links: tuple[Link, ...], start: int, scope: Scope) -> Expression:
    link = links[start]
    if link.name in {"expect", "soft", "should"} and link.arguments and start <= 1:
        return scope.read(link.arguments[0])
    return scope.read(link.node)


def _advance(state: _Sentence, link: Link, scope: Scope, following: str) -> bool:
    """Read one word of the sentence; False if the word is unknown."""
    name, given = link.name, link.arguments
    if name in _FLAGS and given is None:
        state.flags |= {name}
        return True
    if given is None and name in _FILLERS:
        return True
    if given is None and name in METHODS and following:
        return _as_flag(state, name)
    table = PROPERTIES if not given and name in PROPERTIES else METHODS
    reader = table.get(name)
    if reader is None:
        return False
    claims = reader(Word(state.subject, state.node, link, scope, state.flags))
    if claims is None:
        return False
    state.claims = (*state.claims, *claims)
    if name in _MOVES and given and "not" not in state.flags:
        _move(state, name, scope.read(given[0]))
    return True


def _as_flag(state: _Sentence, name: str) -> bool:
    """Read a method's word without a call: `.contain.keys(…)`, `.include.members(…)`, `.length.above(2)`."""
    if name in {"length", "lengthOf"}:
        state.subject, state.node = Attribute(state.subject, "length"), None
    else:
        state.flags |= {"include"} if name.startswith(("contain", "include")) else set()
    return True


def _move(state: _Sentence, name: str, key: Expression) -> None:
    """Make the property the subject of what follows `.property("a")`."""
    if name in {"length", "lengthOf"} or not isinstance(key, Value):
        return
    state.subject, state.node = Attribute(state.subject, key.text), None


def should_statics(links: tuple[Link, ...], scope: Scope) -> Reading | None:
    """Read `should.exist(x)`, `should.not.exist(x)`, `should.equal(a, b)`."""
    if links[0].name != "should" or links[0].arguments is not None or len(links) < 2:  # noqa: PLR2004 - and a word
        return None
    last = links[-1]
    if not last.arguments:
        return None
    negated = any(link.name == "not" for link in links[1:-1])
    subject = scope.read(last.arguments[0])
    if last.name == "exist":
        return Reading((Claim("exists", subject, None, negated),))
    shorter = replace(last, arguments=last.arguments[1:])
    reader = METHODS.get(last.name)
    flags = frozenset({"not"}) if negated else frozenset[str]()
    claims = reader(Word(subject, last.arguments[0], shorter, scope, flags)) if reader is not None else None
    return UNREAD if claims is None else Reading(claims)
