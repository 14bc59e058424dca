"""The intent of a test: a sentence a person wrote, in its docstring, title or name; never a paraphrase.

Only case, separators and the final full stop change.

From a docstring, the first paragraph counts if all of it states behaviour; it is used as written, without markup.

What keeps a text from being an intent is judged by a few visible features. Verbs are recognised only by their ending:
readers accept a sentence of seven words whatever else the rules find in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from pactkeeper.intent.claims import Attribute, Call, Name, TestEvidence
from pactkeeper.intent.wording import capitalised, is_identifier, split_identifier, stems_of, table
from pactkeeper.intent.wording.tokens import ends_in_s, is_finite, says, stopped

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
_ORDER = re.compile(r"(?:ensures?|makes?\s+sure|verif(?:y|ies)|asserts?|confirms?)\s+", re.IGNORECASE)
"""The same without `that`, where a whole statement follows: `ensure tokens expire`."""
_END = re.compile(r"(?<=[^\W_)\]'\"`.])[.!](?=\s+[^\sa-z]|\s*$)|。")
_SHORTENED = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|[A-Za-z]))$")
_TRACKED = re.compile(r"\([^()#]{0,40}(?:#|\bGH-?)\d+\)$")
_REFERENCE = re.compile(r"^see\b|https?://|#\d|\bGH-?\d|\b(?:issue|bug|regression)\b|\bticket\W{0,3}\d", re.IGNORECASE)


def stated(docstring: str | None) -> str:
    """Return the first paragraph without its full stop, or "" if any of its sentences has an obstacle.

    The observable part is often in the second sentence. If one of them is a plan, a caveat or a story, the others
    depend on it.
    """
    told = prose((docstring or "").strip())
    if not told or any(map(obstacle, told)) or len(told[0]) > MOST:
        return ""
    whole = ". ".join((told[0], *map(capitalised, told[1:])))
    return whole if len(whole) <= MOST else told[0]


def prose(docstring: str) -> list[str]:
    """Return the first paragraph's sentences, without markup, "test that" and references to trackers or pages."""
    first = re.split(r"\n\s*\n", docstring, maxsplit=1)[0]
    told = [_TRACKED.sub("", one).rstrip() for one in _sentences(plain(first))]
    return [_led(one) for one in told if not _REFERENCE.search(one)]


def _led(text: str) -> str:
    if found := _LEAD.match(text):
        return text[found.end() :]
    found = _ORDER.match(text)
    return text[found.end() :] if found and has_verb(text[found.end() :]) else text


def plain(text: str) -> str:
    """Return the text on one line without epytext, reStructuredText and Markdown markup."""
    reflowed = " ".join(text.split())
    for pattern in (_EPYTEXT, _EPYTEXT, _ROLE, _LINK, _CODE, _EMPHASIS):
        reflowed = pattern.sub(_inside, reflowed)
    return reflowed


def _inside(found: re.Match[str]) -> str:
    groups = [group for group in found.groups() if group is not None]
    if found.re is _CODE and groups[-1].isalpha() and groups[-1].islower():
        return f"`{groups[-1]}`"  # without its quotes it would read as a word of the sentence
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
_TRACKER = re.compile(
    r"#\d|(?i:\bgh[- ]?\d|\b(?:issue|bug|regression|ticket)s?\W*\d|^(?:issue|bug|regression)\b)|\b(?:TODO|FIXME)\b"
)
_NUMBERED = re.compile(r"\d$")
_COUNTED = re.compile(r"(?:[/#]\s*|\s-\s)\d{1,2}$")  # one of several tests with the same title
_OF_SUITES = re.compile(r" (?:\((?:unit|integration)(?: tests?)?\)|(?:unit |integration )?tests?)$", re.IGNORECASE)
_THAT = re.compile(r"^that\s+(?=\w+\s)")  # "test that …": the first half of the sentence is in the call
_SUITE_MARKS = re.compile(r"^(?:Tests?(?=[A-Z_])|test_)|(?<=[^\W_])(?:Tests?|TestCases?|Spec|Suite|_tests?)(?:Mixin)?$")
_FILE_MARKS = re.compile(r"^tests?_|[._-](?:tests?|spec)$|^tests?$|^__tests__$|^index$")


@dataclass(frozen=True, slots=True)
class Intent:
    """A sentence and its origin; `bare` is the part a person wrote, without the subject put before it."""

    text: str
    origin: Origin
    bare: str


def intent_of(evidence: TestEvidence) -> Intent | None:
    """Return the sentence that says what a test is for; None if nobody wrote one.

    The name is used only if there is no prose: an author who wrote more put into it what the name leaves out.
    """
    if told := stated(evidence.docstring):
        return _about(evidence, told, "docstring")
    if evidence.free_text_name:
        return _titled(evidence)
    return None if any(len(one.split()) > LEAST_WORDS for one in prose(evidence.docstring or "")) else _named(evidence)


def unsaid(evidence: TestEvidence) -> str:
    """Explain why `intent_of` found nothing: where it looked, and the first obstacle there."""
    told = prose(evidence.docstring or "")
    if evidence.computed and not told:
        whose = "its title" if evidence.name in evidence.computed else "the title of a suite around it"
        return f"{whose} is built when the test runs"
    if told and not evidence.free_text_name:
        seen = next(filter(None, map(obstacle, told)), "")
        return f"{'a sentence of ' if len(told) > 1 else ''}its docstring {seen or _outside(told[0])}"
    return f"its {'title' if evidence.free_text_name else 'name'} {_seen(evidence)}"


def _seen(evidence: TestEvidence) -> str:
    """What keeps a title or name from being a sentence."""
    free = evidence.free_text_name
    text = _title(evidence.name) if free else " ".join(_name_words(evidence))
    if (_COUNTED if free else _NUMBERED).search(text):
        return "ends with a number"
    if free and not _closed(text):
        return "has a bracket that is not closed"
    if _TRACKER.search(text):
        return "refers to an issue"
    if not free and len(text.split()) < LEAST_WORDS:
        return f"has fewer than {LEAST_WORDS} words"
    return (obstacle(text) if free else "") or _outside(text)


def _outside(text: str) -> str:
    if len(text) > MOST // 2:
        return f"is longer than {MOST} characters with what stands around it"
    return "begins with its verb, and neither suite nor file says what it is about"


def _titled(evidence: TestEvidence) -> Intent | None:
    title = _title(evidence.name)
    told = (one for one in evidence.suite if not _TRACKER.search(one))
    suites = [_OF_SUITES.sub("", " ".join(one.split()).rstrip(".:")) for one in told]
    if evidence.computed or _COUNTED.search(title) or _TRACKER.search(title) or not _closed(title):
        return None
    if suites and title.lower().startswith(f"{suites[-1].removesuffix('()').lower()} "):
        suites.pop()  # the title repeats it
    subject = ": ".join(_apart(suites)) or _file_subject(evidence.test_id)
    if obstacle(title) or (headless(title) and not subject):
        return None
    return _intent(_under(subject, title), title, "title")


def _title(name: str) -> str:
    return _led(_THAT.sub("", " ".join(name.split()).rstrip(".")))


def _closed(text: str) -> bool:
    return all(text.count(opening) == text.count(closing) for opening, closing in ("()", "[]"))


def _named(evidence: TestEvidence) -> Intent | None:
    words = _name_words(evidence)
    text = " ".join(words)
    if _TRACKER.search(text) or _NUMBERED.search(text) or len(words) < LEAST_WORDS:
        return None
    return _about(evidence, text, "name")


def _name_words(evidence: TestEvidence) -> list[str]:
    bare = re.sub(r"^(?:(?:tests?_+|it_+)(?:that_+)?|tests?(?:That)?(?=[A-Z]))", "", evidence.name).strip("_")
    return _kept(bare, _identifiers(evidence))


def _about(evidence: TestEvidence, text: str, origin: Origin) -> Intent | None:
    """Prefix the sentence with the subject it lacks: it has none, or only a bare one such as "copies" in a class."""
    lacking = headless(text)
    subject = subject_of(evidence) if lacking else _class_of(evidence)
    if lacking and not subject:
        return None
    known = not lacking and (_names_itself(text) or stems_of(subject) <= stems_of(text))
    return _intent(text if known else _under(subject, text), text, origin)


def _class_of(evidence: TestEvidence) -> str:
    """Return the class under test if the suite is named for one: several words joined, or a name the test uses."""
    subject = _suite_subject(evidence.suite)
    used = {name.lower() for name in _identifiers(evidence)}
    named = len(split_identifier(subject)) > 1 or subject.lower() in used
    return subject if named and subject.isalpha() else ""


def _names_itself(text: str) -> bool:
    words = (word.strip(".,:;()") for word in text.split())
    return any(is_identifier(word) and not word.startswith("__") for word in words)


def _intent(text: str, bare: str, origin: Origin) -> Intent | None:
    return Intent(stopped(text), origin, bare) if len(text) <= MOST else None


def _under(subject: str, text: str) -> str:
    if not subject or text.lower().startswith(f"{subject.lower()} "):
        return text
    first = text.split(" ", 1)[0]
    plain = first[1:].islower() and not is_identifier(first)
    return f"{subject}: {text[0].lower()}{text[1:] if len(text) > 1 else ''}" if plain else f"{subject}: {text}"


def subject_of(evidence: TestEvidence) -> str:
    """Return what a sentence without a subject is about: the innermost suites, or else the file."""
    return _suite_subject(evidence.suite) or _file_subject(evidence.test_id)


def _suite_subject(suites: Iterable[str]) -> str:
    return ": ".join(_apart(_SUITE_MARKS.sub("", one).strip("_ ") for one in suites))


def _apart(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name for name in names if name))


def _file_subject(test_id: str) -> str:
    stem = test_id.split("::", 1)[0].rsplit("/", 1)[-1].split(".", 1)[0]
    return _FILE_MARKS.sub("", stem).replace("_", " ").replace("-", " ").strip()


def _kept(name: str, known: frozenset[str]) -> list[str]:
    """Split a name into words; anything the test uses as one identifier stays one word, spelled as it is."""
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
    """Whether a part keeps its spelling: between underscores `anyOf` is deliberate, unlike `parsesURLs`."""
    meant = part in known or ("_" in name and not ends_in_s(split_identifier(part)[0]))
    return meant and is_identifier(part)


def _lowered(part: str) -> list[str]:
    return [one.lower() if one[1:].islower() or len(one) == 1 else one for one in split_identifier(part)]


def _identifiers(evidence: TestEvidence) -> frozenset[str]:
    """Return the identifiers that a test uses."""
    parts = list(evidence.expressions())
    given = (argument.name for part in parts if isinstance(part, Call) for argument in part.arguments)
    return frozenset((*(part.name for part in parts if isinstance(part, Name | Attribute)), *filter(None, given)))


_ASKING = table("how what whether why")
_ABOUT_TESTS = table("test tests testing check verify ensure assert confirm validate exercise exercises")
_TALK = table("we i you let here now first note see todo fixme this these those there example")
_VAGUE = table("""
    correct correctly proper properly expected appropriate appropriately fine ok okay sane sensible gracefully nicely
    work works
""")
_EMPTY_VERB = re.compile(
    r"(?:(?:should|must|can|will|does|do|it) (?:not )?(?:just )?){0,9}"
    r"(?:work|handle|behave|render|succeed|run|pass)s?\b"
)
_FILLED = table("render renders run runs pass passes succeed succeeds")
"""Verbs that say something with three words behind them: `renders an empty list`."""
_OF_TESTS = re.compile(r"\b(?:the|this) tests?\b|\bwe\b")
_WORD = re.compile(r"[^\W_](?:[\w.'’/()-]*[\w)])?")
_HEADS = table("can cannot could should must may might will would shall has does it is")
_LEAST = 2
_UNSPACED = re.compile(r"[぀-ヿ㐀-鿿가-힯]")
_LEAST_UNSPACED = 6


def obstacle(text: str) -> str:
    """Return why a text is not an intent, worded to follow "its title"; "" if nothing speaks against it."""
    words = _words(text)
    if _UNSPACED.search(text):
        return "" if len(_UNSPACED.findall(text)) >= _LEAST_UNSPACED else "is very short"
    if len(words) < _LEAST:
        return "is a single word"
    if text.rstrip().endswith("?") or words[0] in _ASKING:
        return "is a question"
    begins = next((one for one in _first_words(text) if one in _ABOUT_TESTS), words[0] if words[0] in _TALK else "")
    if begins:
        return f"begins with {begins!r}"
    found = _OF_TESTS.search(" ".join(words))
    if found:
        return "says 'we'" if found.group() == "we" else "speaks of the test itself"
    if vague := _vague(words):
        return f"leaves the result open with {vague!r}"
    return "" if headless(text) or says(words) else "has no verb form such as 'is', 'stores' or 'stored'"


def headless(text: str) -> bool:
    """Whether a text starts with what looks like its verb, so that its context must supply the subject."""
    words = _words(text)
    if not words or _UNSPACED.search(text):
        return False
    noun = len(words) > 1 and is_finite(words, 1)  # `orders are kept`
    return words[0] in _HEADS or (ends_in_s(words[0]) and not noun)


def has_verb(text: str) -> bool:
    """Whether a word of the text is certainly its verb."""
    words = _words(text)
    return any(is_finite(words, at) for at in range(1, len(words)))


def length(text: str) -> int:
    """How many words a text has."""
    return len(_words(text))


def _words(text: str) -> list[str]:
    return [found.group().lower().replace("’", "'") for found in _WORD.finditer(text)]


def _first_words(text: str) -> list[str]:
    """Return the first word of each part between colons."""
    return [words[0] for part in text.split(": ") if (words := _words(part))]


def _vague(words: list[str]) -> str:
    """Return words that leave the result open: `correctly`, `should work`, `is defined`."""
    said = " ".join(words)
    empty = _EMPTY_VERB.match(said)
    if empty and (empty.group().split()[-1] not in _FILLED or len(said[empty.end() :].split()) < _LEAST):
        return empty.group()
    told = (word for before, word in pairwise(["", *words]) if not (word == "fine" and before in {"a", "the", "this"}))
    return next((word for word in told if word in _VAGUE), "")
