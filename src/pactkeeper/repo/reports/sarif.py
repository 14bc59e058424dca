"""SARIF 2.1.0, the format in which linters, type checkers and `pk check --sarif` report findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from pactkeeper.repo.reports.json_text import Fields, JsonText, Member, open_json
from pactkeeper.repo.reports.reading import Report, without_escapes

FORM: Final = "sarif"
Level = Literal["error", "warning", "note", "none"]
LEVELS: Final[tuple[Level, ...]] = ("error", "warning", "note", "none")
_DEFAULT: Final[Level] = "warning"  # the standard's default for a result without a level
_LEVELS: Final[Mapping[str, Level]] = {level: level for level in LEVELS}


@dataclass(frozen=True, slots=True)
class Flaw:
    """One finding of a tool; `line` is 1-based, 0 means the whole file, `path` is as the tool writes it."""

    tool: str
    rule: str
    level: Level
    message: str
    path: str
    line: int
    suppressed: bool


@dataclass(frozen=True, slots=True)
class QualityReport:
    """One report: its file's name, the tools it contains, and what they found, in order."""

    source: str
    form: str
    tools: tuple[str, ...]
    flaws: tuple[Flaw, ...]


def is_sarif(key: str, value: str) -> bool:
    """Whether a top-level key and the start of its value are specific to this format."""
    return key == "runs" or (key == "$schema" and "sarif" in value)


def read_sarif(report: Report) -> QualityReport:
    """Read the results of every run; raise ReportError."""
    source = open_json(report)
    tools: list[str] = []
    flaws: list[Flaw] = []
    for member in source.members(inside=("runs",)):
        if len(member.place) > 1:
            tool, found = _run(source, member)
            tools.append(tool)
            flaws += found
    source.reading.finish()
    return QualityReport(report.name, FORM, tuple(dict.fromkeys(tools)), tuple(flaws))


def _run(source: JsonText, member: Member) -> tuple[str, list[Flaw]]:
    fields = source.fields(member)
    driver = source.fields(member, source.fields(member, fields.mapping("tool")).mapping("driver"))
    tool = driver.text("name")
    levels = dict(_default_levels(driver))
    results = fields.values.get("results")
    if results is None:  # the tool stopped before it looked for anything
        return tool, []
    if not isinstance(results, list):
        fields.note("results is no list")
        return tool, []
    return tool, [_flaw(source.fields(member, result), tool, levels) for result in results]


def _default_levels(driver: Fields) -> Iterator[tuple[str, Level]]:
    rules = driver.values.get("rules")
    for rule in rules if isinstance(rules, list) else ():
        if isinstance(rule, dict):
            said = driver.source.fields(driver.member, _inside(rule, "defaultConfiguration")).text("level", "")
            yield str(rule.get("id", "")), _LEVELS.get(said, _DEFAULT)


def _flaw(fields: Fields, tool: str, levels: Mapping[str, Level]) -> Flaw:
    rule = fields.text("ruleId", "")
    level = _LEVELS.get(fields.text("level", ""), levels.get(rule, _DEFAULT))
    message = fields.mapping("message").get("text") or ""
    path, line = _place(fields.values.get("locations"))
    suppressed = bool(fields.values.get("suppressions"))
    return Flaw(tool, rule, level, without_escapes(str(message)), path, line, suppressed)


def _place(locations: object) -> tuple[str, int]:
    first: Any = locations[0] if isinstance(locations, list) and locations else {}
    physical = _inside(first, "physicalLocation")
    line = _inside(physical, "region").get("startLine")
    return str(_inside(physical, "artifactLocation").get("uri", "")), line if isinstance(line, int) else 0


def _inside(value: object, key: str) -> Mapping[str, Any]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}
