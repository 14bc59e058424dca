"""The page for committing: what would be frozen, the verdict of the gate, and a person's confirmation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from pactkeeper.doors.web.page.desk import Desk, PageForm, onward, page, read_form
from pactkeeper.errors import StaleError, UsageError
from pactkeeper.intent.invariants import RULES
from pactkeeper.intent.listing import AtomFilter
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.operators.atoms import AtomPage, AtomQuery, list_atoms
from pactkeeper.operators.commit import Ask, Ceremony, Consent, commit_atoms, prepare_commit
from pactkeeper.workspace import Workspace

SECTION: Final = "/commit"
WORD: Final = "commit"
MOST: Final = 200
CONFLICT: Final = 409
WAITING: Final = AtomQuery(AtomFilter(status=("proposed", "draft")), limit=MOST)


async def show(desk: Desk, request: Request) -> Response:
    """The atoms that wait, or the confirmation page for those that are named."""
    asked = PageForm.asked(request)
    if not asked.texts("atom"):
        found: AtomPage = await desk.look(request, lambda workspace: list_atoms(workspace, WAITING))
        return page(request, "commit.html", SECTION, found=found, most=MOST)
    ask = _ask(asked, only_look=True)
    ceremony = await desk.look(request, lambda workspace: prepare_commit(workspace, ask), program="")
    return _ceremony(request, ceremony, asked, "")


def _ask(asked: PageForm, *, only_look: bool) -> Ask:
    rule, reason = (asked.text(name).strip() for name in ("override", "reason"))
    if bool(rule) != bool(reason):
        raise UsageError("an override needs a rule and a reason; give both or neither")
    return Ask(
        asked.texts("atom"),
        overrides={rule: reason} if rule else {},
        passing=asked.text("passing").strip() == "yes",
        session=True,
        only_look=only_look,
    )


def _ceremony(request: Request, ceremony: Ceremony, asked: PageForm, problem: str) -> Response:
    status = CONFLICT if problem else 200
    shown: Mapping[str, str] = {name: asked.text(name).strip() for name in ("override", "reason", "passing")}
    return page(
        request,
        "ceremony.html",
        SECTION,
        status,
        ceremony=ceremony,
        seen=seen(ceremony),
        chosen=shown,
        problem=problem,
        word=WORD,
        rules=RULES,
    )


def seen(ceremony: Ceremony) -> str:
    """A digest of what a person agrees to: the words that are frozen, the gate's verdict and what fails."""
    frozen: list[JsonValue] = [[atom.id, atom.frozen_hash()] for atom in ceremony.atoms]
    checks: list[JsonValue] = [[one.invariant, one.status, one.blocking] for one in ceremony.gate.checks]
    failing: list[JsonValue] = [list(one) for one in ceremony.failing]
    return digest([frozen, checks, failing, dict(ceremony.commitment.overrides or {})])


async def commit(desk: Desk, request: Request) -> Response:
    """Freeze what the page showed, if the person typed the confirmation."""
    form = await read_form(request)
    ask = _ask(form, only_look=False)

    def work(workspace: Workspace) -> tuple[Ceremony, str]:
        ceremony = prepare_commit(workspace, ask)
        if form.text("word").strip() != WORD:
            return ceremony, f"Nothing was committed: type {WORD} to agree."
        if form.text("seen") != seen(ceremony):
            return ceremony, "Nothing was committed: the atoms or what the gate says changed since you looked."
        try:
            commit_atoms(workspace, ceremony, Consent(ceremony.commitment.id))
        except StaleError as error:
            return ceremony, str(error)
        return ceremony, ""

    ceremony, problem = await desk.commit(request, work)
    return _ceremony(request, ceremony, form, problem) if problem else onward(request, "/written?from=commit")
