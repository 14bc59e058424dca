"""What tools showed of something that was merged, and whether the agent's words are nothing but a report of that."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Final

from pactkeeper.intent.conversation import content
from pactkeeper.speech.clash import has_phrase, has_word, is_denied, is_meant
from pactkeeper.speech.languages import language_of, words_of
from pactkeeper.speech.languages.table import Language
from pactkeeper.transcripts.extraction import simple_commands
from pactkeeper.transcripts.reconciling import SeenArtifact, TranscriptWorld, comes_after, in_time

_SWITCHED: Final = re.compile(r"\bgit (?:checkout|switch) (?:-\S+ )*([\w./-]+)")
_REJECTED: Final = re.compile(r"! \[(?:remote )?rejected\] +\S+ +-> +(\S+)")
_NAMING: Final = frozenset({"merge", "push", "switch", "checkout", "branch"})  # before branches' names
# Words, and every sign that may mean something: a question mark, a cross, an arrow.
_TOKEN: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s.,;:!()\[\]\"'`*_#/✓✔✅🎉\ufe0f–—-]")
_NUMBER: Final = re.compile(r"\b[0-9a-f]{7,40}\b|\d+")
_LABEL: Final = re.compile(r"(?<![^\W\d_])[^\W\d_]++(?: [^\W\d_]{1,20}){0,2}:(?=[\s.,!]*+$)")
_UNSURE: Final = ("hedges", "pending", "only", "scopes", "negations")


def branch_of(seen: SeenArtifact) -> str:
    """The branch that an event went to, as far as it tells; a request's own target is not told."""
    pushed, merged = seen.artifact.facts.get("to"), seen.artifact.facts.get("into")
    switched = _SWITCHED.findall(seen.artifact.excerpts[0].text) if merged else []
    return (switched[-1] if switched else str(pushed or merged or "")).removeprefix("refs/heads/")


def unpushed(seen: SeenArtifact, world: TranscriptWorld) -> SeenArtifact | None:
    """The last push of what a merge in a clone made that isn't known to have worked, unless one worked since."""
    if not fact(seen, "command").startswith("git merge"):
        return None
    branch = branch_of(seen) or trunk_of(seen, world)
    pushes = [one for one in world.events if fact(one, "kind") == "push" and one.folder == seen.folder]
    made = in_time(one for one in pushes if not comes_after(seen, one) and branch in _refs(one, branch))
    last = next((one for one in reversed(made) if fact(one, "outcome") in {"failed", "unknown"}), None)
    worked = (one for one in pushes if fact(one, "outcome") == "succeeded" and last and comes_after(one, last))
    return None if any((branch_of(one) or _refs(one, "")[0]) == branch for one in worked) else last


def _refs(push: SeenArtifact, branch: str) -> list[str]:
    """The branches that a push was of; the given one where it doesn't say of which."""
    _, _, *words = fact(push, "command").split()
    given = [word.rpartition(":")[2].lstrip("+") for word in words if not word.startswith("-")][1:]
    refs = (one.removeprefix("refs/heads/") for one in _REJECTED.findall(content(push.artifact)) or given)
    return [branch if one == "HEAD" else one for one in refs] or [branch]


def unproved(seen: SeenArtifact, world: TranscriptWorld) -> SeenArtifact | None:
    """The last test run of its conversation, or of its repository on that day, unless it passed."""
    day = seen.artifact.at[:10]
    mine = (
        one
        for one in world.events
        if fact(one, "kind") == "test_run"
        and (
            one.conversation == seen.conversation
            or (one.artifact.at[:10] == day and world.is_same_repository(one.folder, seen.folder))
        )
    )
    last = next(reversed(in_time(mine)), None)
    return last if last and fact(last, "outcome") != "succeeded" else None


def reporting(seen: SeenArtifact, names: Iterable[str], world: TranscriptWorld) -> Callable[[str], bool]:
    """Make the test whether a text says nothing but what was observed, of these names and any task's id.

    Every word has to be known: to be empty, to say of an event that succeeded that it did, or that something is done.
    """
    events = [one for one in world.events if one.conversation == seen.conversation]
    worked = [one for one in events if fact(one, "outcome") == "succeeded"]
    kinds = {fact(one, "kind") for one in worked if fact(one, "kind") != "push" or not comes_after(seen, one)}
    ids = (task.id for _, task in world.tasks())
    given = frozenset((*names, *ids, trunk_of(seen, world), branch_of(seen), *_named_to_git(events)))
    numbers = {one for act in worked for part in act.artifact.excerpts[1:] for one in _NUMBER.findall(part.text)}
    known = numbers.union(word for word, kind in _observed() if kind in {"", *kinds})

    def only_reports(text: str) -> bool:
        return _plain(language_of(text)).union(known).issuperset(_TOKEN.findall(without_names(text, given)))

    return only_reports


def _named_to_git(events: Iterable[SeenArtifact]) -> Iterator[str]:
    for one in events:
        for _, *words in simple_commands(one.artifact.excerpts[0].text):
            if not _NAMING.isdisjoint(words[:1]):
                yield from (word for word in words[1:] if not word.startswith("-") and " " not in word)


def trunk_of(seen: SeenArtifact, world: TranscriptWorld) -> str:
    """The main branch of its repository."""
    place = world.places.get(seen.folder)
    return (place and place.trunk) or "main"


def fact(seen: SeenArtifact, name: str) -> str:
    """A fact of an event, empty if it has none of that name."""
    return str(seen.artifact.facts.get(name, ""))


@cache
def _observed() -> tuple[tuple[str, str], ...]:
    """The words that report what was done, each with the kind of event that shows it; none where nothing has to."""
    kinds = dict.fromkeys(words_of("done") | words_of("tasks"), "")
    return tuple({**kinds, **dict(one.split(":") for one in words_of("observed"))}.items())


@cache
def _plain(language: Language) -> frozenset[str]:
    """The words of a language that mean nothing by themselves and leave no doubt."""
    return frozenset(language.empty.split()).difference(*map(words_of, _UNSURE))


def without_names(text: str, names: Iterable[str]) -> str:
    """A text, case-folded and with single spaces, without these names."""
    text = " ".join(text.casefold().split())
    for name in sorted({" ".join(one.casefold().split()) for one in names} - {""}, key=len, reverse=True):
        kept, last = [], 0
        for at in places_of(text, name):
            kept.append(text[last:at])
            last = at + len(name)
        text = " ".join((*kept, text[last:]))
    return text


def without_label(text: str) -> str:
    """A text that had names, without the label before the last of them, such as `Next:`, if that only orders it."""
    return _LABEL.sub(lambda label: "" if _orders(label[0]) else label[0], text)


def _orders(label: str) -> bool:
    is_doubted = any(has_word(row, label) for row in ("refusals", "scopes", "only", "pending"))
    is_dropped = has_phrase("given_up", label) or has_phrase("removals", label)
    return is_meant(label) and not (is_doubted or is_dropped or is_denied(label))


def places_of(text: str, name: str) -> Iterator[int]:
    """Where a name stands in a text and is not part of a longer word; both are case-folded."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        around = text[max(at - 1, 0) : at] + text[end : end + 1]
        is_part = any(one.isalnum() or one == "_" for one in around)
        if not is_part:
            yield at
        at = text.find(name, at + 1 if is_part else end)
