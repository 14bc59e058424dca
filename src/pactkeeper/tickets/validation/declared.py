"""Sentences of the pact that a draft may deny: atoms with their outcomes, and the rules that a project declares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.invariants import RULES
from pactkeeper.intent.pact import Pact
from pactkeeper.ledger.finding import Severity
from pactkeeper.speech.clash import compare
from pactkeeper.speech.words import statement
from pactkeeper.tickets.validation.report import Against

_GONE: Final = frozenset({"superseded", "abandoned"})


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of the pact; `where` is the id of its atom or invariant, `advice` what may be done about it."""

    text: str
    where: str
    against: Against
    severity: Severity
    advice: str


class Declared:
    """The sentences of a pact, filed by their words, so that a saying is compared with few of them."""

    def __init__(self, pact: Pact) -> None:
        self.statements: Sequence[Statement] = tuple(_statements(pact))
        self._holders: Mapping[str, frozenset[int]] = _by_stem(self.statements)

    def denied_by(self, saying: str) -> Iterator[tuple[Statement, bool]]:
        """The sentences that a saying denies, one of each atom or invariant, and whether that is unsure."""
        shared = Counter(at for stem in statement(saying).topic for at in self._holders.get(stem, ()))
        seen: set[str] = set()
        for number in sorted(shared):
            found = self.statements[number]
            verdict = compare(saying, found.text).verdict if found.where not in seen else "unrelated"
            if verdict in {"clash", "unsure"}:
                seen.add(found.where)
                yield found, verdict == "unsure"


def _statements(pact: Pact) -> Iterator[Statement]:
    for atom in pact.atoms.values():
        status = pact.status_of(atom.id)
        if status in _GONE:
            continue
        committed = status == "committed"
        severity: Severity = "error" if committed else "warning"
        advice = f"reword it, or replace the atom: pk atom supersede {atom.id}" if committed else "say which one holds"
        for text in (atom.intent, *atom.outcomes):
            yield Statement(text, atom.id, "atom", severity, advice)
    for rule in pact.invariants.values():
        if rule.enabled and rule.rule and rule.id not in RULES:
            yield Statement(rule.rule, rule.id, "invariant", "error", "reword it, or change the rule of the project")


def _by_stem(statements: Sequence[Statement]) -> Mapping[str, frozenset[int]]:
    holders: dict[str, set[int]] = {}
    for number, one in enumerate(statements):
        for stem in statement(one.text).topic:
            holders.setdefault(stem, set()).add(number)
    return {stem: frozenset(found) for stem, found in holders.items()}
