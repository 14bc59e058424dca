"""Labels: how people name a field before they fill it, correct it, or remove it; every repeat is bounded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from pactkeeper.speech.languages import LANGUAGES, either, phrases, phrases_of

Intent = Literal["say", "correct", "remove"]
LISTED: Final = frozenset(
    {"acceptance_criteria", "constraints", "open_questions", "dependencies", "risks", "evidence_links"}
)
_MARK: Final = r"[*_]{0,3}"
_LEAD: Final = r"[^\w\s*_<\"'“(\[{$€£`]{0,4}\s?"  # an emoji or an arrow that stands before a label
LEAD: Final = re.compile(r"[^\W\d_]{1,20},\s{1,3}(?=\S)")  # `Actually, AC 2: …`: one word is no sentence of its own
_LINKS: Final = r"(?:[^\W\d_]{1,4}\s{1,40}){0,2}"  # `to the`, `zu`, `de la`
_UNKNOWN: Final = re.compile(
    r"[*_]{0,3}[A-ZÄÖÜÉÁ][^\s:：]{0,30}(?: [^\s:：]{1,30}){0,4}[*_]{0,3}[:：][*_]{0,3}(?=\s|$)"
)
_INTRODUCES: Final = re.compile(r"[^\n]{0,200}[:：][*_]{0,3}\s*$")
_SPOKEN: Final = re.compile(r"(?:the|das|le|el)\s+[^\W\d_]")  # a lower-case article, without a mark before it
_MOST: Final = 120  # the maximum length of a label, in characters


@dataclass(frozen=True, slots=True)
class Label:
    """A label at the start of a line; its value starts after `length` characters.

    `field` is its row of the tables, empty if it fills no field. `number` is its number, 0 for none; `alone` means that
    nothing follows it on its line. A `casual` one is a word with which people also start ordinary remarks, or is inside
    a line: it marks nothing by itself.
    """

    field: str
    length: int
    alone: bool
    number: int = 0
    intent: Intent = "say"
    casual: bool = False


@cache
def names() -> Mapping[str, str]:
    """Map every label of every language to the field that it names; parts of forms map to ""."""
    found = {one: "" for table in LANGUAGES for one in phrases(table.other_labels)}
    for table in LANGUAGES:
        found |= {one: field for field, row in table.labels.items() for one in phrases(row)}
    return found


def label_of(text: str, *, heading: bool = False) -> Label | None:
    """Return the label at the start of a line; a heading, or words all in bold, need no mark after them."""
    if heading or _is_bold(text):
        whole = names().get(_name(text))
        if whole is not None:
            return Label(whole, len(text), alone=True)
    gone = _removal().fullmatch(text)
    if gone is not None:
        return Label(names()[_name(gone["name"])], len(text), alone=True, number=int(gone["number"]), intent="remove")
    hit = _pattern().match(text)
    if hit is None or _is_remark(hit):
        return None
    name = _name(hit["name"])
    alone = not text[hit.end() :].strip(" *_")
    casual = name in phrases_of("casual") and text.lstrip()[:1] not in {"*", "_"}
    length = len(text) if alone else hit.end()
    return Label(names()[name], length, alone, int(hit["number"] or 0), _intent(hit), casual)


def _intent(hit: re.Match[str]) -> Intent:
    """What a label asks for; `New criterion: …` is one more, while `New title: …` and `New AC 2: …` correct."""
    right = hit["right"] or hit["righted"]
    if (
        right
        and not hit["number"]
        and names()[_name(hit["name"])] in LISTED
        and right.casefold() in phrases_of("casual")
    ):
        return "say"
    if right:
        return "correct"
    return "remove" if hit["gone"] else "say"


def _is_remark(hit: re.Match[str]) -> bool:
    """Whether a line that has the form of a label only speaks of a thing of that name."""
    if hit["mark"] == "=" and names()[_name(hit["name"])] == "constraints":
        return True  # `limit = 60` names the limit
    if _intent(hit) == "say" and _SPOKEN.match(hit.string):
        return True  # `the title: field is too short` is about a title
    return bool(hit["lead"]) and not hit.string[hit.end("lead")].isupper()


def inner_labels(text: str, *, labelled: bool) -> Iterator[int]:
    """Yield positions of labels inside a line: capitalised after a mark or another label, or at its end."""
    for hit in (one for one in _inner().finditer(text) if not one["colon"]):
        begins_large = hit["name"][:1].isupper() and (hit["end"] or labelled)
        if begins_large or (hit["end"] and not text[hit.end() :].strip()):
            yield hit.start("label")


def names_an_entry(text: str) -> bool:
    """Whether a sentence leads on to a numbered label, or speaks of removing one, and is no question.

    `Sorry, I meant: AC 1: …`, `I think we can drop AC 2 now.`
    """
    found = (hit for hit in _inner().finditer(text) if hit["number"] and hit["name"][:1].isupper())
    is_led_on = any(names()[_name(hit["name"])] for hit in found)
    return not text.endswith("?") and (is_led_on or _removal().search(text) is not None)


def behind_correction(text: str) -> str:
    """Return the words after a `Correction:` that names no field; "" for other texts, such as `Update:`."""
    hit = _correction().match(text)
    return text[hit.end() :] if hit else ""


def is_unknown_label(text: str) -> bool:
    """Whether a line starts with a label that is in no table, or only introduces what follows."""
    return _UNKNOWN.match(text) is not None or _INTRODUCES.fullmatch(text) is not None


def field_named(text: str) -> str:
    """Return the field that words name, such as `the title` or `AC`, or ""."""
    found = names()
    name = _name(text)
    return found.get(name) or found.get(name.partition(" ")[2], "") or found.get(f"{name}s", "")


def _is_bold(text: str) -> bool:
    bare = text.strip()
    return len(bare) > 2 and bare[0] in "*_" and bare[-1] in "*_" and len(bare) < _MOST  # noqa: PLR2004 - two marks


def _name(text: str) -> str:
    bare = " ".join(text.casefold().replace("’", "'").split())
    bare = re.sub(r"\s?\([^)]{0,80}\)", "", bare.strip(" *_:：?？.#"))
    return " ".join(re.sub(r"[?.,]", "", bare).split())


@cache
def _pattern() -> re.Pattern[str]:
    right, gone = either(phrases_of("corrections")), either(phrases_of("removals"))
    name = rf"(?P<name>{either(names())})(?:\s?#?(?P<number>\d{{1,2}}))?"
    return re.compile(
        rf"{_LEAD}(?P<lead>{LEAD.pattern})?{_MARK}(?:(?:(?P<right>{right})\b[:：,]?|(?P<gone>{gone})\b[:：]?)\s{{1,40}}{_LINKS})?(?:the\s{{1,40}})?{name}"
        rf"(?:\s{{1,40}}(?P<righted>\(?(?:{right})\)?))?(?:\s?\([^()]{{0,40}}\))?[?]?{_MARK}\s?"
        rf"(?P<mark>[:：]|=(?!=)|(?<=[*_])\s?[–—-](?=\s)){_MARK}\s{{0,40}}",
        re.IGNORECASE,
    )


@cache
def _correction() -> re.Pattern[str]:
    sure = tuple(one for one in phrases_of("corrections") if one not in phrases_of("casual"))
    return re.compile(rf"{_MARK}(?:{either(sure)}){_MARK}\s?[:：]\s{{0,40}}", re.IGNORECASE)


@cache
def _removal() -> re.Pattern[str]:
    gone = either(phrases_of("removals"))
    what = rf"(?P<name>{either(names())})\s?#?(?P<number>\d{{1,2}})(?!\w)"
    return re.compile(
        rf"(?<!\w)(?:{LEAD.pattern})?{_MARK}(?P<before>(?:{gone})\s{{1,40}}{_LINKS})?{what}"
        rf"(?(before)|\s{{1,40}}(?:{gone})(?!\w))[.!:]?{_MARK}",
        re.IGNORECASE,
    )


@cache
def _inner() -> re.Pattern[str]:
    return re.compile(
        rf"(?:(?P<end>[.;,!?…|/)])|(?P<colon>[:：])|(?<=\w))\s{{1,40}}"
        rf"(?P<label>{_MARK}(?P<name>{either(names())})(?:\s?#?(?P<number>\d{{1,2}}))?"
        rf"{_MARK}\s?[:：]{_MARK}(?=\s|$))",
        re.IGNORECASE,
    )
