"""What a sweep would run, and why: checks as declared, or as a project's own files call for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pactkeeper.intent.health import HealthCheck


@dataclass(frozen=True, slots=True)
class Planned:
    """A check with where it comes from; `unfit` says why it does not apply to this project, empty where it does.

    `scripts` are those of package.json that its commands run, by name.
    """

    check: HealthCheck
    why: str
    unfit: str = ""
    scripts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Project:
    """A folder that presets look at: `folder` below `root`, as a POSIX path, `.` for the root itself.

    `home` is the checkout that a person works in, whose virtual environment is shared.
    """

    root: Path
    folder: str
    home: Path

    @property
    def path(self) -> Path:
        """The folder itself."""
        return self.root / self.folder

    def has(self, *names: str) -> str:
        """The first of these files that is there; empty for none."""
        return next((name for name in names if (self.path / name).is_file()), "")

    def text(self, name: str) -> str:
        """What a file says; empty where it is missing, cannot be read, or is a pipe, which would wait without end."""
        try:
            return (self.path / name).read_text(encoding="utf-8", errors="replace") if self.has(name) else ""
        except OSError:
            return ""

    def name(self, text: str) -> str:
        """What a check here is called: with its folder unless that is the root."""
        return text if self.folder == "." else f"{text} ({self.folder})"
