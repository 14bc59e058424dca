"""The parts of a sentence: opening condition, subject, predicate, what is joined to it, closing condition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pactkeeper.intent.reading.classes import FINITE_BE, PAIRS
from pactkeeper.intent.reading.tagging import with_verb, words_of
from pactkeeper.intent.reading.words import Word
from pactkeeper.intent.wording.tables import table

GroupKind = Literal["passive", "be", "modal", "have", "do", "third", "base", "past"]
JoinKind = Literal["verb", "clause", "gerund"]


@dataclass(frozen=True, slots=True)
class Group:
    """A finite verb with its auxiliaries: `has not been sent`; `verb` is the position of its full verb."""

    start: int
    end: int
    kind: GroupKind
    verb: int


@dataclass(frozen=True, slots=True)
class Join:
    """Something that carries a further verb: `word` to `last` is what joins, the right side begins at `start`."""

    word: int
    start: int
    kind: JoinKind
    group: Group | None


@dataclass(frozen=True, slots=True)
class Reading:
    """One sentence, as positions in its words.

    The opening condition is `[0, lead)`, the subject `[lead, predicate.start)`, the closing condition `[tail, end)`,
    and `end` leaves the final stop out. `predicate` is None where nothing is said: a title, a fragment. `[0, title)`
    is a heading before a colon that states nothing itself; what follows says one thing, however many outcomes it lists.
    """

    words: tuple[Word, ...]
    lead: int
    predicate: Group | None
    joins: tuple[Join, ...]
    tail: int
    end: int
    title: int = 0

    @property
    def asks(self) -> bool:
        """Whether the sentence is a question."""
        return any(word.token.text == "?" for word in self.words[self.end :])

    @property
    def commands(self) -> bool:
        """Whether the sentence tells somebody to do something: it begins with a bare verb."""
        return self.predicate is not None and self.predicate.kind == "base" and self.predicate.start == self.lead


@lru_cache(maxsize=4096)
def read(text: str) -> tuple[Reading, ...]:
    """Read each sentence of a text."""
    return tuple(_read(words) for words in words_of(text))


def _read(words: tuple[Word, ...]) -> Reading:
    reading = _parted(words)
    if reading.predicate is None:
        promoted = with_verb(words)  # "returns default bounds" after a title
        reading = reading if promoted is None else _parted(promoted)
    stop = reading.predicate.start if reading.predicate is not None and not reading.commands else len(words)
    titles = [at for at in range(stop) if words[at].token.text == ":"]
    if not titles:
        return reading
    title = titles[-1 if stop < len(words) else 0]
    below = _parted(words[title + 1 :])
    return reading if below.predicate is None or below.commands else _moved(below, words, title + 1)


def _moved(below: Reading, words: tuple[Word, ...], by: int) -> Reading:
    """A reading of what follows a title, in the words of the whole; the title counts as an opening."""

    def moved(group: Group) -> Group:
        return Group(group.start + by, group.end + by, group.kind, group.verb + by)

    assert below.predicate is not None  # noqa: S101 - the caller looked
    return Reading(words, below.lead + by, moved(below.predicate), (), below.tail + by, below.end + by, title=by)


def _parted(words: tuple[Word, ...]) -> Reading:
    end = len(words)
    while end and words[end - 1].tag == "mark" and words[end - 1].token.text in {".", "!", "?", ":", ";", ","}:
        end -= 1
    groups = tuple(_groups(words[:end]))
    lead = _lead(words, groups, end)
    body = [group for group in groups if group.start >= lead]
    main = _main(words, body, lead)
    if main is None:
        return Reading(words, lead, None, (), end, end)
    colons = [at for at in range(end) if words[at].token.text == ":"]
    colon = min(max(main.end, colons[0]), end) if colons else end  # what follows a colon says the same again
    groups = tuple(group for group in groups if group.end <= colon)
    tail = _tail(words, main, end)
    joins = tuple(_joins(words, groups, main, end=colon))
    later = [join.word for join in joins if join.word >= tail]
    if later:  # a further statement follows the condition, which so does not close the sentence
        tail = _tail(words, main, end, after=max(later))
    return Reading(words, lead, main, joins, tail, end)


def _groups(words: Sequence[Word]) -> Iterator[Group]:
    """Every finite verb with its auxiliaries, in order."""
    at = 0
    open_relative = False
    while at < len(words):
        group = _group(words, at, relative=open_relative)
        if words[at].tag == "rel":
            open_relative = True
        elif group is not None:
            open_relative = False
        if group is None:
            at += 1
        else:
            yield group
            at = group.end


def _group(words: Sequence[Word], at: int, *, relative: bool = False) -> Group | None:
    word = words[at]
    if word.tag in {"be", "have", "do", "modal"}:
        return _auxiliary(words, at)
    if word.form in {"participle", "past"} and relative:
        return Group(at, at + 1, "past", at)
    if word.tag != "verb" or word.form not in {"base", "third"}:
        return None
    if at and word.form == "base" and words[at - 1].tag in {"to", "not"}:
        return None
    passive = at + 1 < len(words) and word.base == "get" and words[at + 1].form == "participle"
    return Group(at, at + 1 + passive, "third" if word.form == "third" else "base", at + passive)


def _auxiliary(words: Sequence[Word], at: int) -> Group | None:
    if words[at].lower in {"be", "been", "being", "having"} or (at and words[at - 1].tag == "to"):
        return None
    first: GroupKind = words[at].tag  # type: ignore[assignment]  # the caller passes auxiliaries only
    verb, passive, position = at, False, at + 1
    while position < len(words):
        word = words[position]
        aside = _aside(words, position)
        if word.lower in FINITE_BE:
            break
        if word.tag in {"adv", "not", "be", "have"} and not (word.tag == "adv" and verb != at):
            position += 1
        elif aside:
            position = aside
        elif word.tag == "verb" and word.form in {"participle", "gerund", "base", "past"}:
            passive = word.form in {"participle", "past"} and _waits_for_participle(words[at:position])
            verb, position = position, position + 1
            break
        else:
            break
    while position > verb + 1 and words[position - 1].tag == "adv":
        position -= 1
    return Group(at, position, "passive" if passive and first == "be" else first, verb)


def _aside(words: Sequence[Word], at: int) -> int:
    """Where the verb goes on after an aside: `should, if possible, arrive`; 0 where there is none."""
    if words[at].token.text != ",":
        return 0
    for position in range(at + 1, min(at + 6, len(words) - 1)):
        if words[position].token.text == ",":
            return position + 1 if words[position + 1].form in {"base", "participle"} else 0
    return 0


def _waits_for_participle(before: Sequence[Word]) -> bool:
    return any(word.tag in {"be", "have"} for word in before)


def _lead(words: Sequence[Word], groups: Sequence[Group], end: int) -> int:
    """Where the statement begins after an opening condition; 0 where there is none."""
    if not end or words[0].tag not in {"sub", "prep"}:
        return 0
    commas = [at for at in range(end) if words[at].token.text == ","]
    condition = words[0].tag == "sub"
    for comma in commas:
        after = [group for group in groups if group.start > comma]
        inside = [group for group in groups if group.end <= comma]
        if not after or (not condition and inside) or words[comma + 1].tag == "coord":
            continue
        if after[0].start > comma + 1 or after[0].kind == "base":
            return comma + 1
    return _unmarked_lead(words, groups) if condition else 0


def _unmarked_lead(words: Sequence[Word], groups: Sequence[Group]) -> int:
    """The same without a comma: the last noun phrase before the statement's verb begins the statement."""
    if not groups:
        return 0
    own = 1 if len(groups) > 1 else 0
    floor = groups[0].end if own else 1
    for at in range(groups[own].start - 1, floor, -1):
        if words[at].tag in {"det", "pron"}:
            return at
    return 0


def _main(words: Sequence[Word], groups: Sequence[Group], lead: int) -> Group | None:
    """The predicate of the statement: the first finite verb that belongs to no relative clause of the subject."""
    skip = False
    at = lead
    for group in groups:
        between = words[at : group.start]
        if any(word.tag == "rel" for word in between):
            skip = True
            at = group.end
            continue
        if skip and between and between[-1].tag == "coord":
            at = group.end
            continue
        if any(word.tag == "sub" for word in between[1:]) and not skip:
            if _continues(words, group, groups):
                at = group.end
                continue
            return None if _inside(words, group, lead) else group
        return group
    return groups[0] if groups and not _inside(words, groups[0], lead) else None


def _continues(words: Sequence[Word], group: Group, groups: Sequence[Group]) -> bool:
    """Whether another finite verb follows, so that this one stands inside a condition within the subject."""
    later = [one for one in groups if one.start > group.start]
    return bool(later) and words[later[0].start - 1].tag != "coord"


def _inside(words: Sequence[Word], group: Group, lead: int) -> bool:
    """Whether a verb stands inside a relative clause or a condition, so that the sentence itself has none."""
    before = words[lead : group.start]
    return any(word.tag == "rel" or (word.tag == "sub" and word.lower not in _ALSO_PREPOSITIONS) for word in before)


def _tail(words: Sequence[Word], main: Group, end: int, *, after: int = 0) -> int:
    """Where a closing condition begins; `end` where there is none."""
    for at in range(max(main.end, after + 1), end):
        if words[at].tag == "sub" and not _otherwise(words[at]):
            return at - 1 if words[at - 1].token.text == "," else at
    return end


def _joins(words: Sequence[Word], groups: Sequence[Group], main: Group, *, end: int) -> Iterator[Join]:
    """Everything after the predicate that joins a further verb or a further statement to it."""
    at = main.end
    while at < end:
        join = _join(words, groups, main, at=at, end=end)
        if join is None:
            at += 1
        else:
            yield join
            at = join.group.end if join.group is not None else join.start + 1


_ALSO_PREPOSITIONS = table("after before until since once")  # "24 hours before departure"
_EXCEPTING = table("all nothing everything none anything nobody everybody anybody")
_TRYING = table("try go come")
_OPENERS = table("then also additionally thereby subsequently afterwards finally immediately automatically")
_ADDING = (["as", "well", "as"], ["in", "addition", "to"], ["along", "with"], ["together", "with"], ["besides"])
_ADDING_FIRST = frozenset(phrase[0] for phrase in _ADDING)


def _join(words: Sequence[Word], groups: Sequence[Group], main: Group, *, at: int, end: int) -> Join | None:
    word = words[at]
    adding = _adding(words, at)
    if adding:
        gerund = at + adding < end and words[at + adding].form == "gerund"
        return Join(at, at + adding, "gerund", None) if gerund else None
    if word.lower == "but" and words[at - 1].lower in _EXCEPTING:
        return None  # "all but the newest"
    joining = word.tag == "coord" or word.token.text in {",", ";"} or _otherwise(word)
    if not joining:
        return None
    start = _right_side(words, at, end)
    if start >= end:
        return None
    kind, group = _kind(words, groups, main, start=start, end=end)
    if kind is None or not _of_statement(words, groups, main, at=at, joined=(kind, group)):
        return None
    if word.token.text == "," and kind == "clause" and not _listed(words, at, start):
        return None
    join = Join(at, start, kind, group)
    return None if _one_act(words, join) else join


def _one_act(words: Sequence[Word], join: Join) -> bool:
    """Whether both verbs are one act: `drag and drop`, `try and find`."""
    if join.group is None or join.kind != "verb" or words[join.word].lower not in {"and", "or", "&"}:
        return False
    left, right = words[join.word - 1].base, words[join.group.verb].base
    return (left, right) in PAIRS or left in _TRYING


def _otherwise(word: Word) -> bool:
    return word.tag == "sub" and word.lower in {"otherwise", "else"}


def _adding(words: Sequence[Word], at: int) -> int:
    """How many words say `as well as`; 0 where none do."""
    if words[at].lower not in _ADDING_FIRST:
        return 0
    for wanted in _ADDING:
        if [word.lower for word in words[at : at + len(wanted)]] == wanted:
            return len(wanted)
    return 0


def _right_side(words: Sequence[Word], at: int, end: int) -> int:
    """Where the right side begins: `, and then` is one joint."""
    start = at + 1
    while start < end and (
        words[start].tag == "coord"
        or words[start].token.text in {",", "/"}
        or words[start].lower in _OPENERS
        or (words[start].tag == "adv" and start + 1 < end and words[start + 1].tag in {"verb", "be", "have"})
        or _otherwise(words[start])
    ):
        start += 1
    return start


def _kind(
    words: Sequence[Word], groups: Sequence[Group], main: Group, *, start: int, end: int
) -> tuple[JoinKind | None, Group | None]:
    """What the right side is: a verb of the same subject, a statement of its own, or None for a mere phrase."""
    own = next((group for group in groups if group.start == start), None)
    if own is not None:
        return "verb", own
    if words[start].form in {"participle", "past"} and _passive_before(words, groups, main, start):
        return "verb", Group(start, start + 1, "passive", start)
    following = next((group for group in groups if group.start > start), None)
    if following is None or following.start > end or not _is_subject(words[start : following.start]):
        return None, None
    return "clause", following


def _passive_before(words: Sequence[Word], groups: Sequence[Group], main: Group, start: int) -> bool:
    """Whether the nearest verb before is a passive that a participle can continue."""
    before = [group for group in groups if main.start <= group.start < start]
    return bool(before) and (before[-1].kind == "passive" or words[before[-1].verb].form == "participle")


def _is_subject(phrase: Sequence[Word]) -> bool:
    """Whether words are the subject of what follows: a noun phrase without anything that joins or subordinates."""
    if not phrase or any(word.tag in {"sub", "coord", "to"} or word.token.text in {",", ";"} for word in phrase):
        return False
    if any(word.tag == "rel" for word in phrase):
        return False
    return phrase[0].tag in {"det", "noun", "pron", "adj", "num", "lit"} or phrase[0].form == "gerund"


def _listed(words: Sequence[Word], at: int, start: int) -> bool:
    """Whether a comma joins statements: a conjunction stands with it, or one follows later."""
    return start > at + 1 or any(word.tag == "coord" for word in words[start:])


def _of_statement(
    words: Sequence[Word],
    groups: Sequence[Group],
    main: Group,
    *,
    at: int,
    joined: tuple[JoinKind, Group | None],
) -> bool:
    """Whether the joint belongs to the statement and not to a condition or relative clause inside it."""
    opened = next((p for p in range(at - 1, main.end - 1, -1) if words[p].tag in {"sub", "rel"}), None)
    semicolon = any(word.token.text == ";" for word in words[max(main.end, opened or 0) : at + 1])
    if opened is None or semicolon or _otherwise(words[at]):
        return True
    inner = next((group for group in groups if opened < group.start < at), None)
    kind, group = joined
    if inner is None or group is None:
        return kind == "gerund"
    comma = words[at].token.text == "," or words[at - 1].token.text == ","
    if kind == "clause" and comma:
        return True
    return group.kind == main.kind and group.kind != inner.kind
