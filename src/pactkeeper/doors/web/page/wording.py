"""The page of words: one line for each test that needs one, with its source and suggestions next to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from pactkeeper.authoring.sheet import Open
from pactkeeper.doors.web.page.cards import Row, rows_of
from pactkeeper.doors.web.page.desk import Desk, onward, page, read_form
from pactkeeper.errors import RefusedError, StaleError, UsageError
from pactkeeper.ledger.canonical import digest
from pactkeeper.operators.accept import give_words
from pactkeeper.operators.decide import TestSource, read_sources
from pactkeeper.operators.words import wanting_words
from pactkeeper.workspace import Workspace

SECTION: Final = "/words"
BATCH: Final = 25
CONFLICT: Final = 409


@dataclass(frozen=True, slots=True)
class WantedRow:
    """One test that needs a sentence; `seen` is a digest of what is shown with it, `typed` what was typed so far."""

    test: str
    why: str
    checks: tuple[str, ...]
    drafts: tuple[str, ...]
    path: str
    rows: tuple[Row, ...]
    cut: int
    seen: str
    typed: str = ""
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """The lines of one page, how many follow on later pages, and how many tests have words."""

    lines: tuple[WantedRow, ...]
    left: int
    settled: int


async def show(desk: Desk, request: Request) -> Response:
    """The tests that need words, in batches."""
    below = request.query_params.get("below", "")
    found = await desk.look(request, lambda workspace: sheet_of(workspace, below, {}, {}))
    return page(request, "words.html", SECTION, sheet=found, below=below, problem="")


def sheet_of(workspace: Workspace, below: str, typed: Mapping[str, str], seen: Mapping[str, str]) -> Sheet:
    """The lines to fill in; a sentence typed for an outdated version of a test is kept and marked stale."""
    paths = workspace.relative([below], start=workspace.repository.root) if below else ()
    wanted = wanting_words(workspace, paths, limit=BATCH)
    sources = read_sources(workspace)
    lines = tuple(_line(row, sources.of(row.test), typed.get(row.test, ""), seen.get(row.test)) for row in wanted.rows)
    return Sheet(lines, wanted.left, wanted.settled)


def _line(row: Open, source: TestSource | None, typed: str, seen: str | None) -> WantedRow:
    shown = digest([row.test, list(row.checks), list(source.lines) if source else []])
    rows, cut = rows_of(source, {})
    path = source.path if source else row.test.partition("::")[0]
    stale = seen not in {None, shown}
    return WantedRow(row.test, row.why, row.checks, row.drafts, path, rows, cut, shown, typed, stale)


async def give(desk: Desk, request: Request) -> Response:
    """Create atoms from the typed sentences, all in one write; a stale one stops it, and nothing typed is lost."""
    form = await read_form(request)
    below = form.text("below")
    tests, sentences = form.texts("test"), [" ".join(one.split()) for one in form.texts("sentence")]
    if len(tests) != len(sentences) or len(tests) != len(form.texts("seen")):
        raise UsageError("the form does not say which sentence is for which test; reload the page")
    typed = {test: said for test, said in zip(tests, sentences, strict=True) if said}
    seen = {test: shown for test, shown in zip(tests, form.texts("seen"), strict=True) if test in typed}

    def work(workspace: Workspace) -> tuple[Sheet, str]:
        sheet = sheet_of(workspace, below, typed, seen)
        known = {one.test: one for one in sheet.lines}
        if not typed:
            return sheet, "No line is filled; nothing was written."
        if any(test not in known or known[test].stale for test in typed):
            gone = [test for test in typed if test not in known]
            more = f" These need no words any more: {', '.join(gone)}." if gone else ""
            return sheet, f"Nothing was written: tests changed since you read them. What you typed is kept.{more}"
        try:
            give_words(workspace, typed)
        except (UsageError, RefusedError, StaleError) as error:
            return sheet, str(error)
        return sheet, ""

    sheet, problem = await desk.write(request, work)
    if not problem:
        return onward(request, "/written?from=words")
    return page(request, "words.html", SECTION, CONFLICT, sheet=sheet, below=below, problem=problem)
