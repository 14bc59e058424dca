"""Molecules as computed views: atoms grouped by where their tests live, or by what their words are about.

Views are never stored; keeping one makes it a person's molecule. Grouping is deterministic, as seed 000 §5.6 asks: the
same pact gives the same groups in the same order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.tests import file_of

Grouping = Literal["path", "concept"]
UNGROUPED = "everything else"

_TEST_FOLDERS = frozenset(
    {"test", "tests", "testing", "__tests__", "spec", "specs", "unit", "integration", "e2e", "src"}
)
_TEST_MARKS = re.compile(r"^(?:test|spec)s?[_-]|[_.-](?:test|tests|spec|specs|cy|e2e)$", re.IGNORECASE)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_STOP_WORDS = (
    "a about after again all also an and any are as at be because been before being both but by can cannot case "
    "does each every for from get gets given got had has have how if in into is it its just like made make makes "
    "may more most must new no none nor not of off on once one only or other out over own raised returned returns "
    "same set should so some such test tested testing tests than that the their them then there these they this "
    "those to true false twice under until up use used uses using value values via was were what when where which "
    "while who will with within without work works wrong "
)
_STOP = frozenset(_STOP_WORDS.split())
_SHORTEST_CONCEPT = 3
_SMALLEST_GROUP = 2
_LARGEST_SHARE = 0.5  # a word in more than half of all atoms separates nothing


@dataclass(frozen=True, slots=True)
class MoleculeView:
    """One computed group; `key` names it stably for `pk molecule keep`."""

    key: str
    name: str
    atoms: tuple[str, ...]


def views(atoms: Iterable[Atom], grouping: Grouping) -> tuple[MoleculeView, ...]:
    """Group atoms; every atom stands in exactly one view, views are sorted by key with the rest last."""
    found = sorted(atoms, key=lambda atom: atom.id)
    keys = {atom.id: _namespace(atom) for atom in found} if grouping == "path" else _concepts(found)
    groups: dict[str, list[str]] = {}
    for atom in found:
        groups.setdefault(keys[atom.id], []).append(atom.id)
    ordered = sorted(groups.items(), key=lambda item: (item[0] == UNGROUPED, item[0]))
    return tuple(MoleculeView(key, _title(key), tuple(members)) for key, members in ordered)


def _title(key: str) -> str:
    words = key.replace("/", " / ").replace("_", " ").replace("-", " ").strip()
    return words[:1].upper() + words[1:]


def _namespace(atom: Atom) -> str:
    if not atom.origin:
        return UNGROUPED
    path = PurePosixPath(file_of(atom.origin))
    folders = [part for part in path.parts[:-1] if part.lower() not in _TEST_FOLDERS]
    stem = path.name.split(".", 1)[0] if path.name.count(".") == 1 else path.name.rsplit(".", 1)[0]
    while (bare := _TEST_MARKS.sub("", stem)) != stem and bare:
        stem = bare
    return "/".join([*folders, stem])


def _concepts(atoms: list[Atom]) -> Mapping[str, str]:
    terms = {atom.id: _terms(atom) for atom in atoms}
    frequency = Counter(term for found in terms.values() for term in found)
    most = max(_SMALLEST_GROUP, int(len(atoms) * _LARGEST_SHARE))
    usable = {term: count for term, count in frequency.items() if _SMALLEST_GROUP <= count <= most}
    return {name: _concept(found, usable) for name, found in terms.items()}


def _concept(terms: frozenset[str], usable: Mapping[str, int]) -> str:
    found = [term for term in terms if term in usable]
    return min(found, key=lambda term: (-usable[term], term)) if found else UNGROUPED


def _terms(atom: Atom) -> frozenset[str]:
    """Words of the suite and the file where there are any, since they name the subject; else those of the intent."""
    if atom.tags:
        return frozenset(word for tag in atom.tags for word in _words(tag))
    file, *names = atom.origin.split("::") if atom.origin else [""]
    suites = [word for name in names[:-1] for word in _words(name)]
    return frozenset(suites or _words(PurePosixPath(_namespace(atom)).name if file else "") or _words(atom.intent))


def _words(text: str) -> list[str]:
    found = [_singular(word.lower()) for word in _WORD.findall(text)]
    return [word for word in found if len(word) >= _SHORTEST_CONCEPT and word not in _STOP and not word.isdigit()]


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > _SHORTEST_CONCEPT + 1:
        return f"{word[:-3]}y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > _SHORTEST_CONCEPT:
        return word[:-1]
    return word
