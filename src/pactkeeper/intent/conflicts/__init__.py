"""Atoms that may contradict or repeat each other: candidates with both sides and choices, for a person to resolve."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal, get_args

from pactkeeper.advice import ABANDON, CLARIFY, EDIT, SUPERSEDE, joined
from pactkeeper.intent.atoms import Atom, predecessors
from pactkeeper.intent.links import LIVE_LINKS, LinkedTest
from pactkeeper.intent.pact import Pact
from pactkeeper.speech.clash import UNRELATED, Compared, compare
from pactkeeper.speech.words import statement

Kind = Literal["contradiction", "same sentence", "unsure", "shared test"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
_MOST_VALUES: Final = 2  # per topic; three sentences that differ only in a value are a series, like parameters
_TEMPLATE: Final = re.compile(r"<[\w ]{1,40}>")

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two or more atoms and why they may conflict; never a verdict.

    `ours` and `theirs` are the words or outcomes in which two of them differ, `test` the one test that realises all of
    them, `choices` what a person can do about it.
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
    """The candidates, contradictions first; `left_out` counts groups of sentences that are series or too many.

    `held` counts pairs that seem to exclude each other but whose words come from two tests of the same tree.
    """

    found: tuple[Conflict, ...]
    left_out: int
    held: int = 0


def find_conflicts(pact: Pact, linked: Sequence[LinkedTest] | None = None) -> Conflicts:
    """Find candidates among the atoms in force; without `linked`, shared tests are not looked for.

    Two sentences taken from tests cannot exclude each other while both tests exist: what is missing is the condition
    that distinguishes them, and a test's result is known without reading words.
    """
    sentences = {atom.id: atom.intent for atom in pact.live_atoms}
    close = candidates(sentences)
    compared = {
        (one, other): said
        for one, other in close.pairs
        if not _follow((one, other), pact)
        and (said := _compared(sentences[one], sentences[other])).verdict != "unrelated"
    }
    kept, series = _without_series(compared, sentences)
    tested = frozenset(_tested(linked or (), pact))
    apart = [pair for pair, said in kept.items() if said.verdict != "agree" and tested.issuperset(pair)]
    kept = {pair: said for pair, said in kept.items() if pair not in apart}
    shared = () if linked is None else _shared(linked, sentences)
    found = sorted((*_conflicts(kept, pact, tested), *shared), key=lambda one: (KINDS.index(one.kind), one.atoms))
    return Conflicts(tuple(found), close.left_out + series, len(apart))


def _tested(linked: Iterable[LinkedTest], pact: Pact) -> Iterator[str]:
    """Yield atoms whose words were taken from a test and that a test checks."""
    for entry in linked:
        yield from (atom for atom in entry.atoms(LIVE_LINKS) if pact.atoms[atom].source == "reconciliation")


def _follow(pair: Pair, pact: Pact) -> bool:
    """Whether one of the atoms was declared to replace the other, so that they differ on purpose."""
    one, other = pair
    return other in predecessors(one, pact.atoms) or one in predecessors(other, pact.atoms)


def _compared(one: str, other: str) -> Compared:
    """Compare two sentences; those under different headings, and templates, are unrelated."""
    titles = {text.rpartition(": ")[0].casefold() for text in (one, other)}
    return UNRELATED if len(titles) > 1 or _TEMPLATE.search(one) else compare(one, other)


def _without_series(
    compared: Mapping[Pair, Compared], sentences: Mapping[str, str]
) -> tuple[dict[Pair, Compared], int]:
    """Leave out sentences that only vary a value of the same thing, and count such series."""
    series: dict[tuple[str, ...], set[str]] = {}
    keys: dict[Pair, tuple[str, ...]] = {}
    for pair, said in compared.items():
        if said.by_value:
            keys[pair] = tuple(sorted(statement(sentences[pair[0]]).topic & statement(sentences[pair[1]]).topic))
            series.setdefault(keys[pair], set()).update((said.ours, said.theirs))
    long = {key for key, values in series.items() if len(values) > _MOST_VALUES}
    return {pair: said for pair, said in compared.items() if keys.get(pair) not in long}, len(long)


def _conflicts(compared: Mapping[Pair, Compared], pact: Pact, tested: frozenset[str]) -> Iterator[Conflict]:
    same: list[Pair] = []
    for pair, said in compared.items():
        one, other = (pact.atoms[name] for name in pair)
        apart = (said.ours, said.theirs)
        if said.verdict == "clash":
            message = f"they may contradict each other: {said.ours!r} and {said.theirs!r}"
            yield Conflict("contradiction", pair, message, choices_apart((one, other), pact, apart), *apart)
        elif said.verdict == "unsure":
            message = f"only a person can tell whether both hold: {said.ours!r} and {said.theirs!r}"
            yield Conflict("unsure", pair, message, choices_apart((one, other), pact, apart), *apart)
        elif not tested.issuperset(pair) and (outcomes := _outcomes_apart(one, other)) is not None:
            message = "they say the same, but with outcomes that contradict each other"
            yield Conflict("contradiction", pair, message, choices_apart((one, other), pact, outcomes), *outcomes)
        else:
            same.append(pair)
    for names in _joined(same):
        atoms = [pact.atoms[name] for name in names]
        message = "they say the same" if _equal_outcomes(atoms) else "they say the same with different outcomes"
        yield Conflict(
            "same sentence", names, message, (*_ends(atoms, pact), *_wordings(atoms, pact, "say how they differ"))
        )


def _joined(pairs: Iterable[Pair]) -> Iterator[tuple[str, ...]]:
    """Yield the groups of names that the pairs connect, each sorted."""
    groups: dict[str, set[str]] = {}
    for one, other in pairs:
        joined = groups.get(one, {one}) | groups.get(other, {other})
        groups.update(dict.fromkeys(joined, joined))
    yield from sorted({tuple(sorted(group)) for group in groups.values()})


def _outcomes_apart(one: Atom, other: Atom) -> tuple[str, str] | None:
    pairs = ((mine, theirs) for mine in one.outcomes for theirs in other.outcomes)
    return next((pair for pair in pairs if compare(*pair).verdict == "clash"), None)


def _equal_outcomes(atoms: Iterable[Atom]) -> bool:
    return len({frozenset(map(_stems, atom.outcomes)) for atom in atoms}) == 1


def _stems(text: str) -> tuple[str, ...]:
    return tuple(sorted(statement(text).stems))


def _shared(linked: Iterable[LinkedTest], wanted: Mapping[str, object]) -> Iterator[Conflict]:
    """Yield tests that are the only one to realise several atoms: if one fails, it is unclear which atom broke."""
    tests: dict[str, list[str]] = {}
    for entry in linked:
        for name in entry.atoms(LIVE_LINKS):
            if name in wanted:
                tests.setdefault(name, []).append(entry.test.id)
    alone: dict[str, list[str]] = {}
    for name, found in tests.items():
        if len(found) == 1:
            alone.setdefault(found[0], []).append(name)
    for test, names in alone.items():
        if len(names) > 1:
            message = f"one test alone realises {len(names)} atoms"
            choices = (
                "give each atom a test of its own",
                "if they mean the same, keep one: " + ABANDON("…", "--reason …"),
            )
            yield Conflict("shared test", tuple(sorted(names)), message, choices, test=test)


MOST_ALIKE: Final = 40  # sentences that differ in one word; more of them are a numbered list, not a conflict
_FEWEST: Final = 2  # meaningful words; a shorter sentence says too little to be compared


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs of names, each sorted and unique; `left_out` counts blocks too large to be compared."""

    pairs: tuple[tuple[str, str], ...]
    left_out: int


def candidates(sentences: Mapping[str, str]) -> Candidates:
    """Pair the sentences that are similar enough to be compared."""
    blocks: dict[tuple[str, ...], list[str]] = {}
    for name, sentence in sentences.items():
        said = statement(sentence)
        bag = tuple(sorted(said.stems))
        for key in _keys(bag) if len(bag) + len(said.amounts) + len(said.literals) >= _FEWEST else ():
            blocks.setdefault(key, []).append(name)
    pairs: set[tuple[str, str]] = set()
    left_out = 0
    for names in blocks.values():
        if len(names) > MOST_ALIKE:
            left_out += 1
        elif len(names) > 1:
            pairs.update((min(pair), max(pair)) for pair in combinations(names, 2))
    return Candidates(tuple(sorted(pairs)), left_out)


def _keys(bag: tuple[str, ...]) -> set[tuple[str, ...]]:
    return {bag[:at] + bag[at + 1 :] for at in range(len(bag))} | {("", *bag)}


def choices_apart(atoms: Sequence[Atom], pact: Pact, words: Pair) -> tuple[str, ...]:
    """Return the choices for two atoms that cannot both hold; `words` are where they differ."""
    both_free = not any(pact.is_committed(atom.id) for atom in atoms)
    ends = (_either(atoms, words),) if both_free else _ends(atoms, pact)
    return (*ends, *_wordings(atoms, pact, "say when each holds"))


def _either(atoms: Sequence[Atom], words: Pair) -> str:
    """Name both ways out, since nothing tells which of two uncommitted atoms holds."""
    ways = (
        f"if {held!r} holds: " + ABANDON(atom.id, "--reason …") for atom, held in zip(atoms, words[::-1], strict=True)
    )
    return joined("; ", ways)


def _ends(atoms: Sequence[Atom], pact: Pact) -> Iterator[str]:
    """Yield the choices that leave one of them in force."""
    frozen = [atom.id for atom in atoms if pact.is_committed(atom.id)]
    free = [atom.id for atom in atoms if not pact.is_committed(atom.id)]
    if free:
        yield "one is enough: " + ABANDON(free[0], f"--reason …{_or(free[1:])}")
    if frozen and free:
        yield "let the new words replace the old: " + SUPERSEDE(frozen[0], free[0])
    if len(frozen) > 1:
        yield "use one text for all: " + SUPERSEDE(frozen[0], f"--edit{_or(frozen[1:])}")


def _wordings(atoms: Sequence[Atom], pact: Pact, why: str) -> Iterator[str]:
    free = [atom.id for atom in atoms if not pact.is_committed(atom.id)]
    if free:
        yield f"all of them hold, {why}: " + EDIT(f"{free[0]}{_or(free[1:])}")
    else:
        others = _or([one.id for one in atoms[1:]])
        yield f"all of them hold, {why}: " + CLARIFY(atoms[0].id, f"… --answer …{others}")


def _or(names: Sequence[str]) -> str:
    return f" (or {', '.join(names)})" if names else ""
