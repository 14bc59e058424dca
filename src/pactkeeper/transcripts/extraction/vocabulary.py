"""The words that rules need, by meaning and language; structure decides wherever it can, so these lists stay short."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

Language = Literal["en", "de", "fr", "es"]
Meaning = Literal["plan", "roadmap", "analysis", "framework", "reason", "yes", "no_decision"]

# Regular expressions without groups that are matched at word boundaries in any letter case.
WORDS: Final[Mapping[Meaning, Mapping[Language, str]]] = {
    "plan": {
        "en": r"plan|steps?|phases?|todo|to-do|next steps|action items|rollout|migration path|checklist",
        "de": r"plan|\w+plan|schritte?|phasen?|vorgehen|nächste schritte|aufgaben|ablauf",
        "fr": r"plan|étapes?|phases?|prochaines étapes|démarche|à faire",
        "es": r"plan|pasos?|fases?|próximos pasos|etapas?|tareas",
    },
    "roadmap": {
        "en": r"roadmap|milestones?|phases?|quarters?",
        "de": r"roadmap|fahrplan|meilensteine?|phasen?",
        "fr": r"feuille de route|jalons?|phases?",
        "es": r"hoja de ruta|hitos?|fases?",
    },
    "analysis": {
        "en": r"analysis|analyses|findings|insights|themes|comparison|root cause|post-?mortem|audit|assessment"
        r"|evaluation"
        r"|benchmarks?|trade-?offs|investigation|interviews?|research",
        "de": r"\w*analyse|erkenntnisse|vergleich|ursache|bewertung|auswertung|untersuchung|befunde|interviews?",
        "fr": r"analyse|constats|comparaison|cause racine|évaluation|enseignements|audit|entretiens?",
        "es": r"análisis|hallazgos|comparación|causa raíz|evaluación|conclusiones|auditoría|entrevistas?",
    },
    "framework": {
        "en": r"framework|taxonomy|permission model|tiers?|maturity model|criteria|decision matrix|matrix|principles"
        r"|classification|rubric|playbook",
        "de": r"rahmenwerk|taxonomie|stufenmodell|\w*modell|kriterien|matrix|grundsätze|prinzipien|klassifikation"
        r"|leitfaden",
        "fr": r"cadre|taxonomie|modèle|critères|matrice|principes|niveaux|classification|grille",
        "es": r"marco|taxonomía|modelo|criterios|matriz|principios|niveles|clasificación",
    },
    "reason": {
        "en": r"because|since|so that|due to|in order to|as it|given that|(?:the )?reason",
        "de": r"weil|da|damit|denn|wegen|aufgrund|der grund",
        "fr": r"parce qu(?:e|')|car|puisqu(?:e|')|afin de|à cause de|pour que|en raison de",
        "es": r"porque|ya que|puesto que|debido a|para que|dado que",
    },
    "yes": {
        "en": r"yes|yep|yeah|ok|okay|agreed|sounds good|go ahead|do it|approved|correct|exactly|perfect|great"
        r"|ship it|lgtm",
        "de": r"ja|genau|einverstanden|passt|mach das|gerne|perfekt|stimmt|in ordnung|so machen wir",
        "fr": r"oui|d'accord|parfait|exactement|vas-y|allez-y|c'est bon|entendu",
        "es": r"sí|si|de acuerdo|perfecto|exacto|adelante|hazlo|vale|correcto",
    },
    "no_decision": {
        "en": r"not|n't|never|if|whether|unless|should we|could|might|maybe|perhaps|suggest|recommend|propose"
        r"|would|haven't"
        r"|undecided|before we",
        "de": r"nicht|nie|wenn|falls|ob|sollten wir|könnten?|vielleicht|empfehle|schlage vor|würde|noch kein\w*",
        "fr": r"ne|pas|jamais|si|devrions|pourrai\w+|peut-être|recommande|suggère|propose",
        "es": r"no|nunca|si|deberíamos|podríamos|quizás|tal vez|recomiendo|sugiero|propongo",
    },
}

# How people say that they decided; what follows is what they decided for.
_DECIDED: Final[Mapping[Language, str]] = {
    "en": r"(?:we|i)(?: have|'ve)? (?:decided|chose|chosen|picked|settled on|opted for|agreed (?:to|on))|decision:"
    r"|(?:new )?rule(?: for us)?:|let'?s (?:go|stick|stay) with|let'?s (?:keep|drop)"
    r"|(?:we(?:'re| are)|i'm) (?:going|sticking|staying) with|we(?:'re| are) (?:keeping|dropping)"
    r"|we(?:'ll| will) (?:only |just |always )?(?:use|go with|stick with|stay with|keep|drop|support|switch to|move to)"
    r"|we (?:won't|will not) (?:use|support|build|offer|switch|move)|(?:decided|chose|opted) (?:to|for|on)"
    r"|(?<![^\s])[\w.+-]+ it is,",
    "de": r"(?:wir|ich) (?:haben|habe) (?:uns|mich) (?:\w+ ){0,12}(?:entschieden|geeinigt)|(?:wir|ich) (?:entscheiden"
    r"|entscheide)"
    r"|(?:wir|ich) nehmen?|entscheidung:|wir bleiben bei|dann machen wir|wir (?:behalten|streichen|verzichten auf)"
    r"|wir lassen (?:\w+ ){1,8}weg",
    "fr": r"(?:nous avons|on a|j'ai) (?:décidé|choisi|opté|retenu)|décision ?:"
    r"|on (?:part sur|garde|abandonne|reste sur)|nous (?:choisissons|retenons|gardons)",
    "es": r"(?:hemos|he) (?:decidido|elegido|optado)|(?:decidimos|elegimos|optamos)|vamos con|decisión:"
    r"|nos quedamos con|seguimos con",
}


def _all(by_language: Mapping[Language, str]) -> str:
    return "|".join(by_language.values())


def pattern(meaning: Meaning) -> re.Pattern[str]:
    """One expression for a meaning in every language."""
    return re.compile(rf"(?<!\w)(?:{_all(WORDS[meaning])})(?!\w)", re.IGNORECASE)


PLAN: Final = pattern("plan")
ROADMAP: Final = pattern("roadmap")
ANALYSIS: Final = pattern("analysis")
FRAMEWORK: Final = pattern("framework")
REASON: Final = pattern("reason")
NO_DECISION: Final = re.compile(rf"(?<!\w)(?:{_all(WORDS['no_decision'])})(?!\w)|n't\b", re.IGNORECASE)
YES: Final = re.compile(rf"\W*(?:{_all(WORDS['yes'])})(?!\w)", re.IGNORECASE)
DECIDED: Final = re.compile(rf"(?<!\w)(?:{_all(_DECIDED)})(?!\w)", re.IGNORECASE)
