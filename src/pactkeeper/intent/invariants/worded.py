"""What rules about words share: which criteria of quality an atom falls short of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.invariants.rule import Case, Judgement, Violation
from pactkeeper.intent.quality.values import Criterion, Deduction, Dimension

# The share of a criterion's points, in per cent, below which good marks elsewhere do not make up for it: the score
# below which quality rejects as a whole.
LEAST = 60
MOST_NAMED = 3

Missing = Callable[[Atom], Iterator[str]]


def judge_words(case: Case, rule: str, criteria: Collection[Criterion], missing: Missing) -> Judgement:
    """Judge every atom in scope by the criteria, and by what `missing` names whatever language it is written in."""
    unread: list[str] = []
    found: list[Violation] = []
    for atom in case.atoms:
        if case.excused(rule, atom.id) or atom.id in case.facts.clarified:
            continue
        absent = list(missing(atom))
        quality = case.assess(atom)
        weak = [one for one in quality.dimensions if one.name in criteria and one.points * 100 < one.most * LEAST]
        if (absent or (weak and quality.judged)) and not _changed(case, atom):
            found.append(_violation(case, atom, absent, weak=weak if quality.judged else []))
        elif not quality.judged:
            unread.append(f"{atom.id} ({quality.language})")
    if found:
        return Judgement("failed", f"not held by {len(found):,} of {case.scope}", tuple(found))
    if unread:
        return Judgement("not checked", f"the rules do not read the language of {', '.join(unread[:MOST_NAMED])}")
    return Judgement("passed", f"held by {case.scope}")


def _changed(case: Case, atom: Atom) -> bool:
    """Whether other words were committed than stand there: INV-004 has them restored before they are judged."""
    return case.facts.commit is None and all(one.frozen[atom.id] != atom.frozen_hash() for one in case.acts_of(atom.id))


def _violation(case: Case, atom: Atom, absent: list[str], *, weak: list[Dimension]) -> Violation:
    deductions = [one for dimension in weak for one in dimension.deductions]
    reasons = list(dict.fromkeys([*absent, *(_said(one) for one in deductions)]))
    more = f", and {len(reasons) - MOST_NAMED} more" if len(reasons) > MOST_NAMED else ""
    message = "; ".join(reasons[:MOST_NAMED]) + more
    return Violation(
        atom.id, message, path=atom.path, line=atom.line, fix=_fix(case, atom, deductions), basis=atom.frozen_hash()
    )


def _said(deduction: Deduction) -> str:
    return f"{deduction.words!r}: {deduction.why}" if deduction.words else deduction.why


def _fix(case: Case, atom: Atom, deductions: list[Deduction]) -> str:
    """One step: the first suggestion, and the command that carries it out."""
    committed = case.facts.pact.is_committed(atom.id)
    command = f"pk supersede {atom.id} --edit" if committed else f"pk atom edit {atom.id}"
    return f"{deductions[0].suggestion}: {command}" if deductions else command
