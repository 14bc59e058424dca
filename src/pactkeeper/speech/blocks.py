"""A message as blocks: text marked by a label, form, list or sign, and unmarked sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, Literal

from pactkeeper.speech.amounts import amount, is_setting
from pactkeeper.speech.clash import is_denied
from pactkeeper.speech.labels import (
    LISTED,
    Intent,
    Label,
    behind_correction,
    inner_labels,
    is_unknown_label,
    label_of,
    names_an_entry,
)
from pactkeeper.speech.languages import phrases_of
from pactkeeper.speech.replying import is_small_talk
from pactkeeper.speech.spans import (
    Span,
    TextLine,
    clean,
    is_reference,
    is_scenario,
    lines,
    listed,
    scenario_at,
    sentences,
    span,
)

BlockKind = Literal["labelled", "scenario", "pair", "swap", "anew", "item", "sentence"]
MOST_BLOCKS: Final = 300  # per message; a longer one is pasted from elsewhere, and the rest becomes one sentence
_PAIR: Final = re.compile(
    r"(?P<key>[^\W\d_][\w./ -]{0,48}?)\s*(?<![=!<>:+*/-])=(?!=)\s*(?P<value>[^=<>(){};?!]{1,100})"
)
_SWAP: Final = re.compile(r"(?P<old>[^\n]{1,200}?)\s+(?:->|→|=>|⇒)\s+(?P<new>[^\n]{1,300})")
_ARROW: Final = re.compile(r"\s(?:->|→|=>|⇒)\s")
_NAMED: Final = re.compile(r"(?P<key>[^\W\d_][^:：\n]{0,48}?)\s*[:：]\s+(?P<value>\S[^\n]{0,300})")
_STRUCK: Final = re.compile(r"~{1,2}(?P<old>[^~\n]{1,200})~{1,2}\s*(?P<new>[^\n]{0,300})")
_STOPS: Final = (".", "!", "?", ":", "…")
_WRAPPED: Final = 60  # length from which a program may have wrapped the line


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a message; `whole` is what is quoted, `value` what it says, `field` what a label names.

    `number` is that of a label or an item, `key` what a pair names, `old` what a swap removes, `intent` what the label
    asks for, and `quoted` somebody else's words right above. A block is `anew` if it corrects something without naming
    a field, or leads on to the number of an entry. A `casual` one is marked only among other marked blocks. An unmarked
    block may have a `field` too: where it may belong, for a person to confirm.
    """

    kind: BlockKind
    whole: Span
    value: str
    field: str = ""
    number: int = 0
    key: str = ""
    old: str = ""
    intent: Intent = "say"
    quoted: str = ""
    casual: bool = False

    @property
    def is_marked(self) -> bool:
        """Whether the block itself says what it is."""
        return self.kind not in {"item", "sentence"}


@dataclass(slots=True)
class _Section:
    """A label that applies to the lines below it; `level` is that of a heading, 0 for a label on its own line."""

    label: Label
    level: int
    indent: int
    items: bool = False
    parted: bool = False


def blocks(text: str) -> tuple[Block, ...]:
    """Split a message into blocks, in order."""
    found: list[Block] = []
    for block in _Reader(text).read():
        if len(found) == MOST_BLOCKS:
            rest = span(text, block.whole.start, len(text))
            found.append(Block("sentence", rest, clean(rest.text)))
            break
        found.append(block)
    if any(one.is_marked and not one.casual for one in found):
        return tuple(found)
    return tuple(replace(one, kind="sentence") if one.casual else one for one in found)


def is_nothing(value: str) -> bool:
    """Whether a form field's value means that it was left empty."""
    return value.casefold().strip(" _*.()-—–") in {"", *phrases_of("nothing")}


def before_arrow(text: str) -> str:
    """Return the words that a text replaces, as `30 days` in `30 days -> 60 days`; "" for other texts."""
    swap = _SWAP.fullmatch(text)
    return clean(swap["old"]) if swap else ""


class _Reader:
    """Reads the lines of a message, tracking the current label and the words quoted last."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines: Sequence[TextLine] = lines(source)
        self.section: _Section | None = None
        self.quoted = ""
        self.labelled = False

    def read(self) -> Iterator[Block]:
        at = 0
        while at < len(self.lines):
            steps = scenario_at(self.lines, at) if self.lines[at].text else None
            if steps is not None:
                whole = span(self.source, self.lines[at].start, self.lines[steps.last - 1].end)
                yield Block("scenario", whole, clean(steps.text), "acceptance_criteria")
                at = steps.last
                continue
            used, found = self._line(at)
            for block in found:
                yield replace(block, quoted=self.quoted)
                self.quoted = ""
            at += used

    def _line(self, at: int) -> tuple[int, list[Block]]:
        """The blocks of a line, and how many lines they take."""
        line = self.lines[at]
        if line.kind in {"blank", "rule"}:
            if self.section is not None:
                self.section.parted = True
            return 1, []
        if line.kind == "quote":
            self.quoted = f"{self.quoted}\n{line.text}".strip()
            return 1, []
        if self.section is not None and self._is_item_of(self.section, line):
            return self._item(self.section, at)
        label = self._label_at(at)
        if label is not None and (label.field or label.alone or line.kind == "heading"):
            return self._label(at, label)
        if line.kind == "heading":
            return 1, list(self._heading(line, at))
        if self.section is not None and (found := self._under(self.section, at)):
            return found
        if not (line.kind == "text" and line.text.startswith("(") and line.text.endswith(")")):  # a remark in a list
            self.section = None
        return 1, list(self._free(line))

    def _under(self, section: _Section, at: int) -> tuple[int, list[Block]] | None:
        """Read a line of text that the label above applies to; None if it no longer applies."""
        line, label = self.lines[at], section.label
        if not label.field:
            return (1, []) if is_nothing(line.text) else None
        if section.items or not label.alone or (section.parted and not section.level):
            return None  # it applies right below it, or anywhere below its heading
        cut = next(inner_labels(line.text, labelled=False), 0)
        if cut:
            before = span(self.source, line.start, line.start + cut)
            return 1, [*self._labelled(label, before, before.start), *self._free(self._from(line, cut))]
        return None if is_unknown_label(line.text) else self._paragraph(section, at)

    def _whole(self, line: TextLine) -> Span:
        return span(self.source, line.start, line.end)

    def _from(self, line: TextLine, cut: int) -> TextLine:
        """Return the part of a line from one of its characters on."""
        start = line.start + cut
        return replace(line, start=start, text=self.source[start : line.end].strip())

    def _label_at(self, at: int) -> Label | None:
        """Return the label a line starts with or is: a heading, or the name of a list right above its items."""
        line = self.lines[at]
        label = label_of(line.text, heading=line.kind == "heading")
        is_name = line.kind == "text" and line.text[-1:].isalpha() and line.text.casefold() not in phrases_of("casual")
        below = next((one for one in self.lines[at + 1 : at + 3] if one.kind != "blank"), None)
        if label is not None or not is_name or below is None or below.kind != "item":
            return label
        named = label_of(line.text, heading=True)
        return named if named is not None and named.field in LISTED else None

    def _is_item_of(self, section: _Section, line: TextLine) -> bool:
        """Whether an item belongs to the list under the current label."""
        if line.kind != "item" or line.indent <= section.indent:
            return False
        return section.level > 0 or section.items or not section.parted or section.label.alone

    def _item(self, section: _Section, at: int) -> tuple[int, list[Block]]:
        """Read an item under a label, with its indented continuation lines."""
        line, last = self.lines[at], at
        section.items, section.parted = True, False
        for following in self.lines[at + 1 :]:
            if following.kind != "text" or following.indent <= line.indent:
                break
            last += 1
        whole = span(self.source, line.start, self.lines[last].end)
        if not section.label.field:
            return last - at + 1, [Block("item", whole, clean(whole.text), number=line.number)]
        return last - at + 1, [self._said(replace(section.label, casual=False), whole, whole, number=line.number)]

    def _label(self, at: int, label: Label) -> tuple[int, list[Block]]:
        """Read a line that starts with a label: the value after it, and the section that it opens."""
        line = self.lines[at]
        self.labelled = True
        self.section = opened = _Section(label, line.level, line.indent if line.kind == "item" else -1)
        if label.alone and label.intent == "remove":
            self.section = None
            return 1, [_gone(label, self._whole(line))]
        if label.alone:
            return 1, []
        found = list(self._values(line, label))
        if label.field not in LISTED:
            if self.section is opened:  # no other label has started on its line
                self.section = None
            last = self._wrapped(at)
            if last > at and found and found[-1].kind == "labelled":
                first = found[-1].whole
                whole = span(self.source, first.start, self.lines[last].end)
                start = self.source.rindex(first.text[-1:], first.start, first.end)
                value = f"{found[-1].value} {clean(self.source[start + 1 : whole.end])}"
                found[-1] = replace(found[-1], whole=whole, value=value)
            return last - at + 1, found
        return 1, found

    def _wrapped(self, at: int) -> int:
        """Return the last line of a sentence that a program wrapped."""
        last = at
        while last + 1 < len(self.lines):
            line, following = self.lines[last], self.lines[last + 1]
            if line.end - line.start < _WRAPPED or line.text.endswith(_STOPS) or following.kind != "text":
                break
            if self._label_at(last + 1) or is_unknown_label(following.text):
                break
            last += 1
        return last

    def _values(self, line: TextLine, label: Label) -> Iterator[Block]:
        """Yield what a label says on its own line, up to where another label starts."""
        cut = next((at for at in inner_labels(line.text, labelled=True) if at >= label.length), 0)
        end = line.start + cut if cut else line.end
        yield from self._labelled(label, span(self.source, line.start, end), line.start + label.length)
        if cut:
            yield from self._free(self._from(line, cut))

    def _labelled(self, label: Label, whole: Span, start: int) -> Iterator[Block]:
        """Yield the value of a label; a title ends with its sentence, and a list may be on one line."""
        said = span(self.source, start, whole.end)
        if label.field == "title":
            first, *more = tuple(sentences(self.source, said)) or (said,)
            yield self._said(label, span(self.source, whole.start, first.end), first)
            yield from (self._sentence(one) for one in more)
        elif label.field in LISTED and label.intent == "say" and not label.number:
            parts = listed(self.source, said, label.field)
            for at, one in enumerate(parts):
                yield self._said(label, span(self.source, whole.start if not at else one.start, one.end), one)
        else:
            value, *reason = self._reasoned(said) if label.number else (said,)
            yield self._said(label, span(self.source, whole.start, value.end), value)
            yield from map(self._sentence, reason)

    def _said(self, label: Label, whole: Span, value: Span, *, number: int = 0) -> Block:
        said = clean(value.text)
        swap = _SWAP.fullmatch(said)
        if swap is not None and label.number and label.intent != "remove":
            return Block("swap", whole, clean(swap["new"]), label.field, label.number, old=clean(swap["old"]))
        pair = _PAIR.fullmatch(said) or _NAMED.fullmatch(said) if label.field == "constraints" else None
        key = "" if pair is None else pair["key"].strip()
        words = said if pair is None else pair["value"].strip()
        at = label.number or (0 if pair else number)
        casual = label.casual and not all(map(is_reference, said.replace(",", " ").split()))
        return Block("labelled", whole, words, label.field, at, key, intent=label.intent, casual=casual)

    def _paragraph(self, section: _Section, at: int) -> tuple[int, list[Block]]:
        """Read the text under a label: one value for a single field up to its end, one per line for a list."""
        last = at
        while last + 1 < len(self.lines) and self._goes_on(section, last + 1):
            last += 1
        while self.lines[last].kind == "blank":
            last -= 1
        self.section = section if section.label.field in LISTED and section.level else None
        whole = span(self.source, self.lines[at].start, self.lines[last].end)
        if section.label.field == "title":
            return last - at + 1, list(self._labelled(section.label, whole, whole.start))
        if section.label.field not in LISTED:
            return last - at + 1, [self._said(section.label, whole, whole)]
        own = [line for line in self.lines[at : last + 1] if line.text]
        if any(one.kind == "item" for one in self.lines[last + 1 : last + 2]):
            self.section = section
            return last - at + 1, [block for line in own for block in self._sentences(line)]
        values = (self._whole(line) for line in own)
        return last - at + 1, [self._said(section.label, one, one) for one in values]

    def _goes_on(self, section: _Section, at: int) -> bool:
        """Whether a line continues the paragraph under a label; under a heading, so do blank lines and lists."""
        line, single = self.lines[at], section.label.field not in LISTED
        if line.kind == "blank":
            return section.level > 0 and single
        if line.kind not in {"text", "item"} or self._label_at(at) is not None:
            return False
        if line.kind == "item":
            return single and section.level > 0
        if section.label.field == "title":
            return False
        return section.level > 0 or not is_unknown_label(line.text)

    def _heading(self, line: TextLine, at: int) -> Iterator[Block]:
        """Read a heading that is in no table: the first one above labels may be the title of a form."""
        self.section = None
        is_first = not any(one.text for one in self.lines[:at])
        below = (label_of(one.text, heading=one.kind == "heading") for one in self.lines[at + 1 :] if one.text)
        whole = self._whole(line)
        may_be_title = is_first and any(one and one.field for one in below)
        yield Block("sentence", whole, clean(whole.text), "title" if may_be_title else "")

    def _free(self, line: TextLine, *, casual: bool = False) -> Iterator[Block]:
        """Yield what no label above applies to: labels that fill a field, other marks, and sentences.

        A label at the end of a line opens a section. One after a sentence marks nothing by itself, unless that sentence
        is small talk or the label has a number.
        """
        label = label_of(line.text)
        if label is not None and label.field:
            self.section = _Section(label, 0, -1) if label.alone or label.field in LISTED else None
            if not label.alone:
                yield from self._values(line, replace(label, casual=label.casual or (casual and not label.number)))
            return
        cut = next(inner_labels(line.text, labelled=self.labelled and label is not None), 0)
        if cut:
            before = replace(line, end=line.start + cut, text=self.source[line.start : line.start + cut].strip())
            yield from self._sentences(before)
            yield from self._free(self._from(line, cut), casual=not is_small_talk(before.text))
        elif line.kind == "item":
            whole = self._whole(line)
            marked = self._marked(whole, line.number) or _changing(whole)
            yield marked or Block("item", whole, clean(whole.text), number=line.number)
        else:
            yield from self._sentences(line)

    def _sentences(self, line: TextLine) -> Iterator[Block]:
        whole = self._whole(line)
        said = tuple(sentences(self.source, whole))
        for one in chain.from_iterable(map(self._reasoned, said)) if _ARROW.search(whole.text) else (whole,):
            marked = self._marked(one, line.number)
            yield from [marked] if marked else map(self._sentence, sentences(self.source, one))

    def _reasoned(self, whole: Span) -> tuple[Span, ...]:
        """Split a new amount from the remark after its comma, unless that denies or asks something or is small talk."""
        swap = _SWAP.fullmatch(whole.text)
        head, _, rest = swap["new"].partition(", ") if swap else ("", "", "")
        if not rest or amount(clean(head)) is None or is_denied(rest) or rest.endswith("?") or is_small_talk(rest):
            return (whole,)
        at = whole.end - len(rest)
        return span(self.source, whole.start, at - len(", ")), span(self.source, at, whole.end)

    def _sentence(self, whole: Span) -> Block:
        said = clean(whole.text)
        kind: BlockKind = "scenario" if is_scenario(said, capital=True) else "sentence"
        return _changing(whole) or Block(kind, whole, said, "acceptance_criteria" if is_scenario(said) else "")

    def _marked(self, whole: Span, number: int) -> Block | None:
        """Return the block that a line's form marks: a key with its value, or new words replacing old ones."""
        said = clean(whole.text)
        right = behind_correction(said)
        if pair := _PAIR.fullmatch(right or said):
            intent: Intent = "correct" if right else "say"
            key, value = pair["key"].strip(), pair["value"].strip()
            doubtful = not right and not is_setting(value)
            return Block("pair", whole, value, "constraints", number, key, intent=intent, casual=doubtful)
        swap = _STRUCK.fullmatch(whole.text) or _SWAP.fullmatch(said)
        if swap is not None and not said.endswith("?"):
            return Block("swap", whole, clean(swap["new"]), "", number, old=clean(swap["old"]))
        return Block("anew", whole, clean(right), "", number, intent="correct") if right else None


def _changing(whole: Span) -> Block | None:
    """Return what a sentence changes by the number of an entry: it removes that one, or leads on to it."""
    said = clean(whole.text)
    label = label_of(said)
    if label is not None and label.alone and label.intent == "remove":
        return _gone(label, whole)
    return Block("anew", whole, said, intent="correct") if names_an_entry(said) else None


def _gone(label: Label, whole: Span) -> Block:
    return Block("labelled", whole, "", label.field, label.number, intent="remove")
