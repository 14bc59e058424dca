"""Atoms that may contradict or repeat each other: candidates with both sides and the choices, settled by a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.conflicts.candidates import candidates
from pactkeeper.intent.conflicts.choices import choices_apart, choices_together
from pactkeeper.intent.conflicts.comparing import Compared, compare
from pactkeeper.intent.conflicts.sentences import Sentence
from pactkeeper.intent.links import LIVE_LINKS, LinkedTest
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.succession import predecessors

Kind = Literal["contradiction", "same sentence", "near sentence", "shared test"]
KINDS: Final[tuple[Kind, ...]] = ("contradiction", "same sentence", "near sentence", "shared test")
_MOST_VALUES: Final = 2  # of one thing; three sentences that differ in a value alone are a series, as of parameters

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two atoms or more and why they may be in conflict; never a verdict.

    `ours` and `theirs` are the words or the outcomes in which two of them differ, `test` the one test that realises
    all of them, `choices` what a person can do about it.
    """

    kind: Kind
    atoms: tuple[str, ...]
    message: str
    choices: tuple[str, ...]
    ours: str = ""
    theirs: str = ""
    test: str = ""


@dataclass(frozen=True, slots=True)
class Conflicts:
    """What was found, contradictions first; `left_out` counts groups of sentences that are series or too many."""

    found: tuple[Conflict, ...]
    left_out: int


def find_conflicts(pact: Pact, linked: Sequence[LinkedTest] | None = None) -> Conflicts:
    """Find candidates among the atoms in force; without `linked`, shared tests are not looked for."""
    live = [one for one in pact.atoms.values() if pact.status_of(one.id) not in {"superseded", "abandoned"}]
    sentences = {atom.id: Sentence(atom.intent) for atom in live}
    close = candidates(sentences)
    compared = {
        pair: said
        for pair in close.pairs
        if not _follow(pair, pact) and (said := compare(sentences[pair[0]], sentences[pair[1]])) is not None
    }
    kept, series = _without_series(compared, sentences)
    shared = () if linked is None else _shared(linked, sentences)
    found = sorted((*_conflicts(kept, pact), *shared), key=lambda one: (KINDS.index(one.kind), one.atoms))
    return Conflicts(tuple(found), close.left_out + series)


def _follow(pair: Pair, pact: Pact) -> bool:
    """Whether one of the atoms was declared to replace the other: what they say differs on purpose."""
    one, other = pair
    return other in predecessors(one, pact.atoms) or one in predecessors(other, pact.atoms)


def _without_series(
    compared: Mapping[Pair, Compared], sentences: Mapping[str, Sentence]
) -> tuple[dict[Pair, Compared], int]:
    """Leave out sentences that give one thing ever other values, and say how many such series there are."""
    series: dict[tuple[str, ...], set[str]] = {}
    keys: dict[Pair, tuple[str, ...]] = {}
    for pair, said in compared.items():
        if said.by_value:
            common = Counter(sentences[pair[0]].stems) & Counter(sentences[pair[1]].stems)
            keys[pair] = tuple(sorted(common.elements()))
            series.setdefault(keys[pair], set()).update((said.ours, said.theirs))
    long = {key for key, values in series.items() if len(values) > _MOST_VALUES}
    return {pair: said for pair, said in compared.items() if keys.get(pair) not in long}, len(long)


def _conflicts(compared: Mapping[Pair, Compared], pact: Pact) -> Iterator[Conflict]:
    same: list[Pair] = []
    for pair, said in compared.items():
        one, other = (pact.atoms[name] for name in pair)
        apart = (said.ours, said.theirs)
        if said.relation == "contradiction":
            message = f"they say {said.ours!r} and {said.theirs!r} of the same thing"
            yield Conflict("contradiction", pair, message, choices_apart((one, other), pact), *apart)
        elif said.relation == "nearly the same":
            message = f"they say nearly the same: {said.ours!r} and {said.theirs!r}"
            yield Conflict("near sentence", pair, message, choices_together((one, other), pact), *apart)
        elif (outcomes := _outcomes_apart(one, other)) is not None:
            message = "they say the same, and outcomes that cannot both be seen"
            yield Conflict("contradiction", pair, message, choices_apart((one, other), pact), *outcomes)
        else:
            same.append(pair)
    for names in _joined(same):
        atoms = [pact.atoms[name] for name in names]
        message = "they say the same" if _equal_outcomes(atoms) else "they say the same with other outcomes"
        yield Conflict("same sentence", names, message, choices_together(atoms, pact))


def _joined(pairs: Iterable[Pair]) -> Iterator[tuple[str, ...]]:
    """Groups of names that the pairs hold together, each sorted."""
    groups: dict[str, set[str]] = {}
    for one, other in pairs:
        joined = groups.get(one, {one}) | groups.get(other, {other})
        groups.update(dict.fromkeys(joined, joined))
    yield from sorted({tuple(sorted(group)) for group in groups.values()})


def _outcomes_apart(one: Atom, other: Atom) -> tuple[str, str] | None:
    theirs = [Sentence(outcome) for outcome in other.outcomes]
    for mine in map(Sentence, one.outcomes):
        for said in theirs:
            compared = compare(mine, said)
            if compared is not None and compared.relation == "contradiction":
                return mine.text, said.text
    return None


def _equal_outcomes(atoms: Iterable[Atom]) -> bool:
    return len({frozenset(Sentence(text).bag for text in atom.outcomes) for atom in atoms}) == 1


def _shared(linked: Iterable[LinkedTest], wanted: Mapping[str, object]) -> Iterator[Conflict]:
    """Tests that alone realise several atoms: nothing tells which of them breaks when the test does."""
    tests: dict[str, list[str]] = {}
    for entry in linked:
        for name in dict.fromkeys(link.atom for link in entry.links if link.state in LIVE_LINKS):
            if name in wanted:
                tests.setdefault(name, []).append(entry.test.id)
    alone: dict[str, list[str]] = {}
    for name, found in tests.items():
        if len(found) == 1:
            alone.setdefault(found[0], []).append(name)
    for test, names in alone.items():
        if len(names) > 1:
            message = f"one test alone realises {len(names)} atoms"
            choices = ("give each atom a test of its own", "where they say one thing, keep one: pk atom abandon …")
            yield Conflict("shared test", tuple(sorted(names)), message, choices, test=test)
