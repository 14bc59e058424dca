"""The runners of a repository, read from its packages, settings files and scripts."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pactkeeper.repo.languages.adapter import NOTHING_ADDED, Added, Configuration, Files, atom_prefix, upwards
from pactkeeper.repo.languages.javascript.grammar import SUFFIXES
from pactkeeper.repo.languages.javascript.projects.scopes import Projects
from pactkeeper.repo.languages.javascript.settings.runner import COMMON, NEVER, Runner, collected, globbed


@dataclass(frozen=True, slots=True)
class Settings:
    """All runners, and the settings that determine which file an import names.

    `frameworks` maps a package's folder to the runner among its dependencies; `declaring` are functions that declare
    tests according to the pact. `unsure` is that of the `Configuration`.
    """

    runners: tuple[Runner, ...]
    frameworks: dict[str, str] = field(default_factory=dict)
    projects: Projects = field(default_factory=Projects)
    declaring: frozenset[str] = frozenset()
    unsure: Mapping[str, str] = field(default_factory=dict)

    def owner(self, path: str) -> Runner | None:
        """Return the runner that collects a file; of several, the one with the nearest settings."""
        best: Runner | None = None
        for runner in self.runners:
            if (best is None or len(runner.folder) > len(best.folder)) and runner.collects(path):
                best = runner
        return best

    def left_out(self, path: str) -> str:
        """Explain why a file isn't collected."""
        for runner in self.runners:
            if runner.wanted.match(f"/{path}"):
                where = repr(runner.folder) if runner.folder else "the root"
                return f"{runner.framework} in {where} ignores it"
        return "no settings of a runner name it"

    def framework(self, path: str) -> str:
        """Return the framework of the nearest package, for files that no runner collects."""
        nearest = (folder for folder in upwards(posixpath.dirname(path)) if folder in self.frameworks)
        return self.frameworks.get(next(nearest, ""), "unknown")


def configure(files: Files, added: Added = NOTHING_ADDED) -> Configuration:
    """Read the settings of every package in the repository."""
    from pactkeeper.repo.languages.javascript.projects.read import read_projects  # noqa: PLC0415 - settings files are parsed there
    from pactkeeper.repo.languages.javascript.settings.packages import Reader  # noqa: PLC0415 - likewise
    from pactkeeper.repo.languages.javascript.settings.values import SettingsFiles  # noqa: PLC0415 - likewise

    reader = Reader(SettingsFiles(files))
    reader.read()
    runners = reader.runners
    covered = reader.settled | {runner.folder for runner in runners}
    plain = [folder for folder in (*reader.packages, "") if not _is_covered(folder, covered)]
    generic = COMMON if not runners else COMMON[:1]
    runners += [globbed(reader.frameworks.get(folder, ""), folder, generic) for folder in dict.fromkeys(plain)]
    interface = "exports" if any(runner.interface == "exports" for runner in runners) else ""
    key = " ".join((atom_prefix(files), interface, *sorted(added.runners))).rstrip()
    projects, declaring = read_projects(reader.values), frozenset(added.runners)
    settings = Settings(tuple(runners), reader.frameworks, projects, declaring, reader.unsure)
    return Configuration(key, settings, tuple(dict.fromkeys(reader.gaps)), reader.unsure)


def _is_covered(folder: str, covered: Iterable[str]) -> bool:
    return any(folder == other or not other or folder.startswith(f"{other}/") for other in covered)


def candidates(settings: Settings, paths: Iterable[str]) -> list[str]:
    """Return the files that some runner collects."""
    return [
        path
        for path in paths
        if path.endswith(SUFFIXES)
        and not NEVER.search(path)
        and not path.endswith((".d.ts", ".min.js", ".d.mts", ".d.cts"))
        and collected(path, settings.runners)
    ]
