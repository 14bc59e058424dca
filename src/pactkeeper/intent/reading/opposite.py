"""The opposite of a sentence, and a duty as a fact: by its predicate alone, so that nothing else changes."""

from __future__ import annotations

from collections.abc import Sequence

from pactkeeper.intent.reading.clauses import Group, Reading, read
from pactkeeper.intent.reading.tokens import stopped
from pactkeeper.intent.reading.verbs import third_of
from pactkeeper.intent.reading.words import Word, said
from pactkeeper.intent.wording.tables import table
from pactkeeper.intent.wording.words import article, is_mass, is_plural

DUTIES = table("must shall should will would")
_DUTIES_NOT = {"mustn't": "must", "shan't": "shall", "shouldn't": "should", "won't": "will", "wouldn't": "would"}
_CONTRACTED = {"isn't": "is", "aren't": "are", "wasn't": "was", "weren't": "were", "hasn't": "has", "haven't": "have"}
_AUXILIARY_NOT = {**_CONTRACTED, "can't": "can", "cannot": "can", "doesn't": "does", "don't": "do", "didn't": "did"}
_OPEN = table("may might could")
_NOBODY = {"nobody": "somebody", "nothing": "something", "none": "some"}


def opposite(text: str) -> str | None:
    """The sentence that holds where this one does not; None where that cannot be said by its verb alone."""
    reading = _single(text)
    if reading is None or reading.joins or reading.predicate is None:
        return None
    main, words = reading.predicate, reading.words
    subject = list(words[reading.lead : main.start])
    group = words[main.start : main.end]
    if any(word.lower in _OPEN or word.token.text == "," for word in group) or (subject and subject[0].lower == "only"):
        return None
    turned_subject = _turned_subject(text, subject)
    if turned_subject is not None:
        start, keep = turned_subject
        return _joined(text, reading, start, _plain_verb(reading) if keep else _negated_verb(text, reading))
    first = said(text, subject)
    turned = _turned_object(text, reading)
    if turned is not None:
        return _whole(text, reading, f"{first} {turned}")
    return _joined(text, reading, first, _negated_verb(text, reading))


def falsifiers(intent: str, outcomes: Sequence[str]) -> tuple[str, ...]:
    """What would refute an atom by its own words: the opposites of its outcomes, or of its intent where it has none."""
    turned = (opposite(one) for one in outcomes or (intent,))
    return tuple(one for one in turned if one is not None)


def stated(text: str) -> str:
    """A duty as a fact: `must be refused` becomes `is refused`; other sentences come back with a full stop.

    So does a sentence of several statements: each part is to be stated by itself.
    """
    reading = _single(text)
    if reading is None or reading.predicate is None or reading.joins or not _is_duty(reading):
        return stopped(text)
    words, main = reading.words, reading.predicate
    first = said(text, words[reading.lead : main.start])
    return _joined(text, reading, first, _indicative(reading, negated=_is_negated(words, main)))


def _single(text: str) -> Reading | None:
    readings = read(text)
    if len(readings) != 1 or readings[0].predicate is None or readings[0].asks or readings[0].commands:
        return None
    return readings[0]


def _is_duty(reading: Reading) -> bool:
    assert reading.predicate is not None  # noqa: S101 - callers read statements only
    lower = reading.words[reading.predicate.start].lower
    return lower in DUTIES or lower in _DUTIES_NOT


def _is_negated(words: Sequence[Word], main: Group) -> bool:
    group = words[main.start : main.end]
    return any(
        word.tag == "not" or word.lower in {*_AUXILIARY_NOT, *_DUTIES_NOT, "never", "couldn't"} for word in group
    )


def _negated_verb(text: str, reading: Reading) -> str:
    assert reading.predicate is not None  # noqa: S101 - as above
    words, main = reading.words, reading.predicate
    if _is_negated(words, main):
        return _plain_verb(reading)
    if _is_duty(reading):
        return _indicative(reading, negated=True)
    first, rest = words[main.start], said(text, words[main.start + 1 : main.end])
    if first.lower == "can":
        return f"cannot {rest}"
    if first.tag in {"be", "modal", "do"} or (first.tag == "have" and main.verb != main.start):
        return f"{first.token.text} not {rest}"
    if first.tag == "have":
        return f"{'do' if first.lower == 'have' else 'does'} not have {rest}"
    helper = "does" if first.form == "third" else "did" if first.form == "past" else "do"
    return f"{helper} not {first.base} {rest}"


def _plain_verb(reading: Reading) -> str:
    """The verb without its negation, or as it is."""
    assert reading.predicate is not None  # noqa: S101 - as above
    words, main = reading.words, reading.predicate
    group = words[main.start : main.end]
    if _is_duty(reading):
        return _indicative(reading, negated=False)
    first = group[0]
    rest = " ".join(word.token.text for word in group[1:] if word.tag != "not" and word.lower != "never")
    lead = _AUXILIARY_NOT.get(first.lower, first.token.text)
    if lead in {"does", "do", "did"} and main.verb != main.start:
        base = words[main.verb].base
        told = {"does": third_of(base), "do": base}.get(lead)
        return rest.replace(words[main.verb].token.text, told, 1) if told else f"did {rest}"
    return f"{lead} {rest}"


def _indicative(reading: Reading, *, negated: bool) -> str:
    """The verb of a duty as one of a fact, in agreement with its subject."""
    assert reading.predicate is not None  # noqa: S101 - as above
    words, main = reading.words, reading.predicate
    plural = _plural_subject(words[reading.lead : main.start])
    rest = [word for word in words[main.start + 1 : main.end] if word.tag != "not" and word.lower != "never"]
    before = [word.token.text for word in rest if word.tag == "adv"]
    verbs = [word for word in rest if word.tag != "adv"]
    no = ["not"] if negated else []
    if not verbs:
        return " ".join([*(["do" if plural else "does"] if negated else []), *no, *before])
    if verbs[0].tag in {"be", "have"}:
        finite = {"be": "are" if plural else "is", "have": "have" if plural else "has"}[verbs[0].tag]
        if verbs[0].tag == "have" and len(verbs) == 1 and negated:
            return f"{'do' if plural else 'does'} not have"
        return " ".join([finite, *no, *before, *(word.token.text for word in verbs[1:])])
    base, tail = verbs[0].base, [word.token.text for word in verbs[1:]]
    if negated:
        return " ".join(["do" if plural else "does", "not", *before, base, *tail])
    return " ".join([*before, base if plural else third_of(base), *tail])


def _plural_subject(subject: Sequence[Word]) -> bool:
    """Whether the head of a subject is plural; `and` between two things makes it so."""
    head = ""
    for word in subject:
        if word.tag in {"prep", "rel", "sub", "mark"} or (word.form == "participle" and head):
            break
        if word.tag == "coord":
            return True
        if word.tag == "pron":
            return word.lower in {"they", "we", "you", "i"}
        if word.tag in {"noun", "lit", "num", "adj"} or word.form == "gerund":
            head = word.token.text if word.tag == "noun" else ""
    return bool(head) and (is_plural(head) or head.lower() in {"people", "children"})


def _turned_subject(text: str, subject: Sequence[Word]) -> tuple[str, bool] | None:
    """A subject that carries the negation or the `all`, turned; and whether the verb stays as it is."""
    if not subject:
        return None
    first, rest = subject[0].lower, said(text, subject[1:])
    head = subject[1].token.text if len(subject) > 1 else ""
    if first in _NOBODY:
        return f"{_NOBODY[first]} {rest}".strip(), True
    if first == "no" and head:
        return f"{_some(subject[1:])} {rest}", True
    if first in {"every", "each"}:
        return f"at least one {rest}", False
    if first == "all":
        return f"some {'of ' if head in {'the', 'its', 'their'} else ''}{rest}", False
    return None


def _turned_object(text: str, reading: Reading) -> str | None:
    """`raises no error` as `raises an error`; None where no negation follows the verb."""
    assert reading.predicate is not None  # noqa: S101 - as above
    words, main = reading.words, reading.predicate
    if main.end >= reading.end or _is_negated(words, main):
        return None
    word = words[main.end]
    if word.lower == "no":
        after = words[main.end + 1 : reading.end]
        turned = f"{_some(after)} {said(text, after)}"
    elif word.lower in _NOBODY:
        turned = f"{_NOBODY[word.lower]} {said(text, words[main.end + 1 : reading.end])}"
    else:
        return None
    return f"{_plain_verb(reading).strip()} {turned}".strip()


def _some(phrase: Sequence[Word]) -> str:
    """The article that turns `no` around."""
    head = next((word for word in reversed(_head(phrase)) if word.tag == "noun"), None)
    if head is None or is_plural(head.token.text) or is_mass(head.token.text):
        return "some"
    return article(phrase[0].token.text)


def _head(phrase: Sequence[Word]) -> Sequence[Word]:
    stop = next((at for at, word in enumerate(phrase) if word.tag in {"prep", "rel", "sub", "mark", "coord"}), None)
    return phrase[:stop] if stop is not None else phrase


def _joined(text: str, reading: Reading, subject: str, verb: str) -> str:
    assert reading.predicate is not None  # noqa: S101 - as above
    rest = said(text, reading.words[reading.predicate.end : reading.end])
    return _whole(text, reading, f"{subject} {verb} {rest}")


def _whole(text: str, reading: Reading, told: str) -> str:
    lead = said(text, reading.words[: reading.lead])
    return stopped(" ".join(f"{lead} {told}".split()).replace(" ,", ","))
