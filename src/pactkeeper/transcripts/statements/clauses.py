"""Clauses of a sentence, and which of them somebody means: not what is asked, imagined, mocked, quoted or long past."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_BREAK: Final = re.compile(
    r"\s*(?:[;:–—](?=\s)|,(?!\d)(?=\s)|\s-\s)\s*(?:(?:so|and|but|then|und|aber|also|et|mais|donc|y|pero)\s+)?"
)
# What follows gives a reason, and is about something else.
_REASON: Final = re.compile(
    r"(?i)(?<!\w)(?:because|since (?=\w+ (?:is|are|was|has|have|can|needs?|do))|so that|due to (?!be\b)|given that"
    r"|as it (?=\w)"
    r"|weil|damit|denn|parce qu|puisqu|car (?=\w)|porque|ya que|puesto que)"
)
_OPEN: Final = re.compile(
    r"(?i)(?<!\w)(?:if|suppose|supposing|imagine|assuming|assume|could|might|maybe|perhaps|should|would|what if|unless"
    r"|whether|i think|i guess|i believe|i'd|we'd|not sure|wonder\w*|suggest\w*|propos(?:e|ed|al)|recommend\w*|options?"
    r"|undecided|(?:haven't|have not|hasn't|not) (?:yet )?decided|noch nicht entschieden|pas encore décidé|aún no"
    r"|idea|wish|hope|hoping|let me|how about|what about|in case|probably|possibly|ideally"
    r"|wenn|falls|ob|könnten?|vielleicht|sollten?|würden?|angenommen|vermutlich|wahrscheinlich"
    r"|si|peut-être|pourrai\w*|devrai\w*|supposons|quizás?|tal vez|podría\w*|debería\w*|supongamos)(?!\w)"
)
_MOCKED: Final = re.compile(
    r"(?i)^\W*(?:(?:oh,? )?(?:sure|great|wow|yeah right|fantastic|brilliant|wonderful|of course|klar|na klar|toll|super"
    r"|bien sûr|claro),? )|(?<!\w)(?:very funny|as if|yeah right|haha+|lol|just kidding|/s)(?!\w)|[;:]-?\)"
    r"|\b(?:b|tr)illion\b"
)
_PAST: Final = re.compile(
    r"(?i)(?<!\w)(?:used to|back (?:in|then|when)|formerly|previously|originally|at (?:the|that) time|in the past"
    r"|once upon"
    r"|last (?:year|month|week|spring|summer|autumn|fall|winter|time)|ago|before (?:the|that|we|i)"
    r"|until (?:now|recently)"
    r"|in (?:19|20)\d\d we|had(?! to)|früher|damals|letzte[sn]? (?:jahr|monat|woche)|vorher|bisher|ehemals"
    r"|(?<!as of )(?:today|tonight)|yesterday|(?<!ab )heute|gestern|aujourd'hui|hier|hoy|ayer"
    r"|this (?:morning|afternoon|evening)"
    r"|(?:j'ai|a|ont|avons|avez) (?!été)\w+(?:é|it|u|is)"
    r"|autrefois|avant|l'an dernier|jadis|antes|anteriormente|el año pasado|el mes pasado)(?!\w)"
)
_WAS: Final = re.compile(
    r"(?i)(?<!\w)(?:was|were|came|cost us|war(?:en)?|était|étaient|era|eran)(?!\w)(?! (?:\w+ly )?(?:just |now )?"
    r"(?:moved|postponed|pushed|changed|raised|lowered|cut|set|renamed|replaced|cancell?ed|dropped|delayed"
    r"|switched|decided))"
)
# Takes back what was said right before.
_BACK: Final = re.compile(
    r"(?i)^\W*(?:(?:no|nope|oh|ah|hm+|sorry|actually|ach|nein|non)\W+)*(?:wait|scratch that"
    r"|forget (?:that|it|what)|never ?mind"
    r"|just kidding|kidding|very funny|i take that back|that was wrong|that'?s wrong|my mistake|i misread|correction"
    r"|let me (?:sleep|think|ask|check)"
    r"|not (?:decided|sure) yet|just thinking|vergiss (?:das|es)|doch nicht|quatsch|stimmt nicht|streich das"
    r"|oubliez?(?: ça)?|attends?|olvíd[ae]lo|espera|mejor no)(?!\w)"
)
_ORDER: Final = re.compile(
    r"(?i)\W*(?:(?:and|then|now|ok|okay|also|so)\W+)*"
    r"(?:please|can you|could you|would you|bitte|kannst du|s'il te plaît|peux-tu|por favor|puedes)(?!\w)"
)
# Signs that prose has not.
_CODE: Final = re.compile(r"[{}\[\]=<>\\]|::|https?:|\$(?!\s?\d)|\w\(|--\w")
LONGEST: Final = 240  # characters of a clause that says one thing


def clauses(sentence: str) -> Iterator[str]:
    """The parts of a sentence between commas and the like, each without the reason that it gives."""
    for part in _BREAK.split(sentence):
        bare = _REASON.split(part, maxsplit=1)[0].strip(" \t.,;:!|")
        if bare and len(bare) <= LONGEST and not _CODE.search(bare):
            yield bare


def is_meant(sentence: str) -> bool:
    """Whether somebody says it as something that holds now."""
    return not (sentence.rstrip(" \"')”").endswith("?") or _OPEN.search(sentence) or _MOCKED.search(sentence))


def is_order(sentence: str) -> bool:
    """Whether a sentence asks somebody to do something now."""
    return _ORDER.match(sentence) is not None


def is_past(clause: str) -> bool:
    """Whether a clause tells how something was."""
    return bool(_PAST.search(clause) or _WAS.search(clause))


def takes_back(sentence: str) -> bool:
    """Whether a sentence begins with taking back what was said before it."""
    return _BACK.match(sentence) is not None
