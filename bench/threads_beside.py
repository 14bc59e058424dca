"""How long validating a draft takes among many threads, each with a draft and half of them with agreements.

    python -m bench.threads_beside [10 200 1000]

Prints the table of bench/threads_load.md: the first judgement in a process, and later ones.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from pactkeeper.intent.ticket import AcceptedConstraint, Draft, Thread, ThreadMessage, sides_of
from pactkeeper.intent.ticket_patch import apply
from pactkeeper.store.database import open_database, sqlite_url
from pactkeeper.store.history import History
from pactkeeper.store.threads import latest_draft, note_constraints, open_thread, save_draft
from pactkeeper.tickets.ground import DraftRules
from pactkeeper.tickets.reading import extract

AT = "2026-03-01T12:00:00+00:00"
TURNS = 5
TEXT = """Title: Export {thing} orders
Problem: Somebody writes the {thing} list by hand every month and forgets half of its rows.
AC:
- A {thing} list of {n} orders has {n} rows.
- The {thing} list is there within {n} seconds.
- A {thing} without orders has one line.
Constraints:
- {thing} retention: at most 30 days
- {thing} size: 5 MB
Risk: the file may be large
"""


def beside(root: Path, count: int) -> tuple[float, float]:
    """Milliseconds of the first judgement and the fastest later one beside `count` threads."""
    history = History(open_database(sqlite_url(root / "history.db")), "person")
    for number in range(count):
        _talk(history, f"T{number}", TEXT.format(n=number, thing=_thing(number)), agreed=number % 2 == 1)
    rules, draft = DraftRules(history), latest_draft(history, "T0")
    took = []
    for _ in range(TURNS):
        start = time.perf_counter()
        rules.judge(draft, unanswered=0, approved=False)
        took.append((time.perf_counter() - start) * 1000)
    return took[0], min(took[1:])


def _thing(number: int) -> str:
    """A unique word for each thread, since people talk about different things."""
    return "".join("bdfgklmnrt"[int(digit)] + "aeiou"[int(digit) % 5] for digit in str(number + 1000)) + "x"


def _talk(history: History, name: str, text: str, *, agreed: bool) -> None:
    open_thread(history, Thread(name, "bench", "", "Ada", AT))
    message = ThreadMessage("m1", name, "Ada", AT, text, f"https://chat.example/{name}", 1)
    draft = apply(Draft(name), extract(message, Draft(name), ()).patches)
    save_draft(history, draft, (), at=AT)
    if agreed:
        left = [(one.key, side) for one in draft.constraints for side in sides_of(one.value)]
        note_constraints(history, [AcceptedConstraint(name, key, said, "accepted", AT) for key, said in left])


def main() -> None:
    """Measure each number of threads in turn."""
    print("| threads | first judgement | each that follows |\n|---:|---:|---:|")
    for count in map(int, sys.argv[1:] or ("10", "200", "1000")):
        with tempfile.TemporaryDirectory() as folder:
            first, later = beside(Path(folder), count)
        print(f"| {count:,} | {first:.0f} ms | {later:.0f} ms |")


if __name__ == "__main__":
    main()
