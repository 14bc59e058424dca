"""Claims by words: pairs of poles that no thing has both of, each in the words in which people say it.

A pair stands here only where one of its poles denies the other for every thing. Add a row for a new pair.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pactkeeper.tickets.sayings.claims import Claim
from pactkeeper.tickets.sayings.topic import Topic

_NOT: Final = re.compile(r"(?:\b(?:not|never|no longer|nicht|pas|no)|n't)\s+(?:be\s+)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two poles of one aspect."""

    aspect: str
    one: re.Pattern[str]
    other: re.Pattern[str]


def _pair(aspect: str, one: str, other: str) -> _Pair:
    return _Pair(
        aspect,
        re.compile(rf"(?<!\w)(?:{one})(?!\w)", re.IGNORECASE),
        re.compile(rf"(?<!\w)(?:{other})(?!\w)", re.IGNORECASE),
    )


_IS: Final = r"(?:is|are|be|stays?|remains?|gets?)(?: (?:only|always|then|still|automatically|immediately))?"
_NETWORK: Final = r"(?:an? |the )?(?:\w+ )?(?:network|internet|connection|signal)"
_PAIRS: Final = (
    _pair(
        "network",
        rf"(?:works?|usable|available|runs?) (?:fully )?(?:offline|without {_NETWORK})|offline",
        rf"(?:requires?|needs?|depends on) {_NETWORK}(?: connection| access)?"
        r"|(?:must|has to|have to|needs to) be (?:online|connected)|only (?:works? )?online|online only",
    ),
    _pair(
        "need",
        r"optional|voluntary|not (?:required|mandatory|needed)|can be (?:left )?(?:empty|blank|skipped|omitted)"
        r"|freiwillig|facultati(?:f|ve)|opcional",
        r"required|mandatory|obligatory|compulsory|must be (?:given|filled in|entered|provided)"
        r"|(?:can't|cannot|must not) be (?:left )?(?:empty|blank|skipped|omitted)"
        r"|pflicht|verpflichtend|obligatoire|obligatori[oa]",
    ),
    _pair(
        "audience",
        r"public|(?:visible|open|available|shown) (?:to|for) (?:everyone|everybody|anyone|all)"
        r"|without (?:an? )?(?:login|log-in|account)|öffentlich|publique?|públic[oa]",
        r"private|confidential|(?:only|just) (?:visible|open|available|shown) (?:to|for|after|with|behind)[^,.;]*"
        r"|behind an? (?:login|paywall)|(?:requires?|needs?) (?:an? )?(?:login|log-in|account)|nicht öffentlich"
        r"|privée?|privad[oa]",
    ),
    _pair(
        "way back",
        r"(?:can|could|may) (?:always )?be (?:restored|recovered|undone|reverted|brought back|taken back)"
        r"|reversible|undoable|restorable|recoverable",
        r"(?:can't|cannot|can not|can never) be (?:restored|recovered|undone|reverted|brought back|taken back)"
        r"|irreversible|irrevocable|permanent(?:ly)?|for good|no undo",
    ),
    _pair(
        "secrecy",
        r"(?:must be |is |are |stored |kept |always )*(?:encrypted|verschlüsselt|chiffrée?s?|cifrad[oa]s?)",
        r"(?:in )?(?:plain ?text|clear ?text|the clear|klartext)|unencrypted|unverschlüsselt|en clair|sin cifrar",
    ),
    _pair(
        "price",
        r"free(?: of charge)?|at no (?:cost|charge)|costs? nothing|kostenlos|gratuite?|gratis",
        r"pays? (?:for|extra)|(?:is|are) (?:charged|billed|paid)|costs? (?:extra|money|more)|kostenpflichtig"
        r"|payante?",
    ),
    _pair("frequency", r"always|immer|toujours|siempre", r"never|nie(?:mals)?|ne \w+ jamais|nunca"),
    _pair("hand", r"automatic(?:ally)?|automatisch", r"manual(?:ly)?|by hand|von hand|manuell"),
    _pair("letter case", r"case[- ]sensitive", r"case[- ]insensitive|ignor(?:es?|ing) case"),
    _pair(
        "change",
        r"(?:can|may) be (?:edited|changed|altered|modified)|editable|changeable",
        r"(?:can't|cannot|can never|must not|may not|must never) be (?:edited|changed|altered|modified)"
        r"|read[- ]only|immutable",
    ),
    _pair("name", r"anonymous(?:ly)?|anonym", r"with (?:a |the |their |full )?(?:real )?names?|logged[- ]in"),
    *(
        _pair(f"{one} or {other}", rf"{_IS} (?:{one})", rf"{_IS} (?:{other})")
        for one, other in (
            ("open(?:ed)?", "closed?|shut"),
            ("visible|shown|displayed", "hidden|invisible"),
            ("locked", "unlocked"),
            ("enabled|active|(?:switched|turned) on", "disabled|inactive|(?:switched|turned) off"),
            ("allowed|permitted|accepted", "forbidden|prohibited|refused|rejected|blocked"),
            ("kept|preserved|retained", "deleted|removed|erased|lost|discarded|dropped"),
        )
    ),
    _pair("order", r"newest first|latest first|descending", r"oldest first|earliest first|ascending"),
    _pair("default", r"on by default|opt[- ]out|enabled by default", r"off by default|opt[- ]in|disabled by default"),
)


def poles(topic: Topic) -> Iterator[Claim]:
    """The claims by words of a saying; a negation right before a pole makes it the other one."""
    for pair in _PAIRS:
        other = pair.other.search(topic.text)
        hit = other or pair.one.search(topic.text)
        if hit is None:
            continue
        side = (other is None) == (_NOT.search(topic.text[: hit.start()]) is None)
        about, whole = topic.about(hit.start()), topic.besides(*hit.span())
        yield Claim(pair.aspect, about, whole, "one" if side else "other")
