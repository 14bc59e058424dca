"""Failures that rules put together, put together anew by an answer: what is offered, what is refused, what comes of it.

An answer may only join and split groups, choose among offered files and word one line; ids, limits, acceptance and the
exact errors come from rules alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final, cast

from pactkeeper.health.grouping import FailureGroup, located, together
from pactkeeper.intent.folder import OWN, USUAL
from pactkeeper.intent.health import Diagnostic
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.repo.test_side import is_test_side

MOST_ERRORS: Final = 40
MOST_TEXT: Final = 7_000  # characters of errors; a group is offered whole or not at all
MOST_OFFERED: Final = 40
_LONGEST_PATH: Final = 200
_PACT: Final = (USUAL, OWN)


@dataclass(frozen=True, slots=True)
class Offer:
    """What is asked about: groups as rules made them, their errors by number (from 1), and the files to choose from."""

    groups: tuple[FailureGroup, ...]
    files: tuple[str, ...]
    most_files: int = 3
    errors: Mapping[int, tuple[Diagnostic, ...]] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "errors", dict(enumerate(_by_fingerprint(self.groups), start=1)))

    @property
    def text(self) -> str:
        """Groups and errors with their numbers, one error a line."""
        number_of = {members[0].fingerprint: number for number, members in self.errors.items()}
        return "\n".join(
            line for at, one in enumerate(self.groups, start=1) for line in _lines(at, one, number_of, self.errors)
        )


def worth_asking(groups: Sequence[FailureGroup]) -> bool:
    """Whether an answer could say more than rules: several groups, or one that leads to no file of the product.

    Conflict markers are grouped by their files, which nobody can improve.
    """
    if any(one.cause.kind == "conflict" for one in groups):
        return False
    return len(groups) > 1 or any(not _product(one.scope) for one in groups)


def offer(groups: Sequence[FailureGroup], changed: Iterable[str] = (), *, most_files: int = 3) -> Offer:
    """As many whole groups as can be shown, the first first; `changed` are files that may be named besides theirs."""
    shown: list[FailureGroup] = []
    for one in groups:
        more = Offer((*shown, one), ())
        if len(more.errors) <= MOST_ERRORS and len(more.text) <= MOST_TEXT:
            shown.append(one)
    scopes = chain.from_iterable(one.scope for one in shown)
    named = (path for one in shown for each in one.diagnostics for path in (each.file, *each.related))
    files = dict.fromkeys(path for path in chain(scopes, _product(chain(named, changed))) if _is_offered(path))
    return Offer(tuple(shown), tuple(files)[:MOST_OFFERED], most_files)


def wrong_with(value: JsonValue, offered: Offer) -> tuple[str, ...]:
    """Everything that keeps an answer of the right shape from being taken."""
    found = [reason for at, one in enumerate(_groups(value), start=1) for reason in _wrong(f"group {at}", one, offered)]
    return (*_uncounted(value, offered), *dict.fromkeys(found))


def regrouped(
    value: JsonValue,
    offered: Offer,
    groups: Sequence[FailureGroup],
    *,
    suspects: Mapping[str, Sequence[str]] | None = None,
) -> tuple[FailureGroup, ...]:
    """What an answer in which nothing is wrong makes of the groups; those that were not offered stay as they are."""
    made = tuple(_made(one, offered, suspects) for one in _groups(value))
    return (*made, *(one for one in groups if one not in offered.groups))


def _by_fingerprint(groups: Iterable[FailureGroup]) -> list[tuple[Diagnostic, ...]]:
    found: dict[str, list[Diagnostic]] = {}
    for one in groups:
        for each in one.diagnostics:
            found.setdefault(each.fingerprint, []).append(each)
    return [tuple(members) for members in found.values()]


def _lines(
    at: int, one: FailureGroup, number_of: Mapping[str, int], errors: Mapping[int, tuple[Diagnostic, ...]]
) -> Iterator[str]:
    yield f"Group {at} ({one.cause.kind}: {one.cause.about}); files: {', '.join(one.scope) or 'none known'}"
    for name in one.fingerprints:
        first, *others = errors[number_of[name]]
        yield f"  {number_of[name]}. {located(first)}{f' (and in {len(others)} more places)' if others else ''}"


def _product(paths: Iterable[str]) -> list[str]:
    return [path for path in paths if path and not is_test_side(path)]


def _is_offered(path: str) -> bool:
    return path.isprintable() and len(path) <= _LONGEST_PATH and not path.startswith(_PACT)


def _groups(value: JsonValue) -> list[Mapping[str, Any]]:
    return cast("list[Mapping[str, Any]]", value)


def _uncounted(value: JsonValue, offered: Offer) -> Iterator[str]:
    """Errors that are named twice, not at all, or that there are not."""
    named = [number for one in _groups(value) for number in one["errors"]]
    if unknown := sorted(set(named) - set(offered.errors)):
        yield f"there is no error {_listed(unknown)}; the last is {len(offered.errors)}"
    if missing := sorted(set(offered.errors) - set(named)):
        yield f"error {_listed(missing)} stands in no group; every error belongs to exactly one"
    if twice := sorted({number for number in named if named.count(number) > 1}):
        yield f"error {_listed(twice)} stands in more than one place; every error belongs to exactly one"


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(str(one) for one in numbers)


def _wrong(place: str, one: Mapping[str, Any], offered: Offer) -> Iterator[str]:
    members = _members(one, offered)
    by_rules = _by_rules(members, offered)
    files = one["files"]
    if len(files) > offered.most_files or len(set(files)) < len(files):
        yield f"{place}: {files!r} are not at most {offered.most_files} different files"
    for path in files:
        if path not in offered.files:
            yield f"{place}: {path!r} is no file that was offered"
        elif is_test_side(path) and path not in by_rules:
            yield f"{place}: {path!r} belongs to the tests, and rules do not lead there; name the file that is at fault"
    told = "\n".join([*(located(each) for each in members), *by_rules, *files])
    yield from (f"{place}: {reason}" for reason in wrong_title(one["title"], told, count=len(members)))


def _members(one: Mapping[str, Any], offered: Offer) -> tuple[Diagnostic, ...]:
    """The failures of an answered group in the order in which they were reported."""
    wanted = {each for number in one["errors"] for each in offered.errors.get(number, ())}
    return tuple(each for group in offered.groups for each in group.diagnostics if each in wanted)


def _by_rules(members: Iterable[Diagnostic], offered: Offer) -> tuple[str, ...]:
    """The files that rules chose for the groups of these failures."""
    wanted = set(members)
    return tuple(
        dict.fromkeys(path for one in offered.groups if wanted.intersection(one.diagnostics) for path in one.scope)
    )


def _made(one: Mapping[str, Any], offered: Offer, suspects: Mapping[str, Sequence[str]] | None) -> FailureGroup:
    members = _members(one, offered)
    group = together(members, most_files=offered.most_files, suspects=suspects)
    scope = tuple(one["files"]) or group.scope
    judged = tuple(dict.fromkeys([*group.scope, *_by_rules(members, offered)]))
    return replace(group, scope=scope, title=" ".join(one["title"].split()), judged=judged)


MENDS: Final = ("Fix", "Mend", "Repair", "Restore", "Correct", "Resolve")
_QUOTED: Final = re.compile(r"'([^']+)'|`([^`]+)`|\"([^\"]+)\"")
_NAME: Final = re.compile(r"[_/\\.\d<>@]|[a-z][A-Z]|::|\(\)")
# What makes something else of mending: more than there was, or less asked of it. Words in -ed tell what happened.
_ELSE: Final = re.compile(
    r"\b(?:features?|new|optional|instead|"
    r"(?:add|allow|enabl|extend|implement|improv|introduc|optimi[sz]|redesign|refactor|rewrit|support|upgrad|creat|"
    r"migrat|replac|moderni[sz]|install|document|"
    r"skip|disabl|ignor|silenc|suppress|delet|remov|drop|loosen|relax|weaken|xfail|mut|bypass|expect|adapt|updat|adjust|"
    r"accept|downgrad|pin)(?:e|es|s|ing|ping|ping|ting|ning|tion|ment)?)\b",
    re.IGNORECASE,
)


def wrong_title(line: str, told: str, *, count: int = 1) -> Iterator[str]:
    """Every reason to refuse a title for `count` errors; `told` are these errors and files as tools wrote them."""
    if not line.isprintable():
        yield f"the title {line!r} is not one plain line"
        return
    if line.split(" ", 1)[0] not in MENDS:
        yield f"the title {line!r} must begin with one of {', '.join(MENDS)}"
    plain = _QUOTED.sub(lambda found: " " if found[found.lastindex or 0] in told else found[0], line)
    for word in dict.fromkeys(found[0] for found in _ELSE.finditer(plain)):
        yield f"the title says {word!r}: a fix mends what was there; put a name of code in quotation marks"
    for name in _names(plain):
        if name not in told and name != str(count):
            yield f"the title names {name!r}, which stands in none of its errors and files"


def _names(line: str) -> Iterator[str]:
    """The words of a line that only code, paths and addresses have, or figures."""
    for word in line.split():
        name = word.strip(",;:.!?'\"`()")
        if _NAME.search(name):
            yield name
