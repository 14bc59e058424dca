"""What was said before something was merged and says that it may not be all of its task."""

from __future__ import annotations

import re
from typing import Final

from pactkeeper.intent.conversation import content
from pactkeeper.speech.clash import has_phrase, has_word, is_denied
from pactkeeper.speech.languages import phrases_of
from pactkeeper.transcripts.extraction import sentences
from pactkeeper.transcripts.extraction.extract import AGENT, BY
from pactkeeper.transcripts.reconciling import SeenArtifact, TranscriptWorld, comes_after
from pactkeeper.transcripts.reconciling.afterwards import Handles
from pactkeeper.transcripts.reconciling.observed import without_names
from pactkeeper.transcripts.reconciling.saying import said

_WORD: Final = re.compile(r"[^\W_]+")


def said_before(seen: SeenArtifact, meant: Handles, world: TranscriptWorld) -> list[SeenArtifact]:
    """What people said before an event that names its task, or since they last named only another one in its session.

    Also what the agent said since the last message of a person.
    """
    mine = [one for one in world.remarks.get(seen.conversation, ()) if comes_after(seen, one)]
    gone_on = [at for at, one in enumerate(mine, 1) if not _names(meant, one) and _names_other(meant, one)]
    since = max(gone_on, default=0)
    there = [one for remarks in world.remarks.values() for one in remarks if comes_after(seen, one)]
    named = [one for one in there if _names(meant, one)]
    told = [
        one
        for one in world.heard
        if one.artifact.facts[BY] == AGENT and one.conversation == seen.conversation and comes_after(seen, one)
    ]
    turn = [one for one in told if not mine or comes_after(one, mine[-1])]
    asked = [one for one in named if has_word("pending", _bare(one, meant))]
    return [*asked, *(one for one in (*mine[since:], *named, *turn) if one not in asked and _holds_back(one, meant))]


def _names(meant: Handles, one: SeenArtifact) -> bool:
    return meant.are_in(content(one.artifact), one.folder)


def _names_other(meant: Handles, one: SeenArtifact) -> bool:
    return any(other.are_in(content(one.artifact), one.folder) for other in meant.others)


def _bare(one: SeenArtifact, meant: Handles) -> str:
    return without_names(content(one.artifact), (*meant.titles, *meant.names))


def _holds_back(one: SeenArtifact, meant: Handles) -> bool:
    """Whether words deny, limit, drop or date something."""
    text = _bare(one, meant)
    is_limited = is_denied(text) or has_word("only", text) or has_phrase("given_up", text)
    return is_limited or any(_drops(text[first:last]) or _dates(text[first:last]) for first, last in sentences(text))


def _dates(sentence: str) -> bool:
    return "dates" in said(sentence).details


def _drops(sentence: str) -> bool:
    """Whether a sentence has all words of a phrase that removes something, in order: `leave the mail out`."""
    words = _WORD.findall(sentence)
    return any(_in_order(phrase.split(), words) for phrase in phrases_of("removals"))


def _in_order(phrase: list[str], words: list[str]) -> bool:
    rest = iter(words)
    return all(word in rest for word in phrase)
