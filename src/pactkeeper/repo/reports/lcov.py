"""LCOV tracefiles: one record per file, with `KEY:values` lines as described in geninfo(1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from io import BytesIO
from typing import Final

from pactkeeper.intent.coverage import Coverage, FunctionCoverage, detailed
from pactkeeper.repo.reports.reading import Report, ReportFaults


@dataclass(slots=True)
class Hits:
    """How often each line of a file ran, summed over all mentions in a report."""

    lines: dict[int, int] = field(default_factory=dict)
    functions: list[FunctionCoverage] = field(default_factory=list)

    def add(self, line: int, count: int) -> None:
        """Add runs of a line; negative counts are treated as 0."""
        self.lines[line] = self.lines.get(line, 0) + max(count, 0)


FORM: Final = "lcov"
_STARTS: Final = (b"TN:", b"SF:")


def is_lcov(data: bytes) -> bool:
    """Whether the first line that isn't a comment starts a tracefile."""
    lines = data[:4096].removeprefix(b"\xef\xbb\xbf").splitlines()
    first = next((line.strip() for line in lines if line.strip() and not line.startswith(b"#")), b"")
    return first.startswith(_STARTS)


def read_lcov(report: Report) -> Coverage:
    """Read every record, adding up those of the same file; raise ReportError."""
    records = _Records(ReportFaults(report.name))
    for number, line in enumerate(BytesIO(report.data.removeprefix(b"\xef\xbb\xbf")), start=1):
        records.take(line.strip(), number)
    records.end()
    records.reading.finish()
    return Coverage(
        report.name, FORM, {path: detailed(hits.lines, hits.functions) for path, hits in records.files.items()}
    )


@dataclass(slots=True)
class _Function:
    line: int
    end: int
    count: int = 0


@dataclass(slots=True)
class _Records:
    """Collects lines by file; `functions` are those of the current record, by name or index."""

    reading: ReportFaults
    files: dict[str, Hits] = field(default_factory=dict)
    hits: Hits | None = None
    began: int = 0
    functions: dict[str, _Function] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def take(self, line: bytes, number: int) -> None:
        """Handle one line of the file; keys that don't concern lines or functions are ignored."""
        key, _, values = line.partition(b":")
        if key == b"SF":
            self._begin(values, number)
        elif line == b"end_of_record":
            self._close()
        elif key in _READERS:
            self._read(key, values, number)

    def end(self) -> None:
        """Handle the end of the file: an open record means that the file is truncated."""
        if self.hits is not None:
            self.reading.note(self.began, "the record that begins here has no end_of_record; the file is cut off")

    def _begin(self, path: bytes, number: int) -> None:
        if self.hits is not None:
            self.reading.note(self.began, "the record that begins here has no end_of_record")
        try:
            self.hits = self.files.setdefault(path.decode(), Hits())
        except UnicodeDecodeError:
            self.reading.note(number, "the path is not UTF-8")
            self.hits = Hits()
        self.began = number
        self.functions, self.counts, self.names = {}, {}, {}

    def _close(self) -> None:
        if self.hits is not None:
            for key, one in self.functions.items():
                name, count = self.names.get(key, key), one.count + self.counts.get(key, 0)
                self.hits.functions.append(FunctionCoverage(name, one.line, one.end, count > 0))
        self.hits = None

    def _read(self, key: bytes, values: bytes, number: int) -> None:
        if self.hits is None:
            self.reading.note(number, f"{key.decode()} is outside any record")
            return
        try:
            _READERS[key](self, values.decode("utf-8", "replace").split(","))
        except (ValueError, IndexError):
            said = values[:60].decode("utf-8", "replace")
            self.reading.note(number, f"{key.decode()} has the impossible values {said!r}")

    def line(self, values: list[str]) -> None:
        """`DA:line,count[,checksum]`."""
        if self.hits is not None:
            self.hits.add(int(values[0]), int(values[1]))

    def function(self, values: list[str]) -> None:
        """`FN:line[,end],name`; a name may contain commas."""
        has_end = len(values) > 2 and values[1].isdigit()  # noqa: PLR2004 - line, end and name
        name = ",".join(values[2 if has_end else 1 :])
        self.functions[name] = _Function(int(values[0]), int(values[1]) if has_end else 0)

    def called(self, values: list[str]) -> None:
        """`FNDA:count,name`."""
        name = ",".join(values[1:])
        self.counts[name] = self.counts.get(name, 0) + int(values[0])

    def located(self, values: list[str]) -> None:
        """`FNL:index,line[,end]`, from LCOV 2."""
        self.functions[f"#{values[0]}"] = _Function(int(values[1]), int(values[2]) if len(values) > 2 else 0)  # noqa: PLR2004 - index, line and end

    def aliased(self, values: list[str]) -> None:
        """`FNA:index,count,name`, from LCOV 2."""
        key = f"#{values[0]}"
        self.names.setdefault(key, ",".join(values[2:]))
        self.counts[key] = self.counts.get(key, 0) + int(values[1])


_READERS: Final = {
    b"DA": _Records.line,
    b"FN": _Records.function,
    b"FNDA": _Records.called,
    b"FNL": _Records.located,
    b"FNA": _Records.aliased,
}
