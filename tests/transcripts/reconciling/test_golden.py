"""Whole conversations in their real format, a board, and what comes of them, as files that a person can read.

`UPDATE_GOLDEN=1` writes the last part anew; read the difference before keeping it.
"""

import os
from pathlib import Path

import pytest

from pactkeeper.intent.actions import MARK
from pactkeeper.ledger.health import COMPLETE, Health
from pactkeeper.store.conversations import list_artifacts
from pactkeeper.transcripts.reconciling import Place, SeenArtifact
from pactkeeper.transcripts.reconciling.reconcile import reconcile
from tests.transcripts.scripts import read_script, write_script
from tests.transcripts.worlds import document, task, world

GOLDEN = sorted(Path(__file__).with_name("golden").glob("*.txt"))
FOLDER = "/work/shop"
PARTS = ("== board", "== conversation", "== outcome")


def parts(text):
    board, rest = text.split("== conversation\n")
    conversation, outcome = rest.split("== outcome\n")
    return board.removeprefix("== board\n"), conversation, outcome


def board_of(text):
    items, health = [], COMPLETE
    for row in filter(None, text.splitlines()):
        word, *fields = (field.strip() for field in row.split("|"))
        if word == "health":
            health = Health(*fields)
        elif word == "task":
            items.append(task(fields[1], fields[0], *fields[2:]))
        else:
            items.append(document(fields[1], fields[3].replace("\\n", "\n"), fields[2], fields[0]))
    return world(*items, health=health, places={FOLDER: Place(FOLDER)})


def lines(found):
    proposal = found.proposal
    yield from (f"{one.outcome} | {one.title} | {one.reason}" for one in proposal.judged)
    for one in proposal.actions:
        payload = one.op.payload
        sure = one.confidence
        title = payload.get("title") or payload.get("tool")
        yield f"tier {one.tier} | {one.verb} | {title} | {sure.level} {sure.points}"
        written = str(payload.get("text" if one.verb == "logTask" else "-", "")).removeprefix(f"{MARK} ")
        yield from (f"    {written.partition(' (conversation')[0]}",) if written else ()
    for one in proposal.patch.questions:
        said = one.context
        yield f"asked | {said.get('proposed') or said.get('document')} | {said.get('existing') or ', '.join(one.options)}"
    for one in proposal.conflicts:
        yield f"conflict | {one.subject} | “{one.said.quote}” | “{one.stands.quote}” ({one.stands.place})"
    yield from (f"left | {one.title} | {one.reason}" for one in proposal.suppressed)
    yield from (f"learnt | {one.kind} | {one.text}" for one in found.learnt)


@pytest.mark.parametrize("path", GOLDEN, ids=[path.stem for path in GOLDEN])
def test_a_conversation_comes_to_what_the_file_says(path, read, history, tmp_path):
    board, conversation, outcome = parts(path.read_text(encoding="utf-8"))
    read(*write_script(read_script(conversation), tmp_path))
    given = [SeenArtifact(one.artifact, "cv-1", FOLDER, one.corroboration) for one in list_artifacts(history)]
    got = "".join(f"{line}\n" for line in lines(reconcile(given, board_of(board))))
    if os.environ.get("UPDATE_GOLDEN"):
        whole = "".join(f"{head}\n{part}" for head, part in zip(PARTS, (board, conversation, got), strict=True))
        path.write_text(whole, encoding="utf-8")
    assert got == outcome
