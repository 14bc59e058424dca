"""Turn a wanted change into an action, or into the reason why it isn't proposed.

Checks an op before it is proposed: all words of its source, no promised part missing, a place to go.

Renders what is written to boards: words of the source without secrets, with their origin at the top.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import Final

from pactkeeper.intent.actions import (
    MARK,
    WRITES,
    Action,
    Conflict,
    JudgedArtifact,
    Outcome,
    Suppressed,
    action_fingerprint,
)
from pactkeeper.intent.conversation import MESSAGE, Artifact, Excerpt, content
from pactkeeper.intent.redaction import redacted
from pactkeeper.intent.routing import Routing
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.finding import Evidence
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.question import Question
from pactkeeper.speech.languages import phrases_of
from pactkeeper.transcripts.extraction import sentences
from pactkeeper.transcripts.extraction.events import told
from pactkeeper.transcripts.extraction.extract import AGENT, BY
from pactkeeper.transcripts.reconciling import (
    MENTIONED,
    PRODUCTS,
    SeenArtifact,
    TranscriptWorld,
    in_words,
    sure,
    tier_of,
)
from pactkeeper.transcripts.reconciling.afterwards import (
    MOST_SHOWN,
    Around,
    around_change,
    around_event,
    around_remark,
    shortly,
)
from pactkeeper.transcripts.reconciling.handles import Handles, concerns, handles
from pactkeeper.transcripts.reconciling.observed import opposed

_REMARKS: Final = frozenset({"logTask", "proposeSkillFix"})  # they settle nothing
_SIGNS: Final = "*_`:.,;()–-"
Found = Action | Question | JudgedArtifact | Conflict | Suppressed


@dataclass(frozen=True, slots=True)
class WantedChange:
    """A change that an artifact suggests; `why` is a sentence, `title` the name by which people know the target.

    `machine` means that a tool's own answer shows it, `asked` that a person decides in any case. `quote` is the part of
    the artifact it comes from, if that isn't the whole.
    """

    verb: str
    target: str
    precondition: str | None
    payload: Mapping[str, JsonValue]
    title: str
    why: str
    machine: bool = False
    asked: bool = False
    quote: str = ""
    depends_on: tuple[str, ...] = ()


def propose(seen: SeenArtifact, wanted: WantedChange, world: TranscriptWorld) -> Iterator[Action | Suppressed]:
    """Yield the action, or the reason why it isn't proposed.

    Whatever people, agents or tools said around it may take it back in any words, so it is shown and a person decides.
    What speaks against an event comes first: a push or a test run that failed, what took it back.
    """
    settles = wanted.verb not in _REMARKS
    confidence = sure(seen, world.now)
    if wanted.machine and wanted.asked and settles:
        confidence = replace(confidence, strength=min(confidence.strength, MENTIONED))
    meant = _handles(seen, wanted, world)
    around = _around(seen, wanted, meant, world)
    opposing = opposed(seen, meant, world) if _is_done(seen, wanted) else {}
    first = chain.from_iterable(opposing.values())
    shown = (one for artifact in first for one in evidence(artifact, machine=artifact.artifact.type == "event"))
    quoted = _quoted((around if settles else replace(around, told=())).shown(meant), meant)
    op = Op(
        wanted.verb,
        wanted.target,
        wanted.precondition,
        {**wanted.payload, "artifacts": [seen.artifact.fingerprint]},
        tuple(dict.fromkeys((*shown, *evidence(seen, wanted.quote, machine=wanted.machine), *quoted))),
        confidence=f"{confidence.points // 100}.{confidence.points % 100:02d}",
        group=seen.artifact.id,
        depends_on=wanted.depends_on,
    )
    key = action_fingerprint(wanted.verb, wanted.target)
    against = world.settled.get((key, seen.artifact.fingerprint)) or _against(op, seen, world)
    if not against and confidence.level == "low":
        against = f"only flagged: {in_words(confidence, seen.artifact)}"
    if against:
        yield suppressed(seen, wanted.title, against, wanted.verb)
        return
    is_plain = wanted.machine and not wanted.asked and settles
    settled = world.settled.get((key, ""))
    doubts = [*opposing, *(around.doubts() if is_plain else ())]
    by_word = wanted.verb == "completeTask" and not wanted.machine
    named = [one for one in around.here if concerns(one, meant)] if by_word else []
    doubts += [f"a person said more afterwards: {shortly(named)}"] if named else []
    doubts += [f"before this, {settled}"] if settled else []
    tier = 2 if wanted.asked or doubts else tier_of(wanted.verb, confidence, machine=wanted.machine)
    doubts += [f"said with it: {shortly(around.told)}"] if around.told and not settles else []
    why = "; ".join((wanted.why, *doubts)) + f" ({in_words(confidence, seen.artifact)})"
    yield Action(op, seen.artifact.fingerprint, confidence, tier, why, wanted.machine)


def _is_done(seen: SeenArtifact, wanted: WantedChange) -> bool:
    """Whether an event alone would settle something, such as a merge that closes its task."""
    return wanted.machine and wanted.verb not in _REMARKS and seen.artifact.type == "event"


def _around(seen: SeenArtifact, wanted: WantedChange, meant: Handles, world: TranscriptWorld) -> Around:
    if wanted.machine and wanted.verb in _REMARKS:
        return around_remark(seen, meant, world)
    if _is_done(seen, wanted):
        return around_event(seen, meant, world)
    found = around_change(seen, meant, world, machine=wanted.machine)
    if wanted.machine or seen.artifact.type not in PRODUCTS:
        return found
    evident = [one for one in found.elsewhere if meant.are_evident(content(one.artifact), one.folder)]
    return replace(found, elsewhere=evident)  # it is asked about anyway


def _handles(seen: SeenArtifact, wanted: WantedChange, world: TranscriptWorld) -> Handles:
    titles = (wanted.title, *([_subject(seen.artifact.title)] if seen.artifact.type in PRODUCTS else []))
    return handles(seen, titles, (str(wanted.payload.get("task", "")),), world)


def _subject(title: str) -> str:
    """The title of a plan or the like without the words for what kind of text it is, which are in many messages."""
    return " ".join(word for word in title.split() if word.strip(_SIGNS).casefold() not in _kinds())


@cache
def _kinds() -> frozenset[str]:
    rows = ("plans", "roadmaps", "analyses", "frameworks")
    return frozenset(one for row in rows for one in phrases_of(row))


def _quoted(said: Iterable[SeenArtifact], meant: Handles) -> Iterator[Evidence]:
    """The words as they are, of a long message the sentences that may mean it."""
    for one in said:
        text = one.artifact.excerpts[-1].text
        told = (text[first:last] for first, last in sentences(text) if len(text) > QUOTED)
        parts = [part for part in told if meant.may_be_meant(part, one.folder)][:MOST_SHOWN]
        for part in parts or [""]:
            yield from evidence(one, part, machine=False)


def _against(op: Op, seen: SeenArtifact, world: TranscriptWorld) -> str:
    board = world.boards.get(str(op.payload.get("board", "")))
    if board is not None and op.verb not in board.writes:
        return f"the board {board.name!r} cannot take {op.verb}"
    unseen = world.unseen(seen.folder) if board is not None and op.precondition is None else ""
    if unseen:
        return f"can't tell whether it is missing: {unseen}"
    return "; ".join(wrong_with(op, parts(seen.artifact), world.routing))


def is_accepted(seen: SeenArtifact) -> bool:
    """Whether a plan was submitted by the agent and accepted by a person, as the session itself records."""
    return bool(seen.artifact.facts.get("accepted"))


def judged(seen: SeenArtifact, title: str, outcome: Outcome, reason: str, *, by: str = "") -> JudgedArtifact:
    """Record the outcome for an artifact or a part of it."""
    return JudgedArtifact(seen.artifact.fingerprint, redacted(title), outcome, reason, by)


def suppressed(seen: SeenArtifact, title: str, reason: str, verb: str = "") -> Suppressed:
    """Record something that isn't proposed, and why."""
    return Suppressed(seen.artifact.fingerprint, redacted(title), reason, verb)


_SAME: Final = "same_work"


def same_work(subject: str, proposed: str, existing: str, *, item: str, why: str) -> Question:
    """Ask whether two titles name the same work."""
    context = {"proposed": redacted(proposed), "existing": redacted(existing), "item": item, "why": why}
    return Question(_SAME, subject, context)


def verdict(question: Question, world: TranscriptWorld) -> str:
    """Return yes or no as answered; empty if there is no such answer."""
    answer = world.answers.get(question.id)
    value = answer.value if answer is not None else None
    said = value.get("verdict") if isinstance(value, Mapping) else value
    return str(said) if said in {"yes", "no"} else ""


def choice(question: Question, world: TranscriptWorld) -> str:
    """The option that was chosen; empty if none was."""
    answer = world.answers.get(question.id)
    return str(answer.value) if answer is not None and answer.value in question.options else ""


LEAST: Final = 500  # characters; anything shorter is a remark, not a document
_PROMISE: Final = re.compile(
    r"(?i)(?:see|includes?|contains?|shown in|as in|listed in|siehe|enthält|voir|contient|véase|contiene)\s+"
    r"(?:the\s+|an?\s+|die\s+|das\s+|den\s+|le\s+|la\s+|el\s+)?"
    r"(?:[\w-]+\s+){0,2}?(?P<what>section\s+[\"“][^\"”]+[\"”]|(?:tables?|diagrams?|figures?|charts?|screenshots?|appendix|attachments?"
    r"|tabelle|diagramm|abbildung|anhang|tableau|annexe|tabla|anexo)\b)"
)
_KEPT: Final = (
    (re.compile(r"(?i)table|tabelle|tableau|tabla"), re.compile(r"^[^\S\n]*+\|.*\|", re.MULTILINE)),
    (
        re.compile(r"(?i)diagram|figure|chart|screenshot|abbildung|attachment"),
        re.compile(r"!\[[^\]]{0,300}\]\(|^\s{0,3}(?:```|~~~)|https?://", re.MULTILINE),
    ),
    (
        re.compile(r"(?i)appendix|anhang|annexe|anexo"),
        re.compile(r"(?im)^\s{0,3}#{1,6}\s.*(?:appendix|anhang|annexe|anexo)"),
    ),
)


def wrong_with(op: Op, spans: Sequence[str], routing: Routing) -> tuple[str, ...]:
    """All reasons not to propose an op; `spans` are texts that it must contain verbatim."""
    return tuple(_wrong(op, spans, routing))


def _wrong(op: Op, spans: Sequence[str], routing: Routing) -> Iterator[str]:
    text = str(op.payload[WRITES[op.verb]]) if op.verb in WRITES else MARK
    if MARK not in text.partition("\n")[0]:
        yield f"its first line does not say {MARK} and where it comes from"
    if op.verb not in {"createDocument", "enrichDocument"}:
        return
    missing = [span for span in spans if span not in text]
    if missing:
        yield f"{len(missing)} of {len(spans)} spans are not in it word for word"
    if len("".join(spans)) <= LEAST:
        yield f"its {len(''.join(spans))} characters are no more than {LEAST}; that is a comment, not a document"
    yield from (f"it refers to {what!r}, which is missing" for what in phantoms(text))
    if op.verb == "createDocument" and op.payload["section"] not in {one.name for one in routing.open_sections}:
        yield f"{op.payload['section']!r} is not a section that documents may go to"


def phantoms(text: str) -> tuple[str, ...]:
    """Parts that a text refers to but doesn't contain."""
    found = (" ".join(one["what"].split()) for one in _PROMISE.finditer(text))
    return tuple(dict.fromkeys(what for what in found if not _is_there(what, text)))


def _is_there(what: str, text: str) -> bool:
    if what.lower().startswith("section"):
        name = re.escape(what.partition(" ")[2].strip('"“” '))
        return re.search(rf"(?im)^\s{{0,3}}#{{1,6}}\s+{name}\s*$", text) is not None
    return all(sign.search(text) for noun, sign in _KEPT if noun.search(what))


QUOTED: Final = 500  # characters of a span quoted as evidence; the payload has all of them


def origin(seen: SeenArtifact) -> str:
    """One line saying where something comes from."""
    one = seen.artifact
    day = f" of {one.at[:10]}" if one.at else ""
    return f"{MARK} From a conversation with a coding agent{day}; who had it reads it with: {_show(seen)}"


def _show(seen: SeenArtifact) -> str:
    return f"pk transcripts show {seen.conversation}"


def whole(artifact: Artifact) -> str:
    """The full text of an artifact, without secrets."""
    return redacted(content(artifact))


def parts(artifact: Artifact) -> tuple[str, ...]:
    """The text of each span, without secrets."""
    return tuple(redacted(one.text) for one in artifact.excerpts if one.text.strip())


def document_body(seen: SeenArtifact, tasks: Iterable[str]) -> str:
    """A document's text: its origin, the full artifact, and the tasks that follow from it."""
    listed = "\n".join(f"- {title}" for title in tasks)
    follows = f"\n\n## Tasks\n\n{listed}" if listed else ""
    return f"> {origin(seen)}\n\n{whole(seen.artifact)}{follows}\n"


def task_body(seen: SeenArtifact, text: str, document: str) -> str:
    """A task's text: its origin, its item verbatim, and the document that says why."""
    why = f"\n\nWhy: document “{document}”." if document else f"\n\nFrom “{redacted(seen.artifact.title)}”."
    return f"{origin(seen)}\n\n{redacted(text)}{why}"


def remark(seen: SeenArtifact, said: str) -> str:
    """A remark on a task: its message, a quotation if that says more, and the source."""
    quote = " ".join(redacted(_shown(seen.artifact)).split())
    words = said if not quote or quote in said else f"{said}: “{quote}”"
    return f"{MARK} {words} ({_minute(seen.artifact.at)}, {_show(seen)})"


def _shown(artifact: Artifact) -> str:
    """What somebody said, or what a tool answered beyond that it worked."""
    texts = [one.text.strip() for one in artifact.excerpts if one.text.strip()]
    if artifact.type == "event":
        return " ".join(told(texts[-1]))[:QUOTED] if texts else ""
    return texts[0][:QUOTED] if texts else artifact.title


def evidence(seen: SeenArtifact, quote: str = "", *, machine: bool) -> tuple[Evidence, ...]:
    """The spans that show it, or only the one containing `quote`, with their places in the transcript and texts.

    A person's word on a task is quoted with the whole message around it. A note begins with who said it, when and in
    which conversation, up to the first semicolon.
    """
    artifact = seen.artifact
    holding = [one for one in artifact.excerpts if quote and quote in one.text][:1]
    around = str(artifact.facts.get(MESSAGE, ""))
    return tuple(
        Evidence(
            "mechanical" if machine else "quoted",
            one.place.file,
            quote=redacted(around or (quote if holding else one.text)[:QUOTED]),
            note=f"{_speaker(one, artifact)}, {_minute(one.at)}, {seen.conversation}; "
            + _where(one, quote if holding else ""),
        )
        for one in holding or artifact.excerpts
    )


def _speaker(one: Excerpt, artifact: Artifact) -> str:
    """Whose words an excerpt has, as far as its artifact tells; a remark's first part of two is a question."""
    is_last = one is artifact.excerpts[-1]
    if artifact.type == "event":
        return "its answer" if one is not artifact.excerpts[0] else "command"
    return str(artifact.facts.get(BY, "person" if is_last else AGENT)) if artifact.type == "remark" else "conversation"


def _minute(at: str) -> str:
    return at[:16].replace("T", " ") or "no time"


def _where(one: Excerpt, quote: str) -> str:
    first = one.first + (one.text.index(quote) if quote else 0)
    last = first + len(quote) if quote else one.last
    return f"entry {one.entry}, block {one.block}, characters {first} to {last}, {one.at or 'no time'}"
