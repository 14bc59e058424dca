"""Names in a sentence that belong to the program, not its purpose: identifiers, imports, tools of tests.

Also the source an answer may rely on: its text, split into code, literals and imported names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pactkeeper.errors import some_of
from pactkeeper.intent.context import SLIGHT, STOP
from pactkeeper.intent.quality.values import QualityVocabulary
from pactkeeper.intent.wording import is_plural, stems_of, table
from pactkeeper.intent.wording.tokens import Token, tokens
from pactkeeper.speech.amounts import plain
from pactkeeper.speech.words import stem

_QUOTED: Final = re.compile(r"'(?:[^'\n]|(?<=\w)'(?=\w))*'(?!\w)|\"[^\"\n]*\"|“[^”\n]{0,500}”|`[^`\n]*`")
_TOKEN: Final = re.compile(r"[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*(?:\(\))?")
_SNAKE: Final = re.compile(r"[^\W_]_++[^\W_]|^_++\w|(?<=\w)_$")
_LOWER_CAMEL: Final = re.compile(r"[a-z]+[A-Z]\w*")
_CAMEL: Final = re.compile(r"[A-Z][^\Wa-z]*+[a-z][^\WA-Z]*+[A-Z]\w*+")
_BRANDS: Final = frozenset({"iOS", "iPadOS", "macOS", "iPhone", "iPad", "eBay", "iCal", "iCalendar", "eMail", "pH"})
_MEANS: Final = re.compile(r"\b(?:using|via|calls|calling)\s+$", re.IGNORECASE)
ERROR_NAME: Final = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt)\b")
_TOOLS: Final = table("""
    pytest unittest jest vitest mocha jasmine cypress playwright puppeteer sinon chai enzyme monkeypatch mock mocks
    mocked magicmock fixture fixtures stub stubs stubbed spy spies
""")


def foreign_names(sentence: str, source: NamedSource, vocabulary: QualityVocabulary) -> Iterator[str]:
    """Explain for each name why it does not belong in a sentence about behaviour; each name once."""
    allowed = {term.lower() for term in vocabulary.domain_terms}
    seen: set[str] = set()
    for start, token in _tokens(sentence, source):
        if token.lower() in seen or token.lower() in allowed or _is_value(token, source):
            continue
        reason = _why_not(sentence, start, token, source)
        if reason:
            seen.add(token.lower())
            yield f"{token!r} {reason}"
    yield from _jargon(sentence, source, vocabulary, seen)


def _tokens(sentence: str, source: NamedSource) -> Iterator[tuple[int, str]]:
    """Yield words with their position, skipping quotations of a value that the source contains."""
    values = [(one.start(), one.end()) for one in _QUOTED.finditer(sentence) if one.group()[1:-1] in source.literals]
    for hit in _TOKEN.finditer(sentence):
        if not any(start <= hit.start() < end for start, end in values):
            yield hit.start(), hit.group()


def _is_value(token: str, source: NamedSource) -> bool:
    """Whether a name is only a literal value in the source, such as the key of a document."""
    head = token.removesuffix("()").partition(".")[0]
    return not token.endswith("()") and token in source.literals and head not in source.names


def _why_not(sentence: str, start: int, token: str, source: NamedSource) -> str:
    bare = token.removesuffix("()")
    if token in source.raised or (ERROR_NAME.fullmatch(token) and token in source.names):
        return ""  # callers see the type of an error
    if token != bare:
        return "is a call; say what is observed, not what is called"
    if _SNAKE.search(bare):
        return "is a name from the code; write it out of the domain, or quote it where it is a value"
    if "." in bare:
        return "is a dotted name from the code; say what it is" if _is_code(bare, source) else ""
    if bare not in _BRANDS and _LOWER_CAMEL.fullmatch(bare):
        return "is a name from the code; write it out of the domain"
    if _CAMEL.fullmatch(bare) and bare in source.names:
        return "is a name from the code; write it out of the domain"
    return _imported(sentence, start, bare, source)


def _is_code(dotted: str, source: NamedSource) -> bool:
    return dotted in source.code or dotted.partition(".")[0] in source.imported


def _imported(sentence: str, start: int, name: str, source: NamedSource) -> str:
    if name not in source.imported:
        return ""
    before = sentence[:start]
    inside = before.strip() and not before.rstrip().endswith((".", ":", "!", "?"))
    if name[:1].isupper() and inside:
        return "is a name that the test imports; write it in lower case where it is meant as a word"
    return "is a module that the test imports; say what is observed" if _MEANS.search(before) else ""


def _jargon(sentence: str, source: NamedSource, vocabulary: QualityVocabulary, seen: set[str]) -> Iterator[str]:
    allowed = {term.lower() for term in vocabulary.domain_terms}
    for hit in _TOKEN.finditer(sentence):
        word = hit.group().lower()
        if word in _TOOLS and word not in allowed | seen and hit.group() not in source.literals:
            seen.add(word)
            yield f"{hit.group()!r} is test jargon; say what the program does"


_DOCSTRING: Final = r"\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''"
_LITERAL: Final = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"
_TEXTS: Final = re.compile(f"{_DOCSTRING}|({_LITERAL})")
_COMMENT: Final = re.compile(r"(?:#|//).*$", re.MULTILINE)
_NAME: Final = re.compile(r"[^\W\d]\w*")
_IMPORTS: Final = (
    re.compile(r"^[^\S\n]*+from\s++([\w.]++)\s++import\s++(.+)$", re.MULTILINE),
    re.compile(r"^[^\S\n]*+import\s++([\w., \t\r]++)$", re.MULTILINE),
    re.compile(
        r"^[^\S\n]*+import\s++(?:type\s++)?([\w*${},\s]{1,2000}?)(?<=\S)\s++from\s++['\"]([^'\"]{1,500})['\"]",
        re.MULTILINE,
    ),
    re.compile(r"(?:const|let|var)\s([\w{},\s:]{1,2000}+)=\s*+(?:await\s++)?(?:require|import)\(\s*['\"]([^'\"]+)"),
)
_RAISING: Final = re.compile(r"\b(?:raises|assertRaises\w*|warns|toThrow\w*)\(\s*(?:\w+\.)*([A-Z]\w*)")
_NO_NAMES: Final = frozenset({"import", "from", "as", "type", "default", "const", "let", "var"})


@dataclass(frozen=True)
class NamedSource:
    """The text that an answer may quote; `test` is the test itself, `near` the text without other tests.

    If empty, both stand for the whole text.
    """

    text: str
    test: str = ""
    near: str = ""

    @cached_property
    def literals(self) -> str:
        """All string literals in the source, one per line."""
        return "\n".join(found[1][1:-1] for found in _TEXTS.finditer(self.text) if found[1])

    @cached_property
    def code(self) -> str:
        """The source without literals, documentation and comments."""
        return _COMMENT.sub("", _TEXTS.sub("''", self.text))

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name in the code."""
        return frozenset(_NAME.findall(self.code))

    @cached_property
    def imported(self) -> frozenset[str]:
        """The names that the source imports, and the modules they come from."""
        hits = (hit for pattern in _IMPORTS for hit in pattern.finditer(self.text))
        found = (part for hit in hits for part in hit.groups())
        return frozenset(name for part in found for name in _NAME.findall(part)) - _NO_NAMES

    @cached_property
    def raised(self) -> frozenset[str]:
        """The types of errors and warnings that the source expects to be raised, whatever they are called."""
        return frozenset(_RAISING.findall(self.code))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all words of the test, including those within names."""
        return stems_of(self.test or self.text)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Every number in the test or in the text it may use."""
        near = self.near or self.text
        written = re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?<=\d)[_,](?=\d)", "", near))
        whole = (one.partition(".")[0] for one in written if not one.partition(".")[2].strip("0"))  # 10.00 is 10
        return frozenset((*written, *whole))

    @cached_property
    def sizes(self) -> frozenset[int]:
        """The sizes of the lists, calls and mappings in the test."""
        found: set[int] = set()
        pending: list[int] = []
        for mark in re.findall(r"[\[({]|[\])}]|,(?!\s*[\])}])", _TEXTS.sub("''", self.test or self.text)):
            if mark in "[({":
                pending.append(1)
            elif mark == "," and pending:
                pending[-1] += 1
            elif pending:
                found.add(pending.pop())
        return frozenset(found)


_SAYS_LITTLE = frozenset(stem(word) for word in (*SLIGHT, *STOP, "be", "is", "are", "result", "value", "system"))
_ERROR_WORD = re.compile(r"rais|thr[oe]w|reject|err|exc|catch|fail", re.IGNORECASE)
_EVENTS = {
    **dict.fromkeys(("raises", "raised", "throws", "thrown"), _ERROR_WORD),
    **dict.fromkeys(("warning", "warnings", "warns", "warned"), re.compile("warn", re.IGNORECASE)),
    **dict.fromkeys(("logs", "logged"), re.compile("log", re.IGNORECASE)),
}
"""What happens, and how the source of a test that looks at it speaks of that."""
_WRITTEN = re.compile(r"(?<![\w.])\d[\d_]{0,30}(?:\.\d{1,30})?(?!\w)|[^\W\d_]{3,20}")
_MARKS = "\"'`“”‘’"


def unsupported(sentence: str, source: NamedSource) -> Iterator[str]:
    """Yield what was invented in a sentence: values that the source does not contain, or all of its words."""
    found = tokens(sentence)
    wrong = list(invented(found, source))
    yield from wrong
    values = [one for one in found if one.kind == "number" or _quoted(one)]
    words = {each for one in found if one not in values for each in _stems(one)}
    if len(wrong) == len(values) and words and not source.stems & words:
        yield "nothing the test asserts or does is about it; say only what its lines show"


def invented(found: Sequence[Token], source: NamedSource) -> Iterator[str]:
    """Yield what is wrong with each number, quotation and event that neither the test nor what it may use contains."""
    yield from (wrong for _, wrong in _invented(found, source))


def outdated(sentence: str, source: NamedSource, earlier: str) -> Iterator[str]:
    """Yield each value of a sentence that the test held earlier and doesn't hold any more."""
    held = set(re.findall(r"[\w.]+", earlier))
    yield from (bare for bare, _ in _invented(tokens(sentence), source) if bare in held)


def _invented(found: Sequence[Token], source: NamedSource) -> Iterator[tuple[str, str]]:
    """Yield each such part of a sentence, and what is wrong with it."""
    text = source.near or source.text
    for at, token in enumerate(found):
        bare = token.text.strip(_MARKS)
        if ":" in bare and bare in text:  # a time of day in a longer one
            continue
        if token.kind == "number" and _digits(bare) not in source.numbers and not _counts(found, at, source):
            yield bare, f"{bare!r} is not in the source{_instead(bare, source)}; give only values from the test"
        elif _quoted(token) and not _quotes(token, bare.removesuffix("…"), text):
            yield bare, f"{token.text} is not in the source; quote only values from the test"
        elif token.kind == "name" and _of_code(bare) and bare.partition("(")[0] not in text:
            yield bare, f"{bare!r} is not in the source; name only what the test names"
        elif token.kind == "word" and (event := _EVENTS.get(token.lower)) and not event.search(text):
            yield bare, f"nothing in the source mentions {token.text!r}; say only what the test checks"


def _instead(number: str, source: NamedSource) -> str:
    """Say which numbers the test holds, and where it has this one as a word: in other units it may mean the same."""
    test = source.test or source.text
    held = some_of(dict.fromkeys(one for one in _WRITTEN.findall(test) if one[0].isdigit() or plain(one) == number))
    return f", and the test has {held}" if held else ""


def _of_code(name: str) -> bool:
    return "_" in name or "(" in name or ERROR_NAME.fullmatch(name) is not None


def _quoted(token: Token) -> bool:
    return token.kind in {"quoted", "name"} and token.text[:1] in _MARKS


def _quotes(token: Token, bare: str, text: str) -> bool:
    """Whether a text holds what is quoted; of a command in backticks, every word."""
    return bare in text or (token.text[:1] == "`" and all(word in text for word in bare.split()))


def _stems(token: Token) -> frozenset[str]:
    if token.kind not in {"word", "name"}:
        return frozenset()
    return frozenset({stem(token.lower), *stems_of(token.text)}) - _SAYS_LITTLE


def _counts(found: Sequence[Token], at: int, source: NamedSource) -> bool:
    """Whether a number is the size of something, and the test contains something of that size."""
    number = _digits(found[at].text)
    following = found[at + 1].lower if at + 1 < len(found) else ""
    return number.isdigit() and is_plural(following) and int(number) in source.sizes


def _digits(number: str) -> str:
    return number.replace(",", "").rstrip(".").rstrip("%")
