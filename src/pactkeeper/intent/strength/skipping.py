"""What newly keeps a test from running or from counting, and who decides about that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from operator import attrgetter
from typing import Final

from pactkeeper.intent.claims import Call, Expression, Operation, Value
from pactkeeper.intent.strength.change import Change, Paired, Severity, change_of, shown_skip
from pactkeeper.intent.strength.conditions import (
    covered,
    from_version_on,
    is_of_the_run,
    needs_package,
    reads_environment,
    settings_of,
)
from pactkeeper.intent.strength.facts import Skipped, Strength
from pactkeeper.intent.strength.replaced import all_parts
from pactkeeper.intent.strength.replaced import written as written_in
from pactkeeper.intent.strength.terms import operator_of, parts_in, terms_of

_CLAIM = attrgetter("claim")
_UNRUN: Final = frozenset({"generator", "coroutine"})
_AS_SKIPPED: Final = {
    "skip": "it is skipped", "xfail": "it may fail", "todo": "it counts as to do",
    **dict.fromkeys(_UNRUN, "nothing runs its body"),
}  # fmt: skip


def skip_changes(pair: Paired) -> Iterator[Change]:
    """Yield what keeps a test from running or from counting now."""
    old = pair.was
    for skip in pair.now.skips if old.runs else ():
        must_fail = skip.kind == "xfail" and skip.strict and old.facts == pair.now.facts and not skip.always
        if must_fail or any(_covers(one, skip) for one in old.skips):
            continue
        before = _before(skip, pair)
        only_old = before is not None and from_version_on(before.condition)
        before = before if only_old or not skip.always else None
        surely = skip.always or skip.kind in _UNRUN
        under = "" if surely else " under a condition" if before is None else " under another condition"
        retried = operator_of(skip.condition) == "retried"
        message = "it is tried again now if it fails" if retried else f"{_AS_SKIPPED[skip.kind]}{under} now"
        chosen = before is None and (surely or _is_chosen(skip, pair))
        severity: Severity = "error" if chosen else "warning"
        told = "runs" if before is None else shown_skip(before)
        yield change_of("skipped", pair, message, old=told, new=shown_skip(skip), line=skip.line, severity=severity)


def _covers(one: Skipped, skip: Skipped) -> bool:
    """Whether an earlier skip, wherever it was written, applied wherever this one does."""
    if replace(one, origin=skip.origin, strict=skip.strict) == skip:
        return True
    if one.kind != skip.kind or one.condition is None or skip.condition is None:
        return False
    return covered(skip.condition, one.condition)


def _before(skip: Skipped, pair: Paired) -> Skipped | None:
    """Return the skip under another condition that had the same place and is gone."""
    gone = [one for one in pair.was.skips if one not in pair.now.skips and one.condition is not None and not one.always]
    return next((one for one in gone if (one.kind, one.origin) == (skip.kind, skip.origin)), None)


def _is_chosen(skip: Skipped, pair: Paired) -> bool:
    """Whether whoever runs a test, or what it tests, decides that it is skipped; not the platform it runs on."""
    if skip.condition is None or skip.kind == "xfail" or _is_of_new(skip, pair):
        return False
    if skip.own:
        return True
    if needs_package(skip.condition) or is_of_the_run(skip.condition, settings_of(pair.was, pair.now)):
        return False
    asked = {part for part in terms_of(skip.condition) if isinstance(part, Call)}
    return reads_environment(skip.condition) or not asked.isdisjoint(_used(pair.was))


def _is_of_new(skip: Skipped, pair: Paired) -> bool:
    """Whether a skip only applies to what has a certain name, by which the test newly uses something."""
    match skip.condition:
        case Operation("==" | "===", (_, Value(kind="string") as name)):
            words = written_in([name])
            return bool(words) and words <= written_in(_used(pair.now)) and not words & written_in(_used(pair.was))
    return False


def _used(one: Strength) -> frozenset[Expression]:
    """Return everything that a test calls or asserts of."""
    return all_parts(one.acts) | parts_in(*map(_CLAIM, one.facts))


def doubted(found: Iterable[Change], now: Strength) -> Iterator[Change]:
    """Yield the new skips that may hold anywhere: neither a platform nor a version decides them."""
    settled = {shown_skip(one) for one in now.skips if one.condition is None or _is_settled(one.condition)}
    skips = (one for one in found if one.kind == "skipped" and one.severity == "warning")
    yield from (replace(one, kind="unread") for one in skips if one.new not in settled)


def _is_settled(condition: Expression) -> bool:
    return is_of_the_run(condition, frozenset()) and not needs_package(condition)
