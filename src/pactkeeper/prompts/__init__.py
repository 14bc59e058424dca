"""The wording of questions for whoever answers them: versioned templates, and fenced material."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from pactkeeper.ledger.answering import Prompt
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.question import KINDS, Question, answer_shape

if TYPE_CHECKING:
    from jinja2 import Environment


BUDGET: Final = 12_000  # characters of material; about 3,000 tokens
SMALLEST: Final = 200
_LENGTH: Final = 16


@dataclass(frozen=True, slots=True)
class PromptSection:
    """One piece of material; `title` is ours, `text` the repository's, `most` its limit in characters."""

    title: str
    text: str
    most: int = BUDGET


def fence_of(sections: Sequence[PromptSection]) -> str:
    """A mark that no section contains, derived from a digest of all sections, so equal sections get the same mark."""
    texts = [part for one in sections for part in (one.title, one.text)]
    salt = 0
    while True:
        mark = digest([salt, *texts]).removeprefix("v1:")[:_LENGTH]
        if not any(mark in text for text in texts):
            return mark
        salt += 1


def fitted(sections: Sequence[PromptSection], budget: int = BUDGET) -> tuple[PromptSection, ...]:
    """Cut sections to their own limit and then, the last ones first, to the budget; a cut notes the original length.

    Raises ValueError if the budget is too small to hold anything.
    """
    if budget < SMALLEST:
        raise ValueError(f"material needs a budget of at least {SMALLEST} characters, not {budget!r}")
    kept: list[PromptSection] = []
    left = budget
    for one in sections:
        room = min(one.most, left)
        text = one.text if len(one.text) <= room else _cut(one.text, room)
        if text:
            kept.append(PromptSection(one.title, text, one.most))
        left = max(0, left - len(text))
    return tuple(kept)


def _cut(text: str, room: int) -> str:
    """The beginning of a text, up to the end of a line, with a note of its full length."""
    if room < SMALLEST // 2:
        return ""
    note = f"\n[{len(text)} characters, cut here]"
    head = text[: max(0, room - len(note))]
    whole, newline, _ = head.rpartition("\n")
    return (whole if newline and len(whole) > len(head) // 2 else head) + note


VERSIONS: Final[Mapping[str, int]] = {
    "word_test": 1,
    "better_words": 1,
    "name_molecule": 1,
    "split_intent": 1,
    "realises": 1,
    "contradiction": 1,
    "molecule_complete": 1,
    "mark_spans": 1,
    "same_work": 1,
    "extract_fields": 2,
    "group_failures": 2,
    "choose": 1,
    "confirm": 1,
}
"""The version of each kind's template; raised with every change that may change an answer."""

_TEMPLATES: Final = "templates"
_MATERIAL: Final = "material"
_FACTS_MOST: Final = 4_000


def render(question: Question, sections: Sequence[PromptSection] = (), *, budget: int = BUDGET) -> Prompt:
    """Render a question as a prompt, with its context and more `sections` as up to `budget` characters of material."""
    kind = KINDS[question.kind]
    name = f"{kind.name}.{VERSIONS[kind.name]}.jinja"
    instructions = _templates().get_template(name).render(asks=kind.prompt)
    return Prompt(
        question.id,
        kind.name,
        f"{kind.name}/{VERSIONS[kind.name]}",
        instructions.strip() + "\n",
        _material(fitted((*_facts(question), *sections), budget)),
        answer_shape(question),
    )


def fenced(sections: Sequence[PromptSection], *, budget: int = BUDGET) -> str:
    """Sections as up to `budget` characters of material, each between two marks that none of them contains."""
    return _material(fitted(sections, budget))


def _facts(question: Question) -> tuple[PromptSection, ...]:
    """The question's own material: its subject, its options, and its context."""
    subject = PromptSection("What it is about", question.subject, 500)
    options = PromptSection("Options", "\n".join(question.options)) if question.options else None
    facts = "\n".join(f"{key}: {_said(value)}" for key, value in question.context.items() if value not in ("", []))
    found = (subject, options, PromptSection("What rules know of it", facts, _FACTS_MOST) if facts else None)
    return tuple(one for one in found if one is not None)


def _said(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _material(sections: Sequence[PromptSection]) -> str:
    template = _templates().get_template(f"{_MATERIAL}.jinja")
    return template.render(fence=fence_of(sections), sections=sections).strip() + "\n"


@lru_cache(maxsize=1)
def _templates() -> Environment:
    """The templates of this package; an undefined name in a template is an error, never empty text."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined  # noqa: PLC0415 - most commands ask nothing

    return Environment(
        loader=FunctionLoader(_source),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - the result is plain text, never HTML
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _source(name: str) -> str | None:
    place = files("pactkeeper.prompts") / _TEMPLATES / name
    return place.read_text(encoding="utf-8") if place.is_file() else None
