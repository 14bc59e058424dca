"""Names that start with a command, told as an act: `add_url_rule` is "adding a URL rule"."""

from __future__ import annotations

from collections.abc import Sequence

from pactkeeper.intent.wording.prose import CONJUNCTIONS, DETERMINERS, is_adjective, is_break, sentence_words
from pactkeeper.intent.wording.verbs import COMMANDS, NOUNISH, form_of, gerund


def is_command(words: Sequence[str]) -> bool:
    """Whether the words of a name say what is done, so that they can be told as an act."""
    if len(words) <= 1 or words[0].lower() not in COMMANDS or _is_participle_only(words[0]):
        return False
    second = form_of(words[1])
    if words[1].lower() in CONJUNCTIONS:
        return False
    if second is not None and second[1] == "base" and words[1].lower() not in NOUNISH:
        return False
    return _has_object(words)


_LONGEST_OBJECT = 3


def _has_object(words: Sequence[str]) -> bool:
    """Whether what follows a command reads as one thing it is done to; `connect timeout` and `run cert import` do not.

    A command that is a noun as often (`run`, `download`) is one only before a single noun or a preposition.
    """
    end = next((at for at, word in enumerate(words) if at and is_break(word)), len(words))
    thing = [word.lower() for word in words[1:end]]
    if end < len(words) and words[end].lower() in _NEGATIONS | CONJUNCTIONS - {"and", "or"}:
        return False
    if not thing:
        return True
    if _NEGATIONS & set(thing) or DETERMINERS & set(thing[1:]):
        return False
    last = thing[-1]
    if last in _EVENTS or len(last) == 1 or _is_participle_only(last) or is_adjective(last):
        return False
    form = form_of(last)
    if form is not None and (form[1] == "third" or (form[1] == "base" and (last not in NOUNISH or len(thing) > 1))):
        return False
    ambivalent = words[0].lower() in NOUNISH and words[0].lower() not in _MOSTLY_VERBS
    return len(thing) <= (1 if ambivalent else _LONGEST_OBJECT)


_NEGATIONS = frozenset({"not", "no", "never"})
_EVENTS = frozenset(
    {"timeout", "error", "errors", "exception", "exceptions", "failure", "failures", "defaults", "order"}
)
_MOSTLY_VERBS = frozenset({"set", "get", "import", "copy", "move", "update", "override", "return", "strip", "load"})


def _is_participle_only(word: str) -> bool:
    """Whether the word can be a participle but no command."""
    found = form_of(word)
    return found is not None and found[1] == "participle"


def doing(words: Sequence[str]) -> str:
    """The act a command names: `adding a URL rule`."""
    found = form_of(words[0])
    base = found[0] if found else words[0].lower()
    return f"{gerund(base)} {sentence_words(words[1:])}".strip()
