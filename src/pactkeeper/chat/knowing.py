"""What a question names and its answer must have: numbers, days, names, and the words of a claim.

An answer without one of them is none, however well the rest of it fits.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import takewhile
from typing import Any, Final

from pactkeeper.chat.matching import CODE, PROMISED, ideas_of
from pactkeeper.chat.words import ATOM, FILE, Question, form_of, is_light, terms_in
from pactkeeper.speech.amounts import is_period, plain
from pactkeeper.speech.clash import compare, phrase_in
from pactkeeper.speech.dates import Date, Side, apart, dates_in
from pactkeeper.speech.languages import words_of

# Answers that claim something of the whole subject; a search only quotes places, which say themselves what they have.
CLAIMS: Final = frozenset({"search_atoms", "show_evidence", "list_commitments", "backed_atoms", "unbacked_atoms"})
DATED: Final = frozenset({"explore", "list_commitments"})  # answers of the days that a question names
CHANGED: Final = "touched"  # the idea shared by words for changes
BROKE: Final = "broke"  # the past of what fails
_WEEK: Final = 7  # days
HEALTHY: Final = "healthy"  # the idea shared by words for tests that pass or fail
STATED: Final = frozenset({"search_atoms", "show_evidence"})  # answers to what is claimed in the question
_WORD: Final = re.compile(r"[\w'’]+")
_NUMBER: Final = re.compile(r"(?<![^\W_])\d{1,15}(?:[.,]\d{1,15}){0,4}(?![^\W_])")
_PLACE: Final = re.compile(r"(\.\w{1,10}):\d{1,9}(?:-\d{1,9})?")  # a path with its line, which is no figure
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_ECHO: Final = re.compile(r"'[^'\n]{1,200}'")  # how answers repeat words of the question
_SIDES: Final[Mapping[Side, str]] = {"from": "since ", "until": "until ", "on": ""}
_BEFORE: Final = 4  # the most words that bound a day
_SENTENCE: Final = re.compile(r"(?:^|[.?!:])\s{0,3}\w+")


def days_in(question: Question) -> tuple[Date, ...]:
    """Return the days that a question names.

    In a question about the past, a weekday is the last one of that name, and `this week` and the like are their first
    day and, if they are over, their last. Else they are words like any other: `which price applies on Sunday?`.
    """
    return tuple(one for one, _ in named_days(question))


def named_days(question: Question) -> tuple[tuple[Date, str], ...]:
    """Return the days that a question names, each with its words and the side: `since Tuesday`."""
    found = [(one, _of_calendar(one, question)) for one in dates_in(question.text.lower())]
    named = [(day, _SIDES[day.side] + question.text[one.start : one.end].strip()) for one, day in found if day]
    spans = [day for span in _spans_in(question) for day in span]
    return (*named, *((one, f"{_SIDES[one.side]}{iso(one)}") for one in spans))


def _of_calendar(one: Date, question: Question) -> Date | None:
    if not one.weekday or one.day:
        return one
    if question.today is None or not (one.side != "on" or _asks_past(question)):
        return None
    day = question.today - timedelta((question.today.isoweekday() - one.weekday) % _WEEK or _WEEK)
    return replace(one, year=day.year, month=day.month, day=day.day, weekday=0)


def _asks_past(question: Question) -> bool:
    """Whether a question asks what was changed, promised or done, or broke: `what did …`; or how main stood."""
    changed = any(CHANGED in ideas_of(word) or promised(word) for word in question.words)
    asked = {word.lower() for word in question.words}
    stood = frozenset().union(*map(ideas_of, question.words)) >= {"build", HEALTHY}
    return changed or stood or BROKE in asked or not words_of("past").isdisjoint(asked)


def _spans_in(question: Question) -> Iterator[tuple[Date, ...]]:
    """Yield the days that begin and end each span of the calendar in a question about the past: `last week`."""
    if question.today is None or not _asks_past(question):
        return
    text = question.text.lower()
    for row, (first, last) in _spans(question.today).items():
        found = phrase_in(row, text) if len(text) == len(question.text) else None
        if found is not None:
            sides: tuple[tuple[Side, date], ...] = (("from", first), ("until", last))
            yield tuple(
                Date(day.year, day.month, day.day, side=side, start=found.start(), end=found.end())
                for side, day in sides
                if side == "from" or day < question.today
            )


def _spans(today: date) -> Mapping[str, tuple[date, date]]:
    """The first and last day of each span of the calendar that a row of the languages names; weeks begin on Monday."""
    week, month = today - timedelta(today.weekday()), today.replace(day=1)
    before = month - timedelta(1)
    return {
        "today": (today, today),
        "yesterday": (today - timedelta(1), today - timedelta(1)),
        "this_week": (week, today),
        "last_week": (week - timedelta(_WEEK), week - timedelta(1)),
        "this_month": (month, today),
        "last_month": (before.replace(day=1), before),
    }


def iso(one: Date) -> str:
    """Return a whole day as its date."""
    return f"{one.year}-{one.month:02}-{one.day:02}"


def say_days(question: Question) -> Iterator[str]:
    """Say which dates the weekdays and spans of a question were read as."""
    weekdays = {one.start for one in dates_in(question.text.lower()) if one.weekday and not one.day}
    spans = list(_spans_in(question))
    for one, _ in named_days(question):
        if one.start in weekdays:
            yield f"{question.text[one.start : one.end].strip()!r} was read as {iso(one)}."
    for first, *last in spans:
        begins, until = iso(first), iso(last[0]) if last else str(question.today)
        days = begins if until == begins else f"{begins} to {until if last else 'today'}"
        yield f"{question.text[first.start : first.end]!r} was read as {days}."


def words_of_name(name: str) -> frozenset[str]:
    """Return the words of a person's name, without an address, as `bare` has them."""
    return frozenset(bare(name.partition("<")[0]).split())


def bare(text: str) -> str:
    """Return a text without accents and in one case, as people write names of others: `Amélie` and `Amelie`."""
    parts = unicodedata.normalize("NFKD", text)
    return "".join(one for one in parts if not unicodedata.combining(one)).casefold()


def promised(word: str) -> bool:
    """Whether a word means what was declared or committed as a whole."""
    return not ideas_of(word).isdisjoint(PROMISED)


def asks_state(word: str) -> bool:
    """Whether a word asks how promises stand, and so is no part of what they say: `promise`, `green`, `passing`."""
    return promised(word) or HEALTHY in ideas_of(word)


def names_in(question: Question) -> tuple[str, ...]:
    """Return the words that are written like names: with a capital, though no sentence begins with them.

    German writes all nouns so, and some people everything.
    """
    first = {hit[0].split()[-1].lstrip(".?!:") for hit in _SENTENCE.finditer(question.text)}
    plain_words = [one for one in question.words if one not in {FILE, ATOM}]
    written = [one for one in plain_words if len(one) > 1 and one[0].isupper() and one not in first]
    if question.foreign or len(written) * 2 > len(plain_words):
        return ()
    days = _words_of_days(question)
    return tuple(one for one in written if one.lower() not in days | question.called)


def _words_of_days(question: Question) -> frozenset[str]:
    """Return the words of the days, and those right before that bound one: `after`, `since last`."""
    folded = question.text.lower()
    bounds = words_of("since") | words_of("until") | words_of("date_links")
    found: set[str] = set()
    for one in days_in(question):
        found |= {*folded[one.start : one.end].split()}
        before = reversed(folded[: one.start].split()[-_BEFORE:]) if one.side != "on" else ()
        found |= {*takewhile(bounds.__contains__, before)}
    return frozenset(found)


def without_days(question: Question, words: Sequence[str]) -> tuple[str, ...]:
    """Return the words that are not part of a day."""
    days = _words_of_days(question)
    return tuple(one for one in words if one.lower() not in days)


def known_only(
    question: Question, document: Mapping[str, Any], read: Callable[[str], bytes | None] = lambda _: None
) -> dict[str, Any]:
    """Name what an answer lacks of what its question names; `read` gives the files that it quotes.

    Without a number, a day or a name it cannot tell; without another word of its subject it is only close, and so is an
    answer about the past that does not look at days. A search says which words it didn't find, and may quote lines
    below the name that they are about, so any line of their files may have it.
    """
    dated = document["verb"] in DATED or document.get("arguments", {}).get("past", False)
    unlooked = "" if dated else _unlooked(question, document["verb"])
    days = say_days(question) if dated else (unlooked,) if unlooked else ()
    document = {**document, "says": [*map(_missing, days), *document["says"]]}
    if document["kind"] not in {"answer", "closest"} or document["verb"] in {"", "explain_atom"}:
        return document
    hard, soft = _lost(question, document, read)
    if periods := _only_periods(question, document["arguments"]):
        kind, text = "cannot_tell", f"{periods!r} isn't read as days; name them, such as: since 2026-11-20."
    elif hard or soft:
        kind = "cannot_tell" if hard else "closest"
        text = f"Nothing that was found has: {', '.join((*hard, *soft))}."
    elif document["verb"] in STATED and (contrary := _contrary(question, _quoted(document))):
        kind, text = "closest", f"This may say the contrary of what is asked: {contrary}"
    else:
        return {**document, "kind": "closest" if unlooked else document["kind"]}
    return {**document, "kind": kind, "says": [_missing(text), *document["says"]]}


def _lost(
    question: Question, document: Mapping[str, Any], read: Callable[[str], bytes | None]
) -> tuple[list[str], list[str]]:
    """Return the days, numbers and names that an answer lacks, and the other words of its subject."""
    figures, told = _evidence(document)
    verb = document["verb"]
    names = [one for one in _lost_names(question, told) if verb in CLAIMS or not _in_files(one, document, read)]
    hard = [*_lost_days(question, told), *_lost_numbers(question, figures), *names]
    words = () if verb == CODE else without_days(question, document["arguments"].get("words", ()))
    soft = list(_lost_words(words, told, {one.lower() for one in hard}))
    return hard, [*soft, *(_lost_negations(question, _quoted(document)) if verb in STATED else [])]


def _quoted(document: Mapping[str, Any]) -> str:
    return "\n".join(one["quote"] for one in document["citations"])


def _only_periods(question: Question, given: Mapping[str, Any]) -> str:
    """Return the words of a question about the past if it names nothing but units of time, and no days: `this week`."""
    words = given.get("words", ()) if given.get("past") and not days_in(question) else ()
    return " ".join(words) if all(is_period(one.lower()) for one in words) else ""


def one_of_several(document: Mapping[str, Any], others: Sequence[str]) -> dict[str, Any]:
    """Name the questions that an answer leaves out; an answer to one of several is only close."""
    if not others or document["kind"] != "answer":
        return dict(document)
    text = f"Not answered: {' '.join(others)} Ask one question at a time."
    return {**document, "kind": "closest", "says": [_missing(text), *document["says"]]}


def _missing(text: str) -> dict[str, Any]:
    return {"text": text, "basis": "missing", "cites": []}


def _unlooked(question: Question, verb: str) -> str:
    """Say that an answer does not look at the days since or until which it is asked; empty if it does, or none are."""
    bounds = " and ".join(text for one, text in named_days(question) if one.side != "on")
    return f"This is not narrowed to: {bounds}." if bounds and verb and verb not in CLAIMS else ""


def _evidence(document: Mapping[str, Any]) -> tuple[str, str]:
    """Return the text in which figures count, and the text in which words do: quotes, and what was found by itself."""
    quotes = [f"{one['path']}\n{one['quote']}" for one in document["citations"]]
    found = [(one["basis"], _ECHO.sub(" ", one["text"])) for one in document["says"] if one["basis"] != "missing"]
    figures = "\n".join([*quotes, *(text for basis, text in found if basis != "computed")])
    return _DAY.sub(" ", _PLACE.sub(r"\1", figures)), "\n".join([*quotes, *(text for _, text in found)])


def _lost_days(question: Question, told: str) -> Iterator[str]:
    wanted = named_days(question)
    there = dates_in(told.lower()) if wanted else ()
    for one, text in wanted:
        if not any(not apart(one, other) for other in there):
            yield text if one.side == "on" else f"a day {text}"


def _lost_numbers(question: Question, figures: str) -> Iterator[str]:
    words = without_days(question, [one for one in question.words if one not in {FILE, ATOM}])
    wanted = dict.fromkeys(_NUMBER.findall(plain(" ".join(words))))
    there = set(_NUMBER.findall(plain(figures.replace("_", " ")))) if wanted else set()
    yield from (one for one in wanted if one not in there)


def _lost_names(question: Question, told: str) -> Iterator[str]:
    names = [one for one in dict.fromkeys(names_in(question)) if not form_of(one).count(told)]
    there = frozenset(_WORD.findall(bare(told))) if names else frozenset()
    yield from (one for one in names if bare(one) not in there)


def _in_files(name: str, document: Mapping[str, Any], read: Callable[[str], bytes | None]) -> bool:
    files = (read(path) for path in dict.fromkeys(one["path"] for one in document["citations"]))
    return any(form_of(name).places(data, data.lower()) for data in files if data)


def _lost_negations(question: Question, quoted: str) -> list[str]:
    """Return the negations of a question if no quoted line has one."""
    there = words_of("negations")
    asked = [one for one in question.words if one.lower() in there]
    return [] if not asked or not there.isdisjoint(_WORD.findall(quoted.lower())) else asked


def _contrary(question: Question, quoted: str) -> str:
    """Return the first quoted line that excludes what a question asks for: `never booked twice` for `booked twice`."""
    lines = (one.strip().strip("\"'#/*- ") for one in quoted.splitlines())
    return next((one for one in lines if compare(question.text, one).verdict in {"clash", "unsure"}), "")


def _lost_words(words: Sequence[str], told: str, besides: Collection[str]) -> Iterator[str]:
    for one in terms_in(words):
        if (
            one.lower() not in besides
            and not (is_light(one) or asks_state(one) or plain(one).isdigit())
            and not form_of(one).count(told)
        ):
            yield one
