"""An edit of a message: what its earlier words put into the draft, and its new ones do not say, goes out again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pactkeeper.intent.ticket import FIELDS, Draft, Said, sides_of, values_of
from pactkeeper.intent.ticket_patch import DraftPatch


def withdrawals(draft: Draft, message: str) -> tuple[DraftPatch, ...]:
    """What takes out all that a message says in a draft, in whichever of its forms; nothing where it names none.

    What somebody else corrected since is theirs and stays.
    """
    return tuple(_withdrawals(draft, message)) if message else ()


def amended(withdrawn: Sequence[DraftPatch], patches: Sequence[DraftPatch]) -> tuple[DraftPatch, ...]:
    """The patches of a message's later form, after those withdrawals that it does not take back word for word."""
    said = {(one.field, one.key, one.said.value) for one in patches}
    return (*(one for one in withdrawn if (one.field, one.key, one.old) not in said), *patches)


def _withdrawals(draft: Draft, message: str) -> Iterator[DraftPatch]:
    for name in FIELDS:
        if name != "constraints":
            found = (one for one in values_of(draft, name) if _is_of(one, message))
            yield from (DraftPatch("retract", name, one, old=one.value) for one in found)
    for constraint in draft.constraints:
        sides = (one for one in sides_of(constraint.value) if _is_of(one, message))
        yield from (DraftPatch("retract", "constraints", one, constraint.key, one.value) for one in sides)


def _is_of(said: Said, message: str) -> bool:
    return said.message == message or said.message.startswith(f"{message}:")
