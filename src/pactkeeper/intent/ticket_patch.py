"""Changes to a draft, one value at a time; nothing that was said is overwritten unless somebody says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, cast

from pactkeeper.intent.ticket import (
    CHOICES,
    LISTS,
    SINGLE,
    Choice,
    Conflict,
    Constraint,
    ConstraintStatus,
    Draft,
    Field,
    PlacedValue,
    Settled,
    Unknown,
    Value,
    is_same_person,
    sides_of,
    values_of,
)
from pactkeeper.speech.amounts import relation, same_text

Verb = Literal["set", "add", "correct", "retract", "dispute", "restore", "unknown", "settle"]


@dataclass(frozen=True, slots=True)
class DraftPatch:
    """One change that a message makes.

    `set` assigns a single field and `add` extends a list or the constraints; a contradicting value is kept beside the
    existing one, and so is one that is said in place of `old`. `correct` replaces `old`, or everything if `old` is
    empty; `retract` removes `old`, or everything. `dispute` marks `old` as a value that somebody else wants removed,
    and `restore` takes that back. `unknown` says that nobody knows, `settle` how to resolve the conflict that `key`
    names, whose second side is `old`. Otherwise `key` is a constraint's, empty if its value is a whole sentence, and so
    is `status`.
    """

    verb: Verb
    field: Field
    said: PlacedValue
    key: str = ""
    old: str = ""
    status: ConstraintStatus = "proposed"

    def __post_init__(self) -> None:
        if self.verb == "settle" and self.said.value not in CHOICES:
            raise ValueError(f"{self.said.value!r} settles nothing; choose one of {', '.join(CHOICES)}")

    @property
    def fills(self) -> bool:
        """Whether it may answer a question about its field."""
        return self.verb not in {"retract", "dispute", "restore"}


def removal(name: Field, held: PlacedValue, words: PlacedValue, key: str = "") -> DraftPatch:
    """The patch that removes a value of the same person; somebody else's is only marked, so that people are asked."""
    verb: Verb = "retract" if is_same_person(held.author, words.author) else "dispute"
    return DraftPatch(verb, name, words, key=key, old=held.value)


def replacement(draft: Draft, name: Field, held: PlacedValue, *, words: PlacedValue, key: str = "") -> DraftPatch:
    """The patch that replaces a value of the same person; beside somebody else's it stands until people choose."""
    if is_same_person(held.author, words.author):
        return DraftPatch("correct", name, words, key=key, old=held.value)
    if name in LISTS:
        mine = (one for one in values_of(draft, name) if is_same_person(one.author, words.author))
        earlier = next((one.value for one in mine if same_text(one.instead, held.value)), "")
        beside = replace(words, instead=held.value)
        return DraftPatch("correct" if earlier else "add", name, beside, old=earlier)
    return DraftPatch("set", name, words, key=key, old=held.value)


def numbered(draft: Draft, name: Field) -> tuple[PlacedValue, ...]:
    """The entries of a list by number; words in place of an entry that is still there have none until both are kept."""
    held = values_of(draft, name)
    return tuple(one for one in held if not (one.instead and any(same_text(one.instead, each.value) for each in held)))


def apply(draft: Draft, patches: Iterable[DraftPatch]) -> Draft:
    """Apply patches in order and return the draft; its version goes up by one if anything changed.

    A fact that is already there changes nothing. Correcting a missing value adds it; retracting one does nothing.
    """
    after = draft
    for patch in patches:
        after = _APPLY[patch.verb](after, patch)
    return draft if after == draft else replace(after, version=draft.version + 1)


def applied_one_by_one(draft: Draft, patches: Iterable[DraftPatch]) -> tuple[tuple[DraftPatch, bool], ...]:
    """Return each patch with whether it changed the draft left by the ones before it."""
    found: list[tuple[DraftPatch, bool]] = []
    for patch in patches:
        after = _APPLY[patch.verb](draft, patch)
        found.append((patch, after != draft))
        draft = after
    return tuple(found)


def same_key(one: str, other: str) -> bool:
    """Whether two constraint keys name the same thing."""
    return key_name(one) == key_name(other)


def key_name(text: str) -> str:
    """Return a constraint's key without case, dashes, underscores and extra spaces."""
    return " ".join(text.casefold().replace("_", " ").replace("-", " ").split())


def _set(draft: Draft, patch: DraftPatch) -> Draft:
    if patch.field == "constraints":
        return _known(replace(draft, constraints=_constrained(draft.constraints, patch)), patch)
    if patch.field in SINGLE:
        return _known(_with(draft, patch.field, _held(getattr(draft, patch.field), patch.said)), patch)
    found = values_of(draft, patch.field)
    if any(same_text(one.value, patch.said.value) for one in found):
        return draft
    return _known(_with(draft, patch.field, (*found, patch.said)), patch)


def _held(value: Value | None, said: PlacedValue) -> Value:
    """Combine a single value with another one: unchanged if they are equal, else a conflict."""
    sides = sides_of(value)
    if value is not None and any(same_text(one.value, said.value) for one in sides):
        return value
    return Conflict((*sides, said)) if sides else said


def _constrained(constraints: tuple[Constraint, ...], patch: DraftPatch) -> tuple[Constraint, ...]:
    """Add a constraint: already known, beside compatible ones, or in conflict with one it contradicts."""
    for at, one in enumerate(constraints):
        is_instead = any(patch.old and same_text(side.value, patch.old) for side in sides_of(one.value))
        if not same_key(one.key, patch.key) or not (patch.key or is_instead or _says(one, patch.said)):
            continue
        how = [relation(side.value, patch.said.value) for side in sides_of(one.value)]
        if "same" in how:
            firmer = replace(one, status=patch.status) if one.status == "proposed" else one
            return (*constraints[:at], firmer, *constraints[at + 1 :])
        if "contradict" in how or is_instead:
            held = replace(one, value=Conflict((*sides_of(one.value), patch.said)))
            return (*constraints[:at], held, *constraints[at + 1 :])
    return (*constraints, Constraint(patch.key, patch.said, patch.status))


def _says(constraint: Constraint, said: PlacedValue) -> bool:
    return any(same_text(side.value, said.value) for side in sides_of(constraint.value))


def _correct(draft: Draft, patch: DraftPatch) -> Draft:
    if patch.field in SINGLE:
        held = getattr(draft, patch.field)
        unchanged = isinstance(held, PlacedValue) and same_text(held.value, patch.said.value)
        return draft if unchanged else _known(_with(draft, patch.field, patch.said), patch)
    if patch.field == "constraints":
        return _known(replace(draft, constraints=_corrected_constraints(draft.constraints, patch)), patch)
    found = values_of(draft, patch.field)
    kept = [patch.said if _is_old(one.value, patch) else _still_instead(one, patch) for one in found]
    return _known(_with(draft, patch.field, _once(kept if patch.said in kept else [*found, patch.said])), patch)


def _still_instead(one: PlacedValue, patch: DraftPatch) -> PlacedValue:
    """Words said in place of an entry that is corrected now are still in place of it."""
    return replace(one, instead=patch.said.value) if patch.old and same_text(one.instead, patch.old) else one


def _corrected_constraints(constraints: tuple[Constraint, ...], patch: DraftPatch) -> tuple[Constraint, ...]:
    hits = [one for one in constraints if _is_meant(one, patch)]
    if not hits:
        return _constrained(constraints, patch) if patch.key else constraints
    first = replace(hits[0], value=patch.said, status=patch.status)
    return tuple(first if one is hits[0] else one for one in constraints if one is hits[0] or one not in hits)


def _is_meant(constraint: Constraint, patch: DraftPatch) -> bool:
    """Whether a correction or retraction is about a constraint: its key, its old value, or both if both are given."""
    if patch.key and not same_key(constraint.key, patch.key):
        return False
    sides = sides_of(constraint.value)
    return bool(patch.key) if not patch.old else any(relation(one.value, patch.old) == "same" for one in sides)


def _retract(draft: Draft, patch: DraftPatch) -> Draft:
    if patch.field in SINGLE:
        sides = tuple(one for one in sides_of(getattr(draft, patch.field)) if not _is_old(one.value, patch))
        return _with(draft, patch.field, _joined(sides))
    if patch.field == "constraints":
        return replace(draft, constraints=_without(draft.constraints, patch))
    found = values_of(draft, patch.field)
    heirs = [one for one in found if patch.old and same_text(one.instead, patch.old)]
    kept = [each for one in found for each in (heirs[:1] if _is_old(one.value, patch) else [one])]
    return _with(draft, patch.field, _once(kept))


def _dispute(draft: Draft, patch: DraftPatch) -> Draft:
    """Mark the value `old` with the words that ask to remove it, unless it is marked, or unmark it."""
    mark = patch.said if patch.verb == "dispute" else None

    def marked(one: PlacedValue) -> PlacedValue:
        is_meant = same_text(one.value, patch.old) and (mark is None or one.disputed is None)
        return replace(one, disputed=mark) if is_meant else one

    def of(value: Value) -> Value:
        return Conflict(tuple(map(marked, value.sides))) if isinstance(value, Conflict) else marked(value)

    if patch.field == "constraints":
        named = [not patch.key or same_key(one.key, patch.key) for one in draft.constraints]
        found = zip(draft.constraints, named, strict=True)
        return replace(draft, constraints=tuple(replace(one, value=of(one.value)) if it else one for one, it in found))
    if patch.field in SINGLE:
        held: Value | None = getattr(draft, patch.field)
        return draft if held is None else _with(draft, patch.field, of(held))
    return _with(draft, patch.field, tuple(map(marked, values_of(draft, patch.field))))


def _without(constraints: tuple[Constraint, ...], patch: DraftPatch) -> tuple[Constraint, ...]:
    kept: list[Constraint] = []
    for one in constraints:
        sides = sides_of(one.value)
        if _is_meant(one, patch) or not (patch.key or patch.old):
            sides = tuple(side for side in sides if patch.old and relation(side.value, patch.old) != "same")
        value = _joined(sides)
        if value is not None:
            kept.append(one if len(sides) == len(sides_of(one.value)) else replace(one, value=value))
    return tuple(kept)


def _joined(sides: tuple[PlacedValue, ...]) -> Value | None:
    if not sides:
        return None
    return sides[0] if len(sides) == 1 else Conflict(sides)


def _is_old(value: str, patch: DraftPatch) -> bool:
    return not patch.old or same_text(value, patch.old)


def _once(found: Iterable[PlacedValue]) -> tuple[PlacedValue, ...]:
    kept: list[PlacedValue] = []
    for one in found:
        if not any(same_text(other.value, one.value) for other in kept):
            kept.append(one)
    return tuple(kept)


def _unknown(draft: Draft, patch: DraftPatch) -> Draft:
    if any(one.field == patch.field for one in draft.unknown):
        return draft
    return replace(draft, unknown=(*draft.unknown, Unknown(patch.field, patch.said)))


def _settle(draft: Draft, patch: DraftPatch) -> Draft:
    """Record a decision on a conflict; a later decision on the same one replaces it."""
    said = Settled(patch.key, cast("Choice", patch.said.value), patch.said)
    if any(one.conflict == said.conflict and one.choice == said.choice for one in draft.settled):
        return draft
    others = tuple(one for one in draft.settled if one.conflict != said.conflict)
    after = replace(draft, settled=(*others, said))
    if said.choice != "both" or patch.field not in LISTS:
        return after
    held = values_of(draft, patch.field)
    apart = (replace(one, instead="") if same_text(one.value, patch.old) else one for one in held)
    return _with(after, patch.field, tuple(apart))


def _with(draft: Draft, name: Field, value: object) -> Draft:
    return replace(draft, **{name: value})  # type: ignore[arg-type]  # the field and its value go together


def _known(draft: Draft, patch: DraftPatch) -> Draft:
    """Mark a field as no longer unknown once it is filled."""
    if not any(one.field == patch.field for one in draft.unknown):
        return draft
    return replace(draft, unknown=tuple(one for one in draft.unknown if one.field != patch.field))


_APPLY: Final[Mapping[Verb, Callable[[Draft, DraftPatch], Draft]]] = {
    "set": _set,
    "add": _set,
    "correct": _correct,
    "retract": _retract,
    "dispute": _dispute,
    "restore": _dispute,
    "unknown": _unknown,
    "settle": _settle,
}
