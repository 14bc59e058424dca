"""What rules about words share: by which criteria of quality an atom falls short."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.invariants.rule import Case, Judgement, Violation

if TYPE_CHECKING:  # as in `rule`
    from pactkeeper.intent.quality.values import Criterion, Deduction

# Of a criterion's points at least two thirds: below, good marks elsewhere do not make up for it.
LEAST: Final = (2, 3)
MOST_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class WordFaults:
    """What criteria say of an atom's words: what is taken off where one is too low, or the language nobody reads."""

    deductions: tuple[Deduction, ...] = ()
    unread: str = ""


def weak_words(case: Case, atom: Atom, criteria: Collection[Criterion]) -> WordFaults:
    """Judge an atom by some criteria of quality."""
    quality = case.assess(atom)
    if not quality.judged:
        return WordFaults(unread=quality.language)
    part, whole = LEAST
    weak = [one for one in quality.dimensions if one.name in criteria and one.points * whole < one.most * part]
    return WordFaults(tuple(one for dimension in weak for one in dimension.deductions))


def is_as_committed(case: Case, atom: Atom) -> bool:
    """Whether the words are those that were committed; others are to be restored first (INV-004)."""
    return case.facts.commit is not None or any(
        one.frozen[atom.id] == atom.frozen_hash() for one in case.acts_of(atom.id)
    )


def broken_words(case: Case, atom: Atom, deductions: Sequence[Deduction], *, missing: Sequence[str] = ()) -> Violation:
    """What is wrong with an atom's words: what they lack, then what the deductions cite."""
    reasons = list(dict.fromkeys([*missing, *(_said(one) for one in deductions)]))
    more = f", and {len(reasons) - MOST_NAMED} more" if len(reasons) > MOST_NAMED else ""
    message = "; ".join(reasons[:MOST_NAMED]) + more
    command = (
        f"pk atom supersede {atom.id} --edit" if case.facts.pact.is_committed(atom.id) else f"pk atom edit {atom.id}"
    )
    fix = f"{deductions[0].suggestion}: {command}" if deductions else command
    return Violation(atom.id, message, path=atom.path, line=atom.line, fix=fix, basis=atom.frozen_hash())


def _said(deduction: Deduction) -> str:
    return f"{deduction.words!r}: {deduction.why}" if deduction.words else deduction.why


def concluded(scope: str, found: Sequence[Violation], unread: Sequence[str]) -> Judgement:
    """Failed where anything is broken, not checked where words could not be read, passed otherwise."""
    if found:
        return Judgement("failed", f"not held by {len(found):,} of {scope}", tuple(found))
    if unread:
        return Judgement("not checked", f"the rules do not read the language of {', '.join(unread[:MOST_NAMED])}")
    return Judgement("passed", f"held by {scope}")
