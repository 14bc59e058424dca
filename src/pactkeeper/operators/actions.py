"""The verbs that hold what conversations produced against boards and documents; they propose and change neither."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from pactkeeper.errors import InputError
from pactkeeper.intent.actions import ActionProposal
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.question import Answer, Question, wrong_with
from pactkeeper.operators.action_world import look_around
from pactkeeper.settings.transcripts import transcript_settings
from pactkeeper.store.artifacts import StoredArtifact, list_artifacts
from pactkeeper.store.conversations import list_conversations
from pactkeeper.store.history import History
from pactkeeper.store.knowledge import add_items
from pactkeeper.store.reconciliations import find_reconciliation, save_reconciliation, save_settlement
from pactkeeper.transcripts.reconciling.reconcile import reconcile
from pactkeeper.transcripts.reconciling.sureness import instant
from pactkeeper.transcripts.reconciling.world import SeenArtifact
from pactkeeper.workspace import Personal

_VERDICTS: Final = ("yes", "no", "unsure")


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """What is proposed, how many items of knowledge are new, and how many artifacts are too old to be looked at."""

    proposal: ActionProposal
    learnt: int
    old: int


def reconcile_transcripts(personal: Personal, *, whole: bool = False) -> Reconciliation:
    """Hold what conversations produced in the last days against a fresh view, and store what is proposed.

    `whole` looks at everything, however old. Decisions that nothing stands against are kept as knowledge. Raises
    UsageError for a board that is not set up.
    """
    history = personal.history(make=True)[0]
    folders = {one.conversation.id: one.conversation.cwd for one in list_conversations(history)}
    stored = list_artifacts(history)
    fresh = stored if whole else _fresh(personal, stored)
    given = [
        SeenArtifact(one.artifact, one.conversation, folders.get(one.conversation, ""), one.corroboration) for one in fresh
    ]
    world = look_around(personal, history, (one.folder for one in given))
    found = reconcile(given, world)
    with history.database.begin():
        learnt = add_items(history, found.learnt, at=world.now)
        save_reconciliation(history, found.proposal)
    return Reconciliation(found.proposal, learnt, len(stored) - len(fresh))


def _fresh(personal: Personal, stored: tuple[StoredArtifact, ...]) -> tuple[StoredArtifact, ...]:
    """Those said in the last days; one without a time counts from when it was found."""
    days = transcript_settings(personal.surroundings.preferences).days
    since = personal.now() - timedelta(days=days)
    times = ((one, instant(one.artifact.at) or instant(one.found_at)) for one in stored)
    return tuple(one for one, at in times if at is None or at >= since)


def proposed_actions(personal: Personal) -> ActionProposal:
    """What was proposed last, without looking anew; raises InputError where nothing ever was."""
    for history in personal.history():
        found = find_reconciliation(history)
        if found is not None:
            return found
    raise InputError("nothing was reconciled yet; run: pk transcripts reconcile")


def settle_same_work(personal: Personal, named: str, said: str, *, by: str) -> Question:
    """Answer a question of the last reconciliation: yes, no, unsure, or one of its options.

    The answer counts from the next reconciliation on. Raises InputError for another question or answer.
    """
    history, question = _asked(personal, named)
    value: JsonValue = {"verdict": said, "quotes": []} if question.kind == "same_work" else said
    answer = Answer(question.id, value, "person", by, personal.now().isoformat(timespec="seconds"))
    problems = wrong_with(answer, question, source="")
    if problems:
        offered = ", ".join(question.options or _VERDICTS)
        raise InputError(f"{said!r} is no answer to {question.id}; say one of: {offered}")
    save_settlement(history, answer)
    return question


def _asked(personal: Personal, named: str) -> tuple[History, Question]:
    for history in personal.history():
        found = find_reconciliation(history)
        for question in found.patch.questions if found else ():
            if question.id == named:
                return history, question
    raise InputError(f"the last reconciliation does not ask {named!r}; pk transcripts reconcile lists its questions")
