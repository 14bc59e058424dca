"""What a sweep would run, and why: checks as declared, or as detected from the project's files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pactkeeper.intent.health import HealthCheck


@dataclass(frozen=True, slots=True)
class Planned:
    """A check and its origin; `unfit` says why it does not apply to this project, empty if it does.

    `scripts` are the package.json scripts that its commands run, by name.
    """

    check: HealthCheck
    why: str
    unfit: str = ""
    scripts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Project:
    """A folder that presets inspect: `folder` relative to `root`, as a POSIX path, `.` for the root itself.

    `home` is the user's checkout, whose virtual environment is shared.
    """

    root: Path
    folder: str
    home: Path

    @property
    def path(self) -> Path:
        """The folder itself."""
        return self.root / self.folder

    def has(self, *names: str) -> str:
        """Return the first of these files that exists, or an empty string."""
        return next((name for name in names if (self.path / name).is_file()), "")

    def text(self, name: str) -> str:
        """Return the content of a file; empty if it is missing, unreadable, or a pipe, which would block."""
        try:
            return (self.path / name).read_text(encoding="utf-8", errors="replace") if self.has(name) else ""
        except OSError:
            return ""

    def name(self, text: str) -> str:
        """Return the name of a check here, with its folder unless that is the root."""
        return text if self.folder == "." else f"{text} ({self.folder})"
