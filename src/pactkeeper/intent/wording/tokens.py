"""A sentence as tokens: words and verbs, separate from quotations, names from code, numbers and punctuation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from pactkeeper.intent.wording import capitalised, table

Kind = Literal["word", "name", "quoted", "number", "mark"]


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number or mark at `start` of its text; `quoted` is a literal value, `name` an identifier or a path.

    `lower` is the form used in tables.
    """

    text: str
    start: int
    end: int
    kind: Kind
    lower: str


_TOKEN = re.compile(
    r"""
    (?P<quoted>
        \bhttps?://[^\s,;]*[^\s,;.!?)]
      | `[^`\n]+` | "[^"\n]*" | “[^”\n]*” | „[^“”\n]*[“”] | «[^»\n]*»
      | (?<![\w])'(?:[^'\n]|'(?=\w))*'(?!\w) | (?<!\w)‘[^’\n]*’
      | \b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[ ]/[\w./{}:?=&%-]*
    )
  | (?P<name>
        (?<![\w-])--?[A-Za-z][\w-]*(?:=\S+)?           # an option: --json, -O0
      | [#@$][A-Za-z]\w*                               # a channel, a handle, a variable
      | <[A-Za-z][\w -]*>
      | (?:\.{0,2}/)?[\w.-]+(?:/[\w.*-]+)+/?(?<!\.)    # a path
      | [A-Za-z_][\w]*(?:(?:\.|::)[A-Za-z_]\w*)+(?:\([^()\s]*\))?
      | [A-Za-z]\w*\([^()\s]*\)
      | \.[A-Za-z]\w+(?:\([^()\s]*\))?
      | \w*[A-Za-z]_\w+ | __?\w+
      | [a-z]+[A-Z]\w* | (?:[A-Z][a-z0-9]+){2,}[A-Z]? | [A-Z][a-z]+[A-Z]{2,}
      | [A-Z]+-?\d[\w-]*                               # E0042, IA-7F3, AES-256
    )
  | (?P<number>\d+(?:[.,:]\d+)*(?:st|nd|rd|th)?(?!\w))
  | (?P<word>[^\W\d_]+(?:['’-][^\W_]+)*['’]?|\d+[^\W\d_]+(?:-[^\W\d_]+)*)
  | (?P<mark>\.\.\.|\S)
    """,
    re.VERBOSE,
)
# A slash in prose separates words: such pairs are two words, not a path.
_PROSE_SLASH = re.compile(r"[A-Za-z]+/[A-Za-z]+")
_ABBREVIATIONS = table("e.g i.e etc approx vs no fig incl excl max min")
_TRAILING = "'’"


@lru_cache(maxsize=8192)
def tokens(text: str) -> tuple[Token, ...]:
    """Return all tokens of a text in order, with only white space between them."""
    found: list[Token] = []
    at = 0
    while (hit := _TOKEN.search(text, at)) is not None:
        kind: Kind = hit.lastgroup  # type: ignore[assignment]  # the groups are named like the kinds
        end = hit.end()
        if kind == "name" and _PROSE_SLASH.fullmatch(hit.group()):
            kind, end = "word", text.index("/", hit.start())
        if kind == "word" and hit.group().endswith(tuple(_TRAILING)) and not hit.group()[:-1].endswith("s"):
            end -= 1  # a closing quote; only a plural possessive keeps it: "the users' data"
        said = text[hit.start() : end]
        found.append(Token(said, hit.start(), end, kind, said.lower().replace("’", "'")))
        at = end
    return tuple(found)


def sentences(text: str) -> tuple[tuple[Token, ...], ...]:
    """Return the tokens of each sentence; a full stop in a number, a name or an abbreviation does not end one."""
    found: list[tuple[Token, ...]] = []
    current: list[Token] = []
    for token in tokens(text):
        current.append(token)
        if _ends(token, current, text):
            found.append(tuple(current))
            current = []
    if current:
        found.append(tuple(current))
    return tuple(one for one in found if any(token.kind != "mark" for token in one))


def _ends(token: Token, current: Sequence[Token], text: str) -> bool:
    if token.text not in {".", "!", "?"}:
        return False
    before = current[-2].lower if len(current) > 1 else ""
    after = text[token.end :]
    if after and not after[0].isspace():
        return False
    if before in _ABBREVIATIONS or (len(before) == 1 and before.isalpha() and token.text == "."):
        return not after.strip()
    return not after.strip() or not after.lstrip()[0].islower()


def stopped(text: str) -> str:
    """Return the text as a sentence: capitalised unless it starts with a name from code, and with a full stop."""
    bare = capitalised(text.strip())
    return bare if not bare or bare.endswith((".", "!", "?", "。")) else f"{bare}."


def masked(text: str, kinds: Sequence[Kind] = ("quoted", "name")) -> str:
    """Replace everything quoted or taken from code, or tokens of `kinds`, with `q`, of which no word consists."""
    found = text
    for token in tokens(text):
        if token.kind in kinds:
            found = found[: token.start] + "q" * (token.end - token.start) + found[token.end :]
    return found


# Function words; those shared by two languages, or that are also English, are left out.
_WORDS: Mapping[str, frozenset[str]] = {
    "German": table("""
    aber als auch auf aus bei beim bis dann das dem den der des durch ein eine einem einen einer eines er es für
    gegen gibt haben hat ihr im ist jede jeder jedes kann kein keine können mit muss müssen nach nicht nur oder ohne
    sein sich sie sind soll sollen sowie über um und unter vom von vor wenn werden wie wird wurde zu zum zur
    zwischen
    """),
    "French": table("""
    aux avec ce cette chaque dans des doit du elle est et être il la le les leur lorsque mais ne nous ou par pas
    peut plus pour qu que qui sans ses si son sont sur un une vous à été où après
    """),
    "Spanish": table("""
    al con cuando de debe del desde el en entre es esta este fue hasta la las lo los más no o para pero por puede
    que se ser si sin sobre su sus también un una y
    """),
    "Italian": table("""
    al alla che con da dal dalla dei del della delle deve di dopo e è gli ha i il in la le lo ma nel nella non o per
    più può quando sono su un una viene
    """),
    "Portuguese": table("""
    ao aos as com da das de deve do dos e é em está foi mais mas na não nas no nos o os ou para pela pelo pode por
    quando que se sem ser seu sua um uma
    """),
    "Dutch": table("""
    aan als bij dat de deze dit door een en geen het hij ieder kan met moet naar niet nog om onder ook op over te
    tot uit van voor wanneer was wordt ze zijn zonder
    """),
    "Polish": table("""
    bez być dla do gdy i jak jest jeśli na nie o od po pod powinien przez przy się są to w z za że zostaje
    """),
    "Swedish": table("""
    att av den det efter eller en ett från för har i inte kan med måste när och om på som ska skall till utan vid är
    """),
}
_ENGLISH = table("""
    a about after all an and any are as at be because been before but by can cannot did do does during each every
    for from had has have how if in into is it its must never no not of off on once one only or out over shall
    should so some such than that the their them then there they this to under unless until up was were what when
    where which while who will with within without would you
""")
_SCRIPTS: Mapping[str, str] = {
    "ARABIC": "Arabic script",
    "BENGALI": "Bengali script",
    "CJK": "Chinese or Japanese script",
    "CYRILLIC": "Cyrillic script",
    "DEVANAGARI": "Devanagari script",
    "GREEK": "Greek script",
    "HANGUL": "Korean script",
    "HEBREW": "Hebrew script",
    "HIRAGANA": "Japanese script",
    "KATAKANA": "Japanese script",
    "THAI": "Thai script",
}
_LEAST_WORDS = 2
_THIRD = 3


def foreign_language(text: str) -> str:
    """Return the language or script of a text that is not English; "" for English or if nothing indicates one."""
    spoken = [token.lower for token in tokens(text) if token.kind == "word"]
    script = _script("".join(spoken))
    if script:
        return script
    counts = {name: _hits(spoken, known) for name, known in _WORDS.items()}
    best = max(counts, key=lambda name: counts[name])
    accents = sum(not word.isascii() for word in spoken)
    least = 1 if accents else _LEAST_WORDS
    return best if counts[best] >= least and counts[best] > _hits(spoken, _ENGLISH) else ""


def _hits(spoken: Iterable[str], known: frozenset[str]) -> int:
    return sum(part in known for word in spoken for part in word.split("'"))


def _script(letters: str) -> str:
    """Return the non-Latin script of at least a third of the letters, or ""."""
    counts: dict[str, int] = {}
    for letter in letters:
        if not letter.isascii():
            name = unicodedata.name(letter, "").partition(" ")[0]
            if name in _SCRIPTS:
                counts[_SCRIPTS[name]] = counts.get(_SCRIPTS[name], 0) + 1
    if not counts or _THIRD * sum(counts.values()) < len(letters):
        return ""
    return max(counts, key=lambda name: counts[name])


_FINITE = table("""
    is are was were isn't aren't wasn't weren't has hasn't have haven't does doesn't do don't did didn't can cannot
    can't could couldn't must mustn't may might should shouldn't will won't would wouldn't shall
""")
DETERMINERS = table(
    "a an the its their each every all any some many most few no one both my our your his her this that these those"
)
JOINING = table("and or but ; otherwise else")
_LINKS = DETERMINERS | table("""
    of in on at by to for with without from into via as than per over under between and or
""")
_SHORTEST = 4


def ends_in_s(word: str) -> bool:
    """Whether a word's ending makes it a plural or a third-person verb: `users`, `stores`, but not `status`."""
    return len(word) >= _SHORTEST and word.endswith("s") and not word.endswith(("ss", "us", "is", "'s"))


def is_finite(words: Sequence[str], at: int) -> bool:
    """Whether a word after the first is certainly a verb: `is`, or `stores` before its object."""
    word, before = words[at], words[at - 1] if at else ""
    if word in _FINITE:
        return True
    if not before or not ends_in_s(word):
        return False
    after = words[at + 1] if at + 1 < len(words) else ""
    return after in DETERMINERS if before in JOINING else before not in _LINKS and after in _LINKS


def says(words: Sequence[str]) -> bool:
    """Whether the words can be a sentence: a verb, or what may be one, follows the first word."""
    return any(_may_be_verb(words, at) for at in range(1, len(words)))


def _may_be_verb(words: Sequence[str], at: int) -> bool:
    word, before = words[at], words[at - 1]
    if word in _FINITE:
        return True
    if before in _LINKS or word in _LINKS:
        return False
    opens = at == 1 or (words[0] in DETERMINERS and at == 2)  # noqa: PLR2004 - `the orders expire`
    plural_does = opens and ends_in_s(before) and at + 1 < len(words)
    return plural_does or ends_in_s(word) or (word.endswith("ed") and len(word) > _SHORTEST)


def commands(words: Sequence[str]) -> bool:
    """Whether the words start with an order and have no certain verb after it: `Add tests`, `Sketch a button`."""
    if len(words) < 2 or is_finite(words, 1):  # noqa: PLR2004 - an order has an object
        return False
    return words[0] in _ORDERS or (_bare(words[0]) and words[1] in DETERMINERS)


_ORDERS = table("add build change create document fix implement make move refactor remove rename see update use write")


def _bare(word: str) -> bool:
    return word.isalpha() and word not in _BEFORE_ARTICLES and not word.endswith(("s", "ed", "ing", "ly"))


_BEFORE_ARTICLES = (
    _LINKS
    | _FINITE
    | table("""
    if when while once after before until unless during only not even also then so such because where how what which
    about against through within like both half
""")
)


_HARMLESS = table("nothing no never not")


def joints(text: str) -> tuple[str, ...]:
    """Return the words that join a further statement, verbatim; empty if there are none. Quotations join nothing."""
    found = sentences(text)
    more = (f"{len(found)} sentences",) if len(found) > 1 else ()
    return (*more, *(said for one in found for said in _joints(text, one)))


def _joints(text: str, words: Sequence[Token]) -> list[str]:
    """Return the text from each joining word to the verb after it, if another verb comes before."""
    lower = [one.lower for one in words]
    finite = [at for at, word in enumerate(words) if word.kind == "word" and is_finite(lower, at)]
    joining = [at for at, word in enumerate(lower) if word in JOINING]
    said = []
    for at, stop in pairwise((*joining, len(words))):
        behind = next((verb for verb in finite if at < verb < stop), None)
        if behind is not None and any(verb < at for verb in finite) and lower[at + 1] not in _HARMLESS:
            said.append(text[words[at].start : words[behind].end])
    return said
