"""What is written to boards: words of the source without secrets, and at the head where they come from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pactkeeper.intent.actions import MARK
from pactkeeper.intent.conversation import Artifact, Excerpt, content
from pactkeeper.intent.redaction import redacted
from pactkeeper.ledger.evidence import Evidence
from pactkeeper.transcripts.reconciling.world import SeenArtifact

QUOTED: Final = 500  # characters of a span that evidence shows; the payload has all of them


def origin(seen: SeenArtifact) -> str:
    """Where something comes from, in one line."""
    one = seen.artifact
    day = f" of {one.at[:10]}" if one.at else ""
    return f"{MARK} From conversation {seen.conversation}{day}, artifact {one.id}."


def whole(artifact: Artifact) -> str:
    """Every word of an artifact, without secrets."""
    return redacted(content(artifact))


def parts(artifact: Artifact) -> tuple[str, ...]:
    """The text of each span, without secrets."""
    return tuple(redacted(one.text) for one in artifact.excerpts if one.text.strip())


def document_body(seen: SeenArtifact, tasks: Iterable[str]) -> str:
    """A document: where it comes from, every word of the artifact, and the tasks that follow from it."""
    listed = "\n".join(f"- {title}" for title in tasks)
    follows = f"\n\n## Tasks\n\n{listed}" if listed else ""
    return f"> {origin(seen)}\n\n{whole(seen.artifact)}{follows}\n"


def task_body(seen: SeenArtifact, text: str, document: str) -> str:
    """A task: where it comes from, its item word for word, and the document that says why."""
    why = f"\n\nWhy: document “{document}”." if document else f"\n\nFrom “{redacted(seen.artifact.title)}”."
    return f"{origin(seen)}\n\n{redacted(text)}{why}"


def remark(seen: SeenArtifact, said: str) -> str:
    """A remark on a task: what it says, the words that show it, and where they stand."""
    quote = " ".join(redacted(_shown(seen.artifact)).split())
    return f"{MARK} {said} “{quote}” (conversation {seen.conversation}, {seen.artifact.at[:16]})"


def _shown(artifact: Artifact) -> str:
    texts = [one.text.strip() for one in artifact.excerpts if one.text.strip()]
    return (texts[-1] if artifact.type == "event" else texts[0])[:QUOTED] if texts else artifact.title


def evidence(artifact: Artifact, quote: str = "", *, machine: bool) -> tuple[Evidence, ...]:
    """The spans that show it, or the one that holds a quote: where they stand in the transcript and what they say."""
    holding = [one for one in artifact.excerpts if quote and quote in one.text][:1]
    return tuple(
        Evidence(
            "mechanical" if machine else "quoted",
            one.place.file,
            quote=redacted((quote if holding else one.text)[:QUOTED]),
            note=_where(one, quote if holding else ""),
        )
        for one in holding or artifact.excerpts
    )


def _where(one: Excerpt, quote: str) -> str:
    first = one.first + (one.text.index(quote) if quote else 0)
    last = first + len(quote) if quote else one.last
    return f"entry {one.entry}, block {one.block}, characters {first} to {last}, {one.at or 'no time'}"
