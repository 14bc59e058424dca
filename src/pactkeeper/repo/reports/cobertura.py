"""Cobertura XML, as coverage.py, Istanbul, Coverlet, gocover-cobertura and others write it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pactkeeper.intent.coverage import Coverage, FunctionCoverage, detailed
from pactkeeper.repo.reports.lcov import Hits
from pactkeeper.repo.reports.reading import Report, ReportFaults, read_elements

FORM: Final = "cobertura"
ROOT: Final = "coverage"
MARKS: Final = frozenset({"line-rate", "lines-valid", "branch-rate"})


def read_cobertura(report: Report) -> Coverage:
    """Collect every class by file; raise ReportError."""
    reading = ReportFaults(report.name)
    classes = _Classes(reading)
    read_elements(report, classes, reading)
    reading.finish()
    files = {_placed(path, classes.sources): found for path, found in classes.files.items()}
    return Coverage(report.name, FORM, {path: detailed(hits.lines, hits.functions) for path, hits in files.items()})


def _placed(path: str, sources: list[str]) -> str:
    """Place a path below the only source folder; with several it is ambiguous and stays as it is."""
    absolute = path.startswith(("/", "\\")) or path[1:2] == ":"
    return path if absolute or len(sources) != 1 else f"{sources[0].rstrip('/')}/{path}"


class _Classes:
    """Collects lines by file; one file may contain several classes."""

    def __init__(self, reading: ReportFaults) -> None:
        self.files: dict[str, Hits] = {}
        self.sources: list[str] = []
        self._reading = reading
        self._hits: Hits | None = None
        self._method = ""
        self._method_lines: dict[int, int] = {}

    def opened(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        """Handle a class with its file, a method, or a line of either."""
        if name == "class":
            path = attributes.get("filename", "")
            if not path:
                self._reading.note(line, "a class names no file")
            self._hits = self.files.setdefault(path, Hits())
        elif name == "method":
            self._method, self._method_lines = attributes.get("name", "") or "(unnamed)", {}
        elif name == "line" and self._hits is not None:
            self._line(attributes, line)

    def closed(self, name: str, text: str, line: int) -> None:  # noqa: ARG002 - the protocol's signature
        """Handle the end of a method or class, or a source folder."""
        if name == "source" and text.strip():
            self.sources.append(text.strip())
        elif name == "class":
            self._hits = None
        elif name == "method" and self._hits is not None:
            lines = self._method_lines
            if lines:
                self._hits.functions.append(FunctionCoverage(self._method, min(lines), max(lines), any(lines.values())))
            self._method = ""

    def _line(self, attributes: Mapping[str, str], line: int) -> None:
        try:
            number, hits = int(attributes["number"]), int(attributes["hits"])
        except (KeyError, ValueError):
            self._reading.note(line, "a line lacks a number or hits")
            return
        if self._method:
            self._method_lines[number] = hits
        elif self._hits is not None:
            self._hits.add(number, hits)
