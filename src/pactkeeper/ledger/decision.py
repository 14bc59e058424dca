"""Decisions: a person's verdict on an op, bound to exactly what that person was shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, get_args

from pactkeeper.errors import RefusedError
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.documents import read_document, refuse, write_document
from pactkeeper.ledger.health import ACTORS, ASSURANCES, Actor, Assurance
from pactkeeper.ledger.op import TEXTS, VERBS, WORDS, Op
from pactkeeper.ledger.patch import HASH, OP_ID, Patch
from pactkeeper.ledger.shape import Anything, Choice, Entries, Items, Keyed, Optional, Text, misfits

Verdict = Literal["accept", "reject", "edit"]
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)

SCHEMA: Final = "pactkeeper.review/1"
NOUN: Final = "review"


@dataclass(frozen=True, slots=True)
class Decision:
    """One verdict on one op; `at` is ISO 8601 with offset, `edited` the payload to apply instead, with `edit` only."""

    op: str
    shown_hash: str
    verdict: Verdict
    by: str
    at: str
    actor: Actor = "person"
    assurance: Assurance = "terminal"
    reason: str = ""
    edited: Mapping[str, JsonValue] | None = None

    def __post_init__(self) -> None:
        if (self.verdict == "edit") != (self.edited is not None):
            raise ValueError(
                f"the decision {self.verdict!r} on {self.op}: an edit, and only an edit, has a new payload"
            )


@dataclass(frozen=True, slots=True)
class Review:
    """The decisions taken so far on one patch, which is identified by its hash."""

    patch: str
    decisions: tuple[Decision, ...] = ()


def bind(patch: Patch, decisions: Iterable[Decision]) -> dict[str, Decision]:
    """Return the decisions by op id, in the patch's order.

    Raises RefusedError, naming every decision on an op the patch does not have, on something other than what the patch
    shows, on an op that is decided twice, or with an edit that the verb does not allow.
    """
    ops = {op.id: op for op in patch.ops}
    found: dict[str, Decision] = {}
    problems: list[str] = []
    for decision in decisions:
        problems.extend(_unbound(decision, ops.get(decision.op), found))
        found[decision.op] = decision
    if problems:
        listed = "\n".join(f"  {problem}" for problem in problems)
        raise RefusedError(f"decisions do not hold for patch {patch.id}; review it again\n{listed}")
    return {name: found[name] for name in ops if name in found}


def _unbound(decision: Decision, op: Op | None, found: Mapping[str, Decision]) -> Iterator[str]:
    if op is None:
        yield f"{decision.op}: the patch has no such op"
        return
    if decision.shown_hash != op.shown_hash:
        yield f"{op.id} ({op.verb} of {op.target}): decided on {decision.shown_hash}, the patch shows {op.shown_hash}"
    if decision.op in found:
        yield f"{op.id} ({op.verb} of {op.target}): decided twice"
    if decision.edited is not None:
        yield from (f"{op.id}: {one}" for one in _misedited(op, decision.edited))


def _misedited(op: Op, edited: Mapping[str, JsonValue]) -> Iterator[str]:
    row = VERBS[op.verb]
    yield from (str(one) for one in misfits(edited, row.payload, "edited"))
    changed = [key for key in {**op.payload, **edited} if op.payload.get(key) != edited.get(key)]
    fixed = [key for key in changed if key not in row.editable]
    if fixed:
        yield f"{', '.join(fixed)} cannot be edited, only: {', '.join(sorted(row.editable))}"


# A review document also lists undecided ops, so that a person can decide in the file.
OPEN: Final = "open"

_DECISION: Final = Keyed(
    {"op": OP_ID, "shown_hash": HASH, "verdict": Choice((*VERDICTS, OPEN))},
    {
        "shows": TEXTS,
        "by": WORDS,
        "at": WORDS,
        "actor": Choice(ACTORS),
        "assurance": Choice(ASSURANCES),
        "reason": Text(),
        "edited": Optional(Entries(Anything())),
    },
)

REVIEW: Final = Keyed({"schema": Choice((SCHEMA,)), "patch": HASH, "decisions": Items(_DECISION)})


def encode_review(review: Review, *, waiting: Mapping[str, tuple[str, Sequence[str]]] | None = None) -> str:
    """Serialize a review; reading the text back returns an equal review.

    `waiting` maps ids of undecided ops to their shown hash and the lines describing what they would do; they are
    written as `open`.
    """
    decisions: list[JsonValue] = [asdict(one) for one in review.decisions]
    for name, (shown_hash, lines) in (waiting or {}).items():
        decisions.append({"op": name, "shown_hash": shown_hash, "verdict": OPEN, "shows": list(lines), "reason": ""})
    return write_document({"schema": SCHEMA, "patch": review.patch, "decisions": decisions})


def decode_review(text: str, *, by: str = "", at: str = "") -> Review:
    """Parse a review, leaving out ops that are still open; raises PatchError with every problem.

    `by` and `at` are the defaults for decisions without a name or a time. Whether the review applies to a patch is
    checked by `bind`.
    """
    document: dict[str, Any] = read_document(text, REVIEW, noun=NOUN)
    decisions: list[Decision] = []
    problems: list[str] = []
    for index, item in enumerate(document["decisions"]):
        if item["verdict"] == OPEN:
            continue
        fields = {"by": by, "at": at, **{key: value for key, value in item.items() if key != "shows"}}
        try:
            decisions.append(Decision(**fields))
        except ValueError as error:
            problems.append(f"$.decisions[{index}]: {error}")
        if not fields["by"] or not fields["at"]:
            problems.append(f"$.decisions[{index}]: does not say who decided and when")
    refuse(NOUN, problems)
    return Review(document["patch"], tuple(decisions))
