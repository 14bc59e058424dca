"""How people introduce what belongs into a field within a sentence, in four languages; one table a field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.ticket import Field


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in patterns), re.IGNORECASE)


_OPINION: Final = re.compile(
    r"(?:i (?:think|guess|believe|feel|assume)(?: that)?|imo|in my opinion|maybe|perhaps|for me|ideally"
    r"|basically|also|and|plus"
    r"|ich (?:denke|finde|glaube),?|je pense que|creo que|außerdem|aussi|además|también)[, ]+",
    re.IGNORECASE,
)
EPIC: Final = re.compile(
    r"\b(?:epic|part of|belongs (?:to|under|in)|goes (?:under|into|in)|under|parent is|epos"
    r"|gehört zu(?:m)?|fait partie de|parte de(?:l)?)\s+"
    r"(?:is\s+|ist\s+|the\s+|our\s+|epic\s+|epos\s+|l'epic\s+|épica\s+)*(?P<value>[A-Z][A-Z0-9]+-\d+)"
)
DEPENDS: Final = _any(
    r".*?\b(?:depends?|relies|rely) (?:also )?(?:up)?on\s+(?P<v1>.+)",
    r".*?\b(?:is |are |we're |be )?blocked (?:by|on|until)\s+(?P<v2>.+)",
    r".*?\b(?:has|have|must|needs?) (?:to )?wait (?:for|until)\s+(?P<v3>.+)",
    (
        r".*?\b(?:can't|cannot|can not) (?:start|ship|begin|go live|release|be (?:done|built|shipped|released"
        r"|started))(?: this| it)? (?:before|until|without)\s+(?P<v4>.+)"
    ),
    r".*?\bhäng(?:t|en) (?:auch )?von (?P<v5>.+?) ab\b.*",
    r".*?\bdépend(?:ra)? (?:aussi )?(?:de |du |des |d')(?P<v6>.+)",
    r".*?\bdepende (?:también )?de(?:l)? (?P<v7>.+)",
    r".*?\bwir warten (?:noch )?auf (?P<v8>.+)",
)
RISK: Final = _any(
    (
        r"(?:the |a |one |my |our |another |only |there is a |there's a )*(?:main |big |biggest "
        r"|small )?(?:risk|concern|worry|danger)(?: here)?(?: is| would be| that"
        r"| of)[:,]?(?: that)? (?P<v1>.+)"
    ),
    r"(?:i'm|i am|we're|we are) (?:a bit )?(?:afraid|worried|concerned)(?: that| about| of)? (?P<v2>.+)",
    r"(?:das |ein )?(?:größte |einzige )?risiko (?:ist|dabei ist|wäre),?(?: dass)? (?P<v3>.+)",
    r"(?:ich|wir) (?:befürchten?|fürchten?),?(?: dass)? (?P<v4>.+)",
    r"(?:le |un |seul )*risque (?:est|serait)[ :,]*(?:que |qu'|de |d')?(?P<v5>.+)",
    r"(?:el |un |único )*riesgo (?:es|sería)(?: que| de)? (?P<v6>.+)",
    r"(?:careful|beware|attention|achtung|vorsicht|cuidado)[:,!]+ (?P<v7>.+)",
)
MAY_BREAK: Final = re.compile(
    (
        r"\b(?:might|could|may) (?:\w+ )?(?:break|fail|lose|leak|slow|overload|corrupt|confuse|expose|hurt"
        r"|flood|delay|block|duplicate|annoy|crash)\b"
    ),
    re.IGNORECASE,
)
PROBLEM: Final = _any(
    (
        r"(?:(?:so|well|but) )?(?:the |our |my |main |actual |real |root )*(?:problem|issue|pain(?: point)?"
        r"|trouble) (?:here |today |right now |now |we have )?(?:is|was)(?: that)?[:,]? (?P<v1>.+)"
    ),
    r"(?:das |unser |eigentliche )*problem (?:dabei |hier |heute )?ist[:,]?(?: dass)? (?P<v2>.+)",
    r"(?:le |notre |vrai )*problème(?:,)? (?:est |c'est )(?:que |qu')?(?P<v3>.+)",
    r"(?:el |nuestro )*problema es(?: que)? (?P<v4>.+)",
)
_TODAY: Final = (
    r"(?:currently|today|right now|at the moment|these days|as of now|every (?:day|week|month|morning"
    r"|monday|release)|derzeit|aktuell|momentan|heute|zurzeit|im moment"
    r"|actuellement|aujourd'hui|en ce moment|actualmente|hoy(?: en día)?|ahora mismo|ahora)\b,?"
)
PAINS: Final = _any(
    rf"^{_TODAY}",
    r"^(?:because|since|weil|parce qu[e']|porque)\b",
    r"\b(?:niemand|personne ne|nadie)\b",
    r"\b(?:complain\w*|annoy\w*|frustrat\w*|painful\w*|nobody|no one|outdated|offline|does(?:n\'t| not)"
    r"|hang up|slow(?:ly)?|giv(?:e|es|ing) up|gave up|wast(?:e|es"
    r"|ed|ing)|manually|by hand|can't|cannot"
    r"|unable to|fail(?:s|ed|ing|ure)?|crash\w*|broken|breaks?"
    r"|wrong(?:ly)?|too (?:slow|long|many|late|hard)|takes? (?:forever|hours|ages|days|minutes|too|about"
    r"|up to|almost|over)|los(?:e|es|ing|t)|missing|confus\w+|forg[eo]t\w*|stuck|never (?:get|gets|see"
    r"|arrive\w*)"
    r"|have no (?:way|idea)|has no (?:way|idea)|there is no|there's no|no way to|have to (?:call|ask|guess"
    r"|copy|type|retype|wait|scroll|email|phone)|by mistake|twice|support tickets|drop(?:s|ped) off"
    r"|spend(?:s)? (?:hours|about|a lot|days|\d+))\b",
    (
        r"\b(?:beschwer\w*|manuell|von hand|kaputt|fehlern?|geht nicht|(?:kann|können) (?:\w+ ){0,4}nicht"
        r"|kein\w* (?:möglichkeit|übersicht)|dauert|zu (?:lange|langsam)|stürzt|verlier\w*|verpass\w*"
        r"|vergess\w*|doppelt)\b"
    ),
    (
        r"\b(?:se plaign\w*|à la main|manuellement|plante\w*|erreurs?|trop (?:lente?|long\w*|tard)|impossible"
        r"|(?:ne |n')(?:peuvent|peut|arrivent|ont|savent) (?:pas|plus|aucun\w*)|perd(?:ent|ons|us?)?"
        r"|oubli\w*)\b"
    ),
    (
        r"\b(?:se quejan|a mano|manualmente|fallan?|errores?|demasiado|no (?:pueden|puede|saben|reciben|hay)"
        r"|pierden?|perdemos|tarda\w*|olvid\w*)\b"
    ),
)
_TO_HAVE: Final = r"(?:to (?:have |get |see |be able to )?)?(?:a way (?:to|for) )?"
REQUEST: Final = _any(
    (
        rf"(?:(?:we|i|they|(?:the|our|some|many|all|most) \w+(?: \w+)?|\w+ team|users|customers|clients|support"
        rf"|sales|ops) )(?:(?:really |also |just |urgently )?(?:need|needs|want|wants|require|requires)"
        rf"|would (?:really |also )?(?:like|love|need)) {_TO_HAVE}(?P<v1>.+)"
    ),
    rf"(?:we|i)'d (?:really )?(?:like|love) {_TO_HAVE}(?P<v2>.+)",
    r"(?:can|could|would) (?:we|you|someone|somebody)(?: please)? (?:get|have) (?P<v3>.+)",
    (
        r"(?:can|could|would) (?:we|you|someone|somebody)(?: please)? (?P<v4>(?:add|build|support|implement"
        r"|create|introduce|allow|show|send|make|let|provide|offer|fix|enable|remove|replace|move|migrate) .+)"
    ),
    r"(?:please |pls )?(?P<v5>(?:add|build|support|implement|introduce|allow|enable|fix|replace|migrate) .+)",
    (
        r"(?:it would be|it'd be|would be) (?:really |very )?(?:nice|great|good|cool|useful|helpful"
        r"|awesome) (?:to have|to get|if we (?:had|could have|could)|if there (?:was|were)|to) (?P<v6>.+)"
    ),
    r"as an? [^,]+,? i (?:want|would like|need) (?:to )?(?P<v7>.+?)(?:,? so (?:that )?.+)?",
    r"(?:wir|ich) (?:brauchen?|bräuchten?|benötigen?|möchten?|wollen|wünschen uns|hätten gerne?) (?P<v8>.+)",
    r"(?:können|könnten|könntet) (?:wir|ihr|sie) (?:bitte )?(?P<v9>.+?)(?: (?:haben|bekommen|einbauen))?",
    (
        r"(?:il (?:nous |me )?faut|il (?:nous )?faudrait|(?:on a|nous avons|j'ai) besoin (?:de |d'|du )|(?:on"
        r"|je|nous) (?:veut|voudrait|voudrais|voulons|aimerait|aimerais|aimerions) )(?P<v10>.+)"
    ),
    r"(?:necesitamos|necesito|queremos|quisiéramos|quisiera|nos gustaría|me gustaría|hace falta) (?:que )?(?P<v11>.+)",
)
PROPOSAL: Final = _any(
    r"(?:i|we) (?:would )?(?:propose|suggest|recommend)(?: that we| that| to| we)? (?P<v1>.+)",
    (
        r"(?:my |the |one |our )?(?:proposal|suggestion|proposed solution|solution|idea|plan)(?: here)? (?:is"
        r"|would be)(?: to| that we| that)? (?P<v2>.+)"
    ),
    r"(?:ich|wir) schlagen? vor,?(?: dass)? (?P<v3>.+)",
    r"(?:mein |unser |der )?(?:vorschlag|lösungsvorschlag|plan)(?: ist| wäre)[,:]?(?: dass)? (?P<v4>.+)",
    r"(?:je|on|nous) propos(?:e|ons) (?:de |d'|que )?(?P<v5>.+)",
    r"(?:propongo|proponemos|sugiero|mi propuesta es|la propuesta es)(?: que)? (?P<v6>.+)",
)
COULD: Final = _any(
    r"(?:maybe |perhaps )?(?:we|you) (?:could|can|might) (?:just |simply |also )?(?P<v1>.+)",
    r"(?:let's|lets|how about|what about|what if) (?:we )?(?:just |simply )?(?P<v2>.+)",
    r"(?:vielleicht )?(?:wir könnten|könnten wir) (?P<v3>.+)",
    r"on (?:pourrait|peut) (?P<v4>.+)",
    r"(?:podríamos|podemos) (?P<v5>.+)",
)
DONE_WHEN: Final = _any(
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
    r"|muss|müssen|soll|sollen|sollte|sollten|darf|dürfen"
    r"|doit|doivent|devra|devront|devrait|devraient|debe|deben|deberá|debería|deberían|tiene que|tienen que)\b",
    re.IGNORECASE,
)
AUTHORS: Final = re.compile(
    (
        r"(?:i|we|you|someone|somebody|he|she|they|one of us|ich|wir|du|ihr|man|je|on|nous|vous|tu|yo|nosotros"
        r"|alguien)\b(?! the)"
    ),
    re.IGNORECASE,
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
    "problem": PROBLEM,
    "proposed_solution": PROPOSAL,
    "acceptance_criteria": DONE_WHEN,
}
"""Phrases that name the field themselves, in the order in which they are tried."""
