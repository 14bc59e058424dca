"""What people say about things they mean to do: done, moved, going on, stuck. An agent's own claims do not count."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pactkeeper.intent.artifact import Artifact, Change, CommitmentUpdate, Signals, excerpt, identity_of
from pactkeeper.intent.conversation import Entry
from pactkeeper.transcripts.extraction.sentences import sentences, unquoted
from pactkeeper.transcripts.extraction.window import Window

_THING: Final = r"(?P<target>\S.{2,100}?)"
_UNTIL: Final = r"(?P<until>[^.!,;]+?)(?=[.!,;]|$| (?:because|since|as|weil|da|parce|car|porque) )"
_FINISHED: Final = "finished|completed|shipped|delivered|wrapped up|closed out"
_LET_US: Final = r"(?:let'?s|we(?:'ll| will)?|i(?:'ll| will)?|please)"
_WE_ARE: Final = "i'm|i am|we're|we are"
_NOW: Final = "(?:all |both |now |already |finally |just )*"
_TOO: Final = "(?: now| too| as well)?"
_HANDLED: Final = (
    "done|finished|completed|shipped|sent|paid|signed|renewed|released|published|merged|deployed|submitted"
)
_MOVED: Final = r"moved|postponed|pushed(?: back| out)?|delayed|rescheduled|deferred|put off"
_END: Final = r"(?=[.!,;]|$| (?:and|und|et|y|because|weil|car|porque) )"
# By change and language; `target` is what it is about, `until` a new date.
_SAID: Final[Mapping[Change, tuple[str, ...]]] = {
    "completion": (
        rf"(?:i|we)(?:'ve| have)?(?: just| already| now)? (?:{_FINISHED}) {_THING}{_END}",
        rf"(?:i|we)(?:'ve| have)?(?: just| already)? sent {_THING}{_END}",
        rf"(?:just|finally) (?:{_FINISHED}|sent) {_THING}{_END}",
        rf"{_THING} (?:is|are) {_NOW}(?:done|finished|complete|completed|shipped|live){_TOO}{_END}",
        rf"{_THING} (?:has|have) {_NOW}been {_NOW}(?:{_HANDLED}){_TOO}{_END}",
        rf"(?:i|we)(?:'ve| have)? {_NOW}(?:ordered|booked|{_HANDLED}) {_THING},? (?:that|it)(?:'s| is) done{_END}",
        rf"(?:ich habe|wir haben) {_THING} (?:erledigt|fertig\w*|abgeschlossen|verschickt|abgeschickt){_END}",
        rf"{_THING} (?:ist|sind) (?:jetzt |schon |endlich )?(?:fertig|erledigt|abgeschlossen){_END}",
        rf"{_THING} (?:ist|sind) (?:jetzt |schon |endlich )?(?:raus|verschickt|bezahlt){_END}",
        rf"(?:j'ai|nous avons|on a) (?:terminé|fini|envoyé|livré) {_THING}{_END}",
        rf"{_THING} est (?:terminée?|finie?|prête?){_END}",
        rf"(?:he|hemos) (?:terminado|acabado|enviado|entregado) {_THING}{_END}",
        rf"(?:ya )?(?:terminé|terminamos|acabé|acabamos|envié|enviamos|entregué|entregamos) {_THING}{_END}",
        rf"{_THING} está (?:terminad[oa]|list[oa]|hech[oa]){_END}",
    ),
    "reschedule": (
        rf"(?:{_LET_US} )?(?:postpone|reschedule|delay|move|push|defer)d? {_THING} (?:to|until|till|by) {_UNTIL}",
        rf"{_THING} (?:is|are|was|were|got|gets|has been|have been) (?:{_MOVED}) (?:to|until|till|by) {_UNTIL}",
        rf"{_THING} (?:slips|slipped|has slipped) (?:to|into|until|till) {_UNTIL}",
        rf"{_THING} (?:verschiebt|verzögert|zieht) sich (?:noch )?(?:auf|bis) {_UNTIL}",
        rf"{_THING} (?:est|sera|a été) (?:repoussé|reporté|décalé)e?s? (?:à|au|jusqu'au?) {_UNTIL}",
        rf"{_THING} se (?:aplaza|pospone|retrasa) (?:al?|hasta|para) {_UNTIL}",
        rf"(?:ich |wir )?(?:verschieben?|vertagen?) (?:wir )?{_THING} (?:auf|bis) {_UNTIL}",
        rf"(?:on |nous |je )?(?:reporte|reportons|décale|décalons) {_THING} (?:à|au|jusqu'au) {_UNTIL}",
        rf"(?:vamos a )?(?:aplazamos|posponemos|aplazar|posponer|mover) {_THING} (?:al?|para|hasta) {_UNTIL}",
    ),
    "progress": (
        rf"(?:{_WE_ARE}) (?:still|halfway|almost|nearly) (?:working on|through|done with) {_THING}{_END}",
        rf"{_THING} (?:is|are) (?:halfway|almost|nearly) (?:there|done|finished|through){_END}",
        rf"(?:made|making) (?:good )?progress (?:on|with) {_THING}{_END}",
        rf"(?:ich|wir) (?:arbeite|arbeiten) (?:noch |gerade )?an {_THING}{_END}",
        rf"(?:je travaille|nous travaillons|on travaille) (?:encore )?sur {_THING}{_END}",
        rf"(?:sigo|seguimos) (?:trabajando )?(?:en|con) {_THING}{_END}",
    ),
    "friction": (
        rf"(?:{_WE_ARE}) (?:still )?(?:blocked|stuck) (?:on|by|with) {_THING}{_END}",
        rf"still (?:blocked|stuck) (?:on|by|with) {_THING}{_END}",
        rf"(?:(?:{_WE_ARE}) (?:still )?|still )waiting (?:for|on) (?!you|the (?:build|tests?)\b){_THING}{_END}",
        rf"{_THING} is (?:still )?blocked{_END}",
        rf"(?:i|we) (?:keep|kept) (?:putting off|avoiding) {_THING}{_END}",
        rf"(?:ich|wir) (?:hänge|hängen|stecke|stecken) (?:noch )?(?:bei|an|in) {_THING}(?: fest)?{_END}",
        rf"(?:beim|bei der|bei den|bei) {_THING} (?:hänge|hängen|stecke|stecken) (?:ich|wir)(?: noch| fest)*{_END}",
        rf"(?:ich warte|wir warten) (?:immer )?(?:noch )?auf (?!dich){_THING}{_END}",
        rf"(?:j'attends|nous attendons|on attend) (?:toujours|encore) {_THING}{_END}",
        rf"(?:sigo|seguimos) esperando {_THING}{_END}",
        rf"(?:je suis|nous sommes|on est) bloqués? (?:sur|par) {_THING}{_END}",
        rf"(?:estoy|estamos) (?:atascad|bloquead)\w+ (?:en|con|por) {_THING}{_END}",
    ),
}
_PATTERNS: Final = tuple(
    (change, re.compile(rf"(?:\W|also |ok |so |and |good news: )*+{said}", re.IGNORECASE))
    for change, forms in _SAID.items()
    for said in forms
)
_OPEN: Final = re.compile(
    r"(?<!\w)(?:if|when|once|until|not|n't|isn't|aren't|never|should|could|would|will be|make sure"
    r"|wenn|sobald|falls|nicht|soll\w*|si|quand|pas|cuando|no|ob|whether|after|before|nachdem|bevor)(?!\w)|n't\b",
    re.IGNORECASE,
)
# What tells a new date from a new place: files are moved too.
_TIME: Final = re.compile(
    r"\d|(?<!\w)(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|next|week|month|quarter|year|later|sprint|spring|summer"
    r"|autumn|winter|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|morgen|woche|monat|quartal|jahr|später|nächste"
    r"|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|demain|semaine|mois|trimestre|prochaine?|plus tard"
    r"|lunes|martes|miércoles|jueves|viernes|sábado|domingo|mañana|semana|mes(?!\w)|próxim[oa]|más tarde"
    r"|(?:janu|febru)\w+|mar(?:ch|s|zo)|märz|apri?l|avril|abril|ma[iy]o?|jun[ie]o?|juin|jul[iy]o?|juillet|au?gust|août|agosto"
    r"|(?:sept|oct|okt|nov|dec|dez|déc|dic)(?:em|o|iem)?b(?:er|re)|enero|janvier|février",
    re.IGNORECASE,
)
# When something was done is no part of its name; `the report of yesterday` is one.
_WHEN: Final = re.compile(
    r"(?<!\bof)(?<!\bfrom)(?<!\bfor)(?<!\bvon)(?<!\bde)(?<!\bd['’])[,\s]+(?:yesterday|today|tonight|just now|earlier"
    r"|(?:this|yesterday) (?:morning|afternoon|evening|week)|last (?:night|week)"
    r"|gestern|heute|hier|aujourd['’]hui|ayer|hoy)\Z",
    re.IGNORECASE,
)
_VAGUE: Final = frozenset(
    {
        "it",
        "this",
        "that",
        "they",
        "everything",
        "all",
        "es",
        "das",
        "alles",
        "ça",
        "cela",
        "tout",
        "eso",
        "todo",
        "i",
        "we",
        "you",
    }
)
_LONGEST: Final = 2000  # characters of what somebody types; longer texts are pasted
_STRENGTH: Final[Mapping[Change, int]] = {"completion": 80, "reschedule": 85, "progress": 60, "friction": 60}


def commitment_updates(window: Window) -> Iterator[Artifact]:
    """Every sentence in which a person says where something stands; questions, conditions and orders are none."""
    for entry, position, block in window.texts(by_person=True):
        if len(block.text) <= _LONGEST:
            for first, last in sentences(block.text):
                found = _update(block.text[first:last])
                if found is not None:
                    yield _artifact(entry, position, (first, last), found)


def _update(sentence: str) -> tuple[CommitmentUpdate, str] | None:
    if sentence.endswith("?"):
        return None
    for change, pattern in _PATTERNS:
        found = pattern.match(sentence)
        if found and not _OPEN.search(found[0]) and _own_words(found):
            target = _bare(found["target"] if change == "reschedule" else _WHEN.sub("", found["target"]))
            until = (found.groupdict().get("until") or "").strip()
            if target.casefold() not in _VAGUE and (change != "reschedule" or _TIME.search(until)):
                return CommitmentUpdate(target, change), until
    return None


def _bare(words: str) -> str:
    return words.strip().strip("\"'*`“”")


def _own_words(found: re.Match[str]) -> bool:
    """Whether the speaker says it, who may well quote what it is about."""
    first, last = found.span("target")
    bare = unquoted(found.string)
    return bare[:first] == found.string[:first] and bare[last : found.end()] == found.string[last : found.end()]


def _artifact(entry: Entry, position: int, span: tuple[int, int], found: tuple[CommitmentUpdate, str]) -> Artifact:
    update, until = found
    said = excerpt(entry, position, *span)
    return Artifact(
        "commitment_update",
        f"{update.change}: {update.target}",
        (said,),
        Signals(_STRENGTH[update.change], _SPOKEN),
        "medium",
        identity_of(f"{entry.at[:_DAY]}\n{said.text}"),
        update=update,
        facts={"until": until} if until else {},
    )


_DAY: Final = 10  # characters of a time; said again another day, it is said anew
_SPOKEN: Final = 70  # a person said so in words; no tool did it
