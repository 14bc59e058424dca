"""Sayings that cannot both hold, and ones that can, in other words: how many of them are flagged, wherever they stand.

Run with `python -m bench.threads.pairs [--misses]`; the last table is in bench/threads.md. In pairs.txt a block is
`name | open or blind | against or agree` and two sayings; rules are made with the open ones alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bench.threads.scripts import HERE
from pactkeeper.intent.atoms import Atom, Commitment
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.ticket import AcceptedConstraint, Draft, ThreadMessage, sides_of
from pactkeeper.intent.ticket_patch import apply
from pactkeeper.tickets.extraction.reading import extract
from pactkeeper.tickets.validation.checking import validate
from pactkeeper.tickets.validation.surroundings import NOTHING, Surroundings

_AT: Final = "2026-03-01T12:00:00+00:00"
_REST: Final = ("Title: A ticket", "Problem: People complain about it.")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sayings, and whether they deny each other; `half` is `open` or `blind`."""

    name: str
    half: str
    against: bool
    one: str
    other: str


def pairs() -> tuple[Pair, ...]:
    """All labelled pairs in the order of the file."""
    found = []
    for block in (HERE / "pairs.txt").read_text(encoding="utf-8").strip().split("\n\n"):
        head, one, other = block.splitlines()
        name, half, verdict = head.split(" | ")
        found.append(Pair(name, half, verdict == "against", one, other))
    return tuple(found)


def _draft(*said: str) -> Draft:
    draft = Draft("T1")
    for number, text in enumerate((*_REST, *said)):
        message = ThreadMessage(f"m{number}", "T1", "Ada" if number % 2 else "Ben", _AT, text)
        draft = apply(draft, extract(message, draft).patches)
    return draft


def _flagged(draft: Draft, around: Surroundings = NOTHING) -> bool:
    return bool(validate(draft, around).open_conflicts)


def _accepted(text: str) -> Surroundings:
    kept = _draft(f"Constraint: {text}").constraints
    return Surroundings(
        constraints=tuple(
            AcceptedConstraint("T9", one.key, side, "accepted", _AT) for one in kept for side in sides_of(one.value)
        )
    )


def _committed(text: str) -> Surroundings:
    atom = Atom("IA-1", text)
    frozen = Commitment("COM-1", {"IA-1": atom.frozen_hash()}, "Ada", _AT)
    return Surroundings(pact=Pact(atoms={"IA-1": atom}, commitments={"COM-1": frozen}))


PLACES: Final[Mapping[str, Callable[[Pair], bool]]] = {
    "said freely": lambda pair: _flagged(_draft(pair.one, pair.other)),
    "two criteria": lambda pair: _flagged(_draft(f"AC: {pair.one}", f"AC: {pair.other}")),
    "two constraints": lambda pair: _flagged(_draft(f"Constraint: {pair.one}", f"Constraint: {pair.other}")),
    "constraint, criterion": lambda pair: _flagged(_draft(f"Constraint: {pair.one}", f"AC: {pair.other}")),
    "other thread": lambda pair: _flagged(_draft(f"AC: {pair.other}"), _accepted(pair.one)),
    "committed atom": lambda pair: _flagged(_draft(f"AC: {pair.other}"), _committed(pair.one)),
}


def main(arguments: Sequence[str]) -> None:
    """Print recall and false alarms of both halves."""
    print(f"{'':24}{'open':>12}{'':13}{'blind':>12}")
    print(f"{'':24}" + f"{'flagged':>12}{'for nothing':>13}" * 2)
    for place, flags in PLACES.items():
        print(f"{place:24}" + "".join(_share(half, flags) for half in ("open", "blind")))
        if "--misses" in arguments:
            wrong = [pair.name for pair in pairs() if pair.half == "open" and flags(pair) != pair.against]
            print("   ", ", ".join(wrong))


def _share(half: str, flags: Callable[[Pair], bool]) -> str:
    mine = [pair for pair in pairs() if pair.half == half]
    told = [(pair.against, flags(pair)) for pair in mine]
    against, agree = ([flagged for wanted, flagged in told if wanted is side] for side in (True, False))
    return f"{f'{sum(against)}/{len(against)}':>12}{f'{sum(agree)}/{len(agree)}':>13}"


if __name__ == "__main__":
    main(sys.argv[1:])
