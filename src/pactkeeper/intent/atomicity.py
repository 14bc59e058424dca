"""Whether a sentence says one behaviour or several, and how it would be split."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pactkeeper.intent.ids import normalised_intent
from pactkeeper.intent.reading.clauses import Group, Join, Reading, read
from pactkeeper.intent.reading.opposite import opposite
from pactkeeper.intent.reading.tokens import stopped
from pactkeeper.intent.reading.verbs import third_of
from pactkeeper.intent.reading.words import Word, said
from pactkeeper.intent.wording.tables import table


@dataclass(frozen=True, slots=True)
class Atomicity:
    """`reasons` cite the words that join behaviours; `parts` are complete sentences, the whole where it is one."""

    atomic: bool
    reasons: tuple[str, ...]
    parts: tuple[str, ...]


_SHARED_ENDINGS = table("it they them this its their")
MOST_SCENARIOS = 2


def atomicity(intent: str, outcomes: Sequence[str]) -> Atomicity:
    """Tell whether an intent with its outcomes is one behaviour; quoted text and conditions join nothing."""
    readings = [one for one in read(intent) if one.predicate is not None]
    if not readings:
        return Atomicity(atomic=True, reasons=(), parts=(intent,))
    reasons: list[str] = []
    parts: list[str] = []
    for reading in readings:
        joins = [join for join in reading.joins if not _says_no_more(reading, join)]
        reasons += [_reason(intent, reading, join) for join in joins]
        parts += _parts(intent, replace(reading, joins=tuple(joins)))
    if len(readings) > 1:
        reasons.insert(0, f"{len(readings)} sentences, each with a statement of its own")
    if reasons and _lists_outcomes(parts, outcomes):
        return Atomicity(atomic=True, reasons=(), parts=(intent,))
    reasons += _scenarios(outcomes)
    return Atomicity(atomic=not reasons, reasons=tuple(reasons), parts=tuple(parts) if len(parts) > 1 else (intent,))


def _lists_outcomes(parts: Sequence[str], outcomes: Sequence[str]) -> bool:
    """Whether the sentence only strings its own outcomes together: examples of one behaviour."""
    known = {normalised_intent(one) for one in outcomes}
    return bool(known) and all(normalised_intent(part) in known for part in parts)


def _says_no_more(reading: Reading, join: Join) -> bool:
    """Whether the joined verb only rules effects out: `is refused and changes nothing`."""
    group = join.group
    following = reading.words[group.end : reading.end] if group is not None else ()
    return join.kind == "verb" and [word.lower for word in following[:2]] in (["nothing"], ["nothing", "else"])


def _reason(text: str, reading: Reading, join: Join) -> str:
    words = reading.words
    joint = said(text, words[join.word : join.start])
    left = said(text, _verb_before(reading, join))
    if join.group is None:
        return f"{joint!r} adds a second act: {said(text, words[join.start : join.start + 1])!r}"
    right = said(text, words[join.group.start : join.group.end])
    if join.kind == "clause":
        subject = said(text, words[join.start : join.group.start])
        if words[join.word].lower in {"otherwise", "else"} or "otherwise" in joint:
            return f"{joint!r} says what happens in another case: {subject!r} {right!r}"
        return f"{joint!r} joins a second statement with a subject of its own: {subject!r} {right!r}"
    if words[join.word].lower == "or":
        return f"{joint!r} leaves open which of two verbs holds: {left!r} or {right!r}"
    return f"{joint!r} joins two verbs: {left!r} and {right!r}"


def _verb_before(reading: Reading, join: Join) -> Sequence[Word]:
    """The finite verb to the left of a joint."""
    groups = [reading.predicate, *(one.group for one in reading.joins if one.word < join.word)]
    last = next(group for group in reversed(groups) if group is not None)
    return reading.words[last.start : last.end]


def _parts(text: str, reading: Reading) -> list[str]:
    """The sentence taken apart: conditions and the subject go along with each part."""
    if not reading.joins:
        return [said(text, reading.words)]
    pieces = list(_pieces(reading))
    shared = _shared_object(reading, pieces)
    return [_sentence(text, reading, piece, shared=shared, last=piece is pieces[-1]) for piece in pieces]


@dataclass(frozen=True, slots=True)
class _Piece:
    """One statement of several: `[start, stop)`, `group` its verb.

    `bare` lacks subject and auxiliary; `otherwise` holds where the opening condition does not.
    """

    start: int
    stop: int
    group: Group | None
    bare: bool = False
    otherwise: bool = False


def _pieces(reading: Reading) -> Iterator[_Piece]:
    assert reading.predicate is not None  # noqa: S101 - callers read statements only
    joins = reading.joins
    stops = [join.word for join in joins] + [reading.tail]
    yield _Piece(reading.lead, _before(reading, stops[0]), reading.predicate)
    for join, stop in zip(joins, stops[1:], strict=True):
        otherwise = any(word.lower in {"otherwise", "else"} for word in reading.words[join.word : join.start])
        stops_at = _before(reading, max(stop, join.start + 1))
        yield _Piece(join.start, stops_at, join.group, bare=join.kind != "clause", otherwise=otherwise)


def _before(reading: Reading, stop: int) -> int:
    """The end of a piece: a comma before the joint goes with the joint."""
    return stop - 1 if reading.words[stop - 1].token.text == "," else stop


def _sentence(text: str, reading: Reading, piece: _Piece, *, shared: Sequence[Word], last: bool) -> str:
    words = reading.words
    main = reading.predicate
    assert main is not None  # noqa: S101 - as above
    told = [_lead(text, reading, piece)] if reading.lead else []
    if piece.bare:
        told.append(said(text, words[reading.lead : main.start]))
        told.append(said(text, words[main.start : main.verb]) if _lacks_auxiliary(words, main, piece) else "")
    told.append(_statement(text, reading, piece))
    if shared and _ends_in_verb(piece):
        told.append(said(text, shared))
    ending = words[reading.tail : reading.end]
    if ending and (last or not {word.lower for word in ending} & _SHARED_ENDINGS):
        told.append(said(text, ending).lstrip(", "))
    return stopped(" ".join(" ".join(part for part in told if part).split()))


def _lead(text: str, reading: Reading, piece: _Piece) -> str:
    """The opening condition of a part; of what happens otherwise, its opposite."""
    condition = said(text, reading.words[: reading.lead])
    if not piece.otherwise:
        return condition
    first, _, rest = condition.partition(" ")
    turned = opposite(rest.rstrip(", "))
    return "Otherwise," if turned is None else f"{first} {turned[0].lower()}{turned[1:].rstrip('.')},"


def _statement(text: str, reading: Reading, piece: _Piece) -> str:
    """The words of a part itself: a second act becomes a verb, a subject that only points back is named."""
    words, main = reading.words, reading.predicate
    assert main is not None  # noqa: S101 - as above
    first = words[piece.start]
    rest = said(text, words[piece.start + 1 : piece.stop])
    if piece.group is None and first.form == "gerund":
        return f"{third_of(first.base) if main.kind == 'third' else first.base} {rest}"
    subject = words[reading.lead : main.start]
    if first.lower in {"it", "they"} and not piece.bare and subject and subject[0].tag != "pron":
        return f"{said(text, subject)} {rest}"
    return said(text, words[piece.start : piece.stop])


def _lacks_auxiliary(words: Sequence[Word], main: Group, piece: _Piece) -> bool:
    """Whether the joined verb leans on the first one's auxiliary: `can pay … and download`."""
    if main.verb == main.start or piece.group is None:
        return False
    word = words[piece.group.start]
    return word.tag == "verb" and word.form in {"base", "participle", "past", "gerund"}


def _ends_in_verb(piece: _Piece) -> bool:
    return piece.group is not None and piece.group.end == piece.stop


def _shared_object(reading: Reading, pieces: Sequence[_Piece]) -> Sequence[Word]:
    """What only the last of several verbs is followed by and all are about: `create, edit and delete notes`."""
    last = pieces[-1]
    if last.group is None or not last.bare or last.group.kind == "passive":
        return ()
    if not all(_ends_in_verb(piece) for piece in pieces[:-1]) or reading.words[last.stop - 1].lower == "nothing":
        return ()
    return reading.words[last.group.end : last.stop]


def _scenarios(outcomes: Sequence[str]) -> list[str]:
    """Outcomes under different conditions are different scenarios."""
    found: dict[str, str] = {}
    for outcome in outcomes:
        for reading in read(outcome):
            if reading.lead and reading.words[0].lower in {"when", "if", "after", "once"}:
                condition = said(outcome, reading.words[: reading.lead]).strip(", ")
                found.setdefault(condition.lower(), condition)
    if len(found) < MOST_SCENARIOS:
        return []
    return [f"the outcomes hold under different conditions: {', '.join(repr(one) for one in found.values())}"]
