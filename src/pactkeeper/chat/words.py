"""Parse a question: what it names (files, atoms, quoted words), the remaining words, and what to look for by them.

Words of one stem are forms of one word; a name has the ways in which a text may spell it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final

from pactkeeper.speech.languages import LANGUAGES

SHORTEST: Final = 4  # minimum letters of an inflected word
LONGEST: Final = 40  # maximum letters of a word
TELLING: Final = 7  # letters from which a shared stem means the same word family
# Where a word begins within a name; `URLs` is the plural of one word.
HUMP: Final = re.compile(r"([a-z0-9]|[A-Z](?=[A-Z](?!s(?![a-z]))[a-z]))([A-Z])")
_PARTS: Final = re.compile(r"[^\W\d_]+|[0-9]+")
# Words begin and end at letter boundaries and at the humps of `camelCase` and `HTTPServer`.
_BEGINS: Final = rb"(?:(?<![A-Za-z])|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]))"
_GOES_ON: Final = rb"(?:[a-z\x80-\xff]{0,20}|[A-Z\x80-\xff]{0,20})"
_WORD_ENDS: Final = rb"(?![a-z])(?!(?<=[A-Z])[A-Z](?![a-z]))"


@dataclass(frozen=True, slots=True)
class Form:
    """One word with all forms that share its `stem`; a name has no stem and only matches as a whole."""

    word: str
    base: bytes
    raw: re.Pattern[bytes]
    stem: str = ""

    def places(self, data: bytes, lowered: bytes) -> list[int]:
        """Return the byte offsets where it occurs in a file; `lowered` is the file in lower case."""
        found, at = [], lowered.find(self.base)
        while at >= 0:
            if self._written(data, at):
                found.append(at)
            at = lowered.find(self.base, at + 1)
        return found

    def _written(self, data: bytes, at: int) -> str:
        hit = self.raw.match(data, at)
        word = hit[0].decode("utf-8", "replace") if hit else ""
        return word if not self.stem or (word and stem_of(word.lower()) == self.stem) else ""

    def count(self, text: str) -> int:
        """Count its occurrences in a text."""
        data = text.encode()
        return len(self.places(data, data.lower()))

    def written(self, text: str) -> str:
        """Return the word as the text first spells it; empty if it does not occur."""
        data = text.encode()
        return next((self._written(data, at) for at in self.places(data, data.lower())), "")


def parts_of(word: str) -> tuple[str, ...]:
    """Split a name into its words, in lower case; a plain word yields itself."""
    return tuple(part.lower() for part in _PARTS.findall(HUMP.sub(r"\1 \2", word)))


@cache
def form_of(word: str) -> Form:
    """Return the forms of a word; for a name the ways to spell it: `max_age`, `maxAge`, `max age`."""
    parts = parts_of(word)
    if len(parts) > 1:
        return _form(word, parts[0], "[ \t_./:-]{0,2}".join(re.escape(part) for part in parts) + "s?")
    word = word.lower()
    stem = stem_of(word)
    base = stem.removesuffix("i")  # for `retries`, whose other form is `retry`
    if not SHORTEST <= len(base) + 1 <= LONGEST or not word.startswith(base) or not word.isalpha():
        return _form(word, word, re.escape(word))
    raw = re.compile(_BEGINS + b"(?i:" + re.escape(base.encode()) + b")" + _GOES_ON + _WORD_ENDS)
    return Form(word, base.encode(), raw, stem)


def _form(word: str, base: str, forms: str) -> Form:
    first, last = (b"(?<![0-9])" if word[0].isdigit() else b""), (b"(?![0-9])" if word[-1].isdigit() else b"")
    return Form(
        word, base.encode(), re.compile(_BEGINS + first + rb"(?i:" + forms.encode() + rb")" + last + _WORD_ENDS)
    )


def forms_of(terms: Sequence[str]) -> dict[str, Form]:
    """Return the form of each word, once for words that share a stem."""
    found: dict[str, str] = {}
    for term in terms:
        found.setdefault(form_of(term).stem or term.lower(), term)
    return {term: form_of(term) for term in found.values()}


@lru_cache(maxsize=16_384)
def stem_of(word: str) -> str:
    """Strip the ending of a lower-case word; `thrown` is a form of `throw`.

    Short agent nouns keep theirs: `customer` is not a form of `custom`.
    """
    stem = str(_stemmer().stemWord(word.removesuffix("n") if word.endswith("wn") else word))
    agent = word.removesuffix("s").endswith("er") and not stem.endswith("er") and len(stem) < TELLING
    return f"{stem}er" if agent else stem


@cache
def _stemmer() -> Any:  # noqa: ANN401 - the library has no types
    import snowballstemmer  # noqa: PLC0415 - only needed by searches

    return snowballstemmer.stemmer("english")


MOST: Final = 500  # characters of a question that are read
_TOKEN: Final = re.compile(r"(?<![./@#:+-])[./@#:+-]*+\w++(?:[./@#:+-]++\w++)*+")
_ATOM: Final = re.compile(r"[A-Za-z]{1,8}-[0-9A-Za-z]{2,12}")
_ENDS: Final = re.compile(r"(?<=[?!])\s|(?<=[.])\s(?=[^\W\d_a-zäöü])")  # `bzw. etc` does not end a sentence
# `…, and when was it fixed?` asks more about what the question already named, and names nothing itself.
_ASKED_ALONG: Final = re.compile(
    r",?\s(?:and|und)\s(?:\w{1,12}\s){0,2}?(?:what|where|which|who|why|when|how|was|wo|welche[rms]?|wer|warum|wann|wie)\s"
    r"(?=[^,;]{0,200}\b(?:it|they|es|sie)\b)"
)
_QUOTED: Final = re.compile(r"[`\"“„«]([^`\"”“»\n]{1,120})[`\"”“»]")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
SUBJECT, FILE, ATOM = "X", "FILE", "ATOM"
_SHORTEST: Final = 2
_TELLING: Final = 5  # letters of a small word that may be a name


@dataclass(frozen=True, slots=True)
class Question:
    """A question with what it names; `words` are in order, with names replaced by FILE and ATOM.

    `unknown` are names that look like files but are not in this repository; `named` are words that name a file or
    folder, and so may be the subject whatever else they mean. The `first` words come before a follow-up question. It is
    asked `today`, in the time zone of who asks.
    """

    text: str
    words: tuple[str, ...]
    files: tuple[str, ...] = ()
    atoms: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    named: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()
    first: int = MOST
    today: date | None = None

    @property
    def subject(self) -> tuple[str, ...]:
        """The words of the subject: names and quotes verbatim, without small words."""
        telling = [one for one in self.words[: self.first] if one not in {FILE, ATOM} and self.tells(one.lower())]
        return tuple([one for one in telling if one.lower() not in self.called] or telling)

    @property
    def foreign(self) -> bool:
        """Whether it is asked in a language other than English, in which code is written."""
        return _language(self.text) != "english"

    def matters(self, word: str) -> bool:
        """Whether a lower-case word narrows what is asked: `week` does, `actually` doesn't."""
        return self.tells(word) and not is_light(word)

    def tells(self, word: str) -> bool:
        """Whether a lower-case word has meaning by itself."""
        return word in self.named or word not in _empty("english") | _empty(_language(self.text))


def read_question(
    text: str,
    *,
    paths: Sequence[str] = (),
    prefixes: Collection[str] = ("IA",),
    called: Collection[str] = (),
    today: date | None = None,
) -> Question:
    """Parse a question; `paths` are the existing files, `prefixes` those of atom ids.

    `called` are the project's own names in lower case.
    """
    text = " ".join(text[:MOST].split())
    words: list[str] = []
    files: list[str] = []
    atoms: list[str] = []
    unknown: list[str] = []
    along = _ASKED_ALONG.search(text)
    first = 0
    for hit in _TOKEN.finditer(text):
        first += along is None or hit.start() < along.start()
        token = hit[0].strip(".:-+")
        if _ATOM.fullmatch(token) and token.partition("-")[0].upper() in prefixes:
            atoms.append(token.upper())
            words.append(ATOM)
        elif found := _file(token, paths):
            files.append(found)
            words.append(FILE)
        elif "/" in token and "." in token.rpartition("/")[2] and "://" not in token:
            unknown.append(token)
            words.append(FILE)
        else:
            words.append(token)
    quoted = tuple(_QUOTED.findall(text))
    named = _called({word.lower() for word in words}, paths) | {word.lower() for word in words if _capital(word)}
    known = frozenset(called) - named
    return Question(text, tuple(words), tuple(files), tuple(atoms), quoted, tuple(unknown), named, known, first, today)


def _called(words: Collection[str], paths: Sequence[str]) -> frozenset[str]:
    """Return the words that name a file and are not used for asking."""
    asking = frozenset[str]().union(*_ASKING.values())
    telling = {one for one in words if len(one) >= _TELLING and one not in asking}
    names = {path.rpartition("/")[2].partition(".")[0].lower() for path in paths} if telling else set()
    return frozenset(telling & names)


def _capital(word: str) -> bool:
    """Whether a word is written like a constant or header: `HEAD`, `MAX_RANGE`."""
    return word.isupper() and len(word) > _SHORTEST and word not in {FILE, ATOM}


def first_sentence(text: str) -> str:
    """Return the first sentence of a text; one that a question follows is part of what is asked."""
    first, _, rest = _ENDS.sub("\n", text, count=1).partition("\n")
    return f"{first.rstrip('.')}?" if "?" in rest else first


def further_questions(text: str) -> tuple[str, ...]:
    """Return the questions of a text after its first sentence, if that is a question too."""
    first, *others = (one.strip() for one in _ENDS.sub("\n", text).split("\n"))
    return tuple(one for one in others if one.endswith("?")) if first.endswith("?") else ()


def _file(token: str, paths: Sequence[str]) -> str:
    """Return the file or folder a token names, by its whole path or last parts; empty if there is none."""
    name = token.removeprefix("./").rstrip("/")
    if ":" in name:
        name = name.partition(":")[0]
    if "/" not in name and "." not in name:
        return ""
    if name in paths:
        return name
    folder = next((path for path in paths if path.startswith(f"{name}/")), "")
    ends = sorted((path for path in paths if path.endswith(f"/{name}")), key=lambda path: (path.count("/"), path))
    return name if folder else ends[0] if ends else ""


def same_named(token: str, paths: Sequence[str]) -> tuple[str, ...]:
    """Return all files with this name, in any folder."""
    return tuple(path for path in paths if path == token or path.endswith(f"/{token}"))


def _language(text: str) -> str:
    """Detect the language with the most small words in the question, among those supported; English if tied."""
    words = [word.strip(".,;:!?()\"'").lower() for word in text.split()]
    return max(_ASKING, key=lambda language: sum(word in _empty(language) for word in words))


@cache
def _empty(language: str) -> frozenset[str]:
    """Return the words of a language that carry no meaning in a question."""
    table = next(one for one in LANGUAGES if one.stemmer == language)
    return _ASKING[language].union(table.empty.split(), table.negations.split())


@cache
def small_words() -> frozenset[str]:
    """Return the words of all languages that carry no meaning by themselves."""
    return frozenset().union(*(table.small for table in LANGUAGES), *_ASKING.values())


@cache
def _vocabulary() -> frozenset[str]:
    """Return every word in the language tables."""
    texts = (str(getattr(table, one.name)) for table in LANGUAGES for one in fields(table))
    return frozenset(word for text in texts for word in _LETTERS.findall(text.lower()))


def spelled_right(word: str) -> bool:
    """Whether a lower-case word is known, and so not a misspelling of another."""
    return word in _vocabulary() or word in small_words()


# Words people ask with, which are never a question's subject.
_ASKING: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "english": frozenset(
            """
            what where which who whom whose when why how does do did is are was were can could should would shall will
            may might the a an of in on at to for from by with about and or not if it its this that these those there
            here i we you they he she my our your me us be been being has have had get gets any some all much many tell
            show find explain please anything anywhere something somewhere someone anyone another several regarding
            concerning whether well happen happens happened work works use used uses using code repository repo project
            """.split()  # noqa: SIM905 - a hundred words on a hundred lines would not be readable
        ),
        "german": frozenset(
            """
            was wo wer wie wann warum welche welcher welches welchen der die das den dem des ein eine einen einem einer
            und oder nicht wenn ist sind war wird werden kann können soll hat haben es ich wir man zu zum zur von vom
            bei mit auf für über im irgendwo irgendwas etwas bezüglich bzw gut
            """.split()  # noqa: SIM905 - likewise
        ),
    }
)


@cache
def both_stems(word: str) -> str:
    """Strip a word's endings in both languages."""
    found = word
    for stemmer in _stemmers():
        found = stemmer.stemWord(found)
    return found


@cache
def _stemmers() -> tuple[Any, ...]:
    import snowballstemmer  # noqa: PLC0415 - only needed for questions

    return tuple(snowballstemmer.stemmer(name) for name in ("english", "german"))


@cache
def stored() -> dict[str, Any]:
    """Return what `bench/ask/learn.py` computes by stem, because stemming all words is slow."""
    found: dict[str, Any] = json.loads((files("pactkeeper.chat") / "stems.json").read_text(encoding="utf-8"))
    return found


def terms_of(question: Question) -> tuple[str, ...]:
    """Return what to search files for: the words of the subject, each once, names as written."""
    return terms_in((*question.quoted, *question.subject))


def terms_in(words: Iterable[str]) -> tuple[str, ...]:
    """Return words of a subject in the form in which they are searched for."""
    folded = (one if len(parts_of(one)) > 1 else one.lower() for one in words)
    return tuple(dict.fromkeys(one for one in folded if len(one) >= _SHORTEST or one.isdigit()))


def beside(question: Question, terms: Collection[str]) -> tuple[str, ...]:
    """Return words people ask with that lines with the answer may have too: `default`, `error`, `function`."""
    folded = dict.fromkeys(one.lower() for one in question.words)
    return tuple(one for one in folded if len(one) >= _TELLING and one not in terms and question.tells(one))


LIGHT: Final = 0.3  # how much a word counts that says little about the place of an answer
NAMED: Final = 2.0  # the same for a name


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A word of a question with the forms to look for and how much it counts."""

    word: str
    forms: tuple[Form, ...]
    weight: float

    @property
    def light(self) -> bool:
        """Whether nothing follows from its absence."""
        return self.weight <= LIGHT

    def stands_in(self, text: str) -> bool:
        """Whether a text has it."""
        return any(form.count(text) for form in self.forms)


def query_terms(words: Sequence[str], *, beside: Collection[str] = ()) -> tuple[Term, ...]:
    """Return what words mean, once for words of one stem; those `beside` the subject count as light.

    Two words in a row may be one in the code: `progress bar`, `progressbar`.
    """
    joined: dict[str, list[Form]] = {}
    for one, two in pairwise(words):
        both = [form_of(f"{one}_{two}")] if one.isalpha() and two.isalpha() else []
        for word in (one, two):
            joined.setdefault(word, []).extend(both)
    found: dict[str, Term] = {}
    for word in (*words, *beside):
        weight = NAMED if len(parts_of(word)) > 1 else LIGHT if word in beside or is_light(word) else 1.0
        form = form_of(word)
        found.setdefault(form.stem or word.lower(), Term(word, (form, *joined.get(word, ())), weight))
    return tuple(found.values())


def is_light(word: str) -> bool:
    """Whether a word says little about the place of an answer."""
    return both_stems(word.lower()) in _light()


@cache
def _light() -> frozenset[str]:
    return frozenset(stored()["light"])
