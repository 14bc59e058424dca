"""How a judgement of words looks, on the screen and as a document."""

from __future__ import annotations

import click

from pactkeeper.doors.cli.output import dim, say
from pactkeeper.intent.quality import Deduction, Quality

COLOURS = {"approve": "green", "revise": "yellow", "reject": "red"}
PLACES = {"intent": "", "outcomes": "outcome ", "falsified_by": "falsifier "}


def verdict_text(quality: Quality) -> str:
    """`93 approve`, and the language where it was not judged."""
    word = click.style(quality.verdict, fg=COLOURS[quality.verdict])
    return f"{quality.score} {word}" if quality.judged else f"{quality.score} not judged: {quality.language}"


def print_deductions(quality: Quality, indent: str = "  ") -> None:
    """Print what each criterion lost, with the words it lost it for; what nothing was lost in is left out."""
    for dimension in quality.dimensions:
        if not dimension.deductions:
            continue
        say(f"{indent}{dimension.name} {dimension.points}/{dimension.most}")
        for one in dimension.deductions:
            say(f"{indent}  −{one.points}  {_cited(one)}{one.why}")
            say(f"{indent}      {dim(one.suggestion)}")


def _cited(one: Deduction) -> str:
    place = f"{PLACES[one.place]}{one.at + 1}, " if one.place != "intent" and one.words else ""
    return f"{place}“{one.words}”: " if one.words else ""
