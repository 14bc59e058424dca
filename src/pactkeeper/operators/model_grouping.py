"""Whether a sweep asks a model how to group failures, and how: once, within all caps, and noted under its id."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from pactkeeper.errors import MissingExtra, ModelUnavailable
from pactkeeper.health.concluding import Facts
from pactkeeper.health.consulting import Grouping, Recent, consult, grouping_of, prompt_of
from pactkeeper.health.group_answers import offer
from pactkeeper.health.grouping import FailureGroup
from pactkeeper.intent.health import Sweep
from pactkeeper.ledger.answering import ReplyState

if TYPE_CHECKING:
    from pactkeeper.ledger.answering import Asker, Reply
    from pactkeeper.ledger.budget import Budget
    from pactkeeper.operators.concluded import Consult
    from pactkeeper.workspace import Workspace

MOST_COMMITS: Final = 20
_REFUSED: Final[frozenset[ReplyState]] = frozenset({"refused", "objected", "malformed"})
Asking = Callable[[str], "tuple[Asker, Budget]"]  # whom to ask for the sweep of this id, and what that may take


def consult_of(workspace: Workspace, ask: bool | None) -> Consult | None:
    """How a sweep is to ask about its groups; None where it is to do without.

    Raises ModelUnavailable or MissingExtra where `ask` wants a model that cannot be asked. Where only the settings want
    one, the sweep goes on and says so where it would have asked, because main is to be kept green all the same.
    """
    setup = None if ask is False else workspace.model()
    if not (ask or (setup is not None and setup.ask == "always")):
        return None
    try:
        asker = workspace.asker()
        asker.ensure_ready(capped=asker.setup.run.money is not None or asker.setup.day.money is not None)
    except (MissingExtra, ModelUnavailable) as error:
        if ask or setup is None:
            raise
        failed = Grouping(setup.name, "failed", reasons=(str(error),))
        return lambda *_: failed
    return consulting(workspace, partial(_asking, workspace))


def consulting(workspace: Workspace, asking: Asking) -> Consult:
    """Ask about the groups of a sweep; an answerer whose answer was refused twice is not asked the same again."""

    def told(sweep: Sweep, groups: Sequence[FailureGroup], facts: Facts) -> Grouping:
        asker, budget = asking(sweep.id)
        recent = recent_commits(workspace, sweep.commit)
        paths = workspace.snapshot(sweep.commit).paths
        changed = (path for one in recent for path in one.files if path in paths)
        offered = offer(groups, changed, most_files=facts.limits.files)
        if not offered.groups or not offered.files:
            return Grouping(asker.name, "failed", reasons=("no group is small enough to be shown, or no file known",))
        prompt = prompt_of(offered, sweep.commit, recent)
        if _was_refused(workspace, prompt.question, asker.name):
            return Grouping(asker.name, "refused", reasons=("what it said of these failures was refused before",))
        reply = asyncio.run(consult(asker, prompt, offered, budget=budget))
        _keep_refusal(workspace, reply)
        return grouping_of(reply, offered, groups, suspects=facts.suspects)

    return told


def recent_commits(workspace: Workspace, commit: str) -> tuple[Recent, ...]:
    """The last commits up to this one with the files that they changed, the newest first; at most 20."""
    form = ("--no-renames", "--no-color", "--no-relative", "--name-only", "--format=%x00%H%x1f%s")
    printed = workspace.repository.run("log", f"--max-count={MOST_COMMITS}", *form, commit, "--")
    return tuple(_recent(part.splitlines()) for part in printed.decode("utf-8", "replace").split("\0")[1:])


def _recent(lines: Sequence[str]) -> Recent:
    name, _, subject = lines[0].partition("\x1f")
    return Recent(name, subject, tuple(line for line in lines[1:] if line and not line.startswith('"')))


def _asking(workspace: Workspace, sweep: str) -> tuple[Asker, Budget]:
    """The model that is set up, with the narrowest of its caps, and calls that are counted for the sweep."""
    from pactkeeper.ledger.budget import Budget  # noqa: PLC0415 - only where somebody is asked
    from pactkeeper.ledger.model import Caps, Spent, limits_of  # noqa: PLC0415 - likewise
    from pactkeeper.operators.models import spent_today  # noqa: PLC0415 - likewise

    asker = workspace.asker(sweep)
    return asker, Budget(limits_of(asker.setup, Caps(), run=Spent(), today=spent_today(workspace)))


def _was_refused(workspace: Workspace, question: str, by: str) -> bool:
    from pactkeeper.ledger.question import left_to_people  # noqa: PLC0415 - only where somebody is asked
    from pactkeeper.store.questions import refusals  # noqa: PLC0415 - SQL

    return question in left_to_people(refusals(workspace.history(), question), answerer="model", by=by)


def _keep_refusal(workspace: Workspace, reply: Reply) -> None:
    from pactkeeper.ledger.question import Answer, Refusal  # noqa: PLC0415 - only where somebody is asked
    from pactkeeper.store.questions import save_refusal  # noqa: PLC0415 - SQL

    if reply.state in _REFUSED:
        at = workspace.now().isoformat(timespec="seconds")
        answer = Answer(reply.prompt.question, reply.value, "model", reply.model, at)
        reasons = reply.reasons or (f"it was {reply.state}",)
        save_refusal(workspace.history(), Refusal(answer, reasons, final=True))
