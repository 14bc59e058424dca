"""Who may do what on a server: four ordered roles, further capped by how the caller signed in."""

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
