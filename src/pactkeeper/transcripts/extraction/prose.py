"""Plans without a list: sentences that say what is first, then and last, where somebody asked for a plan."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.artifact import Artifact, Signals, excerpt, identity_of
from pactkeeper.intent.conversation import Entry
from pactkeeper.intent.reading.verbs import is_verb
from pactkeeper.intent.wording.tables import table
from pactkeeper.transcripts.extraction.sentences import sentences
from pactkeeper.transcripts.extraction.vocabulary import PLAN, ROADMAP
from pactkeeper.transcripts.extraction.window import Window

MANY: Final = 3
_STRENGTH, _EXPLICIT = 65, 60
_LONGEST: Final = 20_000  # characters of a text that is looked at
_FIRST: Final = re.compile(r"(?i)(?:first(?:ly| of all)?|to begin with|zuerst|als erstes|d'abord|primero)\b[,:]?\s+")
_THEN: Final = re.compile(
    r"(?i)(?:and |und |et |y )?(?:second(?:ly)?|third(?:ly)?|fourth|fifth|next|then|after (?:that|this)|afterwards"
    r"|finally|lastly|last|dann|danach|anschließend|schließlich|zuletzt|ensuite|puis|enfin|después|luego|finalmente)\b"
    r"[,:]?\s+"
)
_INNER: Final = re.compile(rf"[,;]\s+(?={_THEN.pattern.removeprefix('(?i)')})", re.IGNORECASE)
_WE: Final = re.compile(r"(?i)(?:we|you)(?:'ll|'d)?\s+(?:should |will |need to |have to |can |could |would )?")
_ASKED: Final = re.compile(
    r"(?i)\b(?:plan|steps?|roadmap|approach|in (?:which|what) order"
    r"|what (?:to do|should (?:we|i) do|comes) (?:first|next)"
    r"|how (?:would|should|do|can) (?:you|we|i) (?:go about|approach|tackle|do|migrate)"
    r"|think (?:it|this) through"
    r"|vorgehen|reihenfolge|wie gehen wir|étapes|démarche|dans quel ordre|pasos|cómo lo hacemos|en qué orden)\b"
)
_HEAD: Final = re.compile(
    r"[ \t]{0,3}(?:#{1,6}[ \t]+(?P<a>[^\n]+)|\*\*(?P<b>[^*\n]+)\*\*:?[ \t]*|(?P<c>[^\n]{3,80}):[ \t]*)\n\s*\Z"
)
_DETERMINERS: Final = table("the a an our my your this that all each every these those it them both")
_NO_VERBS: Final = table("the a an our my your this that i it he she they there here all of thing things time step")


@dataclass(frozen=True, slots=True)
class Told:
    """A plan in prose: its title, empty where no line leads to it, where it begins, and the span of each step."""

    title: str
    first: int
    steps: tuple[tuple[int, int], ...]


def told_plans(text: str) -> Iterator[Told]:
    """Every run of three or more sentences that each say what to do, from a first one on, within one paragraph."""
    if not _FIRST.search(text):
        return
    run: list[tuple[int, int]] = []
    begin = 0
    for first, last in (*_parts(text), (len(text), len(text))):
        leads = _FIRST.match(text, first, last)
        follows = _THEN.match(text, first, last) if run else None
        if run and (leads or not last > first or _apart(text, run[-1][1], first)):
            yield from _told(text, begin, run)
            run = []
        if leads and _is_order(text[leads.end() : last]):
            run, begin = [(leads.end(), last)], first
        elif follows and run:
            run.append((follows.end(), last))


def plans_in_prose(window: Window) -> Iterator[Artifact]:
    """Every plan that the agent tells in prose after a person asked for one, or under a line that says so."""
    asked = False
    for entry in window.entries:
        texts = [(at, block.text) for at, block in enumerate(entry.blocks) if block.kind == "text"]
        if entry.by_person:
            asked = any(_ASKED.search(text[:2000]) for _, text in texts)
        elif entry.role == "assistant" and not entry.sidechain:
            for at, text in texts:
                yield from _of_text(entry, at, text, asked=asked)


def _of_text(entry: Entry, position: int, text: str, *, asked: bool) -> Iterator[Artifact]:
    for one in told_plans(text) if len(text) <= _LONGEST else ():
        if asked or PLAN.search(one.title) or ROADMAP.search(one.title):
            shown = excerpt(entry, position, one.first, one.steps[-1][1])
            title = one.title or text[slice(*one.steps[0])].partition("\n")[0]
            yield Artifact(
                "plan",
                title[:200],
                (shown,),
                Signals(_STRENGTH, _EXPLICIT),
                "medium",
                identity_of(shown.text),
                facts={"steps": len(one.steps), "form": "plan"},
            )


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """Sentences, and the parts of one that says several steps."""
    for first, last in sentences(text):
        at = first
        for found in _INNER.finditer(text, first, last) if _FIRST.match(text, first, last) else ():
            yield at, found.start()
            at = found.end()
        yield at, last


def _told(text: str, begin: int, run: list[tuple[int, int]]) -> Iterator[Told]:
    if len(run) >= MANY and sum(_is_order(text[slice(*one)]) for one in run) >= len(run) - 1:
        head = _HEAD.search(text, 0, begin)
        title = (head["a"] or head["b"] or head["c"] or "").strip() if head else ""
        yield Told(title, head.start() if head and head["b"] else begin, tuple(run))


def _apart(text: str, last: int, first: int) -> bool:
    """Whether a paragraph ended between two sentences."""
    return text.count("\n", last, first) > 1


def _is_order(step: str) -> bool:
    """Whether a step says what to do and not what something does."""
    words = re.findall(r"[^\W\d_]+", _WE.sub("", step, count=1)[:80])
    if not words or words[0].casefold() in _NO_VERBS:
        return False
    told = is_verb(words[0].casefold(), ("base",)) or (len(words) > 1 and words[1].casefold() in _DETERMINERS)
    return told and not step.rstrip().endswith("?")
