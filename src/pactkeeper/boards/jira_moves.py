"""Which transition of a workflow leads to done, or back to a state, without asking for what nobody here can know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pactkeeper.errors import RefusedError

DONE: Final = "done"  # the key of Jira's category of statuses, whatever the statuses are called
_FINISHED: Final = ("done", "fixed", "resolved", "completed", "complete")
_PUT_AWAY: Final = (
    "won't do",
    "won't fix",
    "wont do",
    "wont fix",
    "not planned",
    "cancelled",
    "canceled",
    "rejected",
    "declined",
    "abandoned",
    "obsolete",
    "invalid",
)


@dataclass(frozen=True, slots=True)
class Move:
    """One transition: the state it leads to, whether that is done, and the names of fields it asks a person for.

    `resolutions` are the values of that field by name, where the transition has it; `resolve` whether it is needed.
    """

    id: str
    name: str
    state: str
    done: bool
    asks: tuple[str, ...] = ()
    resolutions: tuple[str, ...] = ()
    resolve: bool = False


def moves_of(data: Mapping[str, Any]) -> tuple[Move, ...]:
    """The transitions of an answer that can be made now."""
    return tuple(_move(one) for one in data["transitions"] if one.get("isAvailable", True))


def to_done(task: str, state: str, moves: Sequence[Move], *, put_away: bool) -> dict[str, Any]:
    """The body of the call that moves a task to done; what is finished never goes a way that says it was put away.

    Raises RefusedError naming the transitions where none leads there without asking for more.
    """
    ways = [one for one in moves if one.done and (put_away or not _is_put_away(one))]
    open_ways = [one for one in ways if not one.asks and (not one.resolve or _resolution(one, put_away=put_away))]
    if not open_ways:
        raise RefusedError(f"{task!r} cannot be moved from {state!r} to done: {_why(ways or moves)}; move it by hand")
    best = max(open_ways, key=lambda one: _is_put_away(one) == put_away)
    resolution = _resolution(best, put_away=put_away)
    return _body(best) | ({"fields": {"resolution": {"name": resolution}}} if resolution else {})


def to_state(task: str, now: str, state: str, moves: Sequence[Move]) -> dict[str, Any]:
    """The body of the call that gives a task a state; raises RefusedError naming the transitions where none does."""
    ways = [one for one in moves if one.state == state]
    found = next((one for one in ways if not one.asks and not one.resolve), None)
    if found is None:
        raise RefusedError(
            f"{task!r} cannot be moved from {now!r} to {state!r}: {_why(ways or moves)}; move it by hand"
        )
    return _body(found)


def _move(one: Mapping[str, Any]) -> Move:
    state = one["to"]
    fields = one.get("fields") or {}
    needed = {
        name: field for name, field in fields.items() if field.get("required") and not field.get("hasDefaultValue")
    }
    values = (fields.get("resolution") or {}).get("allowedValues") or ()
    return Move(
        str(one["id"]),
        str(one["name"]),
        str(state["name"]),
        done=(state.get("statusCategory") or {}).get("key") == DONE,
        asks=tuple(str(field.get("name") or name) for name, field in needed.items() if name != "resolution"),
        resolutions=tuple(str(value.get("name")) for value in values),
        resolve="resolution" in needed,
    )


def _resolution(move: Move, *, put_away: bool) -> str:
    """The value of the field that says why a task is done; empty where none of the values says it."""
    by_word = {_plain(one): one for one in reversed(move.resolutions)}
    return next((by_word[word] for word in (_PUT_AWAY if put_away else _FINISHED) if word in by_word), "")


def _is_put_away(move: Move) -> bool:
    return bool({_plain(move.state), _plain(move.name)} & set(_PUT_AWAY))


def _plain(words: str) -> str:
    return words.casefold().replace("\u2019", "'")


def _why(moves: Sequence[Move]) -> str:
    if not moves:
        return "its workflow has no transition that this account may make"
    return ", ".join(_described(one) for one in moves)


def _described(move: Move) -> str:
    needs = [*move.asks, *(["Resolution"] if move.resolve else [])]
    return f"{move.name!r} leads to {move.state!r}" + (f" and asks for {', '.join(needs)}" if needs else "")


def _body(move: Move) -> dict[str, Any]:
    return {"transition": {"id": move.id}}
