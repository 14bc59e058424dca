"""What questions are asked about: one repository with its files, its pact and who may be asked, opened once.

What answers about the pact have in common: how an atom reads, and how an answer says that the repository does not say.

Misspelled words, as the repository spells what is most like them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pactkeeper.chat.answers import (
    CITATION,
    MOST_QUOTED,
    Answer,
    AnswerSentence,
    Basis,
    Citation,
    Finding,
    cited,
    deduplicated,
    lines_at,
    merged_limits,
)
from pactkeeper.chat.forms import Form, form_of
from pactkeeper.chat.matching import is_asking
from pactkeeper.chat.searching import Looked, Passage, kind_of, look
from pactkeeper.chat.words import Question, read_question, spelled_right
from pactkeeper.errors import InputError, PactkeeperError
from pactkeeper.intent.atoms import Atom
from pactkeeper.ledger.json_outline import read_json_text
from pactkeeper.ledger.toml_document import read_toml
from pactkeeper.operators.observe import ScanReport, TestRow, scan_repo
from pactkeeper.operators.view import StateView
from pactkeeper.repo.outlines import Outlines
from pactkeeper.workspace import Workspace

if TYPE_CHECKING:
    from pactkeeper.intent.pact import Pact
    from pactkeeper.ledger.answering import Asker, Budget
    from pactkeeper.operators.atoms import AtomRow
    from pactkeeper.repo.languages.outline import Definition
    from pactkeeper.repo.snapshot import Snapshot


MOST_BYTES: Final = 64 << 20  # of all files that one question reads
MOST: Final = 8  # things that are named; the rest is counted
LONGEST: Final = 200  # characters of a quoted line
BIGGEST: Final = 1 << 20  # bytes of a file that is searched; more is generated
_BEGINS: Final = re.compile(r"\[|\w+-\w+\.|\s*$")  # another entry of a file of the pact, or its end
_NO_TEXT: Final = (
    *(".png", ".jpg", ".jpeg", ".gif", ".ico", ".svg", ".pdf", ".zip", ".gz", ".woff", ".woff2", ".ttf"),
    *(".lock", ".min.js", ".map", ".snap", "package-lock.json", "junit.xml", "coverage.xml", "lcov.info", ".sarif"),
)


T = TypeVar("T")
Hears = Callable[[str, Basis, Sequence[Mapping[str, Any]]], None]


@dataclass
class Here:
    """The repository as one question sees it; `asker` and `budget` are None where no model is asked.

    `hear` gets each sentence as soon as it is ready, with its basis and its citations.
    """

    workspace: Workspace
    asker: Asker | None = None
    budget: Budget | None = None
    hear: Hears = lambda _text, _basis, _bearing: None
    gaps: list[str] = field(default_factory=list)

    def tool(self, name: str) -> AbstractContextManager[object]:
        """Whoever watches sees what is done inside as a call of a tool."""
        return self.workspace.watching().tool(name)

    @cached_property
    def snapshot(self) -> Snapshot:
        """The working tree."""
        return self.workspace.snapshot()

    @cached_property
    def declared(self) -> bool:
        """Whether there is a pact."""
        return self.snapshot.declares

    @cached_property
    def pact(self) -> Pact:
        """The pact; empty where there is none, an error where it cannot be read."""
        return self.workspace.pact(self.snapshot, required=self.declared, judged=False)

    @cached_property
    def scan(self) -> ScanReport:
        """Every test with its links."""
        return scan_repo(self.workspace, StateView())

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The files that belong to the project itself: all but the pact's."""
        return tuple(path for path in self.snapshot.paths if not self.snapshot.folder.holds(path))

    def read(self, question: str) -> Question:
        """Take a question apart by what there is here."""
        prefixes = (self.pact.settings.atom_prefix, "IA") if self.declared else ("IA",)
        return read_question(question, paths=self.paths, prefixes=frozenset(prefixes), called=self.called)

    @cached_property
    def called(self) -> frozenset[str]:
        """The names that the project gives itself: a question that has one asks about all of it."""
        found: list[Any] = []
        with suppress(ValueError):
            found.append(read_toml(self._text("pyproject.toml")).get("project"))
        with suppress(InputError):
            found.append(read_json_text(self._text("package.json") or "{}", "package.json"))
        names = (one.get("name") for one in found if isinstance(one, dict))
        return frozenset(one.rpartition("/")[2].casefold() for one in names if isinstance(one, str))

    def _text(self, path: str) -> str:
        data = self.snapshot.read(path) if path in self.snapshot else None
        return (data or b"").decode("utf-8", "replace")

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """What each file is for, by its path."""
        return {path: kind_of(path) for path in self.paths}

    @cached_property
    def _outlines(self) -> Outlines:
        return Outlines(self.snapshot, self.workspace.cache)

    def outline(self, path: str) -> Sequence[Definition]:
        """What a file defines, in any language that has outlines."""
        return self._outlines.outline(path).definitions

    def search(self, paths: Sequence[str], terms: Sequence[str], *, most: int, beside: Sequence[str] = ()) -> Looked:
        """Look for words in some of the files."""
        asking = [one for one in terms if is_asking(one)]
        with self.tool("search_files"):
            return look(
                self.texts(paths), terms, self.kinds, most=most, beside=beside, asking=asking, outline=self.outline
            )

    def texts(self, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """The files that can be searched; what is too big or no text is left out and remembered."""
        wanted = [path for path in paths if not path.casefold().endswith(_NO_TEXT)]
        big, left = 0, MOST_BYTES
        for path, data in self.snapshot.read_many(wanted):
            if data is None or b"\0" in data[:1024]:
                continue
            if len(data) > BIGGEST or len(data) > left:
                big += 1
                continue
            left -= len(data)
            yield path, data
        if big:
            self.gaps.append(f"{big} files of more than {BIGGEST >> 20} MiB")
        self.gaps += [f"{gap.file}: {gap.reason}" for gap in self.snapshot.gaps]

    def lines(self, path: str, line: int, end: int | None = None) -> Finding:
        """Lines of a file as a finding; one without a text where the file cannot be read."""
        data = self.snapshot.read(path) if line > 0 and path in self.snapshot else b""
        if data is None or line < 1:
            return Finding(path, limits=("it cannot be read",) if data is None else ())
        return lines_at(path, data.decode("utf-8", "replace"), line, end)

    def atom(self, atom: Atom) -> Finding:
        """The lines of the pact that declare an atom."""
        whole = self.lines(atom.path, atom.line, atom.line + MOST_QUOTED - 1)
        lines = whole.text.splitlines()
        mine = (f"{atom.id}.", f"[{atom.id}]")
        own = takewhile(lambda line: line.startswith(mine) or not _BEGINS.match(line), lines)
        return self.lines(atom.path, atom.line, atom.line + max(len(list(own)), 1) - 1)

    def writing(self) -> Writing:
        """A new answer; `hear` gets its sentences as they come."""
        return Writing(self.hear)

    def test(self, row: TestRow) -> Finding:
        """The lines of a test."""
        return self.lines(row.file, row.name_line, row.end_line)


class Writing:
    """An answer while it is written: every sentence with the findings that bear it."""

    def __init__(self, hear: Hears = lambda _text, _basis, _bearing: None) -> None:
        self._hear = hear
        self._found: list[Finding] = []
        self._says: list[AnswerSentence] = []
        self.limits: list[str] = []

    def say(self, text: str, basis: Basis, *bearing: Finding) -> None:
        """Add a sentence; findings that quote nothing bear nothing."""
        places = []
        for one in bearing:
            if one.line:
                same = next((at for at, two in enumerate(self._found) if _same(one, two)), None)
                if same is None:
                    self._found.append(one)
                places.append(len(self._found) - 1 if same is None else same)
            else:
                self.limits += [f"{one.source}: {limit}" for limit in one.limits]
        sentence = AnswerSentence(text, basis, tuple(places))
        if sentence not in self._says:
            self._says.append(sentence)
            self._hear(text, basis, [CITATION(one) for one in cited(self._found[at] for at in places)])

    def first(self, found: Sequence[T], command: str, *, most: int = MOST) -> Sequence[T]:
        """The first rows; a note says how many more there are and which command lists them."""
        if len(found) > most:
            self.limits.append(f"{len(found) - most:,} more are not named here; all: {command}")
        return found[:most]

    @property
    def says(self) -> tuple[AnswerSentence, ...]:
        """The sentences so far."""
        return tuple(self._says)

    @property
    def borne(self) -> bool:
        """Whether anything but a lack was said."""
        return any(one.basis != "missing" for one in self._says)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """What they cite."""
        return cited(self._found)

    def answer(self, verb: str, **parts: object) -> Answer:
        """The answer with what was said; a `cannot_tell` where nothing but a lack was."""
        limits = merged_limits(deduplicated(self._found), self.limits)
        given = {"kind": "answer" if self.borne else "cannot_tell", "limitations": limits, **parts}
        return Answer(verb=verb, says=self.says, citations=self.citations, **given)  # type: ignore[arg-type]  # its own fields


def _same(one: Finding, two: Finding) -> bool:
    return (one.source, one.line, one.end) == (two.source, two.line, two.end)


# What a lookup is given; those that ask about the whole repository look at none of it.
Given = Mapping[str, Any]
Lookup = Callable[[Here, Given], Answer]


def atom_line(row: AtomRow) -> str:
    """An atom in one line."""
    stands = f"committed in {row.commitment}" if row.commitment and row.status == "committed" else row.status
    return f"{row.atom.id} ({stands}): {row.atom.intent}"


def place_line(here: Here, one: Passage) -> str:
    """A place, and the line there that has most of the words, as it stands."""
    inside = f" in {one.inside}" if one.inside else ""
    return f"{one.path}:{one.telling}{inside}: {here.lines(one.path, one.telling).text.strip()[:LONGEST]}"


def place_of(here: Here, one: Passage) -> Finding:
    """The lines of a place."""
    return here.lines(one.path, one.line, one.end)


def some(names: Sequence[str], command: str) -> str:
    """The first of many, how many more there are, and the command that shows all."""
    more = f" and {len(names) - MOST:,} more (all: {command})" if len(names) > MOST else ""
    return f"{', '.join(names[:MOST]) or 'none'}{more}"


NEEDS_PACT: Final = frozenset(
    {
        *("list_atoms", "count_atoms", "explain_atom", "search_atoms", "list_commitments", "list_molecules"),
        *("get_invariants", "validate_atom_quality", "find_conflicts"),
    }
)


def lacking(verb: str, reason: str, *then: str) -> Answer:
    """What cannot be told, and why."""
    said = Writing()
    said.say(reason, "missing")
    return said.answer(verb, next=then)


def looked_up(here: Here, verb: str, given: Given, table: Mapping[str, Lookup]) -> Answer:
    """Answer by one verb; what it cannot look at is said as its error says it."""
    if verb in NEEDS_PACT and not here.declared:
        return lacking(verb, "There is no pact in this repository: nothing is declared or committed here.", "pk init")
    try:
        with here.tool(verb):
            return table[verb](here, given)
    except PactkeeperError as reason:
        return lacking(verb, f"{verb} cannot tell: {reason}")


LONG: Final = 5  # letters; shorter words are like many
KIN: Final = 0.6  # of a word's letters that two languages begin it with, where both have it
_WORD: Final = re.compile(rb"[a-z]{4,24}")
_IDENTIFIER: Final = re.compile(rb"[A-Za-z]++(?:_[A-Za-z]++)*+")


def respelled(here: Here, absent: Sequence[str], *, foreign: bool = False) -> Mapping[str, str]:
    """For each word that no file has, the word of the repository that says the same or is but one slip away.

    In a question that is `foreign`, not English, it may be one that begins alike: `Signaturen`, `signature`.
    """
    wanted = [one for one in absent if len(one) >= LONG and not spelled_right(one)]
    if not wanted:
        return {}
    searched = [path for path in here.paths if here.kinds[path] != "other"]
    words = {word for _, data in here.texts(searched) for word in (*_IDENTIFIER.findall(data), *_WORD.findall(data))}
    written = {word.casefold(): word for word in sorted(one.decode() for one in words if len(one) <= LONGEST)}
    found = {one: _alike(one.casefold(), sorted(written), kin=foreign) for one in wanted}
    return {one: written[word] for one, word in found.items() if word}


def _alike(one: str, known: Sequence[str], *, kin: bool) -> str:
    """The word that one is but for one slip, or with `kin` the one that begins most like it; empty where none is."""
    near = [word for word in known if word[0] == one[0] and (_slip(one, word) or (kin and _kin(one, word)))]
    return max(near, key=lambda word: _same_letters(one, word), default="")


def _slip(one: str, two: str) -> bool:
    """Whether one letter too many, too few, wrong or in the wrong place makes one word of the other."""
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - only where a word was not found

    return OSA.distance(one, two, score_cutoff=1) <= 1 and not one.startswith(two) and not two.startswith(one)


def _kin(one: str, two: str) -> bool:
    same = _same_letters(one, two)
    return same >= LONG and same >= KIN * max(len(one), len(two))


def _same_letters(one: str, two: str) -> int:
    """With how many letters both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))


def nearest(forms: Sequence[Form], texts: Sequence[str]) -> list[Form]:
    """The words, those that no text has by the word in the texts that is most like them; else as they are."""
    whole = "\n".join(texts)
    known = sorted({word.decode() for word in _WORD.findall(whole.casefold().encode())})
    found = {}
    for one in forms:
        lost = len(one.word) >= LONG and not one.count(whole) and not spelled_right(one.word)
        hit = _alike(one.word, known, kin=True) if lost else ""
        meant = form_of(hit) if hit else one
        found[meant.word] = meant
    return list(found.values())
