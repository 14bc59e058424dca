"""Sentences of the pact that a draft may deny: atoms with their outcomes, and the rules that a project declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.invariants import RULES
from pactkeeper.intent.pact import Pact
from pactkeeper.ledger.finding import Severity
from pactkeeper.tickets.apart import bound_denied, contradicts
from pactkeeper.tickets.sayings.clash import clash, lookups
from pactkeeper.tickets.sayings.words import words_of
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
    """The sentences of a pact, filed so that those which a saying may deny are found without reading all."""

    def __init__(self, pact: Pact) -> None:
        self.statements: Sequence[Statement] = tuple(_statements(pact))
        self._blocks: Mapping[frozenset[str], list[int]] = _filed(self.statements)
        self._holders: Mapping[str, frozenset[int]] = _by_stem(self.statements)

    def denied_by(self, saying: str) -> Iterator[Statement]:
        """The sentences that a saying denies, one of each atom or invariant, in the order of the pact."""
        keys = _keys(words_of(saying).stems)
        near = {number for key in keys for number in self._blocks.get(key, ())}
        denied = {number for number in near if contradicts(saying, self.statements[number].text)}
        denied |= {number for number in self._alike(saying) - near if clash(saying, self.statements[number].text)}
        yield from _one_each(map(self.statements.__getitem__, sorted(denied)))

    def _alike(self, saying: str) -> set[int]:
        """The sentences that have all words of what the saying is about, or of what it lets anybody do."""
        found: set[int] = set()
        for stems in set(lookups(saying)):
            holders = [self._holders.get(stem, frozenset()) for stem in stems]
            found |= frozenset.intersection(*holders) if holders else frozenset()
        return found

    def bounded_otherwise(self, key: str, value: str) -> Iterator[Statement]:
        """The sentences that give what `key` names an amount which `value` denies."""
        yield from _one_each(one for one in self.statements if bound_denied(key, value, one.text))


def _statements(pact: Pact) -> Iterator[Statement]:
    for atom in pact.atoms.values():
        status = pact.status_of(atom.id)
        if status in _GONE:
            continue
        committed = status == "committed"
        severity: Severity = "error" if committed else "warning"
        advice = f"reword it, or replace the atom: pk supersede {atom.id}" if committed else "say which one holds"
        for text in (atom.intent, *atom.outcomes):
            yield Statement(text, atom.id, "atom", severity, advice)
    for rule in pact.invariants.values():
        if rule.enabled and rule.rule and rule.id not in RULES:
            yield Statement(rule.rule, rule.id, "invariant", "error", "reword it, or change the rule of the project")


def _filed(statements: Sequence[Statement]) -> Mapping[frozenset[str], list[int]]:
    blocks: dict[frozenset[str], list[int]] = {}
    for number, one in enumerate(statements):
        for key in _keys(words_of(one.text).stems):
            blocks.setdefault(key, []).append(number)
    return blocks


def _by_stem(statements: Sequence[Statement]) -> Mapping[str, frozenset[int]]:
    holders: dict[str, set[int]] = {}
    for number, one in enumerate(statements):
        for stem in words_of(one.text).stems:
            holders.setdefault(stem, set()).add(number)
    return {stem: frozenset(found) for stem, found in holders.items()}


def _keys(stems: frozenset[str]) -> set[frozenset[str]]:
    """All words, and all but each one: sentences that share none of these are no denial of each other."""
    return {stems, *(stems - {word} for word in stems)}


def _one_each(found: Iterator[Statement]) -> Iterator[Statement]:
    first: dict[str, Statement] = {}
    for one in found:
        first.setdefault(one.where, one)
    yield from first.values()
