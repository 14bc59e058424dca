"""How much of a team's chat becomes a ticket automatically, how many taps remain, and what good and bad models add.

    python -m bench.loose_talk [--models] [FILE]

A thread has `said` (author and text) and `want`, the values by field; a value that begins with `~` is a part of the
actual one. The models are scripted from the labels: this doesn't show whether a real model is as good.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pactkeeper.intent.ticket import FIELDS, Draft, Loose, ThreadMessage, values_of
from pactkeeper.intent.ticket_patch import apply
from pactkeeper.tickets.loose import consulted, taken, to_place, without
from pactkeeper.tickets.reading import extract

AT: Final = "2026-03-01T12:00:00+00:00"
Entry = dict[str, str]
Want = Mapping[str, Sequence[str]]


def read(said: list[list[str]]) -> tuple[list[ThreadMessage], Draft, tuple[Loose, ...]]:
    """The messages, the draft that results from marked words, and the words waiting to be placed."""
    messages, draft, loose = list[ThreadMessage](), Draft("T"), list[Loose]()
    for number, (author, text) in enumerate(said, 1):
        message = ThreadMessage(f"m{number}", "T", author, AT, text, "", number, bot=author.endswith("[bot]"))
        found = extract(message, draft)
        messages, draft = [*messages, message], apply(draft, found.patches)
        loose += found.unplaced
    return messages, draft, to_place(loose)


def stands(wanted: str, value: str) -> bool:
    """Whether a value matches a label."""
    return wanted[1:] in value if wanted.startswith("~") else wanted == value


def right(want: Want, loose: Sequence[Loose]) -> Iterator[Entry]:
    """The placements a person would make."""
    for name, values in want.items():
        for one in loose:
            words = [value for value in values if value.lstrip("~") in one.said.value and value in one.said.quote]
            key = {"key": "limit"} if name == "constraints" else {}
            yield from ({"field": name, "quote": one.said.quote, "value": word, **key} for word in words[:1])


def partly(want: Want, loose: Sequence[Loose]) -> Iterator[Entry]:
    """The right placements, every second one with invented words, and one that is entirely invented."""
    for number, one in enumerate(right(want, loose)):
        yield {**one, "value": f"{one['value']} quickly"} if number % 2 else one
    yield {"field": "risks", "quote": "it may break on Fridays"}


def wrong(_: Want, loose: Sequence[Loose]) -> Iterator[Entry]:
    """Everything that waits, verbatim, in arbitrary fields in turn."""
    fields = ("acceptance_criteria", "title", "problem", "risks")
    yield from ({"field": fields[number % 4], "quote": one.said.quote} for number, one in enumerate(loose))


def malicious(want: Want, loose: Sequence[Loose]) -> Iterator[Entry]:
    """Changed words for what people marked, constraints without a key, and everything that waits twice."""
    for values in want.values():
        yield from ({"field": "title", "quote": value.lstrip("~"), "value": "owned"} for value in values)
    for one in loose:
        yield {"field": "constraints", "quote": one.said.quote, "key": " "}
        yield {"field": "problem", "quote": one.said.quote, "value": f"{one.said.value} approved"}


MODELS: Final[Mapping[str, Callable[[Want, Sequence[Loose]], Iterator[Entry]]]] = {
    "none, silent or too slow": lambda _want, _loose: iter(()),
    "right": right,
    "partly right": partly,
    "wrong": wrong,
    "malicious": malicious,
}


def told(one: Mapping[str, Any], model: str) -> Counter[str]:
    """Counts of a thread's results with a model."""
    messages, draft, loose = read(one["said"])
    before = {(name, said) for name in FIELDS for said in values_of(draft, name)}
    waiting = [message for message in messages if message.id in {part.said.message for part in loose}]
    found = taken(consulted(list(MODELS[model](one["want"], loose)), waiting), draft, loose, by="model")
    draft, loose = apply(draft, found.patches), to_place(without(loose, found.patches))
    has = {(name, said) for name in FIELDS for said in values_of(draft, name)}
    wanted = [(name, value) for name, values in one["want"].items() for value in values]
    missing = [(name, value) for name, value in wanted if not any(name == a and stands(value, b.value) for a, b in has)]
    off = [(name, said) for name, said in has if not any(name == a and stands(b, said.value) for a, b in wanted)]
    listed = [value for _, value in missing if any(value.lstrip("~") in part.said.value for part in loose)]
    texts = [" ".join(message.text.split()) for message in messages]
    return Counter(
        {
            "threads": 1,
            "wanted": len(wanted),
            "right": len(wanted) - len(missing),
            "wrong, unmarked": sum(not said.placed_by for _, said in off),
            "wrong, marked as the model's": sum(bool(said.placed_by) for _, said in off),
            "people's values gone": len(before - has),
            "words nobody said": sum(
                said.placed_by != "" and not any(said.value in t for t in texts) for _, said in has
            ),
            "refused": len(found.refused),
            "lost": len(missing) - len(listed) if model.startswith("none") else 0,
            "taps": len(listed),
        }
    )


def main() -> None:
    """Print a row for each model; without `--models` only the row without a model."""
    named = [one for one in sys.argv[1:] if not one.startswith("--")]
    place = Path(named[0]) if named else Path(__file__).with_name("loose_talk.toml")
    threads = tomllib.loads(place.read_text(encoding="utf-8"))["thread"]
    models = list(MODELS) if "--models" in sys.argv else list(MODELS)[:1]
    rows = {model: sum((told(one, model) for one in threads), Counter[str]()) for model in models}
    names = list(told(threads[0], models[0]))
    print(f"| model | {' | '.join(names)} |\n|---|{'---:|' * len(names)}")
    for model, counts in rows.items():
        print(f"| {model} | {' | '.join(str(counts[name]) for name in names)} |")


if __name__ == "__main__":
    main()
