"""Putting groups of failures to something that answers, once a sweep; whatever it says, rules have the last word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pactkeeper.errors import MissingExtra, ModelUnavailable
from pactkeeper.health.group_answers import Offer, regrouped, wrong_with
from pactkeeper.health.grouping import FailureGroup
from pactkeeper.ledger.answering import Asker, Prompt, Reply, ReplyState, Usage
from pactkeeper.ledger.budget import Budget
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.question import Question
from pactkeeper.ledger.shape import misfits
from pactkeeper.prompts.fencing import PromptSection
from pactkeeper.prompts.rendering import render

KIND: Final = "group_failures"
_COMMITS_MOST: Final = 3_500  # characters of the last commits
_FILES_SHOWN: Final = 8  # of one commit
_SUBJECT: Final = 120
_ROOM: Final = 1_000  # characters of what the question itself brings besides its options


@dataclass(frozen=True, slots=True)
class Recent:
    """A commit that may have caused failures: its hash, subject and changed files."""

    commit: str
    subject: str
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Grouping:
    """What became of asking; `groups` is empty, and `reasons` say why, where the groups of the rules stay."""

    model: str
    state: ReplyState
    groups: tuple[FailureGroup, ...] = ()
    reasons: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    cached: bool = False


def question_of(offered: Offer, commit: str) -> Question:
    """The question about failures at a commit; the same failures there are the same question."""
    names = [members[0].fingerprint for members in offered.errors.values()]
    context = {"commit": commit, "category": offered.groups[0].diagnostics[0].category}
    subject = f"failures:{digest([*names])[3:15]}"
    return Question(KIND, subject, {**context, "most_files": offered.most_files}, offered.files)


def prompt_of(offered: Offer, commit: str, recent: Sequence[Recent]) -> Prompt:
    """The question as it is put: errors are never cut, commits where there are too many."""
    sections = (
        PromptSection("Errors by number, in the groups that rules made", offered.text, len(offered.text)),
        PromptSection("The last commits, the newest first", "\n".join(_said(one) for one in recent), _COMMITS_MOST),
    )
    budget = _ROOM + sum(len(path) + 1 for path in offered.files) + len(offered.text) + _COMMITS_MOST
    return render(question_of(offered, commit), sections, budget=budget)


async def consult(asker: Asker, prompt: Prompt, offered: Offer, *, budget: Budget) -> Reply:
    """Ask once; what comes back as answered is judged again, whoever asked for it. Nobody to ask is a failed reply."""
    replies: list[Reply] = []
    try:
        await asker.ask(
            [prompt], check=lambda _, value: judged(value, prompt, offered), keep=replies.append, budget=budget
        )
    except (MissingExtra, ModelUnavailable) as error:
        return Reply(prompt, "failed", asker.name, reasons=(str(error),))
    reply = replies[-1] if replies else Reply(prompt, "over budget", asker.name)
    wrong = judged(reply.value, prompt, offered) if reply.state == "answered" else ()
    return replace(reply, state="objected", reasons=wrong) if wrong else reply


def judged(value: JsonValue, prompt: Prompt, offered: Offer) -> tuple[str, ...]:
    """What is wrong with a value: its shape, else what it does with errors, files and words."""
    return tuple(str(one) for one in misfits(value, prompt.shape, "answer")) or wrong_with(value, offered)


def grouping_of(
    reply: Reply, offered: Offer, groups: Sequence[FailureGroup], *, suspects: Mapping[str, Sequence[str]] | None = None
) -> Grouping:
    """What a reply about offered groups makes of all groups."""
    made = regrouped(reply.value, offered, groups, suspects=suspects) if reply.state == "answered" else ()
    reasons = reply.reasons or (() if made else (f"the answer was {reply.state}",))
    return Grouping(reply.model, reply.state, made, reasons, reply.usage, reply.cached)


def _said(one: Recent) -> str:
    shown = ", ".join(one.files[:_FILES_SHOWN])
    more = f" and {len(one.files) - _FILES_SHOWN} more" if len(one.files) > _FILES_SHOWN else ""
    return f"{one.commit[:12]} {one.subject[:_SUBJECT]}\n    {shown or 'no files'}{more}"
