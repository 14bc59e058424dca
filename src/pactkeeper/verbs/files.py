"""Tools that read files: lines, folders, pattern matches, parts of JSON."""

from __future__ import annotations

from typing import Final

from pactkeeper.ledger.shape import Text, Whole
from pactkeeper.operators import files
from pactkeeper.operators.files import FilePart, JsonPart, Matches, Sought
from pactkeeper.published.plain import Codec
from pactkeeper.published.schema import returned
from pactkeeper.verbs.verb import FLAG, LINE, PATHS, Call, Document, Verb, both, may, needs

_READ: Final = Codec(FilePart, "path *part")
_UNREAD: Final = Codec(tuple[str, str], "path reason")
_FOUND: Final = Codec(Matches, "hits files binary unread stopped", unread=_UNREAD)
_PART: Final = Codec(JsonPart, "path pointer *outline whole")
MOST_LINES = 10_000_000


def sought(asked: Call) -> Sought:
    """Build the search from the arguments."""
    return Sought(
        asked.text("pattern"),
        asked.paths(),
        asked.texts("exclude"),
        ignore_case=asked.flag("ignore_case"),
        literal=asked.flag("literal"),
    )


def read_json(asked: Call) -> Document:
    """Read a part of a JSON file."""
    found = files.read_json(asked.workspace, asked.text("path"), pointer=asked.text("pointer"))
    return {**_PART(found), **({"value": found.value} if found.whole else {})}


ROWS: Final = (
    Verb(
        files.read_file,
        None,
        "Lines of a text file; go on at line `next`.",
        title="Read file",
        routes=("GET /files/text",),
        categories=("filesystem", "code"),
        takes=both(needs(path=LINE), may(start=Whole(1, MOST_LINES), end=Whole(1, MOST_LINES))),
        means={"start": "first line", "end": "last line"},
        gives=_READ,
        answer=lambda asked: files.read_file(
            asked.workspace, asked.text("path"), start=asked.given.get("start", 1), end=asked.given.get("end")
        ),
    ),
    Verb(
        files.list_directory,
        None,
        "Unignored files of a folder.",
        title="List folder",
        routes=("GET /files",),
        categories=("filesystem",),
        takes=may(path=LINE, hidden=FLAG),
        means={"path": "folder; default root", "hidden": "dot files too"},
        gives=returned(files.list_directory),
        answer=lambda asked: files.list_directory(
            asked.workspace, asked.text("path", "."), hidden=asked.flag("hidden")
        ),
        pages="entries",
        per_page=100,
    ),
    Verb(
        files.grep,
        None,
        "Lines that match an RE2 pattern; skips ignored files.",
        title="Grep",
        routes=("GET /files/matches",),
        categories=("filesystem", "code"),
        takes=both(needs(pattern=Text(1, 1_000)), may(paths=PATHS, exclude=PATHS, ignore_case=FLAG, literal=FLAG)),
        means={"pattern": "RE2", "paths": "files, folders, globs", "ignore_case": "a is A", "literal": "no RE2"},
        gives=_FOUND,
        answer=lambda asked: files.grep(asked.workspace, sought(asked)),
        pages="hits",
        per_page=50,
    ),
    Verb(
        files.read_json,
        None,
        "Keys, types and a short value of a JSON file.",
        title="Read JSON",
        routes=("GET /files/json",),
        categories=("filesystem", "report"),
        takes=both(needs(path=LINE), may(pointer=Text(0, 1_000))),
        means={"pointer": "like /a/0; default all"},
        gives=(_PART, {"value?": object}),
        answer=read_json,
    ),
)
