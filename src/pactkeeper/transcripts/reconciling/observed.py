"""What tools showed of something that was merged: whether it was pushed, tested, taken back or named again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from pactkeeper.intent.conversation import content
from pactkeeper.intent.redaction import redacted
from pactkeeper.transcripts.extraction.events import told
from pactkeeper.transcripts.extraction.extract import AGENT, BY, TOOL
from pactkeeper.transcripts.reconciling import SeenArtifact, TranscriptWorld, comes_after, in_time, is_later
from pactkeeper.transcripts.reconciling.handles import Handles

_SWITCHED: Final = re.compile(r"\bgit (?:checkout|switch) (?:-\S+ )*([\w./-]+)")
_REJECTED: Final = re.compile(r"! \[(?:remote )?rejected\] +\S+ +-> +(\S+)")
# Events that take earlier work back without naming it.
_TAKES_BACK: Final = frozenset({"revert", "reset"})
_NO_EFFECT: Final = frozenset({"failed", "no_change"})
_FORCED: Final = re.compile(r"\s(?:-f\b|--force|\+\w)")
_AGAIN: Final = re.compile(r'Revert "Revert|Reapply "')
_WAS_FORCED: Final = "(forced update)"
NUMBERED: Final = re.compile(r"\(#\d++\)$")  # what a forge puts after a subject
_PARENTS: Final = re.compile(r"Merge: [0-9a-f ]{14,400}$")


def opposed(seen: SeenArtifact, meant: Handles, world: TranscriptWorld) -> Mapping[str, Sequence[SeenArtifact]]:
    """Why what an event did may not hold, each with what shows it and what the agent said next."""
    push, run, again = _unpushed(seen, world), _unproved(seen, world), _done_later(seen, meant, world)
    why = {
        f"its push {_how(push)}, and no later one worked": push,
        f"a test run {_how(run)}, and the same command has not passed since": run,
        f"afterwards: {redacted(again.artifact.title)}" if again else "": again,
    }
    return {words: [one, *_said_next(one, world)] for words, one in why.items() if one is not None}


def _how(one: SeenArtifact | None) -> str:
    return "failed" if one is not None and _fact(one, "outcome") == "failed" else "isn't known to have worked"


def _said_next(seen: SeenArtifact, world: TranscriptWorld) -> tuple[SeenArtifact, ...]:
    here = (one for one in world.heard if one.artifact.facts[BY] == AGENT and one.conversation == seen.conversation)
    return in_time(one for one in here if is_later(one, seen))[:1]


def branch_of(seen: SeenArtifact) -> str:
    """The branch that an event went to, as far as it tells; a request's own target is not told."""
    pushed, merged = seen.artifact.facts.get("to"), seen.artifact.facts.get("into")
    switched = _SWITCHED.findall(seen.artifact.excerpts[0].text) if merged else []
    return (switched[-1] if switched else str(pushed or merged or "")).removeprefix("refs/heads/")


def _unpushed(seen: SeenArtifact, world: TranscriptWorld) -> SeenArtifact | None:
    """The last push of what a merge in a clone made that isn't known to have worked, unless one worked since."""
    if not _fact(seen, "command").startswith("git merge"):
        return None
    place = world.places.get(seen.folder)
    branch = branch_of(seen) or (place and place.trunk) or "main"
    pushes = [one for one in world.events if _fact(one, "kind") == "push" and one.folder == seen.folder]
    made = in_time(one for one in pushes if not comes_after(seen, one) and branch in _refs(one, branch))
    last = next((one for one in reversed(made) if _fact(one, "outcome") in {"failed", "unknown"}), None)
    worked = (one for one in pushes if _fact(one, "outcome") == "succeeded" and last and comes_after(one, last))
    return None if any((branch_of(one) or _refs(one, "")[0]) == branch for one in worked) else last


def _refs(push: SeenArtifact, branch: str) -> list[str]:
    """The branches that a push was of; the given one where it doesn't say of which."""
    _, _, *words = _fact(push, "command").split()
    given = [word.rpartition(":")[2].lstrip("+") for word in words if not word.startswith("-")][1:]
    refs = (one.removeprefix("refs/heads/") for one in _REJECTED.findall(content(push.artifact)) or given)
    return [branch if one == "HEAD" else one for one in refs] or [branch]


def _unproved(seen: SeenArtifact, world: TranscriptWorld) -> SeenArtifact | None:
    """The latest test run of its conversation, or of its repository on that day, whose command hasn't passed since.

    That other tests passed answers nothing.
    """
    day = seen.artifact.at[:10]
    mine = (
        one
        for one in world.events
        if _fact(one, "kind") == "test_run"
        and (
            one.conversation == seen.conversation
            or (one.artifact.at[:10] == day and world.is_same_repository(one.folder, seen.folder))
        )
    )
    last = {_fact(one, "command"): one for one in in_time(mine)}
    open_ = [one for one in last.values() if _fact(one, "outcome") != "succeeded"]
    return next(reversed(in_time(open_)), None)


def _done_later(seen: SeenArtifact, meant: Handles, world: TranscriptWorld) -> SeenArtifact | None:
    """The last event, unless it was certainly before, that names the thing too or takes back work in its repository."""
    found = [one for one in world.events if _takes_back(one, seen, meant) or _names(one, seen, meant)]
    return next(reversed(in_time(found)), None)


def reverted(seen: SeenArtifact, meant: Handles, world: TranscriptWorld) -> SeenArtifact | None:
    """The revert that took it back, if nothing has brought it again since."""
    last = [one for one in world.events if _fact(one, "kind") in {"merge", "revert"} and _names(one, seen, meant)]
    revert = next(reversed(in_time(one for one in last if _fact(one, "outcome") not in _NO_EFFECT)), None)
    is_again = revert is not None and (_fact(revert, "kind") == "merge" or _AGAIN.search(content(revert.artifact)))
    return None if is_again else revert


def answered_after(seen: SeenArtifact, meant: Handles, world: TranscriptWorld) -> list[SeenArtifact]:
    """What tools answered later that names it and isn't what was shown already."""
    answers = (one for one in world.heard if one.artifact.facts[BY] == TOOL and is_later(one, seen))
    return [one for one in answers if _is_news_of(meant, content(one.artifact), seen, one.folder)]


def _names(one: SeenArtifact, seen: SeenArtifact, meant: Handles) -> bool:
    """Whether a later event names it in its command, or its answer does; a push only takes further what it names."""
    command, *answers = (part.text for part in one.artifact.excerpts)
    is_named = _fact(one, "kind") != "push" and meant.are_in(command, one.folder)
    return is_later(one, seen) and (is_named or _is_news_of(meant, "\n".join(answers), seen, one.folder))


def _is_news_of(meant: Handles, answer: str, seen: SeenArtifact, folder: str) -> bool:
    """Whether an answer names something, by lines that say more than that it worked and what was shown already.

    A log has earlier commits again.
    """
    known = {_subject(line) for part in seen.artifact.excerpts for line in told(part.text)}
    news = [line for line in answer.splitlines() if _is_news(line, known)]
    return any(any(told(line)) for line in news) and meant.are_in("\n".join(news), folder)


def _is_news(line: str, known: AbstractSet[str]) -> bool:
    """Whether a line of an answer is neither the parents of a merge nor says only what is known."""
    says = set(map(_subject, told(line)))
    return not _PARENTS.match(line) and (not says or not known >= says)


def _subject(line: str) -> str:
    return NUMBERED.sub("", line).strip()


def _takes_back(one: SeenArtifact, seen: SeenArtifact, meant: Handles) -> bool:
    """Whether an event takes back what stands in a repository; one of the same call counts, whatever its order."""
    kind, outcome = _fact(one, "kind"), _fact(one, "outcome")
    if one is seen or one.folder not in meant.folders or outcome in _NO_EFFECT or comes_after(seen, one):
        return False
    asked = _FORCED.search(_fact(one, "command")) is not None
    return kind in _TAKES_BACK or (kind == "push" and (asked or _WAS_FORCED in content(one.artifact)))


def _fact(seen: SeenArtifact, name: str) -> str:
    return str(seen.artifact.facts.get(name, ""))
