"""Go: build, vet and test, of every package of the module."""

from __future__ import annotations

from pactkeeper.health.planned import Planned, Project
from pactkeeper.intent.health import CheckCategory, HealthCheck

_STEPS: tuple[tuple[str, CheckCategory, tuple[str, ...]], ...] = (
    ("go build", "build", ("go", "build", "./...")),
    ("go vet", "compile", ("go", "vet", "./...")),
    ("go test", "test", ("go", "test", "-json", "./...")),
)


def checks(project: Project) -> tuple[Planned, ...]:
    """The three commands, where there is a go.mod or a go.work."""
    manifest = project.has("go.mod", "go.work")
    return tuple(_planned(project, manifest, step) for step in _STEPS) if manifest else ()


def _planned(project: Project, manifest: str, step: tuple[str, CheckCategory, tuple[str, ...]]) -> Planned:
    name, category, argv = step
    return Planned(HealthCheck(project.name(name), argv, category, "go", directory=project.folder), manifest)
