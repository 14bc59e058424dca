"""Documentation comments (`/** … */`): which one belongs to what, and their text without the stars."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.javascript.syntax import text

if TYPE_CHECKING:
    from tree_sitter import Node

_ABOUT_FILE: Final = re.compile(r"@(?:module|file|fileoverview|packageDocumentation)\b")
_STAR: Final = re.compile(r"^[ \t]*\*? ?", re.MULTILINE)
Documented = tuple[str, int]
NOTHING: Final[Documented] = ("", 0)


def documentation(comment: Node | None) -> Documented:
    """The text of a documentation comment with the line it starts on, ("", 0) for none or another comment."""
    written = text(comment) if comment is not None else ""
    if comment is None or not written.startswith("/**") or not written.endswith("*/"):
        return NOTHING
    return _STAR.sub("", written[3:-2]).strip(), comment.start_point.row + 1


def file_documentation(root: Node) -> Documented:
    """What the first comments of a file say about the file itself: by a tag, or because no definition follows."""
    for position, child in enumerate(root.children):
        if child.type == "hash_bang_line":
            continue
        if child.type != "comment":
            break
        found = documentation(child)
        after = root.children[position + 1].type if position + 1 < root.child_count else "import_statement"
        if found[0] and (_ABOUT_FILE.search(found[0]) or after in {"import_statement", "comment"}):
            return found
    return NOTHING
