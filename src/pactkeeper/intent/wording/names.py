"""A test's name as a phrase: a sentence where the name has a verb, what is done where it is a command, else a topic."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pactkeeper.intent.wording.commands import doing, is_command
from pactkeeper.intent.wording.prose import (
    ADVERBS,
    AUXILIARIES,
    CONTRACTIONS,
    DETERMINERS,
    PREPOSITIONS,
    SUBORDINATORS,
    is_adjective,
    is_break,
    noun_phrase,
    predicate,
    sentence_words,
    show,
)
from pactkeeper.intent.wording.verbs import (
    COMMANDS,
    EFFECTS,
    INTRANSITIVE,
    NOUNISH,
    form_of,
    is_participle,
    participle,
    third,
)
from pactkeeper.intent.wording.words import capitalised, is_plural, split_identifier, spoken

Kind = Literal["sentence", "action", "topic", "empty"]
_LEADING = frozenset(
    {"test", "tests", "testing", "it", "that", "ensure", "ensures", "verify", "verifies", "assert", "asserts"}
)
_ERROR_NAME = re.compile(r"^[A-Z]\w*(?:Error|Exception|Warning|Failure)$")
_MODALS = frozenset({"should", "must", "shall", "will", "would"})
_BE = {"is", "are", "was", "were"}


@dataclass(frozen=True, slots=True)
class Phrase:
    """What a name says: `text` without a full stop and not capitalised, `words` the plain words it was made of."""

    kind: Kind
    text: str
    words: tuple[str, ...] = ()


def name_words(name: str) -> list[str]:
    """The words of a test name without `test` and the like in front."""
    return list(_name_words(name))


@lru_cache(maxsize=1024)
def _name_words(name: str) -> tuple[str, ...]:
    words: list[str] = []
    for part in re.split(r"[_\s]+", name):
        bare = part.strip("-.,:;()[]")
        if _ERROR_NAME.match(bare) and not bare.lower().startswith("test"):
            words.append(bare)
        else:
            words.extend(split_identifier(part))
    while words and words[0].lower() in _LEADING:
        words = words[1:]
    found: list[str] = []
    for word in words:
        found.extend(CONTRACTIONS.get(word.lower(), (word,)))
    return tuple(word.lower() if word.lower() in _FUNCTION_WORDS else word for word in found)


_FUNCTION_WORDS = (
    AUXILIARIES
    | SUBORDINATORS
    | PREPOSITIONS
    | ADVERBS
    | DETERMINERS
    | frozenset({"and", "or", "but", "then", "be", "been"})
)


def name_phrase(name: str) -> Phrase:
    """The phrase an identifier-like test name makes."""
    words = name_words(name)
    if not words:
        return Phrase("empty", "")
    conditional = _conditional(words)
    if conditional is not None:
        return conditional
    head, tail = _split(words)
    said = _sentence(head)
    end = f" {_tail(tail)}" if tail else ""
    if said is not None:
        return Phrase("sentence", said + end, tuple(words))
    if is_command(head):
        return Phrase("action", f"{doing(head)}{end}", tuple(words))
    return Phrase("topic", " ".join(show(word) for word in head) + end, tuple(words))


def _conditional(words: Sequence[str]) -> Phrase | None:
    """`given ... when ... then ...`, `when ... then ...`."""
    lower = [word.lower() for word in words]
    if lower[0] not in {"when", "given", "if", "after", "before", "while"}:
        return None
    if "then" not in lower:
        return None
    at = lower.index("then")
    before, after = list(words[:at]), list(words[at + 1 :])
    clauses = _clauses(before)
    said = _sentence(after) or (doing(after) if is_command(after) else sentence_words(after))
    return Phrase("sentence", f"{', '.join(clauses)}, {said}", tuple(words))


def _clauses(words: list[str]) -> list[str]:
    found: list[list[str]] = []
    for word in words:
        if word.lower() in {"when", "given", "if", "after", "before", "while"} or not found:
            found.append([word.lower()])
        else:
            found[-1].append(word)
    return [_tail(clause) for clause in found]


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    for at, word in enumerate(words):
        if at and word.lower() in SUBORDINATORS:
            return words[:at], words[at:]
    return words, []


def _tail(words: Sequence[str]) -> str:
    """A subordinate clause: its conjunction, then a sentence where there is a verb, else plain prose."""
    rest = list(words[1:])
    said = _sentence(rest) if rest and not _leads_gerund(rest) else None
    return f"{words[0].lower()} {said or _open(rest)}".strip()


def _leads_gerund(words: Sequence[str]) -> bool:
    form = form_of(words[0])
    return form is not None and form[1] == "gerund"


def _open(words: Sequence[str]) -> str:
    if len(words) > 1 and (is_adjective(words[-1]) or is_participle(words[-1])) and not any(map(is_break, words)):
        be = "are" if is_plural(spoken(words[-2])) else "is"
        return f"{noun_phrase(words[:-1])} {be} {show(words[-1])}"
    if len(words) == 1 and (is_adjective(words[0]) or is_participle(words[0])):
        return show(words[0])
    if _leads_gerund(words) if words else False:
        return f"{words[0].lower()} {sentence_words(words[1:])}".strip()
    return sentence_words(words)


def _sentence(words: list[str]) -> str | None:
    """The words as a clause with a finite verb; None where they have none."""
    if not words:
        return None
    for rule in (_modal, _auxiliary, _third_person, _passive, _plural_subject, _stated_adjective):
        said = rule(words)
        if said is not None:
            return said
    return None


def _subject(words: Sequence[str]) -> str:
    if len(words) > 1 and words[0].lower().endswith("ing") and words[1].lower() in ADVERBS:
        return f"{' '.join(words)} ".lower()  # `announcing twice` is an act and takes no article
    return f"{sentence_words(words)} " if words else ""


def _modal(words: list[str]) -> str | None:
    """`should reject X` states that it rejects X; `can be read`, `cannot send X` become passive."""
    at = next((at for at, word in enumerate(words) if word in _MODALS | {"can", "cannot", "could", "may"}), None)
    if (
        at is None
        or at + 1 >= len(words)
        or (words[-1].lower() in _TROUBLE and words[at + 1].lower() not in _TROUBLING)
    ):
        return None
    subject, rest = words[:at], words[at + 1 :]
    negated = words[at] == "cannot" or rest[0] == "not"
    rest = rest[1:] if rest[0] == "not" else rest
    if not rest:
        return None
    if words[at] in _MODALS:
        return _asserted(subject, rest, negated=negated)
    if not subject and form_of(rest[0]) and len(rest) > 1:
        return _passive_ability(rest, negated=negated)
    verb = "cannot" if negated else words[at]
    return f"{_subject(subject)}{verb} {_verb_rest(rest)}".strip()


def _passive_ability(rest: list[str], *, negated: bool) -> str:
    object_end = next((at for at, word in enumerate(rest) if at and is_break(word)), len(rest))
    found = form_of(rest[0])
    done = participle(found[0]) if found else rest[0]
    thing, tail = rest[1:object_end], rest[object_end:]
    if not thing:
        return f"{'cannot' if negated else 'can'} {sentence_words(rest)}"
    ability = "cannot be" if negated else "can be"
    return f"{noun_phrase(thing)} {ability} {done} {sentence_words(tail)}".strip()


def _asserted(subject: list[str], rest: list[str], *, negated: bool) -> str:
    plural = bool(subject) and is_plural(spoken(subject[-1]))
    verb, after = rest[0].lower(), rest[1:]
    if verb == "be":
        be = "are" if plural else "is"
        return f"{_subject(subject)}{be} {'not ' if negated else ''}{predicate_rest(after)}".strip()
    found = form_of(verb)
    base = found[0] if found and found[1] == "base" else verb
    if negated:
        return f"{_subject(subject)}{'do' if plural else 'does'} not {base} {sentence_words(after)}".strip()
    return f"{_subject(subject)}{base if plural else third(base)} {sentence_words(after)}".strip()


def _auxiliary(words: list[str]) -> str | None:
    at = next((at for at, word in enumerate(words) if word in AUXILIARIES and word not in _MODALS), None)
    if at is None or (at == 0 and words[0] in _BE | {"has", "have", "had"}) or at + 1 >= len(words):
        return None
    subject, verb, rest = words[:at], words[at], words[at + 1 :]
    if not subject and verb == "do":
        verb = "does"
    if verb == "do" and subject and not is_plural(spoken(subject[-1])):
        verb = "does"
    if verb == "does" and subject and is_plural(spoken(subject[-1])):
        verb = "do"
    said = _verb_rest(rest) if verb in {"do", "does", "did"} else predicate_rest(rest)
    return f"{_subject(subject)}{verb} {said}".strip()


def _verb_rest(rest: Sequence[str]) -> str:
    """What follows `does` or `can`: its first plain word is the verb, whether the tables know it or not."""
    at = next((at for at, word in enumerate(rest) if word.lower() not in ADVERBS), len(rest))
    if at < len(rest) and rest[at].lower() == "be":
        return predicate_rest(rest)
    lead = [word.lower() for word in rest[: at + 1]]
    return f"{' '.join(lead)} {sentence_words(rest[at + 1 :])}".strip()


def predicate_rest(rest: Sequence[str]) -> str:
    """What follows an auxiliary: `not`, then a participle, adjective, base verb or noun phrase, then the remainder."""
    words = list(rest)
    lead = ""
    while words and words[0].lower() in ADVERBS | {"be", "been"}:
        lead += f"{words[0].lower()} "
        words = words[1:]
    if not words:
        return lead.strip()
    first = words[0].lower()
    if form_of(first) or is_adjective(first) or is_participle(first):
        stops = len(words) == 1 or is_break(words[1]) or form_of(first)
        if stops and not (is_adjective(first) and len(words) > 1 and not is_break(words[1])):
            return f"{lead}{show(words[0])} {sentence_words(words[1:])}".strip()
    stop = next((at for at, word in enumerate(words) if is_break(word)), len(words))
    return f"{lead}{predicate(words[:stop])} {sentence_words(words[stop:])}".strip()


# After these a participle tells a state: `stays delivered`.
_COPULAS = frozenset({"stay", "remain", "become", "keep"})


def _third_person(words: list[str]) -> str | None:
    for at, word in enumerate(words):
        found = form_of(word)
        if found is None or found[1] != "third" or (at and words[at - 1].lower() in PREPOSITIONS | DETERMINERS):
            continue
        if not reads_as_verb(words, at, found[0]):
            continue
        if at == 0 and found[0] == "have" and is_break(words[1]):
            continue
        if (at == 1 and words[0].lower() in COMMANDS) or (at and words[0].lower() in PREPOSITIONS):
            continue  # `check returns contract` may check what is returned
        if at == 0 and word in INTRANSITIVE and not is_break(words[1]) and words[1].lower() not in DETERMINERS:
            continue
        adverbs = [one for one in words[:at] if one.lower() in ADVERBS and one.lower() != "not"]
        subject = [one for one in words[:at] if one not in adverbs]
        lead = f"{' '.join(adverbs)} " if adverbs else ""
        rest = words[at + 1 :]
        told = (
            rest[0].lower()
            if found[0] in _COPULAS and len(rest) == 1 and is_participle(rest[0])
            else sentence_words(rest)
        )
        return f"{_subject(subject)}{lead}{word.lower()} {told}".strip()
    return None


def reads_as_verb(words: Sequence[str], at: int, base: str) -> bool:
    """Whether a third person that is spelled like a plural noun stands where a verb does."""
    if base not in NOUNISH:
        return at > 0 or len(words) > 1
    if base in {"return", "match", "pass", "work", "exit", "load", "use", "skip", "time", "show"}:
        return at > 0 or len(words) > 1
    following = words[at + 1].lower() if at + 1 < len(words) else ""
    if base == "default":
        return following == "to"
    if following in DETERMINERS:
        return True
    return at > 0 and bool(following) and not is_break(following) and not is_plural(spoken(words[at - 1]))


def _passive(words: list[str]) -> str | None:
    """`token rejected`, `cookie not sent with request`: a participle that follows its noun."""
    for at in range(1, len(words)):
        word = words[at].lower()
        negated = words[at - 1] == "not"
        subject = words[: at - 1] if negated else words[:at]
        ends = at + 1 == len(words) or is_break(words[at + 1])
        if not subject or not ends or not is_participle(word) or (word not in EFFECTS and not negated):
            continue
        if any(is_break(one) for one in subject) or _modifies(subject, word) or subject[0].lower() in COMMANDS:
            continue
        adverb = ""
        be = "are" if is_plural(spoken(subject[-1])) else "is"
        said = f"{be} {'not ' if negated else ''}{adverb}{show(word)}"
        return f"{_subject(subject)}{said} {sentence_words(words[at + 1 :])}".strip()
    return None


def _modifies(subject: Sequence[str], _word: str) -> bool:
    """Whether the words before a participle are no noun, so that it describes something else."""
    last = subject[-1].lower()
    form = form_of(last)
    return is_adjective(last) or last in DETERMINERS or (form is not None and form[1] == "base" and last not in NOUNISH)


def _plural_subject(words: list[str]) -> str | None:
    """`options work`, `cookies persist`: only verbs that no noun is spelled like."""
    if words[0].lower() in COMMANDS:
        return None
    for at in range(1, len(words)):
        word = words[at].lower()
        if word in INTRANSITIVE and (at + 1 == len(words) or is_break(words[at + 1])):
            return _agreeing(words, at)
        found = form_of(word)
        follows = at + 1 == len(words) or words[at + 1].lower() not in _TROUBLE
        if found and found[1] == "base" and word not in NOUNISH and follows and is_plural(spoken(words[at - 1])):
            return _agreeing(words, at)
    return None


_TROUBLING = {
    "raise",
    "throw",
    "return",
    "give",
    "log",
    "report",
    "show",
    "produce",
    "cause",
    "not",
    "be",
    "have",
    "emit",
}
_TROUBLE = {"error", "errors", "exception", "exceptions", "failure", "failures", "test", "tests"}


def _agreeing(words: list[str], at: int) -> str:
    """The verb at `at` made to agree with the noun before it; adverbs in between stay there."""
    start = at
    while start > 1 and words[start - 1].lower() in ADVERBS:
        start -= 1
    plural = is_plural(spoken(words[start - 1]))
    found = form_of(words[at])
    base = found[0] if found else words[at].lower().rstrip("s")
    adverbs = "".join(f"{word.lower()} " for word in words[start:at])
    verb = base if plural else third(base)
    return f"{_subject(words[:start])}{adverbs}{verb} {sentence_words(words[at + 1 :])}".strip()


def _stated_adjective(words: list[str]) -> str | None:
    """`quantity never negative`: an adjective that an adverb marks as said of the noun before it."""
    if len(words) <= _NOUN_ADVERB or words[-2].lower() not in {"not", "never", "always", "still"}:
        return None
    if not is_adjective(words[-1]) or any(map(is_break, words[:-2])):
        return None
    be = "are" if is_plural(spoken(words[-3])) else "is"
    return f"{_subject(words[:-2])}{be} {words[-2].lower()} {show(words[-1])}"


_NOUN_ADVERB = 2


def suite_topic(suite: str) -> str:
    """A suite's name as a topic: `TestLogin` is "Login", a title of several words stays as it is."""
    stripped = suite.strip()
    if " " in stripped:
        return stripped.rstrip(".:")
    bare = re.sub(
        r"^(Tests?)(?![a-z])(?=.)|(?<=[a-z0-9])(Tests?|TestCase|TestSuite|TestBase|Spec)$", "", stripped
    ).strip("_")
    words = split_identifier(bare or stripped)
    return capitalised(" ".join(show(word) for word in words))
