"""What was said before something was merged and says that it may not be all of its task."""

from __future__ import annotations

import re
from typing import Final

from pactkeeper.intent.conversation import content
from pactkeeper.speech.clash import has_phrase, has_word, is_denied
from pactkeeper.speech.languages import phrases_of
from pactkeeper.transcripts.extraction.extract import AGENT, BY
from pactkeeper.transcripts.reconciling import SeenArtifact, TranscriptWorld, comes_after
from pactkeeper.transcripts.reconciling.afterwards import Handles
from pactkeeper.transcripts.reconciling.observed import without_names
from pactkeeper.transcripts.reconciling.saying import said

_WORD: Final = re.compile(r"[^\W_]+")


def said_before(seen: SeenArtifact, meant: Handles, world: TranscriptWorld) -> list[SeenArtifact]:
    """What holds something back of what people said before an event of its task, or since they named only another one.

    Also of what the agent said since the last message of a person.
    """
    there = [one for remarks in world.remarks.values() for one in remarks if comes_after(seen, one)]
    named = [one for one in there if meant.are_in(content(one.artifact), one.folder)]
    mine = [one for one in there if one.conversation == seen.conversation]
    agents = [one for one in world.heard if one.artifact.facts[BY] == AGENT and one.conversation == seen.conversation]
    told = [one for one in agents if comes_after(seen, one) and not (mine and comes_after(mine[-1], one))]
    others = [one for one in mine if one not in named and _names_other(meant, one)]
    since = mine.index(others[-1]) + 1 if others else 0
    names = (*meant.titles, *meant.names)
    texts = [(one, without_names(content(one.artifact), names)) for one in (*named, *mine[since:], *told)]
    return [one for one, text in texts if _holds_back(text) or (one in named and has_word("pending", text))]


def _names_other(meant: Handles, one: SeenArtifact) -> bool:
    return any(other.are_in(content(one.artifact), one.folder) for other in meant.others)


def _holds_back(text: str) -> bool:
    """Whether words deny, limit, drop or date something."""
    is_limited = is_denied(text) or has_word("only", text) or has_phrase("given_up", text)
    return is_limited or any(_drops(one) or "dates" in said(one).details for one in text.split("."))


def _drops(sentence: str) -> bool:
    """Whether a sentence has all words of a phrase that removes something, in order: `leave the mail out`."""
    for phrase in phrases_of("removals"):
        rest = iter(_WORD.findall(sentence))
        if all(word in rest for word in phrase.split()):
            return True
    return False
