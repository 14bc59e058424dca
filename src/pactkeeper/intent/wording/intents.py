"""The intent of a test: a sentence that a person wrote, from its docstring, its title or its name; never a paraphrase.

Only case, separators and the final full stop change.

The first sentence of a docstring that states behaviour, as it was written, without markup.

How many of ten readers accept such a sentence, by where it came from: measured, never summed up from weights.

The shares are those of `bench/eval/wording.md`, and a test compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.intent.claims import AmbiguityReason, Attribute, Call, Expression, Name, TestEvidence, children
from pactkeeper.intent.wording.stating import Form, form_of
from pactkeeper.intent.wording.words import capitalised, is_identifier, split_identifier

"""A longer sentence is an explanation."""
_EPYTEXT = re.compile(r"\b[LCIBMUXES]\{([^{}<]*)(?:<[^{}<>]*>)?\}")
_ROLE = re.compile(r"(?<!\w)(?::[\w.+-]+)+:`~?!?([^`<]*)(?:\s*<[^`<>]*>)?`_{0,2}")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)|`([^`<]*)\s<[^`<>]*>`_{1,2}")
_CODE = re.compile(r"(`{1,2})([^`]+)\1_{0,2}|\|([^|\s]+)\|")
_EMPHASIS = re.compile(r"(?<![\w*])\*{1,2}([^\s*](?:[^*\n]*[^\s*])?)\*{1,2}(?![\w*])")
_LEAD = re.compile(
    r"(?:(?:this\s+)?(?:tests?|checks?|test\s+case|ensures?|verif(?:y|ies)|asserts?|confirms?|validates?)"
    r"|make\s+sure|makes\s+sure|(?:this\s+)?test\s+(?:checks|ensures|verifies|asserts|confirms))\s+(?:that|if|whether)\s+",
    re.IGNORECASE,
)
"""What a docstring says before its statement; the statement behind it is taken as it stands."""
_LEANS = re.compile(
    r"(?:the|it|its|they|this|that|these|those|such|both|then|however|but|so|and|also|otherwise|instead|thus|hence)\b",
    re.IGNORECASE,
)
"""How a sentence begins that needs the one before it."""
_END = re.compile(r"(?<=[^\W_)\]'\"`.])[.!](?=\s+[^\sa-z]|\s*$)|。")
_SHORTENED = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|[A-Za-z]))$")
_NOT_PROSE = re.compile(
    r"https?://|>>>|:param\b|@param\b|#\d|\bGH-?\d|\b(?:issue|bug|regression|ticket)\b|\?", re.IGNORECASE
)


def stated(docstring: str | None) -> tuple[str, Form] | None:
    """The sentence without its full stop, and its form; None where no sentence of the first paragraphs is one."""
    first = True
    for paragraph in re.split(r"\n\s*\n", (docstring or "").strip())[:2]:
        for sentence in _sentences(plain(paragraph)):
            leans, first = not first and _LEANS.match(sentence) is not None, False
            bare = _LEAD.sub("", sentence, count=1) if _LEAD.match(sentence) else sentence
            form = None if leans or len(bare) > MOST or _NOT_PROSE.search(sentence) else form_of(bare, prose=True)
            if form is not None:
                return bare, form
    return None


def plain(text: str) -> str:
    """The text in one line without epytext, reStructuredText and Markdown."""
    reflowed = " ".join(text.split())
    for pattern in (_EPYTEXT, _EPYTEXT, _ROLE, _LINK, _CODE, _EMPHASIS):
        reflowed = pattern.sub(_inside, reflowed)
    return reflowed


def _inside(found: re.Match[str]) -> str:
    groups = [group for group in found.groups() if group is not None]
    return groups[-1].strip() if groups else ""


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(text):
        if not _SHORTENED.search(text[max(0, end.start() - 8) : end.start()]):
            yield text[start : end.start()].strip()
            start = end.end()
    if text[start:].strip():
        yield text[start:].strip().rstrip(".")


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
    told = stated(evidence.docstring)
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


Language = Literal["python", "javascript"]
Cell = tuple[Origin, Language]

ACCEPTED: Final[Mapping[Cell, int]] = {
    ("docstring", "python"): 88,
    ("name", "python"): 57,
    ("title", "javascript"): 92,
}
"""Readers of a hundred who grade the sentence 4 or 5 of 5."""
STOPS: Final[Mapping[AmbiguityReason, int]] = {
    "no_sentence": 0,
    "shared_sentence": 30,
    "name_disagrees": 20,
    "no_assertion": 40,
    "expected_failure": 30,
    "snapshot_only": 50,
    "call_count_assertion": 50,
}
"""What keeps a sentence below every bar, whoever wrote it: nothing shows that it is what the test checks."""
_SCRIPTS: Final = (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte")


def confidence_of(
    evidence: TestEvidence, intent: Intent | None, reasons: tuple[AmbiguityReason, ...], *, shown: bool
) -> int:
    """The share in hundredths; `shown` means that at least one assertion can be shown beside the sentence."""
    if intent is None:
        return 0
    stops = [STOPS[one] for one in reasons if one in STOPS]
    if not shown:
        stops.append(STOPS["no_assertion"])
    return min([ACCEPTED.get(cell_of(evidence, intent), 0), *stops])


def cell_of(evidence: TestEvidence, intent: Intent) -> Cell:
    """The row of the table that a sentence belongs to."""
    return intent.origin, language_of(evidence)


def language_of(evidence: TestEvidence) -> Language:
    """The programming language of a test, by its file."""
    return "javascript" if evidence.test_id.split("::", 1)[0].endswith(_SCRIPTS) else "python"
