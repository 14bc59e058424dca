"""Permissions: whether a change may happen by itself, must be asked about or is denied; who may do what on a server.

Rules are ordered; the first match decides, and without a match the change is denied. A model's confidence is not an
input: nothing that a model says about its own certainty can raise a verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

from pactkeeper.ledger.finding import EvidenceKind, Risk, weakest
from pactkeeper.ledger.health import Actor, Health, HealthStatus

if TYPE_CHECKING:  # settings hold rules, and reading settings alone should not import patches
    from pactkeeper.ledger.decision import Decision
    from pactkeeper.ledger.op import Op

Permission = Literal["auto", "ask", "deny"]

# What a rule grants once its cap is reached.
CAPPED: Final[Mapping[Permission, Permission]] = {"auto": "ask", "ask": "deny", "deny": "deny"}


@dataclass(frozen=True, slots=True)
class Case:
    """What the rules look at; `from_absence` means that the change relies on something being absent.

    `certain` means that a program derived the change from machine events; nothing a model says makes it true.
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
    """The permission, the rule behind it (None if none matched), why, and why each earlier rule did not match."""

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
    Rule("irreversible", "ask", "it cannot be undone", risks=frozenset({"irreversible"}), actors=_PERSON),
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
    """Find the first matching rule; `used` counts what this run has already let through, by rule name."""
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
    """Whether an op may be applied now: under `auto` always, under `ask` once a person accepted it, otherwise never.

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


Role = Literal["reader", "reviewer", "committer", "admin"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)
# A person in a session, a program with a person's token, or a coding agent with one of its own.
Kind = Literal["person", "program", "agent"]


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller: the `person` as the log names them (empty for the name in git) and the account behind it, if any.

    `session` identifies a browser session, so that a form can be tied to it; `only` names the one repository a token is
    limited to, empty for all.
    """

    person: str
    role: Role
    kind: Kind
    account: str = ""
    session: str = ""
    only: str = ""


# Whoever started the server on this machine, or works at its terminal.
OWNER: Final = Principal("", "admin", "person")


def reaches(have: Role, need: Role) -> bool:
    """Whether role `have` includes role `need`."""
    return ROLES.index(have) >= ROLES.index(need)


def lowest(*roles: Role) -> Role:
    """Return the least privileged of these roles."""
    return min(roles, key=ROLES.index)


def needed(risk: Risk | None, *, runs_code: bool) -> Role:
    """Return the role a verb requires; running what a repository declares is arbitrary code, so it takes an admin."""
    if runs_code:
        return "admin"
    if risk is None:
        return "reader"
    return "reviewer" if risk in {"record", "annotate"} else "committer"


def may_commit(who: Principal) -> bool:
    """Whether the caller may freeze atoms: only a person in a session, never a token."""
    return who.kind == "person" and reaches(who.role, "committer")


def why_not(who: Principal, need: Role, *, for_agents: bool, consents: bool) -> str:
    """Return why a call is refused, or "" if it is allowed; an agent proposes, and never decides or consents."""
    if who.kind == "agent" and not for_agents:
        return "an agent's token cannot do this; a person does, on the page or with a token of their own"
    if who.kind == "agent" and consents:
        return "an agent's token cannot consent; a person does, on the page or with a token of their own"
    if not reaches(who.role, need):
        return f"this takes the role {need}, and {who.account or 'this token'} is {who.role}; ask an admin for it"
    return ""


def role_in(role: Role, *, member: Role | None, shared: bool, most: Role) -> Role | None:
    """Return the caller's role in one repository, None if they have no access.

    A member has the role the repository assigns; anyone else has their account's role if the repository is shared; an
    admin is an admin everywhere. Nobody gets more than `most`.
    """
    if role == "admin":
        return most
    if member is not None:
        return lowest(member, most)
    return lowest(role, most) if shared else None
