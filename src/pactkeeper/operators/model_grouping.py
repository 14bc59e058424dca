"""Whether a sweep asks a model how to group failures, and how: it joins errors by their numbers, rules do the rest."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from pactkeeper.errors import MissingExtra, ModelUnavailable
from pactkeeper.health.grouping import FailureGroup, located
from pactkeeper.intent.health import Sweep
from pactkeeper.ledger.answering import Prompt, Reply
from pactkeeper.ledger.canonical import JsonValue, digest

if TYPE_CHECKING:
    from pactkeeper.ledger.answering import Asker, Budget
    from pactkeeper.workspace import Workspace

MOST_ERRORS: Final = 40  # more are not asked about
_SHOWN: Final = 200  # characters of one error
_MOST_COMMITS: Final = 20
_COMMITS_SHOWN: Final = 3_500  # characters of all of them
_BUDGET: Final = MOST_ERRORS * _SHOWN + 2 * _COMMITS_SHOWN
Asking = Callable[[str], "tuple[Asker, Budget]"]  # whom to ask for the sweep of this id, and what that may take
Consult = Callable[[Sweep, Sequence[FailureGroup]], Reply]


def consult_of(workspace: Workspace, ask: bool | None) -> Consult | None:
    """How a sweep is to ask about its groups; None where it is to do without.

    Raises ModelUnavailable or MissingExtra where `ask` wants a model that cannot be asked. Where only the settings want
    one, the sweep goes on and says so where it would have asked, because main is to be kept green all the same.
    """
    setup = None if ask is False else workspace.model()
    if ask:
        asker = workspace.asker()
        asker.ensure_ready(capped=asker.setup.run.money is not None or asker.setup.day.money is not None)
    wanted = ask or (setup is not None and setup.ask == "always")
    return consulting(workspace, partial(_asking, workspace)) if wanted else None


def consulting(workspace: Workspace, asking: Asking) -> Consult:
    """Ask about the groups of a sweep, once."""

    def told(sweep: Sweep, groups: Sequence[FailureGroup]) -> Reply:
        prompt, most = _prompt(workspace, sweep.commit, groups), len(errors_of(groups))
        check = partial(wrong_with, most=most)
        if most > MOST_ERRORS:
            return Reply(prompt, "failed", "a model", reasons=(f"{most} errors are more than {MOST_ERRORS}",))
        replies: list[Reply] = []
        try:
            asker, budget = asking(sweep.id)
            asyncio.run(asker.ask([prompt], check=check, keep=replies.append, budget=budget))
        except (MissingExtra, ModelUnavailable) as error:
            return Reply(prompt, "failed", "the model that is set up", reasons=(str(error),))
        return replies[-1]

    return told


def worth_asking(groups: Sequence[FailureGroup]) -> bool:
    """Whether there is anything to join or to split; conflict markers are grouped by their files."""
    return len(errors_of(groups)) > 1 and all(one.cause.kind != "conflict" for one in groups)


def errors_of(groups: Iterable[FailureGroup]) -> Mapping[str, str]:
    """Every error once, by fingerprint, as tools wrote it; an answer counts them from 1."""
    return {each.fingerprint: located(each) for one in groups for each in one.diagnostics}


def wrong_with(_: Prompt, value: JsonValue, *, most: int) -> tuple[str, ...]:
    """Why an answer of the right shape is not taken: every number from 1 to `most` stands in exactly one group."""
    counted = Counter(number for one in _numbers(value) for number in one)
    wrong = [one for one in sorted({*counted, *range(1, most + 1)}) if counted[one] != 1 or one > most]
    return tuple(f"error {one} stands in {counted[one]} groups; each of 1 to {most} belongs to one" for one in wrong)


def regrouped(reply: Reply, groups: Sequence[FailureGroup]) -> tuple[frozenset[str], ...]:
    """The fingerprints that an answer puts together; nothing where there is none."""
    names = [*errors_of(groups)]
    numbers = _numbers(reply.value) if reply.state == "answered" else []
    return tuple(frozenset(names[number - 1] for number in one) for one in numbers)


def _numbers(value: JsonValue) -> list[list[int]]:
    return cast("list[list[int]]", value)


def _prompt(workspace: Workspace, commit: str, groups: Sequence[FailureGroup]) -> Prompt:
    """The question with its errors, in the groups of the rules, and the last commits with the files they changed."""
    from pactkeeper.ledger.question import Question  # noqa: PLC0415 - only where somebody is asked
    from pactkeeper.prompts.fencing import PromptSection  # noqa: PLC0415 - likewise
    from pactkeeper.prompts.rendering import render  # noqa: PLC0415 - likewise

    told = errors_of(groups)
    shown = {name: f"{number}. {text[:_SHOWN]}" for number, (name, text) in enumerate(told.items(), 1)}
    errors = "\n\n".join("\n".join(shown[name] for name in one.fingerprints) for one in groups)
    form = ("--no-renames", "--no-color", "--no-relative", "--name-only", "--format=%n%h %s")
    log = os.fsdecode(workspace.repository.run("log", f"--max-count={_MOST_COMMITS}", *form, commit, "--"))
    sections = (
        PromptSection("Errors by number, in the groups that rules made", errors),
        PromptSection("The last commits, the newest first", log, _COMMITS_SHOWN),
    )
    question = Question("group_failures", f"failures:{digest([*told])[3:15]}", {"commit": commit})
    return render(question, sections, budget=_BUDGET)


def _asking(workspace: Workspace, sweep: str) -> tuple[Asker, Budget]:
    """The model that is set up, with the narrowest of its caps, and calls that are counted for the sweep."""
    from pactkeeper.ledger.answering import Budget  # noqa: PLC0415 - only where somebody is asked
    from pactkeeper.ledger.model import Caps, Spent, limits_of  # noqa: PLC0415 - likewise
    from pactkeeper.operators.models import spent_today  # noqa: PLC0415 - likewise

    asker = workspace.asker(sweep)
    return asker, Budget(limits_of(asker.setup, Caps(), run=Spent(), today=spent_today(workspace)))
