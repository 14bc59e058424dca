"""Have a model mark what the rules missed; artifacts quote the transcript, and what the rules found is kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pactkeeper.errors import SourceError
from pactkeeper.intent.conversation import Artifact, Excerpt
from pactkeeper.ledger.answering import Asker, Budget, Exceeded, Prompt, Reply
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.question import MARKABLE, Answer, Refusal, left_to_people
from pactkeeper.prompts import PromptSection, render
from pactkeeper.store.conversations import StoredConversation, conversation_number, list_artifacts, save_artifacts
from pactkeeper.store.history import History
from pactkeeper.store.questions import refusals, save_refusal
from pactkeeper.transcripts.extraction.extract import described
from pactkeeper.transcripts.marking import Piece, entries_of, marked, material, pieces, wrong_marks

_ROOM = 2_000  # characters of prompt material besides the conversation


@dataclass(frozen=True, slots=True)
class Marking:
    """The result of asking: pieces counted by outcome, new artifacts, and marks that were already known.

    `unread` says why a conversation can no longer be read. `money` is in millionths of a US dollar.
    """

    answered: int = 0
    cached: int = 0
    refused: int = 0
    failed: int = 0
    over_budget: int = 0
    artifacts: int = 0
    known: int = 0
    money: int = 0
    unread: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


def prompt_of(piece: Piece) -> Prompt:
    """The prompt for a piece: numbered lines with secrets removed, never truncated."""
    shown = material(piece.passages)
    return render(piece.question, [PromptSection("Conversation", shown, len(shown))], budget=len(shown) + _ROOM)


@dataclass(slots=True)
class Marker:
    """Ask about one conversation after another and store each marked artifact once.

    `found` maps entry and block to the spans of all known artifacts, including those found by rules.
    """

    history: History
    asker: Asker
    budget: Budget
    now: Callable[[], str]
    total: Marking = field(default_factory=Marking)
    found: dict[tuple[str, int], list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for stored in list_artifacts(self.history, types=MARKABLE):
            self._remember(stored.artifact)

    async def mark(self, stored: StoredConversation) -> bool:
        """Ask about one conversation up to its bookmark; False when the budget is exhausted."""
        try:
            found = tuple(pieces(entries_of(stored.conversation, until=stored.bookmark.offset)))
        except SourceError as error:
            self.total = replace(self.total, unread=(*self.total.unread, str(error)))
            return True
        done = left_to_people(refusals(self.history), answerer="model", by=self.asker.name)
        fresh = ((prompt_of(piece), piece) for piece in found if piece.question.id not in done)
        asked = {prompt.key: (prompt, piece) for prompt, piece in fresh}
        number = conversation_number(self.history, stored.conversation.id)
        after = await self.asker.ask(
            [prompt for prompt, _ in asked.values()],
            check=lambda prompt, value: wrong_marks(value, asked[prompt.key][1].passages),
            keep=lambda reply: self._keep(reply, asked[reply.prompt.key][1], number),
            budget=self.budget,
        )
        self.budget = after.budget if isinstance(after, Exceeded) else after
        return not isinstance(after, Exceeded)

    def _keep(self, reply: Reply, piece: Piece, number: int) -> None:
        self.total = _counted(self.total, reply)
        if _COUNTED[reply.state] == "refused":
            answer = Answer(piece.question.id, reply.value, "model", self.asker.name, self.now())
            save_refusal(self.history, Refusal(answer, reply.reasons or (f"it was {reply.state}",), final=True))
        if reply.state != "answered":
            return
        fresh, known = self._fresh(reply.value, piece)
        new = save_artifacts(self.history, number, fresh, at=self.now())
        self.total = replace(self.total, artifacts=self.total.artifacts + new, known=self.total.known + known)

    def _fresh(self, value: JsonValue, piece: Piece) -> tuple[list[Artifact], int]:
        """Return the new artifacts in an answer, and how many were already known."""
        entries = {one.entry.uuid: one.entry for one in piece.passages}
        fresh: list[Artifact] = []
        given = marked(value, piece.passages)
        for one in given:
            if not any(self._is_known(part) for part in one.excerpts):
                fresh.append(described(one, entries[one.excerpts[-1].entry]))
                self._remember(one)
        return fresh, len(given) - len(fresh)

    def _is_known(self, part: Excerpt) -> bool:
        """Whether a known span overlaps at least half of the shorter of the two."""
        spans = self.found.get((part.entry, part.block), ())
        return any(_share((part.first, part.last), span) for span in spans)

    def _remember(self, artifact: Artifact) -> None:
        for part in artifact.excerpts:
            self.found[part.entry, part.block].append((part.first, part.last))


def _share(one: tuple[int, int], other: tuple[int, int]) -> bool:
    both = min(one[1], other[1]) - max(one[0], other[0])
    return both > 0 and 2 * both >= min(one[1] - one[0], other[1] - other[0])


_COUNTED: Mapping[str, str] = {
    "answered": "answered",
    "refused": "refused",
    "objected": "refused",
    "malformed": "refused",
    "failed": "failed",
    "over budget": "over_budget",
}


def _counted(total: Marking, reply: Reply) -> Marking:
    name = "cached" if reply.cached else _COUNTED[reply.state]
    money = total.money + (reply.usage.money or 0)
    reasons = (*total.reasons, *reply.reasons)[:_SHOWN]
    return replace(total, **{name: getattr(total, name) + 1}, money=money, reasons=reasons)


_SHOWN = 5  # reasons reported


def prompts_of(conversations: Sequence[StoredConversation]) -> Iterator[Prompt]:
    """Yield every prompt for some conversations, skipping those that can no longer be read."""
    for stored in conversations:
        try:
            found = tuple(pieces(entries_of(stored.conversation, until=stored.bookmark.offset)))
        except SourceError:
            continue
        yield from (prompt_of(one) for one in found)
