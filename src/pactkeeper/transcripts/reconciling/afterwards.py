"""What was said or done around something and concerns it; whether that takes it back is for a person to judge."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache, lru_cache
from itertools import chain
from typing import Final

from pactkeeper.intent.conversation import content
from pactkeeper.intent.redaction import redacted
from pactkeeper.speech.clash import has_word, is_denied
from pactkeeper.speech.languages import language_of, words_of
from pactkeeper.speech.words import stem
from pactkeeper.transcripts.extraction import sentences
from pactkeeper.transcripts.extraction.events import TESTED, told
from pactkeeper.transcripts.extraction.extract import AGENT, BY, TOOL
from pactkeeper.transcripts.reconciling import SeenArtifact, TranscriptWorld, comes_after, in_time
from pactkeeper.transcripts.reconciling.observed import (
    fact,
    places_of,
    reporting,
    trunk_of,
    unproved,
    unpushed,
    without_label,
    without_names,
)
from pactkeeper.transcripts.reconciling.saying import ids_in, said

_WORD: Final = re.compile(r"[^\W_]+")
_HASH: Final = re.compile(r"\b[0-9a-f]{7,40}\b")
_REQUEST: Final = re.compile(r"[#!](\d+)\b")
_SHORTEST: Final = 3  # letters of a stem that longer words may begin with
# Events that take earlier work back without naming it.
_TAKES_BACK: Final = frozenset({"revert", "reset"})
_NO_EFFECT: Final = frozenset({"failed", "no_change"})
_FORCED: Final = re.compile(r"\s(?:-f\b|--force|\+\w)")
_AGAIN: Final = re.compile(r'Revert "Revert|Reapply "')
_WAS_FORCED: Final = "(forced update)"
_SOON: Final = timedelta(hours=12)  # so long after it, words in the same repository may refer back without a name
_LOGGED: Final = re.compile(r"^[*|\\/ ]{0,60}[0-9a-f]{7,40} ")  # another commit's line in a log
NUMBERED: Final = re.compile(r"\(#\d++\)$")  # what a forge puts after a subject
_PARENTS: Final = re.compile(r"Merge: [0-9a-f ]{14,400}$")


@dataclass(frozen=True, slots=True)
class Handles:
    """What later words can refer to something by: its titles, its ids and addresses.

    `local` are hashes and numbers of pull requests, which mean it only in the folders of its own repository. `others`
    are those of all other tasks.
    """

    titles: tuple[str, ...]
    names: frozenset[str]
    local: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    others: tuple[Handles, ...] = ()

    def shared(self, text: str) -> frozenset[str]:
        """The significant words of its titles that a text has, as stems."""
        words = _terms(text)
        return frozenset(stem for title in self.titles for stem in _stems(title) if _occurs(stem, words))

    def may_be_meant(self, text: str, folder: str) -> bool:
        """Whether a text that was written in a folder has a name of it, or shares a significant word with a title."""
        return bool(self.shared(text)) or self._is_named(text, folder)

    @property
    def stems(self) -> frozenset[str]:
        """The significant words of its titles."""
        return frozenset().union(*map(_stems, self.titles))

    def are_in(self, text: str, folder: str) -> bool:
        """Whether a text that was written in a folder has a name of it, or all significant words of a title."""
        words = _terms(text)
        return any(_has_all(_stems(title), words) for title in self.titles) or self._is_named(text, folder)

    def are_evident(self, text: str, folder: str) -> bool:
        """Whether a text has a name of it, or more than half of the significant words of a title."""
        shared = self.shared(text)
        return self._is_named(text, folder) or any(
            len(shared & _stems(one)) * 2 > len(_stems(one)) for one in self.titles
        )

    def _is_named(self, text: str, folder: str) -> bool:
        words, folded = _words(text), text.casefold()
        here = self.local if folder in self.folders else frozenset()
        return any(any(True for _ in places_of(folded, name)) for name in self.names) or any(
            _is_mark(one, words) for one in here
        )


def _has_all(stems: Collection[str], words: frozenset[str]) -> bool:
    return bool(stems) and all(_occurs(stem, words) for stem in stems)


def handles(seen: SeenArtifact, titles: Iterable[str], names: Iterable[str], world: TranscriptWorld) -> Handles:
    """The handles of what an artifact suggests; for an event, those it was matched by as well."""
    shown = tuple(one for one in titles if one)
    ids = chain.from_iterable(map(ids_in, shown))
    known = frozenset(one.casefold() for one in (*names, *ids) if one)
    folders = frozenset(one for one in {seen.folder, *world.places} if world.is_same_repository(one, seen.folder))
    tasks = (Handles((task.title,), frozenset({task.id.casefold()})) for _, task in world.tasks())
    others = tuple(one for one in tasks if known.isdisjoint(one.names))
    if seen.artifact.type != "event":
        return Handles(shown, known, folders=folders, others=others)
    text = content(seen.artifact)
    marks = frozenset((*_REQUEST.findall(text), *_HASH.findall(text)))
    mine = Handles(shown, known, marks, folders)
    commits = (one.hash for one in world.commits.get(seen.folder, ()) if mine.are_in(one.subject, seen.folder))
    return Handles(shown, known, marks | frozenset(commits), folders, others)


def said_here(seen: SeenArtifact, meant: Handles, world: TranscriptWorld, *, settles: bool) -> list[SeenArtifact]:
    """What people said after it in the same conversation, until they go on to another task.

    That is the first message that names another task and not this one, of which only sentences without such a name
    count. Later ones count if they name this task, have a word that only its title has, or deny something.
    """
    found: list[SeenArtifact] = []
    went_on = False
    for one in world.remarks.get(seen.conversation, ()):
        if not comes_after(one, seen) or (not settles and _orders_another(one, meant, world)):
            continue
        text = content(one.artifact)
        if meant.are_in(text, one.folder) or not meant.shared(text) <= _of_others(meant):
            found.append(one)
            went_on = False
            continue
        rest = _without(text, meant.others)
        if is_denied(rest) if went_on else rest == text or says_more(rest, meant):
            found.append(one)
        went_on = went_on or rest != text
    return found


def _of_others(meant: Handles) -> frozenset[str]:
    return frozenset().union(*(other.stems for other in meant.others))


def _without(text: str, others: Iterable[Handles]) -> str:
    """The sentences of a text that name none of these tasks; the text itself if none does."""
    parts = [text[first:last] for first, last in sentences(text)]
    rest = [part for part in parts if not any(other.are_in(part, "") for other in others)]
    return text if len(rest) == len(parts) else "\n".join(rest)


def said_elsewhere(seen: SeenArtifact, meant: Handles, world: TranscriptWorld) -> list[SeenArtifact]:
    """What people wrote in other conversations that may concern it, unless it was certainly written before."""
    others = (one for name, remarks in world.remarks.items() if name != seen.conversation for one in remarks)
    return list(in_time(one for one in others if not comes_after(seen, one) and _may_concern(one, seen, meant, world)))


def _may_concern(one: SeenArtifact, seen: SeenArtifact, meant: Handles, world: TranscriptWorld) -> bool:
    """Whether words name it, or may: by a word of its title, or as they were written soon after in its repository.

    Those evidently about another task don't, unless they have a word of its title that no other task has in its own.
    """
    text = content(one.artifact)
    if meant.are_in(text, one.folder):
        return True
    shared = meant.shared(text)
    if not shared and not _is_soon(one, seen, meant):
        return False
    return not shared <= _of_others(meant) or not _is_about_another(one, meant, world)


def _is_soon(one: SeenArtifact, seen: SeenArtifact, meant: Handles) -> bool:
    if one.folder not in meant.folders or one.moment is None or seen.moment is None:
        return False
    return one.moment - seen.moment <= _SOON


def _is_about_another(one: SeenArtifact, meant: Handles, world: TranscriptWorld) -> bool:
    """Whether words name or order another task, or have a word of the one that their conversation named last."""
    text = content(one.artifact)
    if _orders_another(one, meant, world):
        return True
    until = [other for other in world.remarks[one.conversation] if not comes_after(other, one)]
    for before in (content(other.artifact) for other in reversed(until)):
        named = [other for other in meant.others if other.are_in(before, "")]
        if named or meant.are_in(before, one.folder):
            is_other = not meant.are_in(before, one.folder)
            return is_other and (before == text or any(other.shared(text) for other in named))
    return False


def heard_around(seen: SeenArtifact, meant: Handles, world: TranscriptWorld, *, settles: bool) -> list[SeenArtifact]:
    """What ordered it, what the agent said next and what tools answered later, as far as it adds to it.

    An answer of a tool has to concern it and say more than its words, those of its task and the branch that it was
    merged into. Of the agent's words in the rest of its turn after an event, and of later ones that concern it, all but
    a report of what was observed counts. So does every sentence of the person, right before an event or in a message
    that names its task, that isn't plainly an order of what was done in this conversation. A plan is shown after its
    order, which counts only if it denies.
    """
    bodies = (task.body for _, task in world.tasks() if task.id.casefold() in meant.names)
    known = _known(content(seen.artifact), *meant.titles, *meant.names, "branch", trunk_of(seen, world), *bodies)
    said_by = world.remarks.get(seen.conversation, ())
    is_event = seen.artifact.type == "event"
    given = [one for one in said_by if comes_after(seen, one)]
    ordering = [*(one for one in given[:-1] if is_event and meant.are_in(content(one.artifact), "")), *given[-1:]]
    if is_event:
        ordered = known | words_of("deeds") | _words("\n".join(_done_in(seen.conversation, world)))
        before = [one for one in ordering if _qualifies(one, seen, meant, ordered)]
    else:
        before = [one for one in ordering if is_denied(content(one.artifact)) and _adds(one, meant, known)]
    only_reports = reporting(seen, (*meant.titles, *meant.names, *meant.local), world)
    until = next((one for one in said_by if comes_after(one, seen)), None)
    later = [one for one in world.heard if _follows(one, seen)]
    for one in later:
        if one.artifact.facts[BY] != AGENT:
            before += [one] if _adds(one, meant, known) else []
        elif (is_event and settles and not (until and comes_after(one, until))) or _concerns(one, meant):
            before += [] if only_reports(content(one.artifact)) else [one]
    return before


def _concerns(one: SeenArtifact, meant: Handles) -> bool:
    return meant.may_be_meant(content(one.artifact), one.folder)


def _done_in(conversation: str, world: TranscriptWorld) -> Iterator[str]:
    """The git commands and the like that ran in a conversation, and the answers of those that succeeded."""
    for one in world.events:
        if one.conversation == conversation:
            yield str(one.artifact.facts.get("command", ""))
            if one.artifact.facts.get("outcome") == "succeeded":
                yield from (answer.text for answer in one.artifact.excerpts[1:])


def _qualifies(one: SeenArtifact, seen: SeenArtifact, meant: Handles, ordered: frozenset[str]) -> bool:
    """Whether a person's own words say anything that isn't plainly an order of what was done.

    A condition was met only if a test run passed after the last edit.
    """
    if one.artifact.excerpts[1:] and _adds(one, meant, ordered):  # a yes to a question
        return True
    text = without_label(without_names(one.artifact.excerpts[-1].text, (*meant.titles, *meant.names)))
    is_conditional = not _conditions().isdisjoint(_WORD.findall(text)) and not seen.artifact.facts.get(TESTED)
    return _says_more(text, ordered) or is_conditional or has_word("pending", text) or has_word("only", text)


@cache
def _conditions() -> frozenset[str]:
    """The words that make a sentence a condition, not those such as `for` that may mean anything."""
    return words_of("scopes") - (words_of("empty") - words_of("hedges"))


def _orders_another(one: SeenArtifact, meant: Handles, world: TranscriptWorld) -> bool:
    """Whether the first thing that was done after a person's words, before their next, names only other tasks."""
    remarks = [other for other in world.remarks.get(one.conversation, ()) if comes_after(other, one)]
    acts = in_time(act for act in world.events if act.conversation == one.conversation and comes_after(act, one))
    done = [content(act.artifact) for act in acts if not any(comes_after(act, other) for other in remarks)]
    named = any(other.are_in(text, "") for other in meant.others for text in done)
    itself = replace(meant, local=frozenset())  # its commit is in the answer to the next push
    return named and not any(itself.are_in(text, one.folder) for text in (*done, content(one.artifact)))


def opposed(seen: SeenArtifact, meant: Handles, world: TranscriptWorld) -> Mapping[str, Sequence[SeenArtifact]]:
    """Why what an event did may not hold, each with what shows it and what the agent said next."""
    push, run, again = unpushed(seen, world), unproved(seen, world), done_later(seen, meant, world)
    why = {
        f"its push {_how(push)}, and no later one worked": push,
        f"the last test run {_how(run)}": run,
        f"afterwards: {redacted(again.artifact.title)}" if again else "": again,
    }
    return {words: [one, *_said_next(one, world)] for words, one in why.items() if one is not None}


def _how(one: SeenArtifact | None) -> str:
    return "failed" if one is not None and fact(one, "outcome") == "failed" else "isn't known to have worked"


def _said_next(seen: SeenArtifact, world: TranscriptWorld) -> tuple[SeenArtifact, ...]:
    return in_time(one for one in world.heard if one.artifact.facts[BY] == AGENT and _follows(one, seen))[:1]


def says_more(text: str, meant: Handles) -> bool:
    """Whether a text says more than the names and titles and that it is done, or denies or asks something."""
    return _says_more(text, _known(*meant.titles, *meant.names))


def _known(*texts: str) -> frozenset[str]:
    return _terms("\n".join(texts)).union(words_of("done"), words_of("small_talk"))


def _follows(one: SeenArtifact, seen: SeenArtifact) -> bool:
    return _is_later(one, seen) and (one.artifact.facts[BY] != AGENT or one.conversation == seen.conversation)


def _adds(one: SeenArtifact, meant: Handles, known: frozenset[str]) -> bool:
    """Whether words concern it and say more; a log's lines of parents and of commits that don't name it don't count."""
    text = content(one.artifact)
    if one.artifact.facts.get(BY) != TOOL:
        return _concerns(one, meant) and _says_more(text, known)
    given = (line for line in text.splitlines() if not _PARENTS.match(line))
    lines = [line for line in given if not _LOGGED.match(line) or meant.are_in(line, one.folder)]
    is_named = any(meant.are_in(line, one.folder) for line in lines)
    return is_named and _says_more("\n".join(told("\n".join(lines))), known)


def _says_more(text: str, known: frozenset[str]) -> bool:
    return "?" in text or is_denied(text) or not _repeats(text, known)


def _repeats(text: str, known: frozenset[str]) -> bool:
    """Whether every significant word of a text and every number in it is known, and it gives no date."""
    line, words = said(text), _words(text)
    numbers = (one for one in words if not one.isalpha() and not _HASH.fullmatch(one))
    stems = (part for one in line.topics for part in _WORD.findall(one) if part.isalpha())
    return "dates" not in line.details and all(_occurs(one, known) for one in (*stems, *numbers))


def done_later(seen: SeenArtifact, meant: Handles, world: TranscriptWorld) -> SeenArtifact | None:
    """The last event, unless it was certainly before, that names the thing too or takes back work in its repository."""
    found = [one for one in world.events if _takes_back(one, seen, meant) or _names(one, seen, meant)]
    return next(reversed(in_time(found)), None)


def reverted(seen: SeenArtifact, meant: Handles, world: TranscriptWorld) -> SeenArtifact | None:
    """The revert that took it back, if nothing has brought it again since."""
    last = [one for one in world.events if fact(one, "kind") in {"merge", "revert"} and _names(one, seen, meant)]
    revert = next(reversed(in_time(one for one in last if fact(one, "outcome") not in _NO_EFFECT)), None)
    is_again = revert is not None and (fact(revert, "kind") == "merge" or _AGAIN.search(content(revert.artifact)))
    return None if is_again else revert


def _names(one: SeenArtifact, seen: SeenArtifact, meant: Handles) -> bool:
    """Whether a later event names it in its command, or in lines of its answer that aren't of what was done already.

    A log has earlier commits again, and a push whose answer only says that it worked takes them further.
    """
    command, *answers = (part.text for part in one.artifact.excerpts)
    known = {_subject(line) for part in seen.artifact.excerpts for line in told(part.text)}
    news = [line for answer in answers for line in answer.splitlines() if _is_news(line, known)]
    if one.artifact.facts.get("kind") == "push" and not any(any(told(line)) for line in news):
        return False
    return _is_later(one, seen) and meant.are_in("\n".join((command, *news)), one.folder)


def _is_news(line: str, known: AbstractSet[str]) -> bool:
    """Whether a line of an answer is neither the parents of a merge nor says only what is known."""
    says = set(map(_subject, told(line)))
    return not _PARENTS.match(line) and (not says or not known >= says)


def _subject(line: str) -> str:
    return NUMBERED.sub("", line).strip()


def _is_later(one: SeenArtifact, seen: SeenArtifact) -> bool:
    """Whether something is further down in the same file, or in another one and not certainly from before."""
    is_elsewhere = one.artifact.file != seen.artifact.file
    return not comes_after(seen, one) if is_elsewhere else comes_after(one, seen)


def _takes_back(one: SeenArtifact, seen: SeenArtifact, meant: Handles) -> bool:
    """Whether an event takes back what stands in a repository; one of the same call counts, whatever its order."""
    kind, outcome = one.artifact.facts.get("kind"), one.artifact.facts.get("outcome")
    if one is seen or one.folder not in meant.folders or outcome in _NO_EFFECT or comes_after(seen, one):
        return False
    asked = _FORCED.search(str(one.artifact.facts.get("command", ""))) is not None
    return kind in _TAKES_BACK or (kind == "push" and (asked or _WAS_FORCED in content(one.artifact)))


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


@lru_cache(maxsize=4096)
def _terms(text: str) -> frozenset[str]:
    """The words of a text, and their stems, which stand for all their synonyms."""
    words, language = _words(text), language_of(text)
    return words.union(stem(word, language) for word in words)


@lru_cache(maxsize=1024)
def _stems(title: str) -> frozenset[str]:
    """What distinguishes a title: its stems without words such as “done”, which say how far something is."""
    line = said(title)
    return line.topics - {stem(word) for word in words_of("done")} or line.topics or line.words


def _occurs(stem: str, words: frozenset[str]) -> bool:
    """Whether a stem is one of the words, or several letters that one of them begins with; hyphens separate words."""
    return any(word == stem or (len(stem) >= _SHORTEST and word.startswith(stem)) for word in words)


def _is_mark(mark: str, words: frozenset[str]) -> bool:
    """Whether a number is one of the words, or a hash agrees with one as far as both go."""
    if mark.isdigit():
        return mark in words
    return any(_HASH.fullmatch(word) and (word.startswith(mark) or mark.startswith(word)) for word in words)
