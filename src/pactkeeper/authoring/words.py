"""Words for tests: what rules find in a sentence, and tests that need one as a text to fill in or as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.errors import InputError
from pactkeeper.intent.quality import DEFAULT, AtomWords, Quality, QualityVocabulary, assess
from pactkeeper.intent.quality.examined import MISSING, Examined, examine

_HEAD: Final = """\
# Say in one sentence what each test is for, behind its number. A filled line is accepted; an empty one stays open.
# `=` takes the sentence a), `=b` takes b). Lines that begin with # are for reading.
# {count} without words{more}.
"""
_LINE: Final = re.compile(r"\d+ ?>(.*)")
_TEST: Final = "# test    "
_DRAFT: Final = re.compile(r"# {7}[a-h]\) (.+)")
_LETTERS: Final = "abcdefgh"
_COLUMNS: Final = ("test", "sentence", "drafts", "why", "checks", "place")
_UNSEEN: Final = "none was recognised; read the test, or what it calls"
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Open:
    """A test that needs words: why, what it checks, drafted sentences, its location, and its source lines."""

    test: str
    why: str = ""
    checks: tuple[str, ...] = ()
    drafts: tuple[str, ...] = ()
    place: str = ""
    lines: tuple[str, ...] = ()


def sheet(rows: Sequence[Open], *, left: int = 0) -> str:
    """The text for a person to fill in; `left` is how many more tests are not on it."""
    count = f"{len(rows)} {'test' if len(rows) == 1 else 'tests'}"
    more = f", {left} more come after these" if left else ""
    return "".join((_HEAD.format(count=count, more=more), *(_block(at, row) for at, row in enumerate(rows, start=1))))


def _block(number: int, row: Open) -> str:
    shown = [f"| {one}" for one in row.lines] or [f"checks  {one}" for one in row.checks or (_UNSEEN,)]
    said = [f"at      {row.place}", f"why     {row.why}", *shown]
    said += [f"      {letter}) {one}" for letter, one in zip(_LETTERS, row.drafts, strict=False)]
    head = f"\n{_TEST}{_in_one_line(row.test)}\n"
    return head + "".join(f"# {_in_one_line(one)}\n" for one in said) + f"{number} > \n"


def _in_one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)


def filled(text: str, rows: Sequence[Open]) -> Mapping[str, str]:
    """The sentences of a filled-in sheet by test id, which the comment above each line names, with the drafts it shows.

    A sheet may be given again after some of its tests have their words. Raises InputError naming everything that can't
    be read.
    """
    known = {_in_one_line(row.test): row.test for row in rows}
    found: dict[str, str] = {}
    wrong: list[str] = []
    named, row = "", Open("")
    for at, line in enumerate(text.splitlines(), start=1):
        if line.startswith(_TEST):
            named = line.removeprefix(_TEST).strip()
            row = Open(known.get(named, named))
        elif draft := _DRAFT.fullmatch(line):
            row = replace(row, drafts=(*row.drafts, draft[1]))
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None or not named:
            wrong.append(
                f"line {at}: {line!r} isn't a line for a test; it starts with a number and >, below '{_TEST}ID'"
            )
        elif match[1].strip() and row.test in found:
            wrong.append(f"line {at}: {row.test!r} has two sentences")
        elif match[1].strip():
            found[row.test] = _taken(match[1].strip(), row, f"line {at}", wrong)
    if wrong:
        raise InputError("\n".join(wrong))
    return found


def _taken(said: str, row: Open, place: str, wrong: list[str]) -> str:
    """The sentence itself, or the draft that `=` names."""
    if said.startswith("="):
        letter = said[1:].strip() or "a"
        at = _LETTERS.find(letter) if len(letter) == 1 else -1
        if not 0 <= at < len(row.drafts):
            wrong.append(f"{place}: {said!r} names no draft of {row.test!r}")
            return ""
        return row.drafts[at]
    if len(said.split()) == 1 and said.isascii():
        wrong.append(f"{place}: {said!r} is not a sentence; say what the test is for, or leave the line empty")
    return said


def table(rows: Sequence[Open]) -> str:
    """The rows as CSV for a spreadsheet; no cell can be taken for a formula."""
    written = io.StringIO()
    out = csv.writer(written, lineterminator="\n")
    out.writerow(_COLUMNS)
    for row in rows:
        cells = ((row.test,), (), row.drafts, (row.why,), row.checks or (_UNSEEN,), (row.place,))
        texts = ("\n".join(map(_in_one_line, lines)) for lines in cells)
        out.writerow([f"'{text}" if text.startswith(_FORMULA) else text for text in texts])
    return written.getvalue()


def read_table(text: str, tests: Iterable[str] = ()) -> Mapping[str, str]:
    """The sentences in a table, by id of these tests; raises InputError naming what can't be read."""
    rows = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        listed = [(rows.line_num, row) for row in rows]
    except csv.Error as error:
        raise InputError(f"line {rows.line_num}: {error}; the file must be CSV with a comma between cells") from error
    missing = [name for name in _COLUMNS[:2] if name not in (rows.fieldnames or ())]
    if missing:
        raise InputError(f"the table has no column {missing[0]!r}; keep the first line as it was written")
    return _sentences(listed, {_in_one_line(one): one for one in tests})


def _sentences(rows: Sequence[tuple[int, Mapping[str, str | None]]], known: Mapping[str, str]) -> Mapping[str, str]:
    found: dict[str, tuple[int, str]] = {}
    wrong: list[str] = []
    for line, row in rows:
        shown, said = _cell(row, "test"), " ".join(_cell(row, "sentence").split())
        test = known.get(shown, shown)
        if said:
            drafts = tuple(_cell(row, "drafts").splitlines())
            said = _taken(said, Open(test, drafts=drafts), f"line {line}", wrong)
        before, held = found.setdefault(test, (line, said)) if said else (line, said)
        if held != said:
            wrong.append(f"lines {before} and {line}: {test!r} has two sentences; leave one of them")
    if wrong:
        raise InputError("\n".join(wrong))
    return {test: said for test, (_, said) in found.items()}


def _cell(row: Mapping[str, str | None], name: str) -> str:
    """A cell without the quote that keeps a spreadsheet from taking it for a formula."""
    return (row.get(name) or "").removeprefix("'")


def questions(seen: Examined) -> tuple[str, ...]:
    """The questions that a sentence raises, most important first, without duplicates."""
    return tuple(dict.fromkeys((*_of_statement(seen), *_of_joints(seen), *_of_words(seen), *_of_results(seen))))


def _of_statement(seen: Examined) -> Iterator[str]:
    if not seen.intent.states:
        yield "Who or what does what, and what is seen when it is done?"
    elif seen.intent.unnamed:
        yield f"{seen.intent.unnamed!r}: who or what is it?"
    elif seen.intent.opaque:
        yield f"{seen.intent.opaque!r}: what is seen, shown or changed when it happens?"


def _of_joints(seen: Examined) -> Iterator[str]:
    for joint in seen.joints[:1]:
        yield f"{joint!r}: can one part hold while the other does not? Then they are two atoms."


def _of_words(seen: Examined) -> Iterator[str]:
    for vague in seen.intent.vague:
        yield f"{seen.intent.text[vague.start : vague.end]!r}: {MISSING[vague.kind].question}"


def _of_results(seen: Examined) -> Iterator[str]:
    if not seen.outcomes:
        yield "What would somebody read, see or measure when it holds: a value, a message, a status?"
    elif not seen.concrete_outcomes:
        yield f"{seen.outcomes[0].text!r}: which value, message or state is it?"


@dataclass(frozen=True, slots=True)
class Refinement:
    """A verdict on words, the phrases that join a second behaviour (`joints`), and open questions.

    Better words are never guessed: they come from a person, or from a model whose suggestion a person accepts.
    """

    words: AtomWords
    quality: Quality
    joints: tuple[str, ...]
    questions: tuple[str, ...]


def refine(words: AtomWords, vocabulary: QualityVocabulary = DEFAULT) -> Refinement:
    """Judge words and list what only people can answer; nothing is made up."""
    quality = assess(words, vocabulary)
    if not quality.judged:
        asked = f"This looks like {quality.language}, which the rules do not read: what does it say in English?"
        return Refinement(words, quality, (), (asked,))
    seen = examine(words, vocabulary)
    return Refinement(words, quality, seen.joints, questions(seen))
