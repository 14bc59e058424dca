"""Route a question to one verb with its arguments, or to the few it may mean.

Also here: questions that can be asked of any repository, and the lines of well-known files that answer them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any, Final

from pactkeeper.chat.answers import Choice, Finding, lines_at
from pactkeeper.chat.here import Here
from pactkeeper.chat.matching import CODE, Match, VerbRow, matches, subject, verbs
from pactkeeper.chat.words import Question, is_light

MOST_CHOICES: Final = 4
FEW: Final = 2  # too few words for a question
UNSURE: Final = 40  # of 100: below this, and with another verb at least half as likely, the user is asked
MOST_UNCLEAR: Final = 4  # words of a subject; a question that says more is not asked back but searched for
ABOUT: Final = {"list_atoms": "search_atoms", "get_statistics": CODE}  # what answers if a subject narrows the question
# Answers about everything, whatever else the question names.
OF_ALL: Final = ("get_repo_structure", "check_repo", "list_molecules")
WISH: Final = "create_atom"
PLACES: Final = ("where", "wo")
CERTAIN: Final = 80  # of 100: likelihood from which they are meant all the same
SURE: Final = 50  # of 100: likelihood from which a single sentence decides


@dataclass(frozen=True, slots=True)
class Routed:
    """The verb that is meant."""

    verb: VerbRow
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unclear:
    """Several verbs may be meant."""

    asks: str
    choices: tuple[Choice, ...]


def route(question: Question, *, declared: bool) -> Routed | Unclear:
    """Route by the learned weights; `declared` says whether there is a pact to ask about."""
    ranked = [one for one in matches(question) if _can(one, question)]
    if common(question) and (not ranked or ranked[0].verb.name == CODE or ranked[0].share < SURE):
        return Routed(verbs()[CODE], arguments(question, subject(question, verbs()[CODE])))
    few = len(question.words) <= FEW and bool(ranked) and ranked[0].verb.name == CODE
    if not ranked or few or _bare(question):
        return _unmatched(question, ranked, declared=declared)
    best = ranked[0]
    if best.share < UNSURE and (ranked[1].share * 2 > best.share or best is not matches(question)[0]):
        told = subject(question, verbs()[CODE])
        if len(told) > MOST_UNCLEAR:
            return Routed(verbs()[CODE], arguments(question, told))
        return _may_mean([one.verb for one in ranked], question)
    if best.verb.takes == "atom" and not question.atoms:
        return _which_atom(best.verb, question)
    verb = verbs()[CODE] if _asks_place(question, best) else _narrowed(best)
    return Routed(verb, arguments(question, best.subject if verb == best.verb else subject(question, verb)))


def _asks_place(question: Question, best: Match) -> bool:
    """Whether a question that seems to ask for a failure opens by asking for a place."""
    return best.verb.name == "what_broke" and question.words[0].lower() in PLACES


def _narrowed(best: Match) -> VerbRow:
    """Return what answers if a subject narrows a question about the whole repository."""
    unsure = best.verb.name in OF_ALL and best.share < CERTAIN and not all(map(is_light, best.subject))
    name = ABOUT.get(best.verb.name, best.verb.name) if best.subject else best.verb.name
    return verbs()[CODE if unsure else name]


def _bare(question: Question) -> bool:
    """Whether it is a single word that names no verb: a subject without a question."""
    known = (name.lower() for verb in verbs().values() for name in (verb.word, *verb.examples))
    return len(question.words) == 1 and bool(question.subject) and question.words[0].lower() not in known


def tells(question: Question) -> bool:
    """Whether its words are enough to tell the verb."""
    best = matches(question)[0]
    return best.share >= SURE and _can(best, question)


def _which_atom(verb: VerbRow, question: Question) -> Unclear:
    """Ask which atom is meant; nothing is proposed for an unnamed one."""
    names = [*(["search_atoms"] if question.subject else []), "list_atoms", "undo", "next_task"]
    asks = f"say which atom by its id, to {verb.does}; or"
    return Unclear(asks, tuple(choice(verbs()[name], question) for name in names))


def _can(match: Match, question: Question) -> bool:
    """Whether the question names what the verb requires; whoever asks something declares nothing."""
    if match.verb.name == WISH and "?" in question.text:
        return False
    if match.verb.takes == "atom" and "?" in question.text and len(match.subject) > MOST_UNCLEAR:
        return bool(question.atoms)
    if match.verb.takes == "file":
        return bool(question.files or question.unknown)
    return match.verb.takes != "words" or bool(match.subject or question.atoms or question.files or question.quoted)


def _unmatched(question: Question, ranked: Sequence[Match], *, declared: bool) -> Unclear:
    """Offer choices for a bare subject, or for a question that names nothing."""
    if question.files:
        names = ["about_file", "change_impact", "read_coverage_report"]
    elif question.atoms:
        names = ["explain_atom", "show_evidence", "what_broke"]
    else:
        names = [*(["search_atoms"] if declared else []), "show_evidence", "explore"] if question.subject else []
    names += [one.verb.name for one in ranked] or ["get_statistics", "next_task", "check_repo", "find_gaps"]
    return _may_mean([verbs()[name] for name in dict.fromkeys(names)], question)


def _may_mean(likely: Sequence[VerbRow], question: Question) -> Unclear:
    """Offer the likeliest verbs, without those that are about an atom if the question names none."""
    offered = [one for one in likely if one.takes != "atom" or question.atoms][:MOST_CHOICES]
    return Unclear("that may mean", tuple(choice(one, question) for one in offered))


def choice(verb: VerbRow, question: Question) -> Choice:
    """Offer a verb as a choice, selected by its one word."""
    return Choice(verb.word, verb.name, verb.does, arguments(question, subject(question, verb)))


def arguments(question: Question, told: Sequence[str]) -> dict[str, Any]:
    """Build a verb's arguments: what the question names, and the words that do not indicate the verb."""
    given: dict[str, Any] = {}
    if question.atoms:
        given["atom"] = question.atoms[0]
    if question.files or question.unknown:
        given["file"] = (*question.files, *question.unknown)[0]
    words = [*question.quoted, *(word for word in told if not any(word in one for one in question.quoted))]
    if words:
        given["words"] = words
    return given


def chosen(reply: str, choices: Sequence[Choice]) -> Choice | None:
    """Return the choice that a word or number selects, or None."""
    said = reply.strip().lower()
    by_number = {str(number): one for number, one in enumerate(choices, 1)}
    return by_number.get(said) or next((one for one in choices if one.word.lower() == said), None)


def command_of(verb: VerbRow, given: Mapping[str, Any]) -> str:
    """Return the equivalent command, as far as there is one for these arguments."""
    from shlex import quote  # noqa: PLC0415 - only if a command is shown

    words = " ".join(given.get("words", ()))
    values = {
        "words": quote(words) if words else "",
        "file": quote(given.get("file", ".")),
        "atom": given.get("atom", ""),
    }
    values |= {"question": quote(given.get("question", words)), "report": given.get("report", "REPORT")}
    said = verb.command.format(**values).strip()
    return f"{said} {values['atom']}".strip() if verb.name == "show_evidence" else said


MOST: Final = 4  # places
FEW_LINES: Final = 6  # lines of one
MOST_FILES: Final = 2  # of one pattern


@dataclass(frozen=True, slots=True)
class Common:
    """A row of `commons.toml`."""

    asks: tuple[frozenset[str], ...]
    may: frozenset[str]
    lines: tuple[tuple[str, re.Pattern[str]], ...]

    def fits(self, words: frozenset[str], tells: Callable[[str], bool]) -> bool:
        """Whether these words ask it and nothing else that `tells` something."""
        rest = words.difference(self.may, *self.asks)
        return not any(words.isdisjoint(one) for one in self.asks) and not any(tells(one) for one in rest)


@cache
def _commons() -> Mapping[str, Common]:
    found = tomllib.loads((files("pactkeeper.chat") / "commons.toml").read_text(encoding="utf-8"))
    return {name: _row(**row) for name, row in found.items()}


def _row(asks: list[str], may: str, lines: list[tuple[str, str]]) -> Common:
    patterns = tuple((paths, re.compile(pattern)) for paths, pattern in lines)
    return Common(tuple(frozenset(one.split()) for one in asks), frozenset(may.split()), patterns)


def common(question: Question) -> str:
    """Return the name of the question that is asked; empty if it is none of the table."""
    words = frozenset(part for one in question.words for part in one.lower().split("-")) - question.called
    asked = words | ({"project"} if question.called.intersection(one.lower() for one in question.words) else set())
    return next((name for name, row in _commons().items() if row.fits(asked, question.matters)), "")


def answering(here: Here, question: Question) -> list[Finding]:
    """Return the lines that answer a common question, from as many files as there are, the best first."""
    row = _commons().get(common(question))
    found = (_first(here, paths, pattern) for paths, pattern in row.lines) if row else ()
    return [one for some in found for one in some][:MOST]


def _first(here: Here, paths: str, pattern: re.Pattern[str]) -> Iterator[Finding]:
    for path in [path for path in here.paths if _named(path, paths)][:MOST_FILES]:
        text = (here.snapshot.read(path) or b"").decode("utf-8", "replace")
        at = next((at for at, line in enumerate(text.splitlines(), 1) if pattern.search(line)), 0)
        if at:
            yield lines_at(path, text, at, at + FEW_LINES - 1)


def _named(path: str, patterns: str) -> bool:
    """Whether one of the patterns names the file; a star stays within its folder."""
    deep = path.count("/")
    return any(one.count("/") == deep and fnmatchcase(path, one) for one in patterns.split("|"))
