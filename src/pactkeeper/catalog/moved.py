"""A pact that was read by the names of its files → the same with the paths where they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pactkeeper.intent.contested import Contested, Merging
from pactkeeper.intent.folder import USUAL, Folder
from pactkeeper.intent.pact import Pact


def moved(pact: Pact, folder: Folder) -> Pact:
    """Say where everything is declared; in the usual folder names are paths already."""
    if folder.root == USUAL:
        return pact
    return replace(
        pact,
        folder=folder,
        settings=replace(pact.settings, allowed_signers=folder.path(pact.settings.allowed_signers)),
        atoms=_each(pact.atoms, folder),
        links=_each(pact.links, folder),
        molecules=_each(pact.molecules, folder),
        invariants=_each(pact.invariants, folder),
        waivers=tuple(_placed(one, folder) for one in pact.waivers),
        commitments=_each(pact.commitments, folder),
        clarifications=_each(pact.clarifications, folder),
        merging=_merging(pact.merging, folder),
    )


def _merging(merging: Merging, folder: Folder) -> Merging:
    return Merging(
        tuple(_contested(one, folder) for one in merging.contested),
        tuple(_placed(one, folder) for one in merging.unmerged),
        tuple(_placed(one, folder) for one in merging.dangling),
    )


def _contested(one: Contested, folder: Folder) -> Contested:
    versions = tuple(replace(version, label=folder.path(version.label)) for version in one.versions)
    return replace(one, path=folder.path(one.path), versions=versions)


def _each(declared: Mapping[str, Any], folder: Folder) -> dict[str, Any]:
    return {name: _placed(one, folder) for name, one in declared.items()}


def _placed(one: Any, folder: Folder) -> Any:  # noqa: ANN401 - any value with a path; mypy knows no such bound
    return replace(one, path=folder.path(one.path))
