"""What a Python module defines, documents, imports and refers to."""

from __future__ import annotations

from pactkeeper.repo.languages.outline import Outline, Uses
from pactkeeper.repo.languages.python.outline.chains import read_uses
from pactkeeper.repo.languages.python.outline.definitions import definitions_of, documentation, imports_of
from pactkeeper.repo.languages.python.syntax import parse, read_text


def outline_of(data: bytes) -> Outline:
    """Return the outline of one module; what can't be parsed is left out."""
    source = read_text(data).source
    root = parse(source).root_node
    doc, line = documentation(root, source)
    imports, offered = imports_of(root, source)
    return Outline(doc, line, definitions_of(root, source), imports, offered)


def uses_of(data: bytes) -> Uses:
    """Return what the code of one module refers to."""
    source = read_text(data).source
    root = parse(source).root_node
    imports, _ = imports_of(root, source)
    names = {one.name for one in imports} | {one.name.partition(".")[0] for one in definitions_of(root, source)}
    return read_uses(root, source, frozenset(names))
