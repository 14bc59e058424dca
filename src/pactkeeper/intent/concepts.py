"""What a text is about: its words without stop words, split into domain and technical ones.

A domain concept is a word of what the program is for (`basket`, `refund`); a technical one is a name from the code or a
word of programming itself (`http`, `cache`). Both are taken from names as written, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from pactkeeper.intent.claims import TestEvidence
from pactkeeper.intent.wording.tables import singular, split_identifier, table

STOP = table("""
    a about above after again against all also although am among an and another any are aren as at be became because
    become been before being below between both but by can cannot could couldn did didn do does doesn doing don done
    during each either else even ever every few for from further had has hasn have haven having he hence her here hers
    him his how however i if in into is isn it its itself just least less let lets like many may maybe me might more
    most much must my neither never no none nor not now of off often on once only onto or other others otherwise our
    out over own per perhaps please quite rather same shall she should shouldn since so some such than that the their
    them themselves then there therefore these they this those though through thus to together too toward towards
    under unless until up upon us very via was wasn we well were weren what whatever when whenever where wherever
    whether which while who whole whom whose why will with within without would wouldn yet you your yours
""")
"""English words that say nothing about a subject; a search drops them."""

SLIGHT = table("""
    able across actual actually allow allowed almost along already always anything around available back based came
    call called calling certain come common different down ensure ensured etc everything exactly except find first
    found gave general generally get getting give given giving go going good got handle handled handling help helps
    inside instead keep keeping kept kind know known last likely little look looks lot made mainly make making mine
    namely need needed new next nothing old one ones possible possibly produce produced properly provide provided put
    really remain remains respect respected say said see seen set shown show simply something sometimes soon still
    support supported sure take taken thing things true try trying turn two type use used useful using usual
    usually various want wanted way ways went work worked working yes
""")
"""Words that say little where they stand in a test's name."""

TEST_WORDS = table("""
    actual assert asserted assertion bar basic baz case check checked correct correctly default demo dummy example
    expect expected fail failed failing failure false fixture foo happy integration invalid issue misc mock mocked
    multiple pass passed regression return returned returning result right sample scenario scratch simple single
    smoke spec stub success successful suite test tested testing tests twice unit valid value verify wrong
""")
"""Words that tests use to say that they are tests; they name no subject."""

TECHNICAL = table("""
    abstract algorithm alias annotation api app arg args argument array assign async asyncio attr attribute attributes
    await backend base binary bool boolean branch buffer build builder byte bytes cache callable callback char class
    cli client code codec collection column command comment compile compiler component config configuration connection
    const constant constructor container context converter coroutine css csv data database datetime debug decode
    decoder decorator def dict dictionary dir directory dom encode encoder encoding endpoint engine enum env environment
    error event exception executor export expression factory field file filter flag float folder format formatter
    frontend function generator get getter global graph handler hash header hook html http https id identifier import
    index inheritance init input instance int integer interface io ip iterable iterator javascript json key keyword
    kwarg kwargs lambda lazy len library line list listener load loader local log logger logging loop map mapping
    memory message metadata method middleware mime mixin module mutable name namespace nested node null number object
    option optional output override package param parameter parse parser patch path pattern payload pipeline plugin
    pointer pool post prefix process promise property protocol proxy python query queue raw reader recursive ref
    reference regex register registry render renderer request resolve resolver resource response rest runner runtime
    schema scope script selector serialize serializer server session set setter setting shell signal signature socket
    source sql stack state static status stdin stdout stream string struct subclass suffix symbol sync syntax table
    task template text thread timeout token tree tuple type typescript undefined unicode uri url utf util utils
    uuid validate validation validator var variable version view void wrapper writer xml yaml
""")
"""Words of programming itself: they occur in every project and tell little about this one."""

_WORD = re.compile(r"\w+")
_SHORTEST = 3
_SHORT_BUT_TELLING = table("ai ca db id ip qr tz ui ux vm")
_NAME, _SUITE, _DOCSTRING, _FILE = 8, 5, 3, 4
"""How much a word counts by where it stands."""
_TEST_FILE = re.compile(r"(?:^|[._-])(?:tests?|spec|specs|cy|e2e)(?=$|[._-])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Concepts:
    """What one test is about, the most telling first; `technical` are words and names from the code."""

    domain: tuple[str, ...] = ()
    technical: tuple[str, ...] = ()

    def naming(self, names: Iterable[str]) -> Concepts:
        """Return the same concepts with the names of the code the test reaches ahead of the other technical words."""
        return Concepts(self.domain, tuple(dict.fromkeys((*names, *self.technical))))


def concepts_of(evidence: TestEvidence, file: str) -> Concepts:
    """The concepts of a test from its name, suites, docstring and file."""
    weights: dict[str, int] = {}
    stem = _TEST_FILE.sub(" ", file.rpartition("/")[2].partition(".")[0])
    sources = (
        (evidence.name, _NAME),
        *((suite, _SUITE) for suite in evidence.suite),
        (evidence.docstring or "", _DOCSTRING),
        (stem, _FILE),
    )
    for text, weight in sources:
        for word in subject_words(text):
            weights[word] = weights.get(word, 0) + weight
    ranked = sorted(
        weights, key=lambda word: -weights[word]
    )  # a stable sort: equal words stay in the order of the text
    domain = tuple(word for word in ranked if word not in TECHNICAL)
    return Concepts(domain, tuple(word for word in ranked if word in TECHNICAL))


def subject_words(text: str) -> tuple[str, ...]:
    """Return the words of a name or prose that can name a subject: lower case, singular, unique, in order."""
    return tuple(dict.fromkeys(word for word in words_of(text) if word not in TEST_WORDS and word not in SLIGHT))


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a name or prose without stop words: lower case and singular, in order."""
    return tuple(word for piece in _WORD.findall(text) for word in _words(piece))


@lru_cache(maxsize=8192)
def _words(piece: str) -> tuple[str, ...]:
    found = (word.lower() for word in split_identifier(piece))
    return tuple(singular(word) for word in found if word not in STOP and _tells(word))


def _tells(word: str) -> bool:
    return (len(word) >= _SHORTEST and not word[0].isdigit()) or word in _SHORT_BUT_TELLING
