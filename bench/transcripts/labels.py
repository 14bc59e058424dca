"""What readers expect of each conversation: artifacts word for word, actions, and what must not be found.

The keys are told in `tests/transcripts/corpus/README.md`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from pactkeeper.intent.board import Document, Task
from pactkeeper.intent.conversation import Block, ConversationEntry
from pactkeeper.transcripts.ingest import stretches
from pactkeeper.transcripts.sources import source_of
from pactkeeper.transcripts.sources.records import opened

CORPUS: Final = Path(__file__).parents[2] / "tests" / "transcripts" / "corpus"
Half = Literal["tuning", "held out"]

# An entry's uuid, the number of its block, and the first and last character in it.
Span = tuple[str, int, int, int]


@dataclass(frozen=True, slots=True)
class Wanted:
    """One artifact that a reader sees; `facts` are what else must be right of it."""

    type: str
    span: Span
    name: str
    facts: Mapping[str, str]
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Doing:
    """An action, question or conflict by words of it; `never` says why it must not be."""

    verbs: tuple[str, ...]
    about: str = ""
    optional: bool = False
    never: str = ""


@dataclass(frozen=True, slots=True)
class Labels:
    """Everything that is said of one conversation."""

    name: str
    half: Half
    raw: Mapping[str, Any]

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The board as it is before."""
        return tuple(Task(**one) for one in self.raw.get("task", ()))

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents as they are before."""
        rows = self.raw.get("document", ())
        return tuple(Document(f"D-{number}", **one) for number, one in enumerate(rows, 1))

    @property
    def actions(self) -> tuple[Doing, ...]:
        """What should be proposed."""
        return tuple(_doing(one) for one in self.raw.get("action", ()))

    @property
    def conflicts(self) -> tuple[str, ...]:
        """Words of every conflict that should be flagged."""
        return tuple(one["about"] for one in self.raw.get("conflict", ()))

    @property
    def questions(self) -> tuple[str, ...]:
        """Words of every question that should be asked."""
        return tuple(one["about"] for one in self.raw.get("question", ()))

    @property
    def never(self) -> tuple[Doing, ...]:
        """What must not be proposed."""
        return tuple(_doing(one) for one in self.raw.get("never", ()))

    def wanted(self, entries: Sequence[ConversationEntry]) -> tuple[Wanted, ...]:
        """The artifacts with where they stand; raises ValueError for words that no entry has."""
        return tuple(_wanted(self.name, one, entries) for one in self.raw.get("artifact", ()))


def _doing(row: Mapping[str, Any]) -> Doing:
    verb = row["verb"]
    verbs = tuple(verb) if isinstance(verb, list) else (verb,)
    return Doing(verbs, row.get("about", ""), row.get("optional", False), row.get("why", ""))


def read_labels() -> Iterator[tuple[Labels, Path]]:
    """The labels of every conversation of the corpus with its script, those for tuning first."""
    for folder in (CORPUS, CORPUS / "tuning", CORPUS / "held_out"):
        half: Half = "held out" if folder.name == "held_out" else "tuning"
        for path in sorted(folder.glob("*.toml")):
            text = path.read_text(encoding="utf-8")
            yield Labels(path.stem, half, tomllib.loads(text)), path.with_suffix(".txt")


def entries_of(paths: Sequence[Path]) -> tuple[ConversationEntry, ...]:
    """Every entry of some files, each once."""
    found: dict[str, ConversationEntry] = {}
    for path in paths:
        with opened(path) as file:
            source = source_of(file)
            assert source is not None, path
            chat = source.describe(file.path, file.beginning())
            for stretch in stretches(file, source, chat, 0):
                for entry in stretch.entries:
                    found.setdefault(entry.uuid, entry)
    return tuple(found.values())


_FACTS: Final = ("kind", "outcome", "change")


def _wanted(name: str, row: Mapping[str, Any], entries: Sequence[ConversationEntry]) -> Wanted:
    within = [one for one in entries if one.place.file.endswith(row.get("in", ""))]
    facts = {key: row[key] for key in _FACTS if key in row}
    words = row.get("words") or row.get("from") or row["call"]
    shown = " ".join(str(words).split())[:60]
    return Wanted(row["type"], _span(name, row, within), shown, facts, row.get("optional", False))


def _span(name: str, row: Mapping[str, Any], entries: Sequence[ConversationEntry]) -> Span:
    first = row.get("words") or row.get("from", "")
    last = row.get("words") or row.get("to", "")
    for entry, number, block in _blocks(entries):
        if "call" in row:
            if block.kind == "call" and block.call == row["call"]:
                return entry.uuid, number, 0, len(block.text)
        elif (entry.by_person or entry.role == "assistant") and block.kind in {"text", "call"}:
            start = block.text.find(first)
            end = block.text.find(last, start)
            if 0 <= start <= end:
                return entry.uuid, number, start, end + len(last)
    raise ValueError(f"{name}: nobody says {row!r}")


def _blocks(entries: Sequence[ConversationEntry]) -> Iterator[tuple[ConversationEntry, int, Block]]:
    return ((entry, number, block) for entry in entries for number, block in enumerate(entry.blocks))
