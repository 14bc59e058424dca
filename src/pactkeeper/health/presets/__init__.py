"""Detects checks from a project's own files, for use if none are declared.

Node.js and Python have a module each. Go, Rust and Java need only a row: manifest, tool, steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pactkeeper.health.planned import Planned, Project
from pactkeeper.health.presets import node, python
from pactkeeper.intent.health import CheckCategory, HealthCheck

Preset = Callable[[Project], tuple[Planned, ...]]


@dataclass(frozen=True, slots=True)
class _Tool:
    """A tool that a manifest calls for: `steps` are (category, name suffix, arguments).

    The project's `wrapper` is preferred to the tool itself. `options` apply to every step.
    """

    program: str
    parser: str
    manifests: tuple[str, ...]
    steps: tuple[tuple[CheckCategory, str, tuple[str, ...]], ...]
    wrapper: str = ""
    options: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    def checks(self, project: Project) -> tuple[Planned, ...]:
        """Return every step if one of the manifests exists."""
        manifest = project.has(*self.manifests)
        return tuple(Planned(self._check(project, *step), manifest) for step in self.steps) if manifest else ()

    def _check(self, project: Project, category: CheckCategory, name: str, arguments: tuple[str, ...]) -> HealthCheck:
        program = f"./{self.wrapper}" if self.wrapper and project.has(self.wrapper) else self.program
        argv = (program, *self.options, *arguments)
        named = project.name(f"{self.program} {name}")
        return HealthCheck(named, argv, category, self.parser, project.folder, self.environment)


_GO: Final = _Tool(
    "go",
    "go",
    ("go.mod", "go.work"),
    (
        ("build", "build", ("build", "./...")),
        ("compile", "vet", ("vet", "./...")),
        ("test", "test", ("test", "-json", "./...")),
    ),
)
_RUST: Final = _Tool(
    "cargo",
    "cargo",
    ("Cargo.toml",),
    (
        ("build", "build", ("build", "--workspace")),
        ("compile", "test --no-run", ("test", "--workspace", "--no-run")),
        ("test", "test", ("test", "--workspace", "--no-fail-fast")),
    ),
    # Build output persists between sweeps; cargo knows which of it is stale.
    environment={"CARGO_TARGET_DIR": "{cache}/target", "CARGO_TERM_COLOR": "never"},
)
_MAVEN: Final = _Tool(
    "mvn",
    "maven",
    ("pom.xml",),
    (("build", "test-compile", ("test-compile",)), ("test", "test", ("test",))),
    "mvnw",
    ("--batch-mode",),
)
_GRADLE: Final = _Tool(
    "gradle",
    "gradle",
    ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"),
    (("build", "testClasses", ("testClasses",)), ("test", "test", ("test", "--continue"))),
    "gradlew",
    ("--console=plain", "--no-daemon"),
)
PRESETS: Final[Mapping[str, Preset]] = {
    "node": node.checks,
    "python": python.checks,
    "go": _GO.checks,
    "rust": _RUST.checks,
    "java": lambda project: _MAVEN.checks(project) or _GRADLE.checks(project),
}
_MOST_FOLDERS: Final = 20
_NOT_OURS: Final = frozenset({"node_modules", "vendor", "third_party", "examples", "example", "docs", "build", "dist"})


def detect(root: Path, home: Path) -> tuple[Planned, ...]:
    """Return every check that the files at `root` call for; each preset falls back to the folders directly below."""
    return tuple(one for preset in PRESETS.values() for one in _of(preset, root, home))


def _of(preset: Preset, root: Path, home: Path) -> tuple[Planned, ...]:
    found = preset(Project(root, ".", home))
    if found:
        return found
    folders = sorted(
        one.name for one in root.iterdir() if one.is_dir() and one.name[0] != "." and one.name not in _NOT_OURS
    )
    return tuple(check for name in folders[:_MOST_FOLDERS] for check in preset(Project(root, name, home)))
