"""Rewordings made without knowing more: a reserve left out, a judgement dropped, an example value put in."""

from __future__ import annotations

import re

from pactkeeper.intent.quality.examined import Sentence, Vague
from pactkeeper.intent.quality.vague import MISSING, VagueKind
from pactkeeper.intent.reading.clauses import read
from pactkeeper.intent.reading.tokens import replaced, stopped
from pactkeeper.intent.reading.words import Word
from pactkeeper.intent.wording.tables import table
from pactkeeper.intent.wording.words import article

_DROPPED: frozenset[VagueKind] = frozenset({"hedge", "open", "pointer"})
_KEPT = table("try attempt aim strive legally see the same likewise")
_JUDGEMENTS: frozenset[VagueKind] = frozenset({"ease", "quality", "time"})
# Without its adjective such a noun would say nothing at all.
_HOLLOW = table("""
    amount code contrast experience journey level manner number performance period practice practices quality report
    reports result results speed standard standards state time way ways
""")
_COMPARED = table("better worse easier faster")
_INSTEAD = {"might": "can", "could": "can", "and / or": "and"}
_ARTICLE = re.compile(r"\b([Aa]n?) $")


def without(sentence: Sentence, vague: Vague) -> str | None:
    """The sentence without one vague phrase; None where only a person knows what belongs there."""
    made = _made(sentence, vague)
    if made is None or not any(one.predicate is not None for one in read(made)):
        return None
    return made


def _made(sentence: Sentence, vague: Vague) -> str | None:
    words = vague.reading.words
    text = sentence.text
    if vague.phrase in _INSTEAD:
        return replaced(text, vague.start, vague.end, _INSTEAD[vague.phrase])
    adverbial = _adverbial(vague)
    following = words[vague.last] if vague.last < len(words) else None
    if adverbial and vague.kind in {"time", "often"}:
        related = following is not None and following.tag == "sub"  # "soon after the exam"
        return None if related else _put_last(text, vague, MISSING[vague.kind].example)
    dropped = vague.kind in _DROPPED and vague.phrase.partition(" ")[0] not in _KEPT
    if dropped or (adverbial and vague.kind in _JUDGEMENTS):
        return _dropped(text, vague)
    return _without_adjective(text, vague) if following is not None and _decorates(vague, following) else None


def _decorates(vague: Vague, noun: Word) -> bool:
    """Whether an adjective only praises what the verb is about: `prints a meaningful error`."""
    main = vague.reading.predicate
    word = vague.reading.words[vague.first]
    single = vague.last - vague.first == 1 and word.tag in {"adj", "noun"} and noun.tag == "noun"
    about = main is not None and vague.first >= main.end and vague.reading.words[main.verb].tag == "verb"
    return (
        single and about and vague.kind in _JUDGEMENTS and vague.phrase not in _COMPARED and noun.lower not in _HOLLOW
    )


def _adverbial(vague: Vague) -> bool:
    words = vague.reading.words[vague.first : vague.last]
    return (len(words) == 1 and words[0].tag == "adv") or (len(words) > 1 and words[0].lower in {"in", "as", "without"})


def _put_last(text: str, vague: Vague, example: str) -> str:
    """The example in place of the adverb, or at the end of the statement where the adverb stands before its verb."""
    words = vague.reading.words
    following = words[vague.last] if vague.last < len(words) else None
    if following is None or following.tag not in {"verb", "adj"}:
        return replaced(text, vague.start, vague.end, example)
    stop = words[vague.reading.tail - 1].token.end
    return _dropped(text[:stop] + f" {example}" + text[stop:], vague)


def _dropped(text: str, vague: Vague) -> str:
    """The text without a phrase, and without the commas that set it off."""
    start, end = vague.start, vague.end
    before = text[:start].rstrip()
    if before.endswith(",") and text[end:].lstrip().startswith((",", ".", ";")):
        start = len(before) - 1
        end += len(text[end:]) - len(text[end:].lstrip().removeprefix(","))
        return f"{text[:start]}{_spaced(text[end:])}"
    made = replaced(text, start, end, "")
    return stopped(made.rstrip(" ,")) if made.rstrip().endswith(",") else made


def _spaced(rest: str) -> str:
    return rest if not rest or rest[0] in ".,;:!? " else f" {rest}"


def _without_adjective(text: str, vague: Vague) -> str:
    """The text without an adjective; the article before it follows the word that is next now."""
    made = replaced(text, vague.start, vague.end, "")
    found = _ARTICLE.search(made[: vague.start])
    if found is None:
        return made
    right = article(made[vague.start :])
    right = right.capitalize() if found.group(1)[0].isupper() else right
    return made[: found.start()] + right + " " + made[found.end() :]
