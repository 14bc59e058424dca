"""Routing: documents to sections by their words, tasks to boards by the folder that was worked in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

NEVER: Final = ("Archive",)
CONTEXT: Final = ("Active Context",)
_HEADING: Final = re.compile(r"^\s{0,3}#{1,6}\s+(.+)$", re.MULTILINE)
_IN_TITLE, _IN_HEADING = 3, 1


@dataclass(frozen=True, slots=True)
class RoutedSection:
    """A section of documents, the words that indicate it, and the prefix of titles in it."""

    name: str
    words: tuple[str, ...]
    prefix: str = ""


def _phrases(row: str) -> tuple[str, ...]:
    """Return the phrases of a row that are separated by commas."""
    return tuple(" ".join(phrase.split()) for phrase in row.split(","))


SECTIONS: Final = (
    RoutedSection(
        "Strategy", _phrases("strategy, positioning, vision, mission, direction, why, strategie, stratégie, estrategia")
    ),
    RoutedSection(
        "Operations",
        _phrases("""operations, operational, billing, playbook, runbook, process, invoicing, on-call, incident,
        post-mortem, root cause, deployment, betrieb, abrechnung, facturation, facturación"""),
    ),
    RoutedSection(
        "Product",
        _phrases("""product, feature, features, spec, specs, specification, standards, platform, ux, usability, design,
        onboarding, roadmap, permission model, produkt, produit, producto"""),
    ),
    RoutedSection(
        "Research",
        _phrases("""research, interview, interviews, market, legal, competitor, competitors, survey, study, benchmark,
        benchmarks, forschung, markt, recherche, marché, entretiens, investigación, mercado, entrevistas"""),
        "Research: ",
    ),
)


@dataclass(frozen=True, slots=True)
class Routing:
    """A user's routing table; an empty board name means the default board.

    `domains` maps the name of the folder a conversation worked in to its task board. Nothing is written to sections in
    `never`, and documents titled as in `context` describe the current state: they are read but never written.
    """

    sections: tuple[RoutedSection, ...] = SECTIONS
    tasks: str = ""
    documents: str = ""
    domains: Mapping[str, str] = field(default_factory=dict)
    never: tuple[str, ...] = NEVER
    context: tuple[str, ...] = CONTEXT

    def board_of(self, domain: str) -> str:
        """The board for tasks of a folder."""
        return self.domains.get(domain, self.tasks)

    @property
    def boards(self) -> tuple[str, ...]:
        """Every board that something may be sent to, each once."""
        return tuple(dict.fromkeys((self.tasks, self.documents, *self.domains.values())))

    @property
    def open_sections(self) -> tuple[RoutedSection, ...]:
        """The sections that may be written to."""
        closed = {name.casefold() for name in self.never}
        return tuple(one for one in self.sections if one.name.casefold() not in closed)

    def is_context(self, title: str) -> bool:
        """Whether a document with that title describes the current state."""
        return title.strip().casefold() in {name.casefold() for name in self.context}


def section_of(routing: Routing, title: str, text: str) -> RoutedSection | None:
    """Return the section that title and headings indicate most; a tie goes to the word that comes first in the title.

    None if no word indicates any section, or a tie cannot be broken.
    """
    headings = "\n".join(_HEADING.findall(text))
    scores = {
        one: _IN_TITLE * len(_hits(one, title)) + _IN_HEADING * len(_hits(one, headings))
        for one in routing.open_sections
    }
    best = max(scores.values(), default=0)
    winners = [one for one, score in scores.items() if best and score == best]
    if len(winners) > 1:
        winners.sort(key=lambda one: min(_hits(one, title), default=len(title)))
        winners = winners[:1] if _hits(winners[0], title) else []
    return winners[0] if winners else None


def _hits(section: RoutedSection, text: str) -> list[int]:
    """Return the positions of a section's words in a text."""
    words = "|".join(re.escape(word) for word in section.words)
    return [one.start() for one in re.finditer(rf"(?<!\w)(?:{words})(?!\w)", text, re.IGNORECASE)] if words else []
