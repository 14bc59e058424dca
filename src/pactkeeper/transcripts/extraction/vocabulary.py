"""What headings are called over plans, analyses and frameworks, by language; layout decides wherever it can."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

Language = Literal["en", "de", "fr", "es"]
Meaning = Literal["plan", "roadmap", "analysis", "framework"]

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
