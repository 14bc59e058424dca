"""Corrections: what somebody takes back or puts right, and what it is in the draft that they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.amounts import amount, relation
from pactkeeper.intent.ticket import LISTS, SINGLE, Constraint, Draft, Field, Said, sides_of, values_of
from pactkeeper.intent.ticket_patch import DraftPatch, same_key
from pactkeeper.tickets.extraction.labels import field_named
from pactkeeper.tickets.extraction.noise import lead_of
from pactkeeper.tickets.extraction.placing import Placing
from pactkeeper.tickets.extraction.spans import Span, clean

_POLITE: Final = (
    r"(?:(?:please|pls|bitte|s'il te plaît|por favor|let's|lets|can (?:you|we)|could (?:you|we)|i(?:'d"
    r"| would) (?:rather )?(?:like to )?|we should|actually|on second thought|no wait|wait|no|correction"
    r"|korrektur|eigentlich|doch|en fait|mejor|espera),?\s+)*"
)
_CHANGE: Final = re.compile(
    _POLITE + r"(?:change|rename|update|set|correct|make|switch|rephrase|reword|ändere?|ändern wir|setze?|change"
    r"|changeons|remplace|modifie|cambia|cambiemos|modifica)\s+(?P<what>.+?)\s+"
    r"(?:from\s+.+?\s+|von\s+.+?\s+)?(?:to|into|as|zu|in|auf|en|par|a|por)(?:\s*:\s*|\s+)(?P<new>.+)",
    re.IGNORECASE,
)
_SHOULD_BE: Final = re.compile(
    _POLITE + r"(?P<what>(?:the\s+|der\s+|die\s+|das\s+|le\s+|la\s+|el\s+)?[\w' ]{2,40}?)\s+(?:should|must|needs to"
    r"|ought to|has to|soll|sollte|devrait|debería)\s+(?P<firm>rather |actually |instead |better |eher "
    r"|lieber )?"
    r"(?:be called|be|read|say|lauten|heißen|être|ser|decir)(?:\s*:\s*|\s+)(?P<new>.+?)(?:\s+(?:heißen|lauten|sein))?",
    re.IGNORECASE,
)
_HEISSEN: Final = re.compile(
    _POLITE
    + (
        r"(?P<what>(?:der\s+|die\s+|das\s+)?\w+)\s+(?:soll|sollte)\s+(?:besser "
        r"|lieber )?(?P<new>.+?)\s+(?:heißen|lauten)"
    ),
    re.IGNORECASE,
)
_IS_NOW: Final = re.compile(
    _POLITE
    + (
        r"(?P<what>(?:the|our|der|die|das|le|la|el)\s+[\w' ]{2,40}?)\s+(?:is now|is actually|is rather"
        r"|is really|ist jetzt|ist eigentlich|est maintenant|es ahora)\s+(?P<new>.+)"
    ),
    re.IGNORECASE,
)
_CALL_IT: Final = re.compile(
    _POLITE
    + (
        r"(?:call it|name it|rename it to|rename it|call the ticket|title it|nenn(?:en wir)? es|appelle-le"
        r"|appelons-le|llámalo)\s+(?P<new>.+?)(?:\s+instead)?"
    ),
    re.IGNORECASE,
)
_NOT_BUT: Final = (
    re.compile(
        (
            r"(?:.*?\b)?(?:not|nicht|pas|no)\s+(?P<old>[^,;]{1,60}?),?\s+(?:but|sondern|mais"
            r"|sino)\s+(?:rather\s+)?(?P<new>[^,;]{1,80})"
        ),
        re.IGNORECASE,
    ),
    re.compile(
        _POLITE
        + (
            r"(?:it(?:'s| is| should be| must be)|that(?:'s| is)|make (?:it|that)|es sind|es ist|das sind|c'est"
            r"|son|es)?\s*(?P<new>[^,;]{1,80}?),?\s+(?:not|instead of|rather than|nicht|statt|pas|au lieu de|no"
            r"|en vez de|en lugar de)\s+(?P<old>[^,;]{1,60})"
        ),
        re.IGNORECASE,
    ),
)
_ACTUALLY: Final = re.compile(
    r"(?:(?:sorry|no|wait|hm+|correction|oops)[,:.]?\s+)*(?:actually|correction|i meant|i mean|make (?:it"
    r"|that)|better|rather|korrektur|eigentlich|ich meinte|besser|en fait|je voulais dire|plutôt"
    r"|en realidad|mejor|quise decir)[,:]?\s+"
    r"(?:it(?:'s| is| should be)|that(?:'s| is)|make (?:it|that)|let's (?:make it|do|say|use)|es sind"
    r"|c'est|son)?\s*(?P<new>.+)",
    re.IGNORECASE,
)
_DROP: Final = re.compile(
    _POLITE
    + (
        r"(?:drop|remove|delete|scrap|forget|ignore|strike|cancel|kill|leave out|take out|skip|streiche?n?"
        r"|entferne?n?|lösche?n?|vergiss|supprime[zr]?|enlève|retire|oublie|elimina|quita|borra"
        r"|olvida)\s+(?:about\s+)?(?P<what>.+)"
    ),
    re.IGNORECASE,
)
_NO_LONGER: Final = re.compile(
    (
        r"(?:the\s+)?(?P<what>.+?)\s+(?:is|are)\s+(?:no longer|not)\s+(?:needed|relevant|required|a (?:risk"
        r"|problem|dependency|constraint)|an issue)(?:\s+(?:any ?more|any longer|after all))?"
    ),
    re.IGNORECASE,
)
_ORDINALS: Final = {
    word: number
    for number, words in enumerate(
        (
            "first 1st erste ersten premier première primer primero primera",
            "second 2nd zweite zweiten deuxième segundo segunda",
            "third 3rd dritte dritten troisième tercer tercero tercera",
            "fourth 4th vierte",
            "fifth 5th fünfte",
        ),
        start=1,
    )
    for word in words.split()
} | {"last": -1, "letzte": -1, "dernier": -1, "dernière": -1, "último": -1, "última": -1}
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_GRAMMAR: Final = frozenset({"the", "for", "and", "die", "das", "der"})
_SHORTEST: Final = 3
_ITEM: Final = re.compile(
    r"(?:(?:the|das|die|den|le|la|el)\s+)?(?:(?P<ordinal>[^\W\d]+|\d(?:st|nd|rd"
    r"|th))\s+)?(?P<noun>[^\W\d_][\w' ]*?)(?:\s*(?:#|no\.?|nr\.?|number)?\s*(?P<number>\d{1,2}))?"
    r"(?:\s+(?:about|on|for|with|regarding|that says|saying|über|zu|mit|sur|sobre|de)\s+(?P<about>.+))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Target:
    """What of a draft a correction is about: a field, one value of it, or the constraint of a key."""

    field: Field
    old: str = ""
    key: str = ""


def corrections(at: Placing, whole: Span) -> tuple[DraftPatch, ...]:
    """The changes that a sentence makes to what was said before; empty where it corrects nothing that is known."""
    text = clean(whole.text).rstrip(" .!")
    text = text[lead_of(text) :]
    for rule in (_changes, _calls, _amounts, _drops):
        found = tuple(rule(at, whole, text))
        if found:
            return found
    return ()


def _changes(at: Placing, whole: Span, text: str) -> Iterator[DraftPatch]:
    """`Change the title to …`, `the retention should be …`: the thing is named."""
    for pattern in (_HEISSEN, _CHANGE, _SHOULD_BE, _IS_NOW):
        hit = pattern.fullmatch(text)
        target = _target(at.draft, hit["what"]) if hit else None
        if hit is None or target is None:
            continue
        if pattern is _SHOULD_BE and not hit["firm"] and not _is_own(at, target):
            continue
        new = clean(re.sub(r"\s+(?:please|instead|bitte)$", "", hit["new"]))
        yield DraftPatch("correct", target.field, at.said(whole, new), key=target.key, old=target.old)
        return


def _is_own(at: Placing, target: _Target) -> bool:
    """Whether all that a duty would put right was said by its speaker; what others said is held beside it."""
    if target.field == "constraints":
        meant = [one for one in at.draft.constraints if same_key(one.key, target.key)]
        sides = [side for one in meant for side in sides_of(one.value)]
    else:
        sides = [side for side in values_of(at.draft, target.field) if not target.old or side.value == target.old]
    return bool(sides) and all(side.author == at.message.author for side in sides)


def _calls(at: Placing, whole: Span, text: str) -> Iterator[DraftPatch]:
    hit = _CALL_IT.fullmatch(text)
    if hit:
        yield DraftPatch("correct", "title", at.said(whole, clean(hit["new"])))


def _amounts(at: Placing, whole: Span, text: str) -> Iterator[DraftPatch]:
    """`Actually 30 days, not 14`: the old value, or else the kind of value, tells what is meant."""
    for pattern in _NOT_BUT:
        hit = pattern.fullmatch(text)
        if hit and (found := tuple(_swapped(at, whole, clean(hit["old"]), clean(hit["new"])))):
            yield from found
            return
    hit = _ACTUALLY.fullmatch(text)
    if hit:
        yield from _same_dimension(at, whole, clean(hit["new"]))


def _swapped(at: Placing, whole: Span, old: str, new: str) -> Iterator[DraftPatch]:
    new = re.sub(r"^(?:actually|eigentlich|en fait|it's|its|it is)[,:]?\s+", "", new, flags=re.IGNORECASE)
    constraint = _constraint_of_value(at.draft, old, new)
    if constraint is not None:
        held = next(side.value for side in sides_of(constraint.value) if _means(side.value, old))
        yield DraftPatch("correct", "constraints", at.said(whole, _with_unit(new, held)), key=constraint.key, old=held)
        return
    holders = [(field, said) for field in (*SINGLE, *LISTS) for said in values_of(at.draft, field) if _holds(said, old)]
    for field, said in holders:
        value = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, said.value, flags=re.IGNORECASE)
        yield DraftPatch("correct", field, at.said(whole, value), old=said.value)


def _holds(said: Said, words: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", said.value, re.IGNORECASE) is not None


def _constraint_of_value(draft: Draft, old: str, new: str) -> Constraint | None:
    hits = [one for one in draft.constraints if any(_means(side.value, old) for side in sides_of(one.value))]
    named = [one for one in hits if same_key(one.key, new.partition(" ")[0])]
    meant = named or hits
    return meant[0] if len(meant) == 1 else None


def _means(value: str, words: str) -> bool:
    """Whether words name a value: the same, or its number without the unit."""
    if relation(value, words) == "same":
        return True
    ours, theirs = amount(value), amount(words)
    if ours is None or theirs is None:
        return False
    if theirs.dimension == "":
        return _NUMBER.findall(value) == _NUMBER.findall(words)
    return (ours.number, ours.dimension) == (theirs.number, theirs.dimension)


def _with_unit(new: str, old: str) -> str:
    """A bare number with the unit, and a value with the bound, of the one it replaces."""
    ours, theirs = amount(new), amount(old)
    if ours is None or theirs is None:
        return new
    number = _NUMBER.search(old)
    if number is None or ours.bound != "=" or (ours.dimension == "" and theirs.dimension == ""):
        return new
    if ours.dimension == "":
        return old[: number.start()] + new + old[number.end() :]
    return f"{old[: number.start()]}{new}" if theirs.bound != "=" else new


def _same_dimension(at: Placing, whole: Span, new: str) -> Iterator[DraftPatch]:
    """The one constraint whose value is of the same kind as the new one; what could mean several means none."""
    wanted = amount(new)
    if wanted is None:
        return
    hits = [
        (one, side)
        for one in at.draft.constraints
        for side in sides_of(one.value)
        if (held := amount(side.value)) is not None and (held.dimension == wanted.dimension or not wanted.dimension)
    ]
    if len({one.key for one, _ in hits}) == 1:
        one, side = hits[-1]
        yield DraftPatch("correct", "constraints", at.said(whole, _with_unit(new, side.value)), key=one.key)


def _drops(at: Placing, whole: Span, text: str) -> Iterator[DraftPatch]:
    hit = _DROP.fullmatch(text) or _NO_LONGER.fullmatch(text)
    target = _target(at.draft, hit["what"]) if hit else None
    if target is not None and (target.old or target.key or target.field in SINGLE):
        yield DraftPatch("retract", target.field, at.said(whole), key=target.key, old=target.old)


def _target(draft: Draft, words: str) -> _Target | None:
    """What words name: a field, an item by its number or its words, a constraint by its key; None for anything else."""
    bare = clean(words).strip(" .,'\"")
    field = field_named(bare)
    if field in SINGLE:
        return _Target(field)
    key = _key_named(draft, bare)
    if key:
        return _Target("constraints", key=key)
    item = _ITEM.fullmatch(bare)
    if item is None:
        return None
    field = field_named(item["noun"]) or field_named(f"{item['ordinal']} {item['noun']}")
    if field is None:
        return _by_words(draft, bare)
    return _item(draft, field, item)


def _item(draft: Draft, field: Field, item: re.Match[str]) -> _Target | None:
    if field in SINGLE:
        return _Target(field)
    if item["about"] and field == "constraints":
        key = _key_named(draft, item["about"])
        return _Target(field, key=key) if key else None
    found = values_of(draft, field)
    place = int(item["number"] or 0) or _ORDINALS.get((item["ordinal"] or "").casefold(), 0)
    if item["about"]:
        about = [one for one in found if all(_holds(one, word) for word in _words(item["about"]))]
        return _Target(field, old=about[0].value) if len(about) == 1 else None
    if place and -1 <= place <= len(found) and found:
        return _Target(field, old=found[place - 1 if place > 0 else -1].value)
    return _Target(field, old=found[0].value) if len(found) == 1 else None


def _by_words(draft: Draft, words: str) -> _Target | None:
    """The one value of a list that has all the words."""
    wanted = _words(words)
    hits = [
        (field, said)
        for field in LISTS
        for said in values_of(draft, field)
        if wanted and all(_holds(said, word) for word in wanted)
    ]
    return _Target(hits[0][0], old=hits[0][1].value) if len(hits) == 1 else None


def _words(text: str) -> list[str]:
    found = re.findall(r"\w+", text)
    return [word for word in found if len(word) >= _SHORTEST and word.casefold() not in _GRAMMAR]


def _key_named(draft: Draft, words: str) -> str:
    bare = re.sub(r"^(?:the|our|der|die|das|le|la|el)\s+", "", words.strip(), flags=re.IGNORECASE)
    bare = re.sub(r"\s+(?:constraint|limit|value|wert)$", "", bare, flags=re.IGNORECASE) or bare
    for one in draft.constraints:
        if same_key(one.key, bare) or same_key(one.key, words):
            return one.key
    hits = {one.key for one in draft.constraints if _words(bare) and set(_lower(bare)) <= set(_lower(one.key))}
    return hits.pop() if len(hits) == 1 else ""


def _lower(text: str) -> list[str]:
    return [word.casefold() for word in _words(text)]
