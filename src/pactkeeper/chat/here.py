"""The subject of a question: one repository with its files, its pact and the optional model, opened once.

Also holds what answers about the pact share: how an atom reads, how an answer says that something is missing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from pactkeeper.chat.blocks import Block, Units, blocks_of
from pactkeeper.chat.searching import Looked, Passage, kind_of, look
from pactkeeper.chat.words import (
    Question,
    query_terms,
    read_question,
)
from pactkeeper.errors import PactkeeperError
from pactkeeper.intent.atoms import Atom
from pactkeeper.ledger.documents import read_toml
from pactkeeper.operators.observe import ScanReport, TestRow, scan_repo
from pactkeeper.operators.view import StateView
from pactkeeper.repo.line_history import Revision, past_of
from pactkeeper.repo.outlines import Outlines
from pactkeeper.workspace import Workspace

if TYPE_CHECKING:
    from pactkeeper.intent.evidence_state import TestEvidenceState
    from pactkeeper.intent.pact import Pact
    from pactkeeper.ledger.answering import Asker, Budget
    from pactkeeper.operators.atoms import AtomRow
    from pactkeeper.reconcile.world import World
    from pactkeeper.repo.languages.outline import Definition
    from pactkeeper.repo.snapshot import Snapshot


MOST_BYTES: Final = 64 << 20  # total size of the files one question reads
MOST_COMMITS: Final = 5_000  # whose authors and subject lines are read
MOST: Final = 8  # items named; the rest is counted
LONGEST: Final = 200  # characters of a quoted line
BIGGEST: Final = 1 << 20  # maximum size of a searched file; larger ones are generated
_BEGINS: Final = re.compile(r"\[|\w+-\w+\.|\s*$")  # the next entry of a pact file, or its end
_NO_TEXT: Final = (
    *(".png", ".jpg", ".jpeg", ".gif", ".ico", ".svg", ".pdf", ".zip", ".gz", ".woff", ".woff2", ".ttf"),
    *(".lock", ".min.js", ".map", ".snap", "package-lock.json", "junit.xml", "coverage.xml", "lcov.info", ".sarif"),
)


T = TypeVar("T")
Hears = Callable[[str, Basis, Sequence[Mapping[str, Any]]], None]


@dataclass
class Here:
    """The repository as one question sees it; `asker` and `budget` are None without a model.

    `hear` gets each sentence as soon as it is ready, with its basis and citations.
    """

    workspace: Workspace
    asker: Asker | None = None
    budget: Budget | None = None
    hear: Hears = lambda _text, _basis, _bearing: None
    gaps: list[str] = field(default_factory=list)
    spellings: dict[tuple[str, bool], str] = field(default_factory=dict)
    _held: dict[str, bytes | None] = field(default_factory=dict)

    def tool(self, name: str) -> AbstractContextManager[object]:
        """Report the work inside to observers as a tool call."""
        return self.workspace.watching().tool(name)

    @cached_property
    def snapshot(self) -> Snapshot:
        """The snapshot of the working tree."""
        return self.workspace.snapshot()

    @cached_property
    def declared(self) -> bool:
        """Whether there is a pact."""
        return self.snapshot.declares

    @cached_property
    def pact(self) -> Pact:
        """The pact; empty if there is none. Raises if it cannot be read."""
        return self.workspace.pact(self.snapshot, required=self.declared, judged=False)

    @cached_property
    def past(self) -> tuple[Revision, ...]:
        """The last commits of HEAD, newest first; empty before the first."""
        return past_of(self.workspace.repository, most=MOST_COMMITS)

    @cached_property
    def world(self) -> World:
        """The tests of the working tree joined with its pact."""
        return self.workspace.world(self.snapshot)

    @cached_property
    def states(self) -> Mapping[str, TestEvidenceState]:
        """The state of each test's last run, by id; empty without a history, at no cost."""
        from pactkeeper.operators.proof import judged  # noqa: PLC0415 - few questions are about runs

        return judged(self.workspace, self.snapshot, self.world)[0] if self.workspace.has_history else {}

    @cached_property
    def scan(self) -> ScanReport:
        """The scan of every test with its links."""
        return scan_repo(self.workspace, StateView())

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The project's own files: all except the pact's."""
        return tuple(path for path in self.snapshot.paths if not self.snapshot.folder.holds(path))

    def read(self, question: str) -> Question:
        """Parse a question, given this repository's files and atom prefixes."""
        prefixes = (self.pact.settings.atom_prefix, "IA") if self.declared else ("IA",)
        today = self.workspace.now().astimezone().date()
        return read_question(question, paths=self.paths, prefixes=frozenset(prefixes), called=self.called, today=today)

    @cached_property
    def called(self) -> frozenset[str]:
        """The project's own names; a question that uses one is about the whole project."""
        found: list[Any] = []
        with suppress(ValueError):
            found.append(read_toml(self._text("pyproject.toml")).get("project"))
        with suppress(ValueError, RecursionError):
            found.append(json.loads(self._text("package.json")))
        names = (one.get("name") for one in found if isinstance(one, dict))
        return frozenset(one.rpartition("/")[2].lower() for one in names if isinstance(one, str))

    def quoted_file(self, path: str) -> bytes | None:
        """Return the bytes of a file of the snapshot; None if it has no such file."""
        return self.snapshot.read(path) if path in self.snapshot else None

    def _text(self, path: str) -> str:
        return (self.quoted_file(path) or b"").decode("utf-8", "replace")

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """What each file is for, by path."""
        return {path: kind_of(path) for path in self.paths}

    @cached_property
    def _outlines(self) -> Outlines:
        return Outlines(self.snapshot, self.workspace.cache)

    def outline(self, path: str) -> Sequence[Definition]:
        """List a file's definitions, in any language with outlines."""
        return self._outlines.outline(path).definitions

    def search(  # noqa: PLR0913 - what to look for, and where
        self,
        paths: Sequence[str],
        terms: Sequence[str],
        *,
        most: int,
        beside: Sequence[str] = (),
        question: Question | None = None,
        units: Units | None = None,
    ) -> Looked:
        """Search some of the files for words of a question; `units` splits a file, by default into definitions."""
        asked = query_terms(terms, beside=beside)
        wanting = (*terms, *beside, *(question.words if question is not None else ()))
        with self.tool("search_files"):
            return look(self.texts(paths), asked, self.kinds, wanting=wanting, most=most, units=units or self._units)

    def _units(self, path: str, lines: Sequence[str]) -> Sequence[Block]:
        return blocks_of(path, lines, self.outline(path))

    def texts(self, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Yield the searchable files, read once; binary ones are skipped, and large ones recorded as gaps."""
        wanted = [path for path in paths if not path.lower().endswith(_NO_TEXT)]
        self._hold([path for path in wanted if path not in self._held])
        return ((path, data) for path in wanted if (data := self._held[path]) is not None)

    def _hold(self, paths: Sequence[str]) -> None:
        big, left = 0, MOST_BYTES - sum(len(one) for one in self._held.values() if one)
        for path, data in self.snapshot.read_many(paths):
            text = None if data is None or b"\0" in data[:1024] else data
            if text is not None and len(text) > min(BIGGEST, left):
                big, text = big + 1, None
            self._held[path] = text
            left -= len(text or b"")
        if big:
            self.gaps.append(f"{big} files of more than {BIGGEST >> 20} MiB")
        self.gaps += [f"{gap.file}: {gap.reason}" for gap in self.snapshot.gaps]

    def lines(self, path: str, line: int, end: int | None = None) -> Finding:
        """Return lines of a file as a finding; without a text if the file cannot be read."""
        data = self.snapshot.read(path) if line > 0 and path in self.snapshot else b""
        if data is None or line < 1:
            return Finding(path, limits=("it cannot be read",) if data is None else ())
        return lines_at(path, data.decode("utf-8", "replace"), line, end)

    def row(self, name: str) -> AtomRow:
        """Return the row of an atom of the pact."""
        from pactkeeper.operators.atoms import row_of  # noqa: PLC0415 - only with a pact

        return row_of(self.pact.atoms[name], self.pact)

    def rows_in_force(self, names: Iterable[str]) -> list[AtomRow]:
        """Return the rows of the atoms of these names, or of their successors; none without a pact."""
        known = self.pact.in_force(names) if self.declared else ()
        return [self.row(name) for name in known if name in self.pact.atoms]

    def atom(self, atom: Atom) -> Finding:
        """Return the lines of the pact that declare an atom."""
        whole = self.lines(atom.path, atom.line, atom.line + MOST_QUOTED - 1)
        lines = whole.text.splitlines()
        mine = (f"{atom.id}.", f"[{atom.id}]")
        own = takewhile(lambda line: line.startswith(mine) or not _BEGINS.match(line), lines)
        return self.lines(atom.path, atom.line, atom.line + max(len(list(own)), 1) - 1)

    def writing(self) -> Writing:
        """Start an answer; `hear` gets its sentences as they are added."""
        return Writing(self.hear)

    def test(self, row: TestRow) -> Finding:
        """Return the lines of a test."""
        return self.lines(row.file, row.name_line, row.end_line)


class Writing:
    """An answer under construction: its sentences with the findings that support them."""

    def __init__(self, hear: Hears = lambda _text, _basis, _bearing: None) -> None:
        self._hear = hear
        self._found: list[Finding] = []
        self._says: list[AnswerSentence] = []
        self.limits: list[str] = []

    def say(self, text: str, basis: Basis, *bearing: Finding) -> None:
        """Add a sentence; findings without quoted lines are not cited."""
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
            found = [self._found[at] for at in places]
            self._hear(text, basis, [CITATION(one) for one in cited(found)])

    def first(self, found: Sequence[T], command: str, *, most: int = MOST) -> Sequence[T]:
        """Return the first rows; a note says how many more there are and which command lists them."""
        if len(found) > most:
            self.limits.append(f"{len(found) - most:,} more are not listed here; all: {command}")
        return found[:most]

    @property
    def says(self) -> tuple[AnswerSentence, ...]:
        """The sentences so far."""
        return tuple(self._says)

    @property
    def borne(self) -> bool:
        """Whether any sentence is more than a statement of absence."""
        return any(one.basis != "missing" for one in self._says)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The citations of the sentences so far."""
        return cited(self._found)

    def answer(self, verb: str, **parts: object) -> Answer:
        """Build the answer; its kind is `cannot_tell` if it only states what is missing."""
        limits = merged_limits(deduplicated(self._found), self.limits)
        given = {"kind": "answer" if self.borne else "cannot_tell", "limitations": limits, **parts}
        return Answer(verb=verb, says=self.says, citations=self.citations, **given)  # type: ignore[arg-type]  # its own fields


def _same(one: Finding, two: Finding) -> bool:
    return (one.source, one.line, one.end) == (two.source, two.line, two.end)


# The arguments of a lookup; one about the whole repository ignores them.
Given = Mapping[str, Any]
Lookup = Callable[[Here, Given], Answer]


def atom_line(row: AtomRow) -> str:
    """Render an atom in one line."""
    stands = f"committed in {row.commitment}" if row.commitment and row.status == "committed" else row.status
    return f"{row.atom.id} ({stands}): {row.atom.intent}"


def place_line(here: Here, one: Passage) -> str:
    """Render a place with its most telling line, verbatim."""
    inside = f" in {one.inside}" if one.inside else ""
    return f"{one.path}:{one.telling}{inside}: {here.lines(one.path, one.telling).text.strip()[:LONGEST]}"


def place_of(here: Here, one: Passage) -> Finding:
    """Return the lines of a place."""
    return here.lines(one.path, one.line, one.end)


def some(names: Sequence[str], command: str) -> str:
    """List the first names, how many more there are, and the command that shows all."""
    more = f" and {len(names) - MOST:,} more (all: {command})" if len(names) > MOST else ""
    return f"{', '.join(names[:MOST]) or 'none'}{more}"


NEEDS_PACT: Final = frozenset(
    {
        *("list_atoms", "count_atoms", "explain_atom", "search_atoms", "list_commitments", "list_molecules"),
        *("backed_atoms", "unbacked_atoms", "failing_atoms"),
        *("get_invariants", "validate_atom_quality", "find_conflicts"),
    }
)


def lacking(verb: str, reason: str, *then: str) -> Answer:
    """Answer that something cannot be told, and why."""
    said = Writing()
    said.say(reason, "missing")
    return said.answer(verb, next=then)


def looked_up(here: Here, verb: str, given: Given, table: Mapping[str, Lookup]) -> Answer:
    """Answer with one verb; if it fails, quote its error."""
    if verb in NEEDS_PACT and not here.declared:
        return lacking(verb, "There is no pact in this repository: nothing is declared or committed here.", "pk init")
    try:
        with here.tool(verb):
            return table[verb](here, given)
    except PactkeeperError as reason:
        return lacking(verb, f"{verb} cannot tell: {reason}")
