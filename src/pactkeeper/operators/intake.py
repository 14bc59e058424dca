"""The verb that takes a text in: a note, an issue or a feature file becomes a patch of proposed atoms."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pactkeeper.authoring.intake.source import Intake, Shelf, Source, propose
from pactkeeper.authoring.intake.taking import take_in
from pactkeeper.errors import InputError
from pactkeeper.ledger.patch_text import encode_patch
from pactkeeper.workspace import Workspace

STDIN = "-"
FOLDER = "intake"


@dataclass(frozen=True, slots=True)
class Given:
    """A text to take in: the file it is in as typed, or `-` for one that came through a pipe."""

    name: str
    data: bytes
    write: bool = False


@dataclass(frozen=True, slots=True)
class Intaken:
    """What became of a text, and the file that the patch was saved in; None where it was not saved."""

    intake: Intake
    source: str
    file: Path | None = None


def intake_text(workspace: Workspace, given: Given) -> Intaken:
    """Propose atoms from a text, each with its lines; nothing is declared before a person accepts it."""
    source = Source(_name(workspace, given.name), _decoded(given))
    world = workspace.world(workspace.snapshot())
    inside = given.name != STDIN and (workspace.repository.root / source.path).is_file()
    shelf = Shelf(
        world.pact,
        frozenset(world.ids_in_use()),
        topic=source.path if inside else FOLDER,
        base=workspace.repository.head() or "no commit yet",
        source=source.path,
    )
    found = propose(take_in(source, feature=_is_feature(source)), shelf)
    saved = _saved(workspace, found) if given.write and found.patch.ops else None
    return Intaken(found, source.path, saved)


def _name(workspace: Workspace, name: str) -> str:
    """What the text is called in evidence: its path below the root, or its bare name where it lies elsewhere."""
    if name == STDIN:
        return "stdin"
    place, root = Path(os.path.realpath(name)), os.path.realpath(workspace.repository.root)
    return place.relative_to(root).as_posix() if place.is_relative_to(root) else PurePosixPath(place.name).name


def _decoded(given: Given) -> str:
    try:
        return given.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{given.name!r} is no text in UTF-8: {error}; convert it first") from error


def _is_feature(source: Source) -> bool:
    """Whether a text is a feature file, by its name or, from a pipe, by how it begins."""
    if source.path.endswith(".feature"):
        return True
    opening = next((line.strip() for line in source.lines if line.strip() and line.strip()[0] not in "#@"), "")
    return opening.startswith(("Feature:", "Scenario:", "Scenario Outline:", "Background:"))


def _saved(workspace: Workspace, intake: Intake) -> Path:
    place = workspace.state / FOLDER / f"{intake.patch.id}.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(encode_patch(intake.patch), encoding="utf-8")
    return place
