"""What the packages of a repository say about which file an import names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pactkeeper.intent.tests import Gap
from pactkeeper.repo.languages.javascript.projects.manifest import Manifest
from pactkeeper.repo.languages.javascript.projects.scopes import Scope


@dataclass(frozen=True, slots=True)
class Projects:
    """`manifests` and `scopes` are by folder; `workspaces` has the root of its workspace for each package's folder."""

    manifests: Mapping[str, Manifest] = field(default_factory=dict)
    scopes: Mapping[str, Scope] = field(default_factory=dict)
    workspaces: Mapping[str, str] = field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()
