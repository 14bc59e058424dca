"""What to do next, for two readers: a person gets commands, an agent what it can do itself and what a person decides.

Every command by which a person decides something is a row here. Texts name such a command by calling its row, so that
no agent gets to read it.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Self

Reader = Literal["person", "agent"]


class Advice(str):
    """A text as a person reads it; `agent` is the same for an agent, without the commands that only people run."""

    __slots__ = ("agent",)
    agent: str

    def __new__(cls, text: str = "", agent: str | None = None) -> Self:
        """Without a text for agents, they get that of `text`, which is the same unless it is advice itself."""
        made = super().__new__(cls, text)
        made.agent = for_reader(text, "agent") if agent is None else agent
        return made

    def __add__(self, more: str) -> Advice:
        """Continue both texts."""
        return joined("", (self, more))

    def __radd__(self, before: str) -> Advice:
        """Put a text before both."""
        return joined("", (before, self))

    @property
    def first(self) -> Advice:
        """The command before another way that is named behind it."""
        return Advice(self.partition(OTHERWISE)[0], self.agent.partition(OTHERWISE)[0])


OTHERWISE: Final = "; or, "  # between a command and another way
NOTHING: Final = Advice("", "")


def for_reader(text: str, reader: Reader) -> str:
    """Return what one reader gets of a text; any text that is no advice is for both."""
    return text.agent if reader == "agent" and isinstance(text, Advice) else str(text)


def joined(between: str, parts: Iterable[str]) -> Advice:
    """Join texts as `str.join` does, for both readers."""
    texts = tuple(parts)
    return Advice(between.join(texts), between.join(for_reader(one, "agent") for one in texts))


def filled(template: str, **values: str) -> Advice:
    """Fill in a template as `str.format` does, for both readers."""
    return Advice(str(template).format(**values), for_reader(template, "agent").format(**values))


def by_command(line: str) -> Advice:
    """Return a whole command as advice, by its row if it has one."""
    words = line.removeprefix("pk ")
    act = next((one for one in ACTS if f"{words} ".startswith(f"{one.command} ") and one.option in words), None)
    return Advice(line) if act is None else Advice(line, act.instead)


@dataclass(frozen=True, slots=True)
class Act:
    """A person's decision: the command, which of its options make it one (none: every use), and what is decided.

    `tool` is what an agent calls to propose the same.
    """

    command: str
    decides: str
    tool: str = ""
    option: str = ""

    def __call__(self, *arguments: str) -> Advice:
        """Return the command with its arguments; an agent reads who decides instead."""
        return Advice(" ".join(("pk", self.command, *arguments)), self.instead)

    @property
    def instead(self) -> str:
        """What an agent reads in place of the command."""
        proposed = f"propose it with {self.tool}; " if self.tool else ""
        return f"{proposed}a person decides {self.decides}"


ACCEPT: Final = Act("accept", "what a test is for", "accept_test")
WEAKER: Final = Act("accept", "whether a test may prove less", option="--weaker")
UNLIKE: Final = Act("accept", "whether a test proves what it doesn't show", option="--confirm")
MOVED: Final = Act("accept", "whether moved tests keep their links", "reconcile_repo", option="--moved")
WORDS: Final = Act("words", "what tests are for", "accept_test")
REVIEW: Final = Act("review", "what to accept of a patch")
APPLY: Final = Act("apply", "what is written into the pact", "apply_patch")
CONFIRM: Final = Act("apply", "whether this is written; `pk gaps` lists it for them", option="--confirm")
UNDO: Final = Act("undo", "what is taken back", "undo")
ANSWER: Final = Act("questions answer", "whether the answer is taken up", "answer_question")
RECOMMENDED: Final = Act("recommendations accept", "which recommendations become part of the pact")
COMMIT: Final = Act("commit", "which atoms are frozen")
NEW: Final = Act("atom new", "what is declared", "create_atom")
EDIT: Final = Act("atom edit", "what an atom says", "update_atom")
CLARIFY: Final = Act("atom clarify", "what an atom means")
SUPERSEDE: Final = Act("atom supersede", "whether another behaviour replaces it")
ABANDON: Final = Act("atom abandon", "whether an atom is given up")
REGROUP: Final = Act("molecule edit", "which atoms belong together")
UNNEST: Final = Act("molecule unnest", "which groups belong together")
ENABLE: Final = Act("invariant enable", "which rules hold")
DISABLE: Final = Act("invariant disable", "which rules hold")
REPLACE: Final = Act("invariant supersede", "which rules hold", "supersede_invariant")
RESOLVE: Final = Act("resolve", "which side of a merge holds")
REJECT: Final = Act("findings reject", "whether a finding may be ignored")
SNOOZE: Final = Act("findings snooze", "whether a finding can wait")
DEBT: Final = Act("debt add", "whether a test may stay without intent")
APPROVE: Final = Act("guard accept", "whether a weakening is meant")
DESPITE: Final = Act("fixes complete", "whether a fix may change what judges it", option="--despite")
RELEASE: Final = Act("fixes release", "whether a task is tried again")
TRUST: Final = Act("health trust", "whether the checks that a commit declares may run")
TICKET: Final = Act("thread approve", "whether a ticket is created")
BOARDS: Final = Act("transcripts standup", "what is written to boards")

ACTS: Final = (
    ACCEPT,
    WEAKER,
    UNLIKE,
    MOVED,
    WORDS,
    REVIEW,
    APPLY,
    CONFIRM,
    UNDO,
    ANSWER,
    RECOMMENDED,
    COMMIT,
    NEW,
    EDIT,
    CLARIFY,
    SUPERSEDE,
    ABANDON,
    REGROUP,
    UNNEST,
    ENABLE,
    DISABLE,
    REPLACE,
    RESOLVE,
    REJECT,
    SNOOZE,
    DEBT,
    APPROVE,
    DESPITE,
    RELEASE,
    TRUST,
    TICKET,
    BOARDS,
)


def leaving_out(paths: Sequence[str], reason: str) -> str:
    """Return how to say what is known of places that cannot be seen for a reason: also that they hold tests."""
    if "unresolved merge conflict" in reason:
        return f"once it has no conflict markers: git add {' '.join(map(shlex.quote, paths))}"
    under = "under `[tests]` in pact/pact.toml"
    if "`[tests] include`" in reason:
        return f"if they run, write `include = {json.dumps(paths)}` {under}; if they don't, `exclude = …`"
    return f"if that is known, write `exclude = {json.dumps(paths)}` {under}"
