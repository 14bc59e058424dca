"""What questions are asked about: one repository with its files, its pact and who may be asked, opened once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from pactkeeper.chat.answers import MOST_QUOTED, Answer, Basis, Citation, AnswerSentence, cited, lines_at
from pactkeeper.chat.evidence import Finding, deduplicated, merged_limits
from pactkeeper.chat.searching import kind_of
from pactkeeper.chat.words import Question, read_question
from pactkeeper.intent.atoms import Atom
from pactkeeper.operators.observe import ScanReport, TestRow, scan_repo
from pactkeeper.operators.view import StateView
from pactkeeper.workspace import Workspace

if TYPE_CHECKING:
    from pactkeeper.intent.pact import Pact
    from pactkeeper.ledger.answering import Asker
    from pactkeeper.ledger.budget import Budget
    from pactkeeper.repo.snapshot import Snapshot

MOST_BYTES: Final = 64 << 20  # of all files that one question reads
BIGGEST: Final = 1 << 20  # bytes of a file that is searched; more is generated
_BEGINS: Final = re.compile(r"\[|\w+-\w+\.|\s*$")  # another entry of a file of the pact, or its end
_NO_TEXT: Final = (
    *(".png", ".jpg", ".jpeg", ".gif", ".ico", ".svg", ".pdf", ".zip", ".gz", ".woff", ".woff2", ".ttf"),
    *(".lock", ".min.js", ".map", ".snap", "package-lock.json"),
)


@dataclass
class Here:
    """The repository as one question sees it; `asker` and `budget` are None where no model is asked."""

    workspace: Workspace
    asker: Asker | None = None
    budget: Budget | None = None
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
        return read_question(question, paths=self.paths, prefixes=frozenset(prefixes))

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """What each file is for, by its path."""
        return {path: kind_of(path) for path in self.paths}

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

    def test(self, row: TestRow) -> Finding:
        """The lines of a test."""
        return self.lines(row.file, row.name_line, row.end_line)


class Writing:
    """An answer while it is written: every sentence with the findings that bear it."""

    def __init__(self) -> None:
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
        self._says.append(AnswerSentence(text, basis, tuple(places)))

    @property
    def says(self) -> tuple[AnswerSentence, ...]:
        """The sentences so far."""
        return tuple(self._says)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """What they cite."""
        return cited(self._found)

    def answer(self, verb: str, **parts: object) -> Answer:
        """The answer with what was said; a `cannot_tell` where nothing but a lack was."""
        only_lacks = all(one.basis == "missing" for one in self._says)
        limits = merged_limits(deduplicated(self._found), self.limits)
        given = {"kind": "cannot_tell" if only_lacks else "answer", "limitations": limits, **parts}
        return Answer(verb=verb, says=self.says, citations=self.citations, **given)  # type: ignore[arg-type]  # its own fields


def _same(one: Finding, two: Finding) -> bool:
    return (one.source, one.line, one.end) == (two.source, two.line, two.end)
