"""What of a team's talk becomes a ticket by itself, and how many taps a person needs for the rest.

Run with `python -m bench.loose_talk [FILE]`. A thread has `said` (author and text) and `want`, the values by field.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from pathlib import Path

from pactkeeper.intent.ticket import FIELDS, Draft, Loose, ThreadMessage, values_of
from pactkeeper.intent.ticket_patch import apply
from pactkeeper.tickets.extraction.reading import extract
from pactkeeper.tickets.loose import to_place

AT = "2026-03-01T12:00:00+00:00"


def read(said: list[list[str]]) -> tuple[Draft, tuple[Loose, ...]]:
    """The draft that messages lead to by their marks, and the words that wait."""
    draft, loose = Draft("T"), list[Loose]()
    for number, (author, text) in enumerate(said, 1):
        message = ThreadMessage(f"m{number}", "T", author, AT, text, "", number, bot=author.endswith("[bot]"))
        found = extract(message, draft)
        draft = apply(draft, found.patches)
        loose += found.unplaced
    return draft, to_place(loose)


def main() -> None:
    """Print wrong and right values, and the taps that are left."""
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("loose_talk.toml")
    counts: Counter[str] = Counter()
    for one in tomllib.loads(place.read_text(encoding="utf-8"))["thread"]:
        draft, loose = read(one["said"])
        has = {(name, said.value) for name in FIELDS for said in values_of(draft, name)}
        wanted = {(name, value) for name, values in one["want"].items() for value in values}
        words = {part.said.value: part.suggested for part in loose}
        for name, value in sorted(has - wanted):
            print(f"wrong    {name}: {value}")
        for name, value in sorted(wanted - has):
            counts["suggested" if words.get(value) == name else "listed" if value in words else "lost"] += 1
            if value not in words:
                print(f"lost     {name}: {value}")
        counts += Counter(threads=1, wrong=len(has - wanted), by_marks=len(has & wanted), wanted=len(wanted))
    taps = counts["suggested"] + counts["listed"]
    print(", ".join(f"{name} {counts[name]}" for name in ("threads", "wanted", "by_marks", "wrong", "lost")))
    print(f"taps {taps} ({counts['suggested']} of them on a suggested field), {taps / counts['threads']:.1f} a thread")


if __name__ == "__main__":
    main()
