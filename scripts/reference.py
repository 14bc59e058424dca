"""Write docs/reference/ from the tables of the program: `make docs`; a test fails where a page is stale."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import click

from pactkeeper.catalog.render import render
from pactkeeper.catalog.schema import SETTINGS, TABLES, Key, Kind
from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.main import SECTIONS, cli
from pactkeeper.intent.health import HealthSettings
from pactkeeper.intent.invariants import RULES
from pactkeeper.intent.invariants.rule import where_checked
from pactkeeper.intent.pact import Settings
from pactkeeper.reconcile.codes import CODES
from pactkeeper.store.tables import METADATA
from pactkeeper.verbs.table import VERBS
from pactkeeper.verbs.verb import Verb

FOLDER: Final = Path(__file__).parents[1] / "docs" / "reference"
WIDTH: Final = 100
NOTE: Final = "<!-- Written by `make docs` from {source}; edit that instead. -->"

# How the page of settings names the kind of a value.
TYPES: Final[Mapping[Kind, str]] = {
    "text": "non-blank text",
    "texts": "array of strings",
    "globs": "array of path patterns",
    "choice": "one of",
    "choices": "array of",
    "flag": "true or false",
    "code": "2 to 8 capitals, then 3 or 4 digits; `PK` is reserved",
    "count": "whole number, 1 or more",
    "share": "number from 0 to 1",
    "date": "date without quotes",
    "day": "date without quotes",
    "moment": "date, time and zone in quotes",
    "atom": "id of an atom",
    "atoms": "array of ids of atoms, each once",
    "molecules": "array of ids of molecules, each once",
    "prefix": "capitals and digits; `M`, `INV`, `COM`, `REC` and `CLA` are taken",
    "hash": "hash as Pactkeeper prints it",
    "format": "the number 1",
    "rules": "array of tables",
    "checks": "array of tables",
    "command": "array of strings: a program and its arguments",
    "folder": "path of a folder in the repository",
    "places": "array of paths that begin with `/` or `~/`",
    "variables": "table from name of an environment variable to text",
    "regex": "regular expression",
    "hashes": "table from id of an atom to hash",
    "reasons": "table from id of an invariant to text",
    "words": "table from id of an atom to a table, see `words`",
    "successors": "table from id of an atom to id of an atom",
    "earlier": "table from id of a commitment to hash",
    "signers": "path in the repository; inside `pact/` a plain file name without `.toml` or `.txt`",
    "id": "id of the commitment",
    "selection": "table, see `where`",
    "needs": "table, see `needs`",
}


def pages() -> Mapping[str, str]:
    """Every page of the reference under its name."""
    return {
        "commands.md": _page("Commands", "`doors/cli`", _commands()),
        "findings.md": _page("Finding codes", "`reconcile/codes.py`", _findings()),
        "settings.md": _page("Settings and files of the pact", "`catalog/schema.py`", _settings()),
        "tools.md": _page("Tools for agents", "`verbs/`", _tools()),
        "rest.md": _page("REST paths", "`verbs/`", _paths()),
        "history.md": _page("Tables of the history", "`store/tables`", _history()),
        "invariants.md": _page("Built-in invariants", "`intent/invariants`", _invariants()),
    }


def _page(title: str, source: str, lines: Iterator[str]) -> str:
    return "\n".join([f"# {title}", "", NOTE.format(source=source), "", *lines]).rstrip() + "\n"


def _row(*cells: str) -> str:
    escaped = [cell.replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"


def _head(*names: str) -> Iterator[str]:
    yield _row(*names)
    yield f"|{'---|' * len(names)}"


def _commands() -> Iterator[str]:
    ctx = _context(cli, "pk", None)
    yield "Exit codes: 0 in agreement, 1 findings, 2 usage or input, 3 bug, 130 interrupted."
    for section in SECTIONS:
        yield from ("", f"## {section}")
        for name, entry in cli.entries.items():
            if entry.section == section and " " not in name:
                yield from _command(ctx, name)


def _command(parent: click.Context, name: str) -> Iterator[str]:
    group = parent.command
    found = group.get_command(parent, name) if isinstance(group, click.Group) else None
    if found is None:
        raise LookupError(name)
    ctx = _context(found, name, parent)
    yield from ("", f"### {ctx.command_path}", "", "```text", found.get_help(ctx), "```")
    if isinstance(found, CommandGroup):
        for below in found.list_commands(ctx):
            yield from _command(ctx, below)


def _context(command: click.Command, name: str, parent: click.Context | None) -> click.Context:
    return click.Context(
        command,
        info_name=name,
        parent=parent,
        terminal_width=WIDTH,
        max_content_width=WIDTH,
        help_option_names=["-h", "--help"],
    )


def _findings() -> Iterator[str]:
    yield "Errors make `pk check` exit with 1. PK140–143 come from `pk atom conflicts`, PK601–613 from `pk guard`."
    yield ""
    yield from _head("code", "name", "severity", "what it means", "what to do")
    for one in CODES.values():
        yield _row(one.code, one.name, one.severity, one.meaning, one.remedy)


def _settings() -> Iterator[str]:
    yield "Every key of every file under `pact/`. [Files of the pact](../files.md) shows them in examples."
    for name, keys in TABLES.items():
        yield from ("", f"## {name}", "")
        yield from _head("key", "value", "default", "meaning")
        for key in keys:
            yield _row(f"`{key.name}`", _kind(key), _default(key, _usual(name)), key.meaning)


def _usual(name: str) -> object:
    """The values that hold in a table of pact.toml if nothing is set; None for other tables."""
    settings = name.removeprefix("pact.toml [").removesuffix("]")
    return None if settings not in SETTINGS else HealthSettings() if settings == "health" else Settings()


def _kind(key: Key) -> str:
    choices = " ".join(["", ", ".join(f"`{one}`" for one in key.choices)]) if key.choices else ""
    return f"{TYPES[key.kind]}{choices}{f', at most {key.most}' if key.most else ''}"


def _default(key: Key, usual: object) -> str:
    if key.required:
        return "**required**"
    said = key.default or (render(getattr(usual, key.field or key.name)) if usual else "")
    return f"`{said}`" if re.match(r"[\"\[{0-9tf]", said) else said or "–"


def _tools() -> Iterator[str]:
    yield "What `pk mcp` offers; arguments in bold are required."
    yield ""
    yield from _head("tool", "what it does", "arguments", "writes")
    for one in VERBS:
        if one.title:
            yield _row(f"`{one.name}`", one.does, _arguments(one), "" if one.reads else "yes")


def _arguments(verb: Verb) -> str:
    return ", ".join(
        [*(f"**`{name}`**" for name in verb.takes.required), *(f"`{name}`" for name in verb.takes.optional)]
    )


def _paths() -> Iterator[str]:
    yield "What `pk serve` answers; `/openapi.json` describes arguments and results with examples."
    yield ""
    yield from _head("request", "what it does")
    routes = [(route, one) for one in VERBS for route in one.routes]
    for route, one in sorted(routes, key=lambda pair: (pair[0].partition(" ")[2], pair[0])):
        yield _row(f"`{route}`", one.does)


def _history() -> Iterator[str]:
    yield from _head("table", "columns")
    for name, table in METADATA.tables.items():
        yield _row(f"`{name}`", ", ".join(f"`{column.name}`" for column in table.columns))


def _invariants() -> Iterator[str]:
    yield "`pk invariant show ID` prints the same, `pk invariant severity` and `disable` change it."
    for name, rule in RULES.items():
        blocks = "blocks a commit" if rule.severity == "error" else "does not block a commit"
        overridable = "can be overridden" if rule.overridable else "cannot be overridden"
        yield from ("", f"## {name} {rule.name}", "", f"{rule.text} {rule.why}", "")
        yield from (f"- {where_checked(context)}: {what}." for context, what in rule.checked.items())
        yield from ("", f"`{rule.code}`, {rule.severity}, {blocks}, {overridable}. {rule.fix}")


def main() -> int:
    """Write every page; with --check write none, and name those that are stale."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    stale = [name for name, text in pages().items() if not _holds(FOLDER / name, text)]
    for name in stale:
        if "--check" not in sys.argv:
            (FOLDER / name).write_text(pages()[name], encoding="utf-8")
        print(f"{'stale' if '--check' in sys.argv else 'wrote'}: docs/reference/{name}")
    return 1 if stale and "--check" in sys.argv else 0


def _holds(place: Path, text: str) -> bool:
    return place.is_file() and place.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
