"""Small worlds and artifacts to reconcile."""

from pactkeeper.boards.port import Capabilities
from pactkeeper.intent.board import CHANGES, Document, Snapshot, Task
from pactkeeper.intent.conversation import Artifact, CommitmentUpdate, Excerpt, RecordPlace, Signals, identity_of
from pactkeeper.intent.routing import Routing
from pactkeeper.ledger.health import COMPLETE, Health
from pactkeeper.transcripts.reconciling import BoardView, Place, SeenArtifact, TranscriptWorld
from pactkeeper.transcripts.reconciling.reconcile import reconcile

NOW = "2026-03-02T08:00:00+00:00"
YESTERDAY = "2026-03-01T09:00:00Z"
WRITES = Capabilities(frozenset(CHANGES), documents=True, marker="comment").writes
AWAY = Health("unavailable", "it did not answer within 30 seconds")


def task(title, name="T-aaaaaa", status="open", **fields):
    return Task(name, title, status, version=f"v1:{name}", **fields)


def document(title, body, section="Research", name="D-1"):
    return Document(name, title, section, body, version=f"v1:{name}")


def world(*items, health=COMPLETE, name="home", routing=None, **fields):
    """A world with one board of these tasks and documents."""
    tasks = tuple(one for one in items if isinstance(one, Task))
    documents = tuple(one for one in items if isinstance(one, Document))
    view = BoardView(name, Snapshot(tasks, documents, health, NOW), WRITES)
    routing = routing or Routing(tasks=name, documents=name)
    given = {"health": {f"board {name}": health}, "places": {"/work/shop": Place("/work/shop")}, **fields}
    return TranscriptWorld(NOW, routing, {name: view}, **given)


def spoken(kind, title, *texts, at=YESTERDAY, signals=(85, 60), **fields):
    parts = tuple(
        Excerpt(RecordPlace("/chats/a.jsonl", 0, 1000), f"u{number}", 0, 0, len(text), at, text)
        for number, text in enumerate(texts, start=1)
    )
    given = {"value": "medium", "identity": identity_of("\n".join((at, *texts))), **fields}
    return Artifact(kind, title, parts, Signals(*signals), domain=given.pop("domain", "shop"), **given)


def seen(artifact, conversation="cv-000000000001", folder="/work/shop", corroboration=1):
    return SeenArtifact(artifact, conversation, folder, corroboration)


def plan(*steps, title="Passport plan", at=YESTERDAY, **fields):
    text = f"# {title}\n\n" + "\n".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))
    return seen(spoken("plan", title, text, at=at, facts={"steps": len(steps), "form": "plan"}, **fields))


def update(change, said, at=YESTERDAY):
    known = CommitmentUpdate(said, change)
    return seen(spoken("commitment_update", f"{change}: {said}", said, at=at, signals=(80, 70), update=known))


def event(kind, command, answer, outcome="succeeded", at=YESTERDAY, strength=95, **facts):
    given = {"kind": kind, "outcome": outcome, "command": command, **facts}
    value = "very_high" if kind in {"merge", "deploy", "release"} else "medium"
    return seen(
        spoken("event", f"{kind} {outcome}", command, answer, at=at, signals=(strength, 100), value=value, facts=given)
    )


def decision(said, title="", **fields):
    return seen(spoken("decision_with_context", title or said[:120], said, signals=(90, 90), **fields))


def proposed(*artifacts, **given):
    return reconcile(artifacts, given.get("world") or world(**given)).proposal


def verbs(proposal):
    return [(one.verb, one.op.payload.get("title")) for one in proposal.actions]


def outcomes(proposal):
    return [(one.outcome, one.title) for one in proposal.judged]


def reasons(proposal):
    return [one.reason for one in proposal.suppressed]
