"""The handles by which words refer to something: its titles, its ids and addresses, its hashes and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final

from pactkeeper.intent.conversation import content
from pactkeeper.speech.clash import is_denied
from pactkeeper.speech.languages import language_of, words_of
from pactkeeper.speech.words import stem
from pactkeeper.transcripts.reconciling import SeenArtifact, TranscriptWorld
from pactkeeper.transcripts.reconciling.saying import ids_in, said

_WORD: Final = re.compile(r"[^\W_]+")
_HASH: Final = re.compile(r"\b[0-9a-f]{7,40}\b")
_REQUEST: Final = re.compile(r"[#!](\d+)\b")
_SHORTEST: Final = 3  # letters of a stem that longer words may begin with


@dataclass(frozen=True, slots=True)
class Handles:
    """What later words can refer to something by: its titles, its ids and addresses.

    `local` are hashes and numbers of pull requests, which mean it only in the folders of its own repository.
    """

    titles: tuple[str, ...]
    names: frozenset[str]
    local: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()

    def may_be_meant(self, text: str, folder: str) -> bool:
        """Whether a text that was written in a folder has a name of it, or shares a significant word with a title."""
        words, stems = _terms(text), chain.from_iterable(map(_stems, self.titles))
        return any(_occurs(one, words) for one in stems) or self._is_named(text, folder)

    def are_in(self, text: str, folder: str) -> bool:
        """Whether a text that was written in a folder has a name of it, or all significant words of a title."""
        words, stems = _terms(text), filter(None, map(_stems, self.titles))
        return any(all(_occurs(one, words) for one in title) for title in stems) or self._is_named(text, folder)

    def are_evident(self, text: str, folder: str) -> bool:
        """Whether a text has a name of it, or more than half of the significant words of a title."""
        words = _terms(text)
        shared = ((sum(_occurs(one, words) for one in stems), len(stems)) for stems in map(_stems, self.titles))
        return any(number * 2 > most for number, most in shared) or self._is_named(text, folder)

    def _is_named(self, text: str, folder: str) -> bool:
        words, folded = _words(text), text.casefold()
        here = self.local if folder in self.folders else frozenset()
        return any(_stands_in(folded, name) for name in self.names) or any(_is_mark(one, words) for one in here)


def handles(seen: SeenArtifact, titles: Iterable[str], names: Iterable[str], world: TranscriptWorld) -> Handles:
    """The handles of what an artifact suggests; for an event, those it was matched by as well."""
    shown = tuple(one for one in titles if one)
    ids = chain.from_iterable(map(ids_in, shown))
    known = frozenset(one.casefold() for one in (*names, *ids) if one)
    folders = frozenset(one for one in {seen.folder, *world.places} if world.is_same_repository(one, seen.folder))
    if seen.artifact.type != "event":
        return Handles(shown, known, folders=folders)
    text = content(seen.artifact)
    marks = frozenset((*_REQUEST.findall(text), *_HASH.findall(text)))
    mine = Handles(shown, known, marks, folders)
    commits = (one.hash for one in world.commits.get(seen.folder, ()) if mine.are_in(one.subject, seen.folder))
    return Handles(shown, known, marks | frozenset(commits), folders)


def concerns(one: SeenArtifact, meant: Handles) -> bool:
    """Whether words have a name of something, or share a significant word with a title of it."""
    return meant.may_be_meant(content(one.artifact), one.folder)


def says_more(text: str, meant: Handles) -> bool:
    """Whether a text says more than the names and titles and that it is done, or denies or asks something."""
    known = _terms("\n".join((*meant.titles, *meant.names))) | words_of("done") | words_of("small_talk")
    line = said(text)
    numbers = (one for one in _words(text) if not one.isalpha() and not _HASH.fullmatch(one))
    stems = (part for one in line.topics for part in _WORD.findall(one) if part.isalpha())
    is_known = "dates" not in line.details and all(_occurs(one, known) for one in (*stems, *numbers))
    return "?" in text or is_denied(text) or not is_known


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


@lru_cache(maxsize=4096)
def _terms(text: str) -> frozenset[str]:
    """The words of a text, and their stems, which stand for all their synonyms."""
    words, language = _words(text), language_of(text)
    return words.union(stem(word, language) for word in words)


@lru_cache(maxsize=1024)
def _stems(title: str) -> frozenset[str]:
    """What distinguishes a title: its stems without words such as “done”, which say how far something is."""
    line = said(title)
    return line.topics - {stem(word) for word in words_of("done")} or line.topics or line.words


def _occurs(stem: str, words: frozenset[str]) -> bool:
    """Whether a stem is one of the words, or several letters that one of them begins with; hyphens separate words."""
    return any(word == stem or (len(stem) >= _SHORTEST and word.startswith(stem)) for word in words)


def _stands_in(text: str, name: str) -> bool:
    """Whether a name stands in a text and is not part of a longer word; both are case-folded."""
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _is_mark(mark: str, words: frozenset[str]) -> bool:
    """Whether a number is one of the words, or a hash agrees with one as far as both go."""
    if mark.isdigit():
        return mark in words
    return any(_HASH.fullmatch(word) and (word.startswith(mark) or mark.startswith(word)) for word in words)
