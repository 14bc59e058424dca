"""Who may do what on a server: four roles in order, and how somebody came in, which caps them further."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.ledger.finding import Risk

Role = Literal["reader", "reviewer", "committer", "admin"]
ROLES: Final[tuple[Role, ...]] = ("reader", "reviewer", "committer", "admin")
# A person in a session, a program with a person's token, or a coding agent with one of its own.
Kind = Literal["person", "program", "agent"]


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks: the `person` as the log names them, empty for whom git names, and the account behind it, if any.

    `session` stands for the visit of a browser, so that a form can be tied to it; `only` names the one repository that
    a token is for, empty for all.
    """

    person: str
    role: Role
    kind: Kind
    account: str = ""
    session: str = ""
    only: str = ""


# Who started a server on this machine, or works at its terminal.
OWNER: Final = Principal("", "admin", "person")


def reaches(have: Role, need: Role) -> bool:
    """Whether a role includes another."""
    return ROLES.index(have) >= ROLES.index(need)


def lowest(*roles: Role) -> Role:
    """The role that includes the least."""
    return min(roles, key=ROLES.index)


def needed(risk: Risk | None, *, runs_code: bool) -> Role:
    """The role that a verb asks for: to run what a repository declares is to run anything, and an admin's word."""
    if runs_code:
        return "admin"
    if risk is None:
        return "reader"
    return "reviewer" if risk in {"record", "annotate"} else "committer"


def may_commit(who: Principal) -> bool:
    """Whether they may freeze atoms: a person in a session, and never a token."""
    return who.kind == "person" and reaches(who.role, "committer")


def why_not(who: Principal, need: Role, *, for_agents: bool, consents: bool) -> str:
    """Why a call is refused, and empty where it is not; an agent proposes, and never decides or consents."""
    if who.kind == "agent" and not for_agents:
        return "an agent's token cannot do this; a person does, on the page or with a token of their own"
    if who.kind == "agent" and consents:
        return "an agent's token cannot consent; a person does, on the page or with a token of their own"
    if not reaches(who.role, need):
        return f"this takes the role {need}, and {who.account or 'this token'} is {who.role}; ask an admin for it"
    return ""


def role_in(role: Role, *, member: Role | None, shared: bool, most: Role) -> Role | None:
    """What somebody is in one repository, None where it is closed to them.

    A member is what the repository says, anybody else what their account says if it is shared; an admin is one
    everywhere. Nobody may do more in it than `most`.
    """
    if role == "admin":
        return most
    if member is not None:
        return lowest(member, most)
    return lowest(role, most) if shared else None
