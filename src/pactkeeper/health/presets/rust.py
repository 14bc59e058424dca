"""Rust: build everything, build its tests, and run them."""

from __future__ import annotations

from pactkeeper.health.planned import Planned, Project
from pactkeeper.intent.health import CheckCategory, HealthCheck

_STEPS: tuple[tuple[str, CheckCategory, tuple[str, ...]], ...] = (
    ("cargo build", "build", ("cargo", "build", "--workspace")),
    ("cargo test --no-run", "compile", ("cargo", "test", "--workspace", "--no-run")),
    ("cargo test", "test", ("cargo", "test", "--workspace", "--no-fail-fast")),
)
# What was compiled stays from sweep to sweep; cargo itself knows what of it is out of date.
_ENVIRONMENT = {"CARGO_TARGET_DIR": "{cache}/target", "CARGO_TERM_COLOR": "never"}


def checks(project: Project) -> tuple[Planned, ...]:
    """The three commands, where there is a Cargo.toml."""
    return tuple(_planned(project, step) for step in _STEPS) if project.has("Cargo.toml") else ()


def _planned(project: Project, step: tuple[str, CheckCategory, tuple[str, ...]]) -> Planned:
    name, category, argv = step
    check = HealthCheck(project.name(name), argv, category, "cargo", project.folder, _ENVIRONMENT)
    return Planned(check, "Cargo.toml")
