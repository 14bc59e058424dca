"""Free-text titles as clauses: holes filled, `should` stated, suites joined as a reader would say them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pactkeeper.intent.wording.names import Phrase, reads_as_verb, suite_topic
from pactkeeper.intent.wording.prose import ADVERBS, AUXILIARIES, DETERMINERS, PREPOSITIONS, SUBORDINATORS
from pactkeeper.intent.wording.verbs import COMMANDS, INTRANSITIVE, NOUNISH, form_of, third
from pactkeeper.intent.wording.words import is_plural, spoken_words

_PRINTED = re.compile(r"%([%#$]|[sdifjopcO](?![A-Za-z]))")
_TEMPLATE = re.compile(r"\$\{([^{}]*)\}")
_FIELD = re.compile(r"\$([A-Za-z_]\w*)((?:\.\w+)*)")
_PATH = re.compile(r"^(?:JSON\.stringify\(|String\()?_*([A-Za-z][\w.]*?)(?:\.to\w+\(\))?\)?$")
_PIECE = r"""(?:'[^'\n]*'|"[^"\n]*"|`[^`\n]*`|[\w.$]+(?:\(\))?)"""
_SUM = re.compile(rf"^{_PIECE}(?:\s*\+\s*{_PIECE})+$")
_REFERENCE = re.compile(r"\s*[(\[]\s*(?:see\s+|fixes\s+)?(?:issue|bug|gh|pr)?\s*[-#]+\s*\d+\s*[)\]]", re.IGNORECASE)
_ANY = "each value"


def title_words(title: str, parameters: Sequence[str], *, nested: bool = False) -> str:
    """A title with its holes named after what fills them and without references to trackers.

    `nested` means that a table further out fills holes as well, so that the order of `parameters` does not say which
    of them fills this title.
    """
    text = " ".join(title.split())
    if text in parameters:
        return f"each {_spoken(text)}"
    if any(quote in text for quote in "'\"`") and _SUM.match(text):
        text = "".join(_summand(piece) for piece in re.findall(_PIECE, text))
    if "%" in text:
        text = _printed(text, () if nested else parameters)
    if "$" in text:
        text = _TEMPLATE.sub(lambda found: _hole(found[1]), text)
        text = _FIELD.sub(lambda found: _field(found, parameters), text)
    return _REFERENCE.sub("", text).strip().rstrip(".")


def has_holes(title: str) -> bool:
    """Whether a table's values are printed into the title by their order."""
    return _PRINTED.search(title) is not None


def _printed(text: str, parameters: Sequence[str]) -> str:
    names = iter(parameters)

    def named(found: re.Match[str]) -> str:
        if found[1] == "%":
            return "%"
        if found[1] in "#$":
            return "<number>"
        name = next(names, "")
        before = text[: found.start()].rstrip().rsplit(" ", 1)[-1].lower()
        filled = f"<{_spoken(name)}>" if name.strip("_") else _ANY
        return "value" if filled == _ANY and before in {"each", "every", "the", "a", "any"} else filled

    return _PRINTED.sub(named, text)


def _field(found: re.Match[str], parameters: Sequence[str]) -> str:
    return _hole(found[1] + found[2]) if found[1] in parameters else found[0]


def _summand(piece: str) -> str:
    return _TEMPLATE.sub(lambda found: _hole(found[1]), piece[1:-1]) if piece[0] in "'\"`" else _hole(piece)


def _hole(source: str) -> str:
    """`<count>` for what is computed from a name, `each value` for any other computation."""
    found = _PATH.match(source.strip())
    return f"<{_spoken(found[1])}>" if found else _ANY


def _spoken(name: str) -> str:
    return " ".join(spoken_words(name))


_SHOULD = frozenset({"should", "must", "shall"})
_SHOULD_NOT = frozenset({"shouldn't", "shouldn’t", "mustn't", "mustn’t"})
_VERB = re.compile(r"[a-z]+,?")


def stated(text: str) -> str:
    """`should return 404` as `returns 404`; what is no plain word behind `should` leaves it as it stands."""
    words = text.split(" ")
    if not (_SHOULD | _SHOULD_NOT) & set(words):
        return text
    if words[0] == "it" and words[1] in _SHOULD | _SHOULD_NOT:
        words = words[1:]
    said: list[str] = []
    at = 0
    while at < len(words):
        found = _indicative(words, at) if words[at] in _SHOULD | _SHOULD_NOT else None
        more, at = found or ([words[at]], at + 1)
        said += more
    return " ".join(said)


def _indicative(words: Sequence[str], at: int) -> tuple[list[str], int] | None:
    """What stands for `should` and its verb, and where the text goes on; None where there is no verb."""
    start = at + 1
    negated = words[at] in _SHOULD_NOT or words[start : start + 1] == ["not"]
    start += words[start : start + 1] == ["not"]
    end = start
    while end < len(words) and _is_adverb(words[end]):
        end += 1
    if end == len(words) or not _VERB.fullmatch(words[end]) or words[end] in DETERMINERS | PREPOSITIONS:
        return None
    adverbs, verb, comma = list(words[start:end]), words[end].rstrip(","), words[end][len(words[end].rstrip(",")) :]
    plural = at > 0 and words[at - 1].isalpha() and is_plural(words[at - 1])
    if verb == "be":
        return ["are" if plural else "is", *(["not"] if negated else []), *adverbs], end + 1
    if negated:
        return ["do" if plural else "does", "not", *adverbs, verb + comma], end + 1
    said = [*adverbs, (verb if plural else _PHRASAL.get(verb) or third(verb)) + comma]
    return (said, end + 1) if plural else _coordinated(words, said, end + 1)


def _coordinated(words: Sequence[str], said: list[str], at: int) -> tuple[list[str], int]:
    """`loads and unloads`: further verbs of the same `should` up to the next one."""
    while at < len(words) and words[at] not in _SHOULD | _SHOULD_NOT | SUBORDINATORS:
        found = form_of(words[at])
        verb = found is not None and found[1] == "base" and (found[0] not in NOUNISH or words[at] in _VERBAL)
        joined = words[at - 1] in {"and", "or"} and verb
        said.append(third(words[at]) if joined else words[at])
        at += 1
    return said, at


_PHRASAL = {"lookup": "looks up", "setup": "sets up", "cleanup": "cleans up", "fallback": "falls back"}
_VERBAL = frozenset({"return", "call", "use", "set", "skip", "reset", "load"})


def _is_adverb(word: str) -> bool:
    return word in ADVERBS or (len(word) > _SHORTEST_ADVERB and word.endswith("ly") and form_of(word) is None)


_SHORTEST_ADVERB = 4  # "rely" and "ply" are verbs


def title_phrase(title: str, parameters: Sequence[str] = (), *, nested: bool = False) -> Phrase:
    """A title as a phrase: a sentence where it has a verb, an action where it is a command, else a topic."""
    bare = title_words(title, parameters, nested=nested)
    text = stated(bare)
    words = tuple(re.findall(r"[A-Za-z][\w'’]*", text))
    if not words or not _said(text, parameters):
        return Phrase("empty" if not text or words else "topic", text)
    if text != bare or _has_verb(words):
        return Phrase("sentence", text, words)
    return Phrase("action" if words[0].lower() in COMMANDS and len(words) > 1 else "topic", text, words)


def _said(text: str, parameters: Sequence[str]) -> bool:
    """Whether a title says anything besides what a row prints into it, and is no code that does something with it."""
    plain = _FILLED.sub("", _FIELD.sub("", text) if parameters else text)
    taken = any(re.search(rf"(?<![\w.$]){re.escape(name)}[.\[]", plain) for name in parameters if name in plain)
    compared = plain != text and _COMPARED.search(plain) is not None
    return not taken and not compared and re.search(r"[^\W\d_]", plain) is not None


_COMPARED = re.compile(r"[!=]==")
_FILLED = re.compile(rf"<[^<>]*>|\b{_ANY}\b|\beach \w+$")


def _has_verb(words: Sequence[str]) -> bool:
    lower = [word.lower() for word in words]
    lower = lower[: next((at for at, word in enumerate(lower) if at and word in SUBORDINATORS), len(lower))]
    if any(word in AUXILIARIES or word.endswith(("n't", "n’t")) for word in lower):
        return True
    return len(words) > 1 and any(_is_verb(lower, at) for at in range(len(lower)))


def _is_verb(words: Sequence[str], at: int) -> bool:
    """Whether a word is a verb in the third person: known as one, or followed or led by what only verbs are."""
    word, found = words[at], form_of(words[at])
    before, after = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
    if found is not None and found[1] == "third":
        known = found[0] not in NOUNISH or word in INTRANSITIVE or reads_as_verb(words, at, found[0])
        return not at or (known and before not in PREPOSITIONS | DETERMINERS)
    ends = word.endswith("s") and not word.endswith(("ss", "us", "is")) and word not in DETERMINERS | PREPOSITIONS
    return ends and found is None and (after in _ARTICLES or before.endswith("ly"))


_ARTICLES = frozenset({"a", "an", "the", "its", "every", "each"})


_LEADING = PREPOSITIONS | SUBORDINATORS | {"using", "given"}


def titled_suites(suites: Sequence[str], parameters: Sequence[str]) -> str:
    """Suites from outer to inner as one topic: `res.set(field)`, `Basket, with a wrong quantity`."""
    parts: list[tuple[str, str]] = []
    for one in suites:
        source = one.strip().rstrip(".:")
        shown = _suite(source, parameters)
        if parts and source.startswith(".") and _WORD.fullmatch(parts[-1][0]):
            parts[-1] = (parts[-1][0] + source, parts[-1][0] + source)
        elif shown and (source, shown) not in parts:
            parts.append((source, shown))
    said = ""
    for _, shown in parts:
        led = bool(said) and shown.split(" ", 1)[0].lower() in _LEADING
        said += f", {shown[0].lower()}{shown[1:]}" if led else f": {shown}" if said else shown
    return said


_WORD = re.compile(r"[A-Za-z]\w*")


def _suite(suite: str, parameters: Sequence[str]) -> str:
    """A suite's title; one that is a name from the code is not taken apart."""
    text = title_words(suite, parameters)
    plain = re.fullmatch(r"[A-Za-z][\w-]*", text) is not None
    code = text[:1].islower() and not text.islower()
    return suite_topic(text) if plain and not code else stated(text)
