"""Feature files: each scenario is one behaviour, its `Then` steps are the outcomes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pactkeeper.authoring.intake.source import NotTaken, Scenario, Source, Taken, kind_of, taken_from

_KEYWORD = re.compile(
    r"\s*(?P<word>Feature|Rule|Background|Scenario(?: Outline| Template)?|Examples?|Scenarios)\s*:(?P<rest>.*)"
)
_STEP = re.compile(r"\s*(?P<word>\*|Given\b|When\b|Then\b|And\b|But\b)\s*(?P<rest>.*)")
_LANGUAGE = re.compile(r"\s*#\s*language\s*:\s*(?P<name>\S+)")
_SCENARIOS = frozenset({"Scenario", "Example", "Scenario Outline", "Scenario Template"})
_ROWS = frozenset({"Examples", "Scenarios"})
_SHORT = 80
_TEXT_MARKS = ('"""', "```")


@dataclass(slots=True)
class _Open:
    """A scenario being read; it ends before line `end`."""

    name: str
    start: int
    tags: tuple[str, ...]
    steps: list[tuple[str, str]] = field(default_factory=list)
    end: int = 0


def read_feature(source: Source, start: int = 0, end: int | None = None) -> Iterator[Taken | NotTaken]:
    """Read the 0-based lines `[start, end)` as a feature file; only English keywords are recognised."""
    stop = len(source.lines) if end is None else end
    reader = _Feature(source)
    at = start
    while at < stop:
        line = source.lines[at]
        language = _LANGUAGE.match(line)
        if language is not None and language["name"] != "en":
            why = f"its steps are in the language {language['name']!r}, which the rules do not read"
            yield NotTaken(source.span(at, stop), why)
            return
        if line.strip().startswith(_TEXT_MARKS):
            after = _after_text(source, at, stop)
            reader.attach(at, after)
            at = after
            continue
        yield from reader.line(at, line)
        at += 1
    yield from reader.close()


def _after_text(source: Source, at: int, stop: int) -> int:
    """The line after a doc string that belongs to a step."""
    mark = source.lines[at].strip()[:3]
    closing = next((line for line in range(at + 1, stop) if source.lines[line].strip().startswith(mark)), stop - 1)
    return closing + 1


class _Feature:
    """The state of reading a feature file line by line."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._open: _Open | None = None
        self._tags: list[str] = []
        self._rows = False

    def line(self, at: int, line: str) -> Iterator[Taken | NotTaken]:
        """Read one line; yield the scenario that it ends, if any."""
        bare = line.strip()
        keyword, step = _KEYWORD.match(line), _STEP.match(line)
        if bare.startswith("@"):
            yield from self.close()
            self._tags += bare.split()
        elif keyword is not None:
            yield from self._keyword(at, keyword["word"], keyword["rest"].strip())
        elif step is not None and self._open is not None:
            self._open.steps.append((kind_of(step["word"], self._open.steps), step["rest"].strip()))
            self._open.end = at + 1
        elif bare.startswith("|") and self._open is not None:
            self._row(at)
        elif bare and not bare.startswith(("#", "|")) and self._open is None and step is None:
            yield NotTaken(self._source.span(at, at + 1), "describes the feature; its scenarios say what holds")

    def _keyword(self, at: int, word: str, rest: str) -> Iterator[Taken | NotTaken]:
        self._rows = word in _ROWS
        if self._rows:
            self._tags = []
            return
        yield from self.close()
        if word in _SCENARIOS:
            self._open = _Open(rest, at, tuple(self._tags), end=at + 1)
        self._tags = []

    def attach(self, start: int, end: int) -> None:
        """Append a doc string to the step above: quoted if it is one short line, else as a reference to its lines."""
        if self._open is None or not self._open.steps:
            return
        self._open.end = end
        lines = [line.strip() for line in self._source.lines[start + 1 : end - 1] if line.strip()]
        short = len(lines) == 1 and len(lines[0]) <= _SHORT and '"' not in lines[0]
        self._add(f'"{lines[0]}"' if short else f"the text in lines {start + 1} to {end}")

    def _row(self, at: int) -> None:
        """Append a reference to a table to the step above it, once; rows of examples don't belong to a step."""
        assert self._open is not None  # noqa: S101 - the caller checked
        first = not self._source.lines[at - 1].strip().startswith("|")
        if first and self._open.steps and not self._rows:
            self._add(f"the table in line {at + 1}")
        self._open.end = at + 1

    def _add(self, words: str) -> None:
        assert self._open is not None  # noqa: S101 - as above
        kind, said = self._open.steps[-1]
        self._open.steps[-1] = (kind, f"{said.rstrip(': ')} {words}")

    def close(self) -> Iterator[Taken | NotTaken]:
        """Yield the open scenario, if there is one."""
        found, self._open = self._open, None
        if found is not None:
            span = self._source.span(found.start, found.end)
            yield taken_from(Scenario(found.name, tuple(found.steps), span, found.tags))
