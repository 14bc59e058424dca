"""The intent of a test: a sentence that a person wrote, from its docstring, its title or its name; never a paraphrase.

Only case, separators and the final full stop change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from pactkeeper.intent.claims import Attribute, Call, Expression, Name, TestEvidence, children
from pactkeeper.intent.wording import docstrings
from pactkeeper.intent.wording.stating import Form, form_of
from pactkeeper.intent.wording.words import capitalised, is_identifier, split_identifier

Origin = Literal["docstring", "title", "name"]
MOST = 400
LEAST_WORDS = 3
_HOLES = re.compile(r"%[sdifjopc#$]|\$\{|\$[A-Za-z_]|\{\w*\}")
_TRACKER = re.compile(r"#\d|\bGH-?\d|\b(?:issue|bug|regression|ticket|todo|fixme)\b", re.IGNORECASE)
_NUMBERED = re.compile(r"\d$")
_SUITE_MARKS = re.compile(
    r"^(?:Tests?(?=[A-Z_])|test_)|(?<=[a-z0-9])(?:Tests?|TestCases?|Spec|Suite|_tests?)(?:Mixin)?$"
)
_FILE_MARKS = re.compile(r"^tests?_|[._-](?:tests?|spec)$|^tests?$|^__tests__$|^index$")


@dataclass(frozen=True, slots=True)
class Intent:
    """A sentence, where it came from, and whether it brought its own subject."""

    text: str
    origin: Origin
    form: Form


def intent_of(evidence: TestEvidence) -> Intent | None:
    """The sentence that says what a test is for; None where nobody wrote one."""
    told = docstrings.stated(evidence.docstring)
    if told is not None:
        text, form = told
        return _intent(_under(subject_of(evidence), text) if form == "headless" else text, "docstring", form)
    return _titled(evidence) if evidence.free_text_name else _named(evidence)


def _titled(evidence: TestEvidence) -> Intent | None:
    title = " ".join(evidence.name.split()).rstrip(".")
    suites = [" ".join(one.split()).rstrip(".:") for one in evidence.suite]
    if any(_HOLES.search(one) or _TRACKER.search(one) for one in (title, *suites)):
        return None
    form = form_of(title, prose=True)
    if form is None:
        return None
    return _intent(_under(": ".join(_apart(suites)) or _file_subject(evidence.test_id), title), "title", form)


def _named(evidence: TestEvidence) -> Intent | None:
    bare = re.sub(r"^(?:tests?_+|it_+)|^tests?(?=[A-Z])", "", evidence.name).strip("_")
    words = _kept(bare, _identifiers(evidence))
    text = " ".join(words)
    if _TRACKER.search(text) or _NUMBERED.search(bare) or len(words) < LEAST_WORDS or _HOLES.search(text):
        return None
    form = form_of(text, prose=False)
    if form is None:
        return None
    return _intent(_under(subject_of(evidence), text) if form == "headless" else text, "name", form)


def _intent(text: str, origin: Origin, form: Form) -> Intent | None:
    return Intent(stopped(text), origin, form) if len(text) <= MOST else None


def stopped(text: str) -> str:
    """The text with a capital, unless it begins with a name from the code, and a full stop."""
    bare = capitalised(text.strip())
    return bare if not bare or bare.endswith((".", "!", "?", "。")) else f"{bare}."


def _under(subject: str, text: str) -> str:
    if not subject or text.lower().startswith(f"{subject.lower()} "):
        return text
    first = text.split(" ", 1)[0]
    plain = first[1:].islower() and not is_identifier(first)
    return f"{subject}: {text[0].lower()}{text[1:] if len(text) > 1 else ''}" if plain else f"{subject}: {text}"


def subject_of(evidence: TestEvidence) -> str:
    """What a sentence without a subject is about: the innermost suites, else the file."""
    return _suite_subject(evidence.suite) or _file_subject(evidence.test_id)


def _suite_subject(suites: Iterable[str]) -> str:
    return ": ".join(_apart(_SUITE_MARKS.sub("", one).strip("_ ") for one in suites))


def _apart(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name for name in names if name))


def _file_subject(test_id: str) -> str:
    stem = test_id.split("::", 1)[0].rsplit("/", 1)[-1].split(".", 1)[0]
    return _FILE_MARKS.sub("", stem).replace("_", " ").replace("-", " ").strip()


def _kept(name: str, known: frozenset[str]) -> list[str]:
    """The words of a name; what the test uses as one identifier stays one word with its spelling."""
    parts = [part for part in name.split("_") if part]
    found: list[str] = []
    while parts:
        size = next((size for size in range(min(len(parts), 5), 1, -1) if "_".join(parts[:size]) in known), 0)
        if size:
            found.append("_".join(parts[:size]))
            parts = parts[size:]
        else:
            part = parts.pop(0)
            found += [part] if part in known and not part.islower() else _lowered(part)
    return found


def _lowered(part: str) -> list[str]:
    return [one.lower() if one[1:].islower() or len(one) == 1 else one for one in split_identifier(part)]


def _identifiers(evidence: TestEvidence) -> frozenset[str]:
    """The names of things that a test uses."""
    found: set[str] = set()
    pending: list[Expression] = [*evidence.actions, *(value for _, value in evidence.definitions)]
    for claim in evidence.claims:
        pending += [one for one in (claim.subject, claim.object) if one is not None]
        pending += [value for _, value in claim.holds]
    while pending:
        one = pending.pop()
        if isinstance(one, Name | Attribute):
            found.add(one.name)
        elif isinstance(one, Call):
            found |= {argument.name for argument in one.arguments if argument.name}
        pending.extend(children(one))
    return frozenset(found)
