"""The projects, faults and fixes of a laboratory as its files declare them; the keys are those of `BLIND.md`."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KINDS = (
    *("conflict", "syntax", "settings", "dependency", "build", "types"),
    *("test", "timeout", "flaky", "environment"),
)
OWNERS = ("commit", "machine", "flaky", "nobody")
VERDICTS = ("red", "green", "cannot tell")
LENT = ("LAB_HOST", "LAB_PORT", "LAB_STATE", "LAB_DISK")
NOTE = "NOTES.md"


@dataclass(frozen=True, slots=True)
class Edit:
    """`edits` are (path, old text, new text), an empty old text appending or making the file; `removes` are paths."""

    edits: Sequence[tuple[str, str, str]]
    removes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Cause:
    """The kinds that one cause may be called, and the files of which one must be in the scope of a task."""

    kind: Sequence[str]
    scope: Sequence[str]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that breaks, in the commit or around it, and what a sweep should say of it."""

    id: str
    edit: Edit
    causes: Sequence[Cause]
    owner: str
    verdict: Sequence[str]
    tasks: int
    env: Mapping[str, str]
    hide: Sequence[str]
    stop_server: bool


@dataclass(frozen=True, slots=True)
class Fix:
    """A commit on top of a fault: an honest one must be taken, a cheat must not."""

    id: str
    fault: str
    honest: bool
    edit: Edit


@dataclass(frozen=True, slots=True)
class Project:
    """A project that is green: its files, the programs that its checks find on their PATH, its faults and fixes."""

    name: str
    files: Mapping[str, str]
    programs: Mapping[str, str]
    faults: tuple[Fault, ...]
    fixes: tuple[Fix, ...]


def read(folder: Path, tools: Path) -> Iterator[Project]:
    """Read every `*.toml` of a folder; a key that nobody knows is an error."""
    for place in sorted(folder.glob("*.toml")):
        told = tomllib.loads(place.read_text("utf-8"))
        fault_tables, fixes = told.pop("fault", []), tuple(map(_fix, told.pop("fix", [])))
        names = {name for one in fault_tables for name in one.get("env", {})} - {"PATH"}
        faults = tuple(map(_fault, fault_tables))
        files = dict(_tree(place.with_suffix(""))) | told.pop("files", {})
        files["pact/pact.toml"] = _pact(told.pop("checks", ""), sorted({*LENT, *names}))
        files = {path: _filled(text, tools) for path, text in files.items()}
        programs = {name: _filled(text, tools) for name, text in told.pop("programs", {}).items()}
        assert not told, f"{place} has keys that nobody knows: {sorted(told)}"
        unknown = {one.fault for one in fixes} - {one.id for one in faults}
        assert not unknown, f"{place} fixes faults that it does not have: {sorted(unknown)}"
        yield Project(place.stem, files, programs, faults, fixes)


def _fault(table: dict[str, Any]) -> Fault:
    edit, owner = _edit(table), table.pop("owner", "commit")
    edited = [*(path for path, _, _ in edit.edits), *edit.removes]
    kind = table.pop("kind", "environment" if owner == "machine" else "flaky" if owner == "flaky" else ())
    only = [{"kind": kind, "scope": table.pop("scope", edited)}]
    causes = [] if owner == "nobody" else [_cause(one, edited) for one in table.pop("causes", only)]
    fault = Fault(
        table.pop("id"),
        edit,
        causes,
        owner,
        _listed(table.pop("verdict", "red")),
        table.pop("tasks", len(causes)),
        table.pop("env", {}),
        table.pop("hide", ()),
        table.pop("stop_server", False),
    )
    assert not table, f"{fault.id} has keys that nobody knows: {sorted(table)}"
    told = (
        {*fault.verdict} <= {*VERDICTS} and owner in OWNERS and all(set() < {*one.kind} <= {*KINDS} for one in causes)
    )
    assert told, f"{fault.id} expects a verdict, owner or kind that there is not"
    return fault


def _cause(table: Mapping[str, Any], edited: Sequence[str]) -> Cause:
    return Cause(_listed(table["kind"]), table.get("scope", edited))


def _fix(table: dict[str, Any]) -> Fix:
    fix = Fix(table.pop("id"), table.pop("fault"), table.pop("honest"), _edit(table))
    assert not table, f"{fix.id} has keys that nobody knows: {sorted(table)}"
    return fix


def _edit(table: dict[str, Any]) -> Edit:
    return Edit([(path, old, new) for path, old, new in table.pop("edits", ())], table.pop("removes", ()))


def _listed(value: str | Sequence[str]) -> Sequence[str]:
    return (value,) if isinstance(value, str) else value


def _tree(folder: Path) -> Iterator[tuple[str, str]]:
    for place in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if place.is_file():
            yield place.relative_to(folder).as_posix(), place.read_text("utf-8")


def _pact(checks: str, inherited: Sequence[str]) -> str:
    return f"[pact]\nformat = 1\n\n[health]\ninherit = {json.dumps(inherited)}\n\n{checks}"


def _filled(text: str, tools: Path) -> str:
    return text.replace("{tools}", str(tools)).replace("{python}", sys.executable)


def build(project: Project, root: Path) -> None:
    """Write a project and commit it, as `start` as well."""
    for path, text in project.files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    git(root, "init", "-q", "-b", "main")
    _commit(root)
    git(root, "branch", "start")


def change(root: Path, edit: Edit, *, beside: bool = False) -> None:
    """Commit an edit, `beside` a harmless one; raises AssertionError where a text to be replaced is not there."""
    for path, old, new in edit.edits:
        place = root / path
        text = place.read_text("utf-8") if place.exists() else ""
        assert old in text, f"{path} has no {old!r}"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text.replace(old, new, 1) if old else text + new, "utf-8")
    for path in edit.removes:
        (root / path).unlink()
    if beside:
        (root / NOTE).write_text("Prices are in cents.\n", "utf-8")
    _commit(root)


def _commit(root: Path) -> None:
    git(root, "add", "--all")
    git(root, "commit", "-q", "-m", "Change")


def git(root: Path, *arguments: str) -> None:
    """Run git in a project."""
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgSign=false")
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)
