"""Small actions of every verb, as sure as a test wants them."""

from dataclasses import replace

from pactkeeper.intent.actions import Action, ActionProposal, Confidence
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.finding import Evidence
from pactkeeper.ledger.health import COMPLETE
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch

AT = "2026-03-02T08:00:00+00:00"
LATER = "2026-03-03T08:00:00+00:00"
SEEN = Evidence("mechanical", "/chats/a.jsonl", quote="main -> main", note="push succeeded")
SAID = Evidence("quoted", "/chats/a.jsonl", quote="1. Renew it")
SURE = Confidence(100, 100, 100, 50)
MEDIUM = Confidence(70, 60, 100, 50)
LOW = Confidence(30, 30, 100, 50)
BODY = "[daemon] from session a, 2026-03-01\n\n1. Renew it"


def action(
    verb, payload, *, new=False, target="", evidence=SEEN, sure=SURE, tier=1, machine=True, artifact="fp-1", **op
):
    about = target or f"{verb}:{payload.get('task') or payload.get('document') or payload.get('title')}"
    precondition = None if new else "v1:" + "0" * 64
    place = {} if verb == "proposeSkillFix" else {"board": "home"}
    made = Op(verb, about, precondition, {**place, **payload}, (evidence,), **op)
    return Action(made, artifact, sure, tier, "as a test wants it", machine=machine)


def create_task(title="Renew it", body=BODY, board="home", **more):
    return action("createTask", {"board": board, "title": title, "body": body}, new=True, **more)


def create_document(title="Passports", section="Research", body=BODY, **more):
    return action("createDocument", {"section": section, "title": title, "body": body}, new=True, **more)


def log_task(task, text="[daemon] it was pushed", **more):
    return action("logTask", {"task": task, "title": "", "text": text}, **more)


def complete_task(task, version="", **more):
    return action("completeTask", {"task": task, "title": "", "version": version}, **more)


def enrich(document, text="[daemon] What was found.", mark="session-a", **more):
    heading = "From a session"
    return action("enrichDocument", {"document": document, "mark": mark, "heading": heading, "text": text}, **more)


def patch(document, old, new, heading="", **more):
    return action("patchDocumentSection", {"document": document, "heading": heading, "old": old, "new": new}, **more)


def set_meta(document, values, expected, **more):
    return action("updateDocumentMeta", {"document": document, "values": values, "expected": expected}, **more)


def tick(document, text, **more):
    return action("tickTodo", {"document": document, "text": text}, **more)


def proposal(*actions, at=AT):
    return ActionProposal(at, Patch("v1:base", tuple(one.op for one in actions), sources={"home": COMPLETE}), actions)


def yes(one, by="ada", at=AT):
    return Decision(one.id, one.op.shown_hash, "accept", by, at)


def unsure(one):
    return replace(one, confidence=MEDIUM)
