"""Where an edit may land: regular files really inside the repository, never in git's own folder, never over a link."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from pactkeeper.errors import RefusedError


def targets(root: Path, paths: Iterable[str]) -> dict[str, Path]:
    """Find the real place of every path; raises `RefusedError` naming each path that leads elsewhere, and why."""
    real_root = Path(os.path.realpath(root))
    found: dict[str, Path] = {}
    taken: set[Path] = set()
    refused: list[str] = []
    for path in paths:
        reason = _named_wrongly(path)
        target = (
            real_root
            if reason
            else Path(os.path.realpath(real_root / PurePosixPath(path).parent)) / path.split("/")[-1]
        )
        reason = reason or _led_astray(real_root, target) or _no_file(target)
        if not reason and target in taken:
            reason = "it is the same file as another path of this write"
        if reason:
            refused.append(f"  {path!r}: {reason}")
        found[path] = target
        taken.add(target)
    if refused:
        raise RefusedError("nothing was written; these paths are refused\n" + "\n".join(refused))
    return found


def _named_wrongly(path: str) -> str:
    parts = path.split("/")
    if not path or "\0" in path or path.startswith("/"):
        return "write a path relative to the repository"
    if any(part in ("", ".", "..") for part in parts):
        return "it has an empty part, '.' or '..'"
    return "it is git's own" if any(_is_git_folder(part) for part in parts) else ""


def _is_git_folder(part: str) -> bool:
    return part.rstrip(". ").casefold() in {".git", "git~1"}  # some file systems ignore case and final dots


def _led_astray(real_root: Path, target: Path) -> str:
    if not target.is_relative_to(real_root):
        return f"a symbolic link leads it out of the repository, to {str(target)!r}"
    if any(_is_git_folder(part) for part in target.relative_to(real_root).parts):
        return "a symbolic link leads it into git's own folder"
    return ""


def _no_file(target: Path) -> str:
    try:
        mode = target.lstat().st_mode
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"it cannot be looked at: {error.strerror}"
    if stat.S_ISLNK(mode):
        return "it is a symbolic link"
    return "" if stat.S_ISREG(mode) else "it is no regular file"


def missing_folders(root: Path, found: Iterable[Path]) -> list[Path]:
    """List the folders that have to be made for the targets, outermost first."""
    real_root = Path(os.path.realpath(root))
    missing: set[Path] = set()
    for target in found:
        folder = target.parent
        while folder != real_root and not folder.exists():
            missing.add(folder)
            folder = folder.parent
    return sorted(missing)
