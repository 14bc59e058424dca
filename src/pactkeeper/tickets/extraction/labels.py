"""Labels: how people name the fields of a ticket before they fill them, in six languages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.ticket import Field

_NAMES: Final[Mapping[Field, str]] = {
    "epic_id": "epic id, epic, parent epic, parent, epos, épopée, épica, epica",
    "title": (
        "ticket title, title of the ticket, name of the ticket, ticket, title, ticket name, name, subject, "
        "summary, headline, feature, titel, überschrift, betreff, "
        "titre, sujet, objet, título, titulo, asunto, タイトル, 件名"
    ),
    "problem": (
        "problem statement, problem description, problem, the problem, issue, pain point, pain, context, background, "
        "motivation, why, bug, current behaviour, current behavior, actual behaviour, actual behavior, "
        "problemstellung, hintergrund, "
        "warum, problembeschreibung, problème, le problème, contexte, pourquoi, problema, el problema, "
        "contexto, motivo, por qué, probleem, 課題, 問題, 背景, describe the bug, "
        "describe the problem, what happened, use case, "
        "is your feature request related to a problem? please describe., is your feature request related to a problem?"
    ),
    "proposed_solution": (
        "proposed solution, solution, proposal, proposed fix, suggested fix, idea, approach, suggestion, fix, lösung, "
        "lösungsvorschlag, vorschlag, idee, ansatz, solution proposée, proposition, approche, idée, solución "
        "propuesta, "
        "solución, solucion, propuesta, oplossing, voorstel, 解決策, 提案, "
        "describe the solution you'd like, describe the solution you'd like., the solution you'd like"
    ),
    "acceptance_criteria": (
        "acceptance criteria, acceptance criterion, acceptance, ac, acs, criteria, criterion, success criteria, "
        "requirements, requirement, accepted when, accepted if, done when, it is done when, it's done when, "
        "definition of done, dod, "
        "expected behaviour, expected behavior, expected, "
        "akzeptanzkriterien, akzeptanzkriterium, abnahmekriterien, kriterien, kriterium, fertig wenn, fertig, wenn, "
        "anforderungen, "
        "critères d'acceptation, critère d'acceptation, critères, exigences, criterios de aceptación, "
        "criterio de aceptación, criterios, requisitos, acceptatiecriteria, 受け入れ条件, 受入条件, 完了条件"
    ),
    "constraints": (
        "constraints, constraint, limits, limit, limitations, non-functional requirements, nfr, nfrs, "
        "einschränkungen, einschränkung, rahmenbedingungen, rahmen, randbedingungen, bedingungen, vorgaben, "
        "vorgabe, grenzen, contraintes, contrainte, cadre, restricciones, "
        "restricción, limitaciones, marco, beperkingen, randvoorwaarden, 制約, 制約条件"
    ),
    "open_questions": (
        "open questions, open question, questions, question, unclear, still open, offene fragen, offene "
        "frage, fragen, frage, "
        "questions ouvertes, question ouverte, preguntas abiertas, pregunta abierta, preguntas, pregunta, dudas, "
        "open vragen, vragen, 質問, 未解決"
    ),
    "dependencies": (
        "dependencies, dependency, depends on, blocked by, blockers, blocker, abhängigkeiten, abhängigkeit, "
        "hängt ab von, "
        "blockiert durch, dépendances, dépendance, dépend de, dependencias, dependencia, depende de, "
        "afhankelijkheden, 依存, 依存関係"
    ),
    "risks": (
        "risks, risk, concerns, concern, risiken, risiko, risques, risque, riesgos, riesgo, "
        "risico's, risico, リスク, 懸念"
    ),
    "evidence_links": (
        "evidence, evidence links, links, link, references, reference, see, see also, docs, screenshot, "
        "screenshots, belege, "
        "quellen, siehe, liens, lien, voir, preuves, enlaces, enlace, evidencias, ver"
    ),
}
LABELS: Final[Mapping[str, Field]] = {
    name.strip(): field for field, names in _NAMES.items() for name in names.split(",")
}
_ALTERNATIVES: Final = "|".join(
    re.escape(name).replace(r"\ ", r"\s+") for name in sorted(LABELS, key=len, reverse=True)
)
_MARK: Final = r"[*_]{0,2}"
_LABEL: Final = re.compile(
    (
        rf"{_MARK}(?P<name>{_ALTERNATIVES})(?P<number>\s?#?\d{{1,2}})?{_MARK}\s*(?P<mark>:|：|="
        rf"|\s[—–-]{{1,2}}(?=\s)){_MARK}\s*"
    ),
    re.IGNORECASE,
)
_ALONE: Final = re.compile(
    rf"{_MARK}(?:the\s+)?(?P<name>{_ALTERNATIVES})(?:\s*\([^)]*\))?\s*[:：]?{_MARK}\s*", re.IGNORECASE
)
_INNER: Final = re.compile(rf"(?<=[.;,!])\s+{_MARK}(?P<name>{_ALTERNATIVES}){_MARK}\s*[:：]{_MARK}\s+", re.IGNORECASE)
# What stands before a dash is a word of a sentence more often than before a colon.
# Headings of forms that fill no field and are no title either.
_FORM: Final = re.compile(
    r"(?:bug report|feature request|request|description|summary|details|overview|steps to reproduce"
    r"|to reproduce|reproduction"
    r"|additional (?:context|information)|environment|versions?|logs|debug logs"
    r"|describe alternatives you've considered"
    r"|alternatives|checklist|notes?|tasks?|screenshots?|desktop|smartphone|beschreibung|umgebung)\W*",
    re.IGNORECASE,
)
_NEEDS_COLON: Final = frozenset({"see", "why", "ver", "voir", "siehe", "name", "wenn", "fertig", "expected", "parent"})


@dataclass(frozen=True, slots=True)
class Label:
    """A label at the start of a line; what it labels begins after `length` characters."""

    field: Field
    length: int
    alone: bool = False


def label_of(text: str, *, heading: bool = False) -> Label | None:
    """The label at the start of a line; a heading is one without a mark behind it."""
    alone = _ALONE.fullmatch(text)
    if alone and (heading or text.rstrip("*_ ").endswith((":", "：")) or _is_marked(text)):
        return Label(LABELS[_name(alone["name"])], len(text), alone=True)
    hit = _LABEL.match(text)
    if hit is None or (_name(hit["name"]) in _NEEDS_COLON and hit["mark"].strip() not in {":", "："}):
        return None
    return Label(LABELS[_name(hit["name"])], hit.end(), alone=hit.end() == len(text))


def is_of_a_form(text: str) -> bool:
    """Whether a heading only names a part of a form that people filled in."""
    return _FORM.fullmatch(text) is not None


def inner_labels(text: str) -> tuple[tuple[int, Field, int], ...]:
    """Labels behind the end of a sentence: where the text before ends, the field, where its own text begins."""
    return tuple((hit.start(), LABELS[_name(hit["name"])], hit.end()) for hit in _INNER.finditer(text))


def field_named(text: str) -> Field | None:
    """The field that words name, such as `the title` or `second criterion`; None where they name none."""
    name = _name(
        re.sub(r"^(?:the|our|its|den|die|das|le|la|les|el|los|las)\s+|^l'", "", text.strip(), flags=re.IGNORECASE)
    )
    return LABELS.get(name)


def _is_marked(text: str) -> bool:
    return len(text.strip()) > 2 and text.strip()[0] in "*_" and text.strip()[-1] in "*_"  # noqa: PLR2004 - two marks


def _name(text: str) -> str:
    return " ".join(text.casefold().split())
