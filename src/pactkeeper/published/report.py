"""Render a report as a page, as Markdown and as a badge; repository text is escaped in each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pactkeeper import __version__
from pactkeeper.operators.atoms import AtomRow
from pactkeeper.operators.check import CheckReport
from pactkeeper.operators.report import RUNGS, Report, Rung
from pactkeeper.published.plain import printable

TEMPLATES: Final = Path(__file__).parent / "templates"
MOST_FINDINGS, MOST_IN_MARKDOWN, MOST_NAMED = 200, 10, 10
MOST_BEHAVIOURS: Final = 20  # in Markdown; the page lists all of them
MOST_LETTERS: Final = 200  # characters of a text in Markdown
WIDTH, HEIGHT = 320, 120  # of a chart
LETTER, PADDING = 6.6, 6  # of a badge: mean width of a letter in its font, and padding
TOLD: Final[Mapping[Rung, str]] = {
    "proven": "its atom is committed, and it passed and is unchanged since",
    "committed": "its atom is committed; it failed, or no run of its current version is known",
    "linked": "it has an atom that nobody has committed yet",
    "unknown": "nothing says what it is for, or it changed since review",
}
LABELS: Final[Mapping[Rung, str]] = {
    "proven": "committed and proven",
    "committed": "committed, not proven",
    "linked": "linked, not committed",
    "unknown": "unknown",
}


@dataclass(frozen=True, slots=True)
class Slice:
    """One segment of a bar: `start` and `width` in percent."""

    name: str
    number: int
    start: float
    width: float


@dataclass(frozen=True, slots=True)
class Curve:
    """A line chart of values over time: `path` and `area` in chart coordinates, `dots` with their labels."""

    path: str
    area: str
    dots: tuple[tuple[float, float, str], ...]
    most: int


def report_page(report: Report) -> str:
    """Render a self-contained HTML page."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_plain,
    )
    page = environment.get_template("report.html.jinja")
    days = [one.day for one in report.points]
    total = sum(report.tests.values())
    return page.render(
        report=report,
        verdict=headline(report),
        agrees=report.check.agrees,
        alarmed=bool(alarms(report)),
        told=TOLD,
        labels=LABELS,
        rungs=RUNGS,
        total=total,
        percent={name: _percent(number, total) for name, number in report.tests.items()},
        bar=slices(report.tests),
        areas=[(one, slices(one.tests), sum(one.tests.values())) for one in report.areas],
        atoms=curve([one.atoms for one in report.points], days),
        committed=curve(
            [one.committed for one in report.points], days, most=max((p.atoms for p in report.points), default=0)
        ),
        debt=curve([one.debt for one in report.points], days),
        tallest=max((number for _, number in report.spread), default=0),
        findings=report.findings[:MOST_FINDINGS],
        hidden=max(len(report.findings) - MOST_FINDINGS, 0),
        most=MOST_NAMED,
        groups=grouped(report),
        imported=bool(report.evidence.keys() - {"none"}),
        width=WIDTH,
        height=HEIGHT,
        version=__version__,
    )


def _plain(value: object) -> object:
    """Escape control characters; the output of macros is already mark-up."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def verdict(check: CheckReport) -> str:
    """Describe in a few words whether repository and pact agree."""
    if not check.declared:
        return "no pact yet"
    if not check.agrees:
        return f"drifted: {_number(check.count('error'), 'error')}, {_number(check.count('warning'), 'warning')}"
    warnings = check.count("warning")
    return f"passes with {_number(warnings, 'warning')}" if warnings else "in agreement"


def headline(report: Report) -> str:
    """Describe whether main is red, how many atoms fail, and whether repository and pact agree."""
    said = "; ".join(alarms(report))
    return f"{said}; the check: {verdict(report.check)}" if said else verdict(report.check)


def alarms(report: Report) -> tuple[str, ...]:
    """Say in a few words each what no agreement of tests and pact makes good: a red main line, atoms that fail."""
    failing = report.evidence.get("failing", 0)
    red = report.main is not None and report.main.colour == "red"
    return (*(["main red"] if red else []), *([f"{_number(failing, 'atom')} failing"] if failing else []))


def grouped(report: Report) -> list[tuple[str, list[AtomRow]]]:
    """Return the behaviours by kept molecule, the rest last under no name."""
    found: dict[str, list[AtomRow]] = {}
    for row in report.behaviours:
        found.setdefault(report.groups.get(row.atom.id, ""), []).append(row)
    return sorted(found.items(), key=lambda one: not one[0])


def _number(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _percent(number: int, total: int) -> str:
    """Format a percentage that is 0 or 100 only if that is exact."""
    if not number or number == total:
        return "100 %" if number else "0 %"
    return f"{min(max(round(100 * number / total), 1), 99)} %"


def slices(numbers: Mapping[Rung, int]) -> tuple[Slice, ...]:
    """Split a bar by rung."""
    total, start, found = sum(numbers.values()) or 1, 0, []
    for name in RUNGS:
        number = numbers[name]
        found.append(Slice(name, number, round(100 * start / total, 2), round(100 * number / total, 2)))
        start += number
    return tuple(one for one in found if one.number)


def curve(numbers: Sequence[int], days: Sequence[str], *, most: int = 0) -> Curve:
    """Draw a line on a chart whose top is `most` or the largest number."""
    top = max([most, *numbers], default=0)
    step = WIDTH / max(len(numbers) - 1, 1)
    places = [(round(step * at, 1), round(HEIGHT - HEIGHT * one / (top or 1), 1)) for at, one in enumerate(numbers)]
    path = " ".join(f"{'L' if at else 'M'}{x} {y}" for at, (x, y) in enumerate(places))
    area = f"{path} L{places[-1][0]} {HEIGHT} L0 {HEIGHT} Z" if places else ""
    said = [f"{day}: {one:,}" for day, one in zip(days, numbers, strict=True)]
    return Curve(path, area, tuple((x, y, text) for (x, y), text in zip(places, said, strict=True)), top)


def report_markdown(report: Report) -> str:
    """Render a summary for a pull request or a CI job page."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    total = sum(report.tests.values())
    yield f"### Pact: {headline(report)}"
    yield ""
    yield f"| tests | {' | '.join(LABELS[one] for one in RUNGS)} |"
    yield "| ---: |" + " ---: |" * len(RUNGS)
    shares = (f"{report.tests[one]:,} ({_percent(report.tests[one], total)})" for one in RUNGS)
    yield f"| {total:,} | " + " | ".join(shares) + " |"
    if report.ran:
        yield ""
        yield from (f"{one.told}." for one in report.ran)
    if report.behaviours:
        yield ""
        yield from map(_behaviour, report.behaviours[:MOST_BEHAVIOURS])
        if len(report.behaviours) > MOST_BEHAVIOURS:
            yield f"- … and {len(report.behaviours) - MOST_BEHAVIOURS:,} more: `pk atom list --backing any`"
    if report.findings:
        yield ""
        yield from (
            f"- {row.severity} {code_span(f'{row.path}:{row.line}')} {code_span(row.message)}"
            for row in report.findings[:MOST_IN_MARKDOWN]
        )
        if len(report.findings) > MOST_IN_MARKDOWN:
            yield f"- … and {len(report.findings) - MOST_IN_MARKDOWN:,} more: `pk check`"
    if report.check.gaps:
        yield ""
        yield f"{_number(report.check.gaps, 'place')} could not be read completely: `pk scan`"


def _behaviour(row: AtomRow) -> str:
    mark = row.backing.mark if row.backing is not None else ""
    return f"- {f'**{mark}**' if mark == 'failed' else mark} {code_span(row.atom.intent)} {row.atom.id} {row.status}"


def code_span(text: str) -> str:
    """Format a text as a code span, without mark-up, mentions or HTML."""
    line = " ".join(printable(text).split())
    line = f"{line[:MOST_LETTERS]}…" if len(line) > MOST_LETTERS else line
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    return f"{fence} {line} {fence}" if "`" in line else f"`{line}`"


def report_badge(report: Report) -> str:
    """Render a badge: the share of tests with a known intent, or in red that main is red, atoms fail or there is drift.

    It is yellow where main has commits that no sweep saw, or tests passed with other code.
    """
    total = sum(report.tests.values())
    known = total - report.tests["unknown"]
    bad = (*alarms(report), *(["drifted"] if not report.check.agrees else []))
    unsure = (report.main is not None and report.main.unswept) or any(one.changed for one in report.ran)
    colour = "#b42318" if bad else "#6b7280" if known == 0 else "#8a6100" if unsure else "#1f7a4d"
    said = ", ".join(bad) or _percent(known, total)
    label = "intent"
    left, right = (round(len(word) * LETTER + 2 * PADDING) for word in (label, said))
    title = f"{label}: {said}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-label="{title}">'
        f"<title>{title}</title>"
        f'<clipPath id="r"><rect width="{left + right}" height="20" rx="3"/></clipPath><g clip-path="url(#r)">'
        f'<rect width="{left}" height="20" fill="#3f4650"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{colour}"/></g>'
        f'<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{left / 2}" y="14">{label}</text><text x="{left + right / 2}" y="14">{said}</text></g></svg>\n'
    )
