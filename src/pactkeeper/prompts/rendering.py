"""Questions as prompts: instructions from templates with versions, and text of the repository fenced as material."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from pactkeeper.ledger.answering import Prompt
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.question import KINDS, Question, answer_shape
from pactkeeper.prompts.fencing import BUDGET, PromptSection, fence_of, fitted

if TYPE_CHECKING:
    from jinja2 import Environment

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
    """Put a question into words, with what its context says and more `sections` as material of `budget` characters."""
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
    """Sections as material of `budget` characters, each between two lines that none of them contains."""
    return _material(fitted(sections, budget))


def _facts(question: Question) -> tuple[PromptSection, ...]:
    """What the question itself brings: its subject, its context, and the options to choose from."""
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
    """The templates of this package; a name that a template misspells is an error, never empty text."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined  # noqa: PLC0415 - most commands ask nothing

    return Environment(
        loader=FunctionLoader(_source),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - the result is plain text for a reader of text, and never HTML
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _source(name: str) -> str | None:
    place = files("pactkeeper.prompts") / _TEMPLATES / name
    return place.read_text(encoding="utf-8") if place.is_file() else None
