"""Decisions: what a person said about an op, bound to exactly what that person was shown.

The policy: whether a change may happen by itself, must be asked about, or may not happen at all.

Ordered rules, the first that matches decides, and where none does the answer is no. A model's confidence is no input:
nothing that a model says about its own certainty can raise a verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from pactkeeper.errors import RefusedError
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.health import ACTORS, ASSURANCES, Actor, Assurance, Health, HealthStatus
from pactkeeper.ledger.op import EvidenceKind, Op, weakest
from pactkeeper.ledger.patch import Patch
from pactkeeper.ledger.patch_text import HASH, OP_ID
from pactkeeper.ledger.shape import Anything, Choice, Entries, Items, Keyed, Optional, Text, misfits
from pactkeeper.ledger.toml_document import read_document, refuse, write_document
from pactkeeper.ledger.verbs import TEXTS, VERBS, WORDS, Risk

Verdict = Literal["accept", "reject", "edit"]
VERDICTS: Final[tuple[Verdict, ...]] = ("accept", "reject", "edit")

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
    """The decisions taken so far on one patch, named by its hash."""

    patch: str
    decisions: tuple[Decision, ...] = ()


def bind(patch: Patch, decisions: Iterable[Decision]) -> dict[str, Decision]:
    """The decisions by op id, in the patch's order.

    Raises RefusedError, naming each decision that is on no op of the patch, on something else than what the patch
    shows, on an op decided twice, or an edit that the verb cannot carry out.
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


# A review document also lists what nobody has decided yet, so that a person can decide in the file.
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
    """Write a review; reading the text back gives an equal review.

    `waiting` maps ids of undecided ops to their shown hash and the lines that say what they would do; they are written
    as `open`.
    """
    decisions: list[JsonValue] = [
        {
            "op": one.op,
            "shown_hash": one.shown_hash,
            "verdict": one.verdict,
            "by": one.by,
            "at": one.at,
            "actor": one.actor,
            "assurance": one.assurance,
            "reason": one.reason,
            "edited": one.edited,
        }
        for one in review.decisions
    ]
    for name, (shown_hash, lines) in (waiting or {}).items():
        decisions.append({"op": name, "shown_hash": shown_hash, "verdict": OPEN, "shows": list(lines), "reason": ""})
    return write_document({"schema": SCHEMA, "patch": review.patch, "decisions": decisions})


def decode_review(text: str, *, by: str = "", at: str = "") -> Review:
    """Read a review; what is still open is left out. Raises PatchError with every problem.

    `by` and `at` are taken for decisions that name nobody and no time. Whether the review holds for a patch is for
    `bind` to say.
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


Permission = Literal["auto", "ask", "deny"]

# What a rule grants once its cap is used up.
CAPPED: Final[Mapping[Permission, Permission]] = {"auto": "ask", "ask": "deny", "deny": "deny"}


@dataclass(frozen=True, slots=True)
class Case:
    """What the rules look at; `from_absence` means that the change rests on something not being there.

    `certain` means that a program worked out from machine events that it is so; nothing a model says makes it true.
    """

    risk: Risk
    evidence: EvidenceKind
    actor: Actor
    health: HealthStatus
    from_absence: bool = False
    verb: str = ""
    certain: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """One row; None in a condition matches anything. `cap` is how many changes of one run it lets through."""

    name: str
    permission: Permission
    why: str
    risks: frozenset[Risk] | None = None
    evidence: frozenset[EvidenceKind] | None = None
    actors: frozenset[Actor] | None = None
    health: frozenset[HealthStatus] | None = None
    from_absence: bool | None = None
    cap: int | None = None
    verbs: frozenset[str] | None = None
    certain: bool | None = None


@dataclass(frozen=True, slots=True)
class Ruling:
    """The permission, the rule that gave it (None where none matched), why, and why each earlier rule did not match."""

    permission: Permission
    rule: str | None
    why: str
    passed_over: tuple[tuple[str, str], ...] = ()


_UNSEEN: Final[frozenset[HealthStatus]] = frozenset({"partial", "unavailable"})
_PERSON: Final[frozenset[Actor]] = frozenset({"person"})

DEFAULT_POLICY: Final[tuple[Rule, ...]] = (
    Rule(
        "unavailable-source",
        "deny",
        "the source could not be observed, so nothing is known about it",
        health=frozenset({"unavailable"}),
    ),
    Rule(
        "absence-unproven",
        "deny",
        "the source was not seen completely, so nothing can be said to be missing from it",
        health=_UNSEEN,
        from_absence=True,
    ),
    Rule("human-act", "ask", "only a person does this", risks=frozenset({"human-act"}), actors=_PERSON),
    Rule("irreversible", "ask", "it cannot be taken back", risks=frozenset({"irreversible"}), actors=_PERSON),
    Rule(
        "own-records",
        "auto",
        "it only records what was seen",
        risks=frozenset({"record"}),
        evidence=frozenset({"mechanical", "quoted"}),
        health=frozenset({"complete"}),
        cap=500,
    ),
    Rule(
        "reviewed",
        "ask",
        "it can be taken back, and a person decides",
        risks=frozenset({"record", "annotate", "reversible-external"}),
    ),
)


def case_of(op: Op, *, actor: Actor, health: Health, certain: bool = False) -> Case:
    """What the rules see of an op: its weakest evidence counts; creating rests on the target not being there."""
    from_absence = op.precondition is None or any(one.absent for one in op.evidence)
    return Case(op.risk, weakest(op.evidence), actor, health.status, from_absence, op.verb, certain)


def explain(rules: Iterable[Rule], case: Case, *, used: Mapping[str, int] | None = None) -> Ruling:
    """Find the first rule that matches; `used` counts by rule name what this run has let through already."""
    passed_over: list[tuple[str, str]] = []
    for rule in rules:
        mismatch = _mismatch(rule, case)
        if mismatch:
            passed_over.append((rule.name, mismatch))
            continue
        if rule.cap is not None and (used or {}).get(rule.name, 0) >= rule.cap:
            why = f"{rule.why}; but the cap of {rule.cap} is reached"
            return Ruling(CAPPED[rule.permission], rule.name, why, tuple(passed_over))
        return Ruling(rule.permission, rule.name, rule.why, tuple(passed_over))
    return Ruling("deny", None, "no rule matches, and what no rule allows is denied", tuple(passed_over))


def may_apply(ruling: Ruling, decision: Decision | None) -> bool:
    """Whether an op may be applied now: by itself under `auto`, under `ask` after a person accepted it, else never.

    A rejection holds under every ruling.
    """
    if ruling.permission == "deny" or (decision is not None and decision.verdict == "reject"):
        return False
    return ruling.permission == "auto" or (decision is not None and decision.actor == "person")


def _mismatch(rule: Rule, case: Case) -> str:
    conditions: tuple[tuple[str, str, frozenset[str] | None], ...] = (
        ("risk", case.risk, rule.risks),
        ("evidence", case.evidence, rule.evidence),
        ("actor", case.actor, rule.actors),
        ("source health", case.health, rule.health),
        ("verb", case.verb, rule.verbs),
    )
    for noun, has, wanted in conditions:
        if wanted is not None and has not in wanted:
            return f"{noun} is {has}, not {' or '.join(sorted(wanted))}"
    if rule.from_absence is not None and rule.from_absence != case.from_absence:
        return "it rests on absence" if case.from_absence else "it does not rest on absence"
    if rule.certain is not None and rule.certain != case.certain:
        return "it is certain" if case.certain else "it is not certain"
    return ""
