"""A three-way merge by entry: a change on one side is taken, different changes on both sides are contested.

Also splits a text with git's conflict markers into both sides, and their base if git recorded it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.catalog import schema
from pactkeeper.intent.pact import GROUND

Entry = Mapping[str, object]
Entries = Mapping[str, Entry]
Versions = tuple[Entry | None, ...]

# who is responsible for an entry, when, and on what basis: reviewers who agree about a test each leave their own
SIGNATURE: Final = frozenset({"by", "reason", "at", "recommendation", "rests"})
# keys that form one statement: mixing both sides would produce what nobody said
_UNITS: Final[Mapping[str, tuple[frozenset[str], ...]]] = {
    schema.ATOMS_FOLDER: (
        frozenset({"intent", "category", "outcomes", "falsified_by"}),
        frozenset({"status", "reason"}),
    ),
    schema.LINKS_FOLDER: (frozenset({"atoms", "annotated", "body", "helpers", "asserts", "left", "rejected"}),),
}
_LISTS: Final[Mapping[str, frozenset[str]]] = {  # lists that each side may extend
    schema.ATOMS_FOLDER: frozenset({"tags"}),
    schema.LINKS_FOLDER: frozenset({"atoms", "annotated"}),
    schema.MOLECULES_FILE: frozenset({"atoms", "molecules", "tests"}),
    schema.SETTINGS_FILE: frozenset({"include", "exclude", "domain_terms", "vague_words", "clear_words"}),
}


@dataclass(frozen=True, slots=True)
class Joined:
    """The merged entries; a contested one has the first side's value, with every side's in `contested`."""

    entries: dict[str, Entry] = field(default_factory=dict)
    contested: dict[str, Versions] = field(default_factory=dict)


def join(path: str, base: Entries | None, ours: Entries, theirs: Entries) -> Joined:
    """Merge the entries of one file; without a base, an entry on only one side counts as added.

    A line of debt then counts as removed: to wrongly treat a test as covered is worse than to list it.
    """
    joined = Joined()
    for name in dict.fromkeys((*ours, *theirs)):
        one, other = ours.get(name), theirs.get(name)
        if base is None and None in (one, other):
            if path != schema.DEBT_FILE:
                joined.entries[name] = one if other is None else other  # type: ignore[assignment]  # one of them is there
            continue
        before = (base or {}).get(name)
        merged = one_entry(path, before, one, other)
        if isinstance(merged, tuple):
            joined.contested[name] = merged
            merged = merged[0] if merged[0] is not None else merged[1]
        if merged is not None:
            joined.entries[name] = merged
    return joined


def one_entry(path: str, before: Entry | None, one: Entry | None, other: Entry | None) -> Entry | Versions | None:
    """Merge one entry; a tuple holds the versions of a contested one, None means that it was removed."""
    if alike(one, other):
        return one
    if alike(other, before):
        return one
    if alike(one, before):
        return other
    if path == schema.DEBT_FILE and str((one or other or {}).get("body")).startswith(GROUND):
        return one or other
    if one is None or other is None:
        return (one, other)
    return _by_unit(_kind(path), before or {}, one, other)


def alike(one: Entry | None, other: Entry | None) -> bool:
    """Whether two values of an entry are equal apart from who signed them."""
    if one is None or other is None:
        return one is other
    return _unsigned(one) == _unsigned(other)


def both(path: str, versions: Versions) -> Entry | None:
    """Merge the lists of all versions; None if they differ in a key that can have only one value."""
    there = [version for version in versions if version is not None]
    lists = _LISTS.get(_kind(path), frozenset()) | {"outcomes", "falsified_by"}
    joined = dict(there[0])
    for key in sorted({key for version in there for key in version} - SIGNATURE):
        values = [version.get(key, [] if key in lists else None) for version in there]
        if all(value == values[0] for value in values):
            continue
        if key not in lists:
            return None
        joined[key] = list(dict.fromkeys(item for value in values if isinstance(value, list) for item in value))
    return joined


def _kind(path: str) -> str:
    return next((kind for kind in (*_UNITS, *_LISTS) if path.startswith(kind)), path)


def _part(entry: Entry, unit: Collection[str]) -> dict[str, object]:
    return {key: value for key, value in entry.items() if key in unit}


def _by_unit(kind: str, before: Entry, one: Entry, other: Entry) -> Entry | Versions:
    """Take each unit from the side that changed it, and the signature from the side the changes come from."""
    sides: tuple[dict[str, object], dict[str, object]] = ({}, {})
    clash, taken = False, set[int]()
    for unit in _units(kind, {*before, *one, *other}):
        old, left, right = (_part(entry, unit) for entry in (before, one, other))
        if right in (left, old):
            chosen = (left, left)
        elif left == old:
            chosen, taken = (right, right), taken | {1}
        elif (merged := _lists(kind, old, left, right)) is not None:
            chosen = (merged, merged)
        else:
            chosen, clash = (left, right), True
        taken |= {0} if chosen[0] != old and chosen[0] == left else set()
        for side, part in zip(sides, chosen, strict=True):
            side.update(part)
    first, second = (_ordered(side, one, other, signed) for side, signed in zip(sides, (one, other), strict=True))
    if clash:
        return (first, second)
    return second if taken == {1} else first


def _units(kind: str, keys: set[str]) -> Iterator[frozenset[str]]:
    named = _UNITS.get(kind, ())
    yield from named
    together = frozenset[str]().union(*named)
    yield from (frozenset({key}) for key in sorted(keys - together - SIGNATURE))


def _lists(
    kind: str, old: dict[str, object], left: dict[str, object], right: dict[str, object]
) -> dict[str, object] | None:
    """Merge both sides' additions and removals if only lists differ; None if anything else does."""
    joined = dict(left)
    for key in sorted({*left, *right}):
        one, other, before = (part.get(key, []) for part in (left, right, old))
        if one == other:
            continue
        if key not in _LISTS.get(kind, ()) or not isinstance(one, list) or not isinstance(other, list):
            return None
        known = before if isinstance(before, list) else []
        kept = [item for item in one if item in other or item not in known]
        joined[key] = kept + [item for item in other if item not in one and item not in known]
    return joined


def _ordered(side: Mapping[str, object], one: Entry, other: Entry, signed: Entry) -> dict[str, object]:
    """Order the keys as on the sides, adding the signature of one of them."""
    signature = {key: signed[key] for key in SIGNATURE if key in signed and key not in side}
    found = {**side, **signature}
    return {key: found[key] for key in dict.fromkeys((*one, *other)) if key in found}


def _unsigned(entry: Entry) -> dict[str, object]:
    return {key: value for key, value in entry.items() if key not in SIGNATURE}


OURS, BASE, THEIRS, BOTH = "<", "|", ">", ""
_WIDTH: Final = 7


@dataclass(frozen=True, slots=True)
class Sides:
    """Each side's complete text, and the sides' labels from the markers; `base` is None in git's default style."""

    ours: str
    theirs: str
    base: str | None
    labels: tuple[str, str]


def marker(line: str) -> str:
    """Return the kind of marker on a line, one of `<`, `|`, `=`, `>`, or an empty string."""
    sign = line[:1]
    if sign not in "<|=>" or not line.startswith(sign * _WIDTH) or line[_WIDTH : _WIDTH + 1] == sign:
        return ""
    return sign if line[_WIDTH:].strip() == "" or line[_WIDTH] == " " else ""


def sides_of(text: str, *, padded: bool) -> Sides | None:
    """Split a text into its sides; None if it has no markers, or markers that don't match up.

    `padded` leaves an empty line for every line of the other sides, so that line numbers are preserved.
    """
    parts: dict[str, list[str]] = {OURS: [], BASE: [], THEIRS: []}
    labels = {OURS: "", THEIRS: ""}
    part, torn, based = BOTH, False, False
    for line in text.splitlines(keepends=True):
        sign = marker(line)
        if sign and sign not in _EXPECTED[part]:
            return None
        if sign:
            part, torn, based = _NEXT[sign], True, based or sign == BASE
            if sign in labels and not labels[sign]:
                labels[sign] = line[_WIDTH:].strip()
        for name, lines in parts.items():
            if not sign and part in (BOTH, name):
                lines.append(line)
            elif padded:
                lines.append("\n")
    if not torn or part != BOTH:
        return None
    base = "".join(parts[BASE]) if based else None
    return Sides("".join(parts[OURS]), "".join(parts[THEIRS]), base, (labels[OURS], labels[THEIRS]))


_NEXT: Final = {"<": OURS, "|": BASE, "=": THEIRS, ">": BOTH}
_EXPECTED: Final = {BOTH: "<", OURS: "|=", BASE: "=", THEIRS: ">"}


def first_marker(text: str) -> int:
    """Return the 1-based line of the first marker; 0 if there is none."""
    return next((number for number, line in enumerate(text.split("\n"), start=1) if marker(line)), 0)
