"""How people introduce what belongs into a field within a sentence, in five languages; one table a field.

What only hints at a field stands in `hints`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.ticket import Field


def any_of(*patterns: str) -> re.Pattern[str]:
    """One pattern for several ways to say something."""
    return re.compile("|".join(f"(?:{one})" for one in patterns), re.IGNORECASE)


_OPINION: Final = re.compile(
    r"(?:i (?:think|guess|believe|feel|assume)(?: that)?|i'd say|i would say|imo|in my opinion|maybe|perhaps"
    r"|for me|ideally"
    r"|basically|also|and|plus"
    r"|ich (?:denke|finde|glaube),?|je pense que|creo que|außerdem|aussi|además|también)[, ]+",
    re.IGNORECASE,
)
EPIC: Final = re.compile(
    r"\b(?:epic|part of|belongs (?:to|under|in)|goes (?:under|into|in)|under|parent is|epos"
    r"|gehört zu(?:m)?|fait partie de|parte de(?:l)?)\s+"
    r"(?:is\s+|ist\s+|the\s+|our\s+|epic\s+|epos\s+|l'epic\s+|épica\s+)*(?P<value>[A-Z][A-Z0-9]+-\d+)"
)
DEPENDS: Final = any_of(
    r"(?!.*(?:\btbh\b|(?:n't|\bnot) (?:depend|rely))).*?\b(?:depends?|relies|rely) (?:also )?(?:up)?on\s+(?P<v1>.+)",
    r".*?\b(?:is |are |we're |be )?blocked (?:by|on|until)\s+(?P<v2>.+)",
    r".*?\b(?:has|have|must|needs?) (?:to )?wait (?:for|until)\s+(?P<v3>.+)",
    (
        r".*?\b(?:can't|cannot|can not) (?:start|ship|begin|go live|release|be (?:done|built|shipped|released"
        r"|started))(?: this| it)? (?:before|until|without)\s+(?P<v4>.+)"
    ),
    r".*?\bhäng(?:t|en) (?:auch )?(?:von|vom) (?P<v5>.{1,100}?) ab\b.*",
    r".*?\bdépend(?:ra)? (?:aussi )?(?:de |du |des |d')(?P<v6>.+)",
    r".*?\bdepende (?:también )?de(?:l)? (?P<v7>.+)",
    r".*?\bwir warten (?:noch )?auf (?P<v8>.+)",
    r".*?\b(?:needs?|requires?) (?P<v9>(?!to\b)[^,]{1,80}? (?:first|beforehand) \([^)]+\))",
    r".*?\b(?:needs?|requires?) (?P<v16>(?!to\b)[^,]{1,80}?) (?:first|before that|beforehand)\b.*",
    (
        r".*?\b(?:we|this|that|it|they) (?:can|could|will) only (?:(?:do|start|ship|release|build|go live|begin"
        r"|happen)\b ?)?"
        r"(?:this |that |it )?(?:after|once|when) (?P<v10>.+)"
    ),
    r"(?:we're |we are |i'm |still )?waiting (?:for|on) (?P<v11>.+)",
    r".*?\b(?:bloqué\w* par|blockiert (?:durch|von)|bloqueado por|geblokkeerd door) (?P<v12>.+)",
    r".*?\b(?:braucht?|brauchen) (?:erst|zuerst|vorher) (?P<v13>.+)",
    r".*?\bhang(?:t|en) (?:ook )?af van (?P<v14>.+)",
    r".*?\b(?:il faut d'abord|hace falta primero|primero (?:hay que|necesitamos)) (?P<v15>.+)",
)
RISK: Final = any_of(
    (
        r"(?:the |a |one |my |our |another |only |there is a |there's a )*+(?:main |big |biggest "
        r"|small )?(?:risk|concern|worry|danger)(?: here)?(?: is| would be| that"
        r"| of)[:,]?(?: that)? (?P<v1>.+)"
    ),
    (
        r"(?:i'm|i am|we're|we are)? ?(?:a bit |kinda |really |somewhat )?(?:afraid|worried|concerned|scared)(?: that"
        r"| about| of)? (?P<v2>.+)"
    ),
    r"(?:das |ein )?(?:größte |einzige )?risiko (?:ist|dabei ist|wäre),?(?: dass)? (?P<v3>.+)",
    r"(?:ich|wir) (?:befürchten?|fürchten?),?(?: dass)? (?P<v4>.+)",
    r"(?:le |un |seul )*+risque (?:est|serait)[ :,]*(?:que |qu'|de |d')?(?P<v5>.+)",
    r"(?:el |un |único )*riesgo (?:es|sería)(?: que| de)? (?P<v6>.+)",
    (
        r"(?:careful|beware|attention|achtung|vorsicht|cuidado)[:,!]+ (?!.*\b(?:hängt|hängen|depends?|blocked"
        r"|needs?|dépend"
        r"|depende)\b)(?P<v7>.+)"
    ),
    r"(?:(?:a )?mí )?(?:me|nos) preocupa (?:que )?(?P<v8>.+)",
    r"(?:j'ai|on a) peur (?:que |de |d')(?P<v9>.+)",
    r"ik ben (?:een beetje )?bang (?:dat |voor )(?P<v10>.+)",
)
MAY_BREAK: Final = re.compile(
    (
        r"\b(?:might|could|may) (?:\w+ )?(?:break|fail|lose|leak|slow|overload|corrupt|confuse|expose|hurt"
        r"|flood|delay|block|duplicate|annoy|crash|run out|go wrong|get lost|be lost|drain|freeze|time out"
        r"|pile up|collide"
        r"|miss|spam)\b"
    ),
    re.IGNORECASE,
)
PROBLEM: Final = any_of(
    (
        r"(?:(?:so|well|but) )?(?:the |our |my |main |actual |real |root )*(?:problem|issue|pain(?: point)?"
        r"|trouble) (?:here |today |right now |now |we have )?(?:is|was)(?: that)?[:,]? (?P<v1>.+)"
    ),
    r"(?:das |unser |eigentliche )*problem (?:dabei |hier |heute )?ist[:,]?(?: dass)? (?P<v2>.+)",
    r"(?:le |notre |vrai )*problème(?:,)? (?:est |c'est )(?:que |qu')?(?P<v3>.+)",
    r"(?:el |nuestro )*problema es(?: que)? (?P<v4>.+)",
)
TITLED: Final = any_of(
    r"(?:the |a |my |good |working |possible )*title (?:could|can|might|would|may) be[:]? (?P<v1>.+)",
    r"(?:let's |lets |we could )?(?:name|call) (?:the )?(?:thing|ticket|feature|baby)[: ]+(?P<v4>.+)",
    r"(?i:title|titel|titre|título) (?P<v2>(?-i:[A-ZÄÖÜÉ\"“„«]).+)",
    r"(?:on (?:l')?appelle(?: ça)?|(?:wir )?nennen (?:wir )?(?:es|das)|llamémoslo|lo llamamos"
    r"|we noemen het) (?P<v3>.+)",
)
PROPOSAL: Final = any_of(
    r"(?:(?:i|we) (?:would )?)?(?:propose|suggest|recommend)(?: that we| that| to| we)? (?P<v1>.+)",
    (
        r"(?:my |the |one |our )?(?:proposal|suggestion|proposed solution|solution|idea|plan)(?: here)? (?:is"
        r"|would be)(?: to| that we| that)? (?P<v2>.+)"
    ),
    r"(?:ich|wir) schlagen? vor,?(?: dass)? (?P<v3>.+)",
    r"(?:mein |unser |der )?(?:vorschlag|lösungsvorschlag|plan)(?: ist| wäre)[,:]?(?: dass)? (?P<v4>.+)",
    r"(?:je|on|nous) propos(?:e|ons) (?:de |d'|que )?(?P<v5>.+)",
    r"(?:propongo|proponemos|sugiero|mi propuesta es|la propuesta es)(?: que)? (?P<v6>.+)",
)
DONE_WHEN: Final = any_of(
    (
        r"(?:it(?:'s| is)|this is|that is|we(?:'re| are)|i(?:'d| would) (?:call|consider) it)? ?(?:done"
        r"|finished|complete|accepted|good|happy)(?: only)? (?:when|if|once|as soon as) (?P<v1>.+)"
    ),
    r"(?:please )?(?:make sure|ensure|guarantee|verify|check)(?: that)? (?P<v2>.+)",
    r"(?:it is|it's) (?:important|crucial|essential|required) that (?P<v3>.+)",
    r"(?:es ist |das ist )?(?:fertig|erledigt|abgenommen),? wenn (?P<v4>.+)",
    r"(?:c'est |ce sera )?(?:terminé|fini|prêt) (?:quand|lorsque|si) (?P<v5>.+)",
    r"(?:está |estará )?(?:listo|terminado|hecho) cuando (?P<v6>.+)",
)
DUTY: Final = re.compile(
    r"\b(?:must(?:n't)?|should(?:n't)?|shall|has to|have to|needs? to|ought to|may not|may only|can only"
    r"|moet(?:en)?|mag niet|mogen niet|muss|müssen|soll|sollen|sollte|sollten|darf|dürfen"
    r"|doit|doivent|devra|devront|devrait|devraient|debe|deben|deberá|debería|deberían|tiene que|tienen que)\b",
    re.IGNORECASE,
)
AUTHORS: Final = re.compile(
    (
        r"(?:i|we|you|someone|somebody|he|she|they|one of us|ich|wir|du|ihr|man|je|on|nous|vous|tu|yo|nosotros"
        r"|alguien|ik|wij|jij|jullie|iemand)\b(?! the)"
    ),
    re.IGNORECASE,
)
# Questions to which many put no mark.
ASKS: Final = any_of(
    r"^(?:what about|what (?:do|does|should|will|would|happens)\b|who (?:owns|decides|pays|is|will|does)\b"
    r"|how (?:do|does|should|will)\b|which \w+ (?:do|does|should|will|is|are)\b|where (?:do|does|should|will|is"
    r"|are)\b"
    r"|was (?:machen wir|passiert|ist mit)\b|wer (?:ist|macht|entscheidet)\b|qui (?:est|décide)\b"
    r"|wat (?:doen we|gebeurt)\b)"
)
WHY: Final = re.compile(
    r",?\s+\b(?:because|since|as otherwise|weil|denn|da sonst|parce que|parce qu'|car|porque|ya que)\b,?\s+",
    re.IGNORECASE,
)
SO_THAT: Final = re.compile(
    r",?\s+\b(?:so that|so we|so they|so users|in order to|damit|afin (?:de|que)|pour que|para que)\b.*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Hit:
    """Where in a sentence the value stands."""

    start: int
    end: int


def found(pattern: re.Pattern[str], text: str, *, whole: bool = True) -> Hit | None:
    """Where the value of a phrase stands in a sentence; None where the sentence is no such phrase."""
    hit = pattern.fullmatch(text) if whole else pattern.search(text)
    if hit is None:
        return None
    name = next((name for name, value in hit.groupdict().items() if value), None)
    return Hit(*hit.span(name)) if name else Hit(0, len(text))


def opinion(text: str) -> int:
    """How many characters at the start of a sentence only say that somebody thinks so."""
    length = 0
    while hit := _OPINION.match(text[length:]):
        length += hit.end()
    return length if length < len(text) else 0


STRONG: Final[Mapping[Field, re.Pattern[str]]] = {
    "risks": RISK,
    "dependencies": DEPENDS,
    "title": TITLED,
    "problem": PROBLEM,
    "proposed_solution": PROPOSAL,
    "acceptance_criteria": DONE_WHEN,
}
"""Phrases that name the field themselves, in the order in which they are tried."""
