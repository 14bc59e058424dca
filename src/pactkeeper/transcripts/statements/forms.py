"""How people say who has something, what it is called, what is used for it, and that it is given up: one table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.intent.wording.tables import table
from pactkeeper.transcripts.statements.words import stem, topics

Field = Literal["owner", "name", "choice", "dropped"]
_CAPITAL: Final = r"[A-ZÀ-Þ0-9][\w.+#'’-]*"
_PERSON: Final = rf"(?-i:[A-ZÀ-Þ][\w'’-]+(?: {_CAPITAL})?)"
_TOOL: Final = rf"(?:the )?(?-i:{_CAPITAL}(?: {_CAPITAL}){{0,2}})"
_THING: Final = rf"(?:(?:the|our|my|den|die|das|dem|le|la|el) )?[\w.+#-]+(?-i: {_CAPITAL}){{0,2}}"
_NOW: Final = r"(?:now |currently |officially |also |will |jetzt |nun |ab sofort |maintenant |désormais |ahora )*"
_HAS: Final = (
    "takes? over|owns|leads|maintains|looks after|handles|runs?|is (?:taking over|handling|running)|übernimmt"
    "|leitet|verantwortet|betreut|reprend|dirige|lleva"
)
_ANSWERS: Final = (
    "responsible for|in charge of|on call for|the (?:new )?(?:owner|lead|contact|maintainer|head) (?:of|for)"
    "|verantwortlich für|zuständig für|(?:la |le )?responsable (?:de|du|des)"
)
_INSTEAD: Final = (
    "instead of|rather than|in place of|statt|anstatt|anstelle von|au lieu de|plutôt que|en lugar de|en vez de"
)
_DO: Final = (
    "do|build|launch|make|ship|offer|pursue|continue|open|hire|start|run|organi[sz]e|doing|building|launching|making"
    "|shipping|offering|pursuing|continuing|opening|hiring|starting|running|organi[sz]ing|going ahead with"
)
_DROP: Final = (
    "drop(?:ped|ping)?|cancel(?:l?ed|l?ing)?|scrap(?:ped|ping)?|shelved?|shelving|abandon(?:ed|ing)?|kill(?:ed|ing)?"
    "|park(?:ed|ing)?|paused?|pausing"
)
_GONE: Final = (
    "cancell?ed|dropped|scrapped|on hold|paused|off the table|off|shelved|abandoned|dead|stopped"
    "|postponed indefinitely|abgesagt|gestrichen|pausiert|eingestellt|zurückgestellt|vom tisch"
    "|annulée?s?|abandonnée?s?|suspendue?s?|cancelad[oa]s?|descartad[oa]s?|pausad[oa]s?|suspendid[oa]s?"
)
_VAGUE: Final = r"(?:problem|issue|question|reason|cause|idea|answer|next|goal|point|bug|error|rest|only|first|last)\b"
_HELD: Final = "(?:stored|hosted|kept|handled|sent|processed|written|built|based|located)"
_PICK: Final = "settled on|chose|picked|prefer|went with|going with|go with|opted for"
_LATELY: Final = r"(?=.*\b(?:now|jetzt|désormais|ahora)\b)"
_ON: Final = "(?:on|in|through|via|at)"
_HAVE: Final = "(?:has |have |is |are )?"
_WE: Final = r"(?:we|i)(?:'m|'re|'ve|'ll| am| are| have| will)?"
_MOVE: Final = r".*?\b(?:switch|mov|migrat|transfer)\w*"
# `what` and `rest` are the subject of a form, `value` what is said of it, `former` what that replaces.
_FORMS: Final[Mapping[Field, tuple[str, ...]]] = {
    "owner": (
        rf"(?P<value>{_PERSON}) {_NOW}(?:{_HAS}) (?P<what>.+?)(?: (?:from|von|de) (?P<former>{_PERSON}))?$",
        rf"(?P<value>{_PERSON}) (?:is|ist|est|es) {_NOW}(?:{_ANSWERS}) (?P<what>.+)$",
        rf"(?P<value>{_PERSON}) ist {_NOW}für (?P<what>.+?) (?:zuständig|verantwortlich)$",
        rf"(?P<what>.+?) (?:is|are) {_NOW}(?:owned|led|maintained|run|handled) by (?P<value>{_PERSON})$",
        rf"(?:{_WE} )?hand(?:ed|ing)?(?: over)? (?P<what>.+?)(?: over)? to (?P<value>{_PERSON})$",
        rf"(?P<former>{_PERSON}) (?:hand|pass|give)\w* (?P<what>.+?) (?:over )?to (?P<value>{_PERSON})$",
        rf"(?P<what>.+?) {_NOW}(?:belongs|reports?) to (?P<value>{_PERSON})$",
        rf"(?:the )?(?:new )?(?:owner|lead|contact) (?:of|for) (?P<what>.+?) is {_NOW}(?P<value>{_PERSON})$",
    ),
    "name": (
        rf"(?P<what>.+?) (?:is|are|will be) {_NOW}(?:called|named)(?! (?:by|from|off|on|in|after|for)) (?P<value>.+)$",
        rf"(?:the|our|my) (?!{_VAGUE})(?P<what>.+?) is {_NOW}(?P<value>(?!\d){_TOOL})$",
        rf"(?P<what>.+?) (?:heißt|nennt sich|s'appelle|se llama) {_NOW}(?P<value>.+)$",
        r".*?\b(?:renam|rebrand)\w+ (?P<former>.+?) (?:to|as|into|in) (?P<value>.+)$",
        rf"(?P<former>{_TOOL}) (?:is|becomes|heißt|devient|es) (?:now|jetzt|nun|désormais|ahora) (?P<value>{_TOOL})$",
        rf"(?P<former>.+?) (?:is|was|got|has been) {_NOW}(?:renamed|rebranded) (?:to|as|into) (?P<value>.+)$",
    ),
    "choice": (
        rf"(?P<what>.*?)(?P<value>{_THING}),? (?:{_INSTEAD}) (?P<former>{_TOOL})(?P<rest>.*)$",
        rf"(?P<what>.*?)(?:{_PICK}) (?P<value>{_THING}) (?:over|and not) (?P<former>{_TOOL})(?P<rest>.*)$",
        rf".*?\b(?:{_DROP}|ditched|left) (?P<former>{_TOOL}) (?:for|in favou?r of) (?P<value>{_TOOL})(?P<rest>.*)$",
        rf"(?P<value>{_TOOL}) replace[sd]? (?P<former>{_TOOL})(?P<rest>.*)$",
        rf"{_MOVE} (?P<what>.+?) (?:off|away from) (?P<former>{_TOOL})$",
        rf"{_MOVE} (?P<what>.+?) (?:from|off|away from) (?P<former>.+?) (?:to|onto) (?P<value>.+)$",
        r".*?\b(?:we|i|let's|wir|on|nous)\b.*? ?replac\w+ (?P<former>.+?) (?:with|by) (?P<value>.+)$",
        rf"{_MOVE} (?P<what>.+?) (?:to|onto|over to) (?P<value>{_TOOL})$",
        rf"(?P<what>.+?) {_HAVE}(?:moved|switched|migrated|moving|switching) (?:over )?to (?P<value>{_TOOL})$",
        rf"{_LATELY}(?P<what>.+?) (?:is|are|runs?|lives?) {_NOW}(?:{_HELD} )?{_ON} (?P<value>{_TOOL})(?: now| jetzt)?$",
    ),
    "dropped": (
        r".*?\bdecided against (?P<what>.+)$",
        rf"(?:{_WE})\b.*? ?(?:\bnot|\bno longer|n't|\bnever) (?:be )?(?:going to )?(?:{_DO}) (?P<what>.+)$",
        rf"(?:{_WE}|let's) (?:now |just )?(?:{_DROP}) (?P<what>.+)$",
        rf"(?P<what>.+?) (?:is|are|was|got|gets|has been|ist|sind|wird|wurde|est|sont|está|queda) {_NOW}(?:{_GONE})$",
        rf"(?:{_WE}) (?:now )?(?:stop|stopped|quit|ceased) (?P<what>\w+ing .+)$",
        r"(?P<what>.+?) (?:won't|will not|isn't going to|is not going to) (?:happen|come|ship|be built|take place)$",
        r"(?P<what>.+?) (?:fällt aus|entfällt|n'aura pas lieu|no se hará)$",
        r"there (?:will be no|won't be an?y?) (?P<what>.+)$",
        r"no (?P<what>.+?) this (?:year|quarter|time|season)$",
        r"(?:wir|ich) (?:streichen|verzichten auf|canceln|stoppen|begraben) (?P<what>.+)$",
        r"(?:on|nous) (?:abandonne|abandonnons|annule|annulons|renonce à|renonçons à) (?P<what>.+)$",
        r"(?:cancelamos|descartamos|abandonamos|no vamos a hacer|no hacemos) (?P<what>.+)$",
    ),
}
_USE: Final = "use|uses|using|chose|picked|prefer|nutzen|verwenden|utilisons|usamos"
_STAY: Final = rf"{_USE}|stay with|stick with|stick to|bleiben bei|restons sur|seguimos con"
_USED: Final = (
    rf".*?\b(?:{_USE}) (?P<value>{_TOOL}) (?:for|as|für|als|pour|para) (?P<what>.+)$",
    rf".*?\b(?:keep|store|host|run|have) (?P<what>.+?) (?:on|in|with|at|through) (?P<value>{_TOOL})$",
    rf"(?P<what>.+?) (?:runs?|goe?s?|lives?|are|is)(?: {_HELD})? (?:on|in|through|with|via|at|by) (?P<value>{_TOOL})$",
    rf"(?:we|wir|nous|on) (?:{_STAY}) (?P<value>{_TOOL})$",
)
_PATTERNS: Final = {field: tuple(re.compile(form, re.IGNORECASE) for form in forms) for field, forms in _FORMS.items()}
_USES: Final = tuple(re.compile(form, re.IGNORECASE) for form in _USED)
_NOBODY: Final = table(
    "the we i it this that they he she you please who everybody nobody somebody our my everyone nothing a an plan now"
    " der die das wir ich wer la le les nous on el los ella"
)
_CHOOSING: Final = frozenset(
    map(
        stem,
        table("use using go going went choose chose chosen pick picked run nehmen nutzen verwenden prendre usar wir"),
    )
)
_NAME: Final = re.compile(r"[\w+#]+")


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that is said of a subject; `about` are stems, `value` and `former` words, and any may be empty."""

    field: Field
    about: frozenset[str]
    value: frozenset[str]
    former: frozenset[str]
    words: str


def told(clause: str) -> Iterator[Told]:
    """What a clause says in one of the forms, once for each field."""
    for field, patterns in _PATTERNS.items():
        found = (_told(field, hit) for pattern in patterns if (hit := pattern.match(clause)))
        one = next((one for one in found if one is not None), None)
        if one is not None:
            yield one


def used(line: str) -> Iterator[Told]:
    """What a line says is used for something, or at all."""
    found = (_told("choice", hit) for pattern in _USES if (hit := pattern.match(line)))
    return (one for one in found if one is not None)


def _told(field: Field, hit: re.Match[str]) -> Told | None:
    part = hit.groupdict("")
    value, former = part.get("value", "").strip(), part.get("former", "").strip()
    what = f"{part.get('what', '')} {part.get('rest', '')}".strip()
    if field == "owner" and value.split()[0].casefold() in _NOBODY:
        return None
    named, replaced = _named(value), _named(former)
    about = topics(what) - topics(value) - topics(former) if what or field != "name" else topics(former)
    about -= _CHOOSING if field == "choice" else frozenset()
    if not (about if field == "dropped" else named or replaced):
        return None
    return Told(field, about, named, replaced, value or what)


def _named(text: str) -> frozenset[str]:
    """The words of a name, without articles and the like."""
    return frozenset(_NAME.findall(text.casefold())) - _NOBODY
