"""A snapshot's documents and their search: Markdown, reStructuredText, and documentation in source files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pactkeeper.errors import SourceError
from pactkeeper.intent.context import Passage
from pactkeeper.intent.patterns import matcher
from pactkeeper.intent.tests import Gap
from pactkeeper.repo.docs.index import Document, Hit, Index, every, excerpt_of, matches, searchable, some
from pactkeeper.repo.docs.sections import DocSection, Heading, cut, markdown_sections, plain
from pactkeeper.repo.languages.outline import Outline
from pactkeeper.repo.outlines import Outlines

FILE: Final = "docs.sqlite"
_SEVERAL: Final = 3  # with this many terms, a section containing only one of them isn't relevant enough
_FEW, _COMMON = 40, 25  # a word in at most 40 sections is rare; one in more than every 25th says little
_MANY: Final = 400  # sections; a word in more than these is never searched for on behalf of a test
_STEM: Final = 5  # letters that inflections of a word share


@dataclass(frozen=True, slots=True)
class Found:
    """Search results, best first: `total` counts all matching sections, `dropped` are words not searched for."""

    passages: tuple[Passage, ...]
    total: int
    terms: tuple[str, ...]
    dropped: tuple[str, ...]


class Documents:
    """The searchable documents of one snapshot; `read` counts the files that had to be indexed for it."""

    def __init__(self, index: Index, *, files: int, read: int, gaps: Iterable[Gap]) -> None:
        self._index = index
        self._gaps = tuple(sorted({*index.gaps(), *gaps}))
        self._sections = index.count()
        self._counts: dict[str, int] = {}
        self.files = files
        self.read = read

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """The documents that could not be read, sorted; a search without hits says nothing about them."""
        return self._gaps

    def search(self, words: Iterable[str], *, most: int, accept: Callable[[str], bool] | None = None) -> Found:
        """Find sections with all words, then those with some, each best first; `accept` filters by path."""
        terms, dropped = searchable(words)
        if not terms:
            return Found((), 0, (), dropped)
        whole, partly = every(terms), some(terms)
        wanted = (hit for hit in self._index.hits(whole) if accept is None or accept(hit.path))
        best = {hit.row: hit for hit in wanted}
        chosen = list(best.values())[:most]
        total = 0
        for hit in self._index.hits(partly) if len(terms) > 1 else best.values():
            if accept is None or accept(hit.path):
                total += 1
                if len(chosen) < most and hit.row not in best:
                    chosen.append(hit)
        passages = tuple(_passage(hit, self._index.marked(partly, hit)[1]) for hit in chosen)
        return Found(passages, total, terms, dropped)

    def best(
        self, words: Sequence[str], names: Sequence[str], *, most: int, accept: Callable[[Hit], bool]
    ) -> tuple[Passage, ...]:
        """Find the most relevant sections, each heading once and code for only part of them; hits aren't counted.

        If there are several terms, a section must contain two of the `words`, or one of the `names` of code. Words that
        occur in too many sections are ignored as long as others remain.
        """
        terms = self._telling(searchable((*words, *names))[0])
        telling, _ = searchable(names)
        query = some(terms)
        chosen: dict[tuple[str, ...], Passage] = {}
        for hit in self._index.hits(query) if terms else ():
            if len(chosen) == most:
                break
            place = (hit.path, *hit.trail)
            if place in chosen or not accept(hit) or (hit.code and _spent(chosen.values(), most)):
                continue
            headings, body = self._index.marked(query, hit)
            if _fits(matches(f"{headings} {body}"), terms, telling):
                chosen[place] = _passage(hit, body)
        return tuple(chosen.values())

    def _telling(self, terms: Sequence[str]) -> Sequence[str]:
        """Return the terms that few sections contain, or if fewer than two are that rare, all that aren't too common.

        A term in very many sections distinguishes none of them, and visiting them all for every test would take
        quadratic time.
        """
        for term in terms:
            if term not in self._counts:
                self._counts[term] = self._index.count(some((term,)))
        rare = [term for term in terms if self._counts[term] <= max(_FEW, self._sections // _COMMON)]
        return rare if len(rare) > 1 else [term for term in terms if self._counts[term] <= _MANY]


def _spent(chosen: Iterable[Passage], most: int) -> bool:
    """Whether documentation in code has used its share; short comments would leave no room for documents."""
    return sum(one.code for one in chosen) > most // 2


def _fits(matched: frozenset[str], terms: Sequence[str], names: Sequence[str]) -> bool:
    if len(terms) < _SEVERAL or not matched.isdisjoint(names):
        return True
    return len({word[:_STEM] for word in matched}) > 1


def _passage(hit: Hit, marked: str) -> Passage:
    return Passage(hit.path, hit.line, hit.last, hit.trail, excerpt_of(marked), hit.code)


@contextmanager
def open_documents(
    outlines: Outlines, folder: Path, *, notice: Callable[[str], None], exclude: Sequence[str] = ()
) -> Iterator[Documents]:
    """Index what changed in the documents of the outlines' snapshot, in `folder`; `exclude` are path patterns.

    Raises SourceError if documents can't be searched at all, so that an empty result always means there is no match.
    """
    snapshot = outlines.snapshot
    excluded = matcher(exclude)
    folder_of_pact = snapshot.folder
    paths = [
        path
        for path in snapshot.paths
        if not is_foreign(path) and not folder_of_pact.holds(path) and not excluded(path)
    ]
    code = set(outlines.owned(paths))
    blobs = {path: snapshot.blob(path) for path in paths if path in code or is_document(path)}
    wanted = {path: f"{outlines.version} {VERSION} {blob}" for path, blob in blobs.items() if blob is not None}
    with Index(folder / FILE, notice=notice) as index:
        read = index.show(_stamp(wanted), wanted, lambda missing: _read(outlines, missing, code))
        closed = (gap for gap in snapshot.gaps if gap.file in blobs)
        yield Documents(index, files=len(wanted), read=read, gaps=closed)


def _stamp(wanted: dict[str, str]) -> str:
    lines = [f"{path}\0{blob}" for path, blob in wanted.items()]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _read(outlines: Outlines, paths: Sequence[str], code: set[str]) -> Iterator[Document]:
    """Read the sections of files; those of source files come from their outlines."""
    snapshot = outlines.snapshot
    sources = [path for path in paths if path in code]
    outlines.prepare(sources)
    for path in sources:
        outline = outlines.outline(path)
        yield Document(path, outline_sections(outline), _gap(path, outlines.gaps if outline == Outline() else ()))
    for path, data in snapshot.read_many([path for path in paths if path not in code]):
        yield Document(path, sections_of(path, data) if data is not None else (), _gap(path, snapshot.gaps))
    if snapshot.unstable:
        raise SourceError("files changed while their documents were read; run again")


def _gap(path: str, gaps: Iterable[Gap]) -> str:
    return next((gap.reason for gap in gaps if gap.file == path), "")


_RULE: Final = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*\Z")
# precedes a heading to label it for cross-references, and has no content of its own
_LABEL: Final = re.compile(
    r"\.\. (?:_[^:]+:|(?:setting|signal|reqmeta|command|currentmodule|module|highlight|index)::.*)\s*\Z"
)
_SHORT: Final = 4  # an underline this long may be shorter than its title
_MARKUP: Final = (
    (re.compile(r"(?<![\w:.+-]):(?:[\w.+-]++:)++`!?~?([^`<]*+)(?:<[^`>]*+>)?`"), r"\1"),
    (re.compile(r"\\(.)"), r"\1"),
    (re.compile(r"[`*]+|\|(?=\w)|(?<=\w)\||(?<!_)_++$"), ""),
)


def rst_sections(text: str) -> Iterator[DocSection]:
    """Yield the sections of a reStructuredText document."""
    lines = ["" if _LABEL.match(line) else line for line in text.splitlines()]
    yield from cut(lines, list(_headings(lines)))


def _headings(lines: Sequence[str]) -> Iterator[Heading]:
    styles: list[tuple[str, bool]] = []
    number = 0
    while number < len(lines) - 1:
        found = _titled(lines, number)
        if found is None:
            number += 1
            continue
        style, title, size = found
        if style not in styles:
            styles.append(style)
        yield Heading(number + 1, number + size, styles.index(style) + 1, plain(title, _MARKUP))
        number += size


def _titled(lines: Sequence[str], number: int) -> tuple[tuple[str, bool], str, int] | None:
    """Return the heading that starts at a line (0-based): its style, its text, and how many lines it spans."""
    line = lines[number]
    if _RULE.match(line) and number + 2 < len(lines):
        title, below = lines[number + 1], lines[number + 2]
        if below.rstrip() == line.rstrip() and title.strip() and not _RULE.match(title):
            return (line[0], True), title, 3
    below = lines[number + 1]
    bare = line.strip()
    if not bare or line[0].isspace() or _RULE.match(line) or not _RULE.match(below):
        return None
    if number and lines[number - 1].strip():
        return None
    wide = len(below.rstrip())
    return ((below[0], False), bare, 2) if wide >= len(bare) or wide >= _SHORT else None


_FOREIGN: Final = re.compile(r"(?:^|/)(?:node_modules|site-packages|dist-packages|vendor|third_party)/")
_PLAIN: Final = re.compile(r"(?:^|/)(?:docs?|documentation)/.{0,1000}\.txt\Z|(?:^|/)readme[^/]*\.txt\Z", re.IGNORECASE)
_READERS: Final[dict[str, Callable[[str], Iterable[DocSection]]]] = {
    ".md": markdown_sections,
    ".markdown": markdown_sections,
    ".mdx": markdown_sections,
    ".rst": rst_sections,
    ".txt": rst_sections,
}
VERSION: Final = 1  # bumped with every change to what a reader produces


def is_foreign(path: str) -> bool:
    """Whether a file is third-party code."""
    return _FOREIGN.search(path) is not None


def is_document(path: str) -> bool:
    """Whether a file is written for people; plain text only counts in documentation folders and as a readme."""
    suffix = _suffix(path)
    return suffix in _READERS and (suffix != ".txt" or _PLAIN.search(path) is not None)


def sections_of(path: str, data: bytes) -> Iterator[DocSection]:
    """Yield the sections of a document; bytes that aren't UTF-8 become replacement characters."""
    yield from _READERS[_suffix(path)](data.decode("utf-8-sig", "replace"))


def _suffix(path: str) -> str:
    dot = path.rfind(".")
    return path[dot:].lower() if dot > path.rfind("/") else ""


def outline_sections(outline: Outline) -> Iterator[DocSection]:
    """Yield one section per documentation comment; the trail is the name of what it documents."""
    if outline.doc:
        yield _section((), outline.doc, outline.doc_line)
    for one in outline.definitions:
        if one.doc:
            yield _section(tuple(one.name.split(".")), one.doc, one.doc_line)


def _section(trail: tuple[str, ...], doc: str, line: int) -> DocSection:
    return DocSection(line, line + doc.count("\n"), trail, doc, code=True)
