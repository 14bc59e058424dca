"""Whether an event happened where a task belongs: in its own repository, and on the main line of that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Final

from pactkeeper.transcripts.reconciling import SeenArtifact, TranscriptWorld
from pactkeeper.transcripts.reconciling.contradicting import Bound

_USUAL: Final = frozenset({"main", "master", "trunk"})
_MOVED: Final = re.compile(r"(?:^|[\s;&|(])(?:cd|pushd|-C)[ =]+[\"']?([^\s\"';&|)]+)")
_REPOSITORY: Final = re.compile(
    r"(?:^|\s)(?:-R|--repo|GH_REPO)[ =]+[\"']?([\w./:@-]{1,300})"
    r"|([\w.-]{1,100}/[\w.-]{1,100})(?:[#!]|/pull/|/-/merge_requests/)\d"
)
_BASE: Final = re.compile(r"\s(?:-B|--base|--target-branch)[ =]+[\"']?([\w./-]{1,300})")
_SWITCHED: Final = re.compile(r"\bgit (?:checkout|switch) (?:-\S+ )*([\w./-]+)")


def elsewhere(seen: SeenArtifact, bound: Bound, world: TranscriptWorld) -> str:
    """Why an event may be about another repository or branch than the task; empty if nothing suggests it."""
    return next(chain(_places(seen, world), _boards(seen, bound, world)), "")


def _places(seen: SeenArtifact, world: TranscriptWorld) -> Iterator[str]:
    """Other folders, repositories and branches that its command or answer names."""
    place = world.places.get(seen.folder)
    command, answer = seen.artifact.excerpts[0].text, seen.artifact.excerpts[-1].text
    for folder in _MOVED.findall(command):
        if not _is_within(folder, seen.folder):
            yield f"it happened in {folder!r}, not in {seen.folder!r}"
    roots = (place.root, place.origin.removesuffix(".git")) if place else ()
    known = {PurePosixPath(one).name for one in (seen.folder, *roots)}
    for found in _REPOSITORY.finditer(f"{command}\n{answer}"):
        name = found[1] or found[2]
        if PurePosixPath(name.removesuffix(".git")).name not in known:
            yield f"it happened in the repository {name!r}"
    for branch in filter(None, (_branch(seen, command), *_BASE.findall(command))):
        if branch != place.trunk if place and place.trunk else branch not in _USUAL:
            yield f"it went to the branch {branch!r}"


def _boards(seen: SeenArtifact, bound: Bound, world: TranscriptWorld) -> Iterator[str]:
    """Why tasks of its folder may not be on the board of the task."""
    own, domain = world.routing.board_of(seen.artifact.domain), seen.artifact.domain
    if own != bound.board.name:
        yield f"tasks of {domain!r} belong to the board {own!r}"
    elif domain in world.routing.domains:
        return
    elif seen.folder not in world.places:
        yield f"{seen.folder or 'its folder'!r} is no repository that can be seen"
    elif bound.by == "title" and _are_several(world):
        yield "it was matched by its title alone, and conversations took place in several repositories"


def _are_several(world: TranscriptWorld) -> bool:
    return len({place.name for place in world.places.values()}) > 1


def _branch(seen: SeenArtifact, command: str) -> str:
    """The branch that an event went to, as far as it tells; a request's own target is not told."""
    pushed, merged = seen.artifact.facts.get("to"), seen.artifact.facts.get("into")
    switched = _SWITCHED.findall(command) if merged else []
    return (switched[-1] if switched else str(pushed or merged or "")).removeprefix("refs/heads/")


def _is_within(folder: str, base: str) -> bool:
    """Whether a folder named in a command is that of the conversation, above or below it."""
    if folder.startswith(("~", "$")):
        return PurePosixPath(folder).name == PurePosixPath(base).name
    there, here = PurePosixPath(normpath(PurePosixPath(base) / folder)), PurePosixPath(base)
    return there.is_relative_to(here) or here.is_relative_to(there)
