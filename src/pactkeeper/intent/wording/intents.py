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

from pactkeeper.intent.claims import AmbiguityReason, Attribute, Call, Expression, Name, TestEvidence, descendants
from pactkeeper.intent.quality import APPROVE, Quality
from pactkeeper.intent.reading.verbs import forms_of
from pactkeeper.intent.wording.stating import Form, form_of
from pactkeeper.intent.wording.tables import capitalised, is_identifier, split_identifier, stems_of

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
_END = re.compile(r"(?<=[^\W_)\]'\"`.])[.!](?=\s+[^\sa-z]|\s*$)|。")
_SHORTENED = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|[A-Za-z]))$")
_NOT_PROSE = re.compile(
    r"https?://|>>>|:param\b|@param\b|#\d|\bGH-?\d|\b(?:issue|bug|regression|ticket)\b|\?", re.IGNORECASE
)


def stated(docstring: str | None) -> tuple[str, Form] | None:
    """The first paragraph that opens with a statement, without its full stop, and the form of that opening.

    The statements behind the first one belong to it: what is seen often stands in the second. A paragraph that opens
    with anything else is background, and what follows leans on it.
    """
    for paragraph in re.split(r"\n\s*\n", (docstring or "").strip())[:2]:
        told = prose(paragraph)
        forms = [form_of(one, prose=True) for one in told]
        if told and forms[0] is not None and len(told[0]) <= MOST:
            rest = [capitalised(one) for one, form in zip(told[1:], forms[1:], strict=True) if form is not None]
            whole = ". ".join((told[0], *rest))
            return (whole if len(whole) <= MOST else told[0]), forms[0]
    return None


def prose(paragraph: str) -> list[str]:
    """The sentences that may speak of behaviour, without markup and without "test that"."""
    told = [one for one in _sentences(plain(paragraph)) if not _NOT_PROSE.search(one)]
    return [one[found.end() :] if (found := _LEAD.match(one)) else one for one in told]


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
_TRACKER = re.compile(r"#\d|\bGH-?\d|\b(?i:issue|bug|regression|ticket)\b|\b(?:TODO|FIXME)\b")
_NUMBERED = re.compile(r"\d$")
_COUNTED = re.compile(r"[/#]\s*\d+$")  # one of several tests for what a title says
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
    """The sentence that says what a test is for; None where nobody wrote one.

    A name is asked only where there is no prose: somebody who wrote more said with it what the name leaves out.
    """
    told = stated(evidence.docstring)
    if told is not None:
        return _about(evidence, told[0], "docstring", told[1])
    if evidence.free_text_name:
        return _titled(evidence)
    return None if any(len(one.split()) > LEAST_WORDS for one in prose(evidence.docstring or "")) else _named(evidence)


def unsaid(evidence: TestEvidence) -> str:
    """Why `intent_of` finds nothing: where it looked, and what it saw there."""
    where = "title" if evidence.free_text_name else "name"
    if prose(evidence.docstring or "") and not evidence.free_text_name:
        where = "docstring"
    elif any(_HOLES.search(one) for one in (evidence.name, *evidence.suite)):
        return f"its {where} is put together when the test runs"
    elif (_COUNTED if evidence.free_text_name else _NUMBERED).search(evidence.name):
        return f"a number tells its {where} from another one"
    return f"no statement of behaviour was recognised in its {where}"


def _titled(evidence: TestEvidence) -> Intent | None:
    title = " ".join(evidence.name.split()).rstrip(".")
    suites = [" ".join(one.split()).rstrip(".:") for one in evidence.suite]
    if _COUNTED.search(title) or any(_HOLES.search(one) or _TRACKER.search(one) for one in (title, *suites)):
        return None
    form = form_of(title, prose=True)
    subject = ": ".join(_apart(suites)) or _file_subject(evidence.test_id)
    if form is None or (form == "headless" and not subject):
        return None
    return _intent(_under(subject, title), "title", form)


def _named(evidence: TestEvidence) -> Intent | None:
    bare = re.sub(r"^(?:tests?_+|it_+)|^tests?(?=[A-Z])", "", evidence.name).strip("_")
    words = _kept(bare, _identifiers(evidence))
    text = " ".join(words)
    if _TRACKER.search(text) or _NUMBERED.search(bare) or len(words) < LEAST_WORDS or _HOLES.search(text):
        return None
    form = form_of(text, prose=False)
    return None if form is None else _about(evidence, text, "name", form)


def _about(evidence: TestEvidence, text: str, origin: Origin, form: Form) -> Intent | None:
    """The sentence under the subject that it lacks: none of its own, or a bare one such as "copies" in a class."""
    subject = subject_of(evidence) if form == "headless" else _class_of(evidence)
    if form == "headless" and not subject:
        return None
    said = stems_of(text)
    known = form == "whole" and (_names_itself(text) or stems_of(subject) <= said)
    return _intent(text if known else _under(subject, text), origin, form)


def _class_of(evidence: TestEvidence) -> str:
    """The class under test, where the suite is named for one: several words in one, or a name that the test uses."""
    subject = _suite_subject(evidence.suite)
    used = {name.lower() for name in _identifiers(evidence)}
    named = len(split_identifier(subject)) > 1 or subject.lower() in used
    return subject if named and subject.isalpha() else ""


def _names_itself(text: str) -> bool:
    words = (word.strip(".,:;()") for word in text.split())
    return any(is_identifier(word) and not word.startswith("__") for word in words)


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
            found += [part] if _is_word_of_code(part, name, known) else _lowered(part)
    return found


def _is_word_of_code(part: str, name: str, known: frozenset[str]) -> bool:
    """Whether a part keeps its spelling: between underscores `anyOf` was written on purpose, unlike `parsesURLs`."""
    meant = part in known or ("_" in name and "third" not in forms_of(split_identifier(part)[0]))
    return meant and is_identifier(part)


def _lowered(part: str) -> list[str]:
    return [one.lower() if one[1:].islower() or len(one) == 1 else one for one in split_identifier(part)]


def _identifiers(evidence: TestEvidence) -> frozenset[str]:
    """The names of things that a test uses."""
    whole: list[Expression] = [*evidence.actions, *(value for _, value in evidence.definitions)]
    for claim in evidence.claims:
        whole += [one for one in (claim.subject, claim.object) if one is not None]
        whole += [value for _, value in claim.holds]
    parts = [part for one in whole for part in descendants(one)]
    given = (argument.name for part in parts if isinstance(part, Call) for argument in part.arguments)
    return frozenset((*(part.name for part in parts if isinstance(part, Name | Attribute)), *filter(None, given)))


Band = Literal["full", "some", "poor"]
"""Whether the words have every point of quality, reach 80 of 100, or less."""

FULL: Final = 100
ACCEPTED: Final[Mapping[tuple[Origin, Band], int]] = {
    ("docstring", "full"): 86,
    ("docstring", "some"): 62,
    ("docstring", "poor"): 50,
    ("title", "full"): 81,
    ("title", "some"): 72,
    ("title", "poor"): 50,
    ("name", "full"): 78,
    ("name", "some"): 57,
    ("name", "poor"): 50,
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


def confidence_of(intent: Intent, quality: Quality, reasons: tuple[AmbiguityReason, ...], *, shown: bool) -> int:
    """The share in hundredths; `shown` means that at least one assertion can be shown beside the sentence.

    Words in a language that quality does not read are taken for such with some points missing.
    """
    band: Band = "some" if not quality.judged or APPROVE <= quality.score < FULL else "poor"
    if quality.judged and quality.score == FULL:
        band = "full"
    stops = [STOPS[one] for one in reasons if one in STOPS]
    return min([ACCEPTED[intent.origin, band], *stops, *([] if shown else [STOPS["no_assertion"]])])
