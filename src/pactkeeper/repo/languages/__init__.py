"""The languages that discovery supports, in one table; a new language is one module and one line here.

Adapters are named rather than imported, so that a command that finds everything in the cache never loads a parser, and
parsing processes can be told what to load.
"""

from __future__ import annotations

import importlib
from operator import attrgetter
from typing import Final, cast

from pactkeeper.repo.languages.adapter import Language, Parser

LANGUAGES: Final = (
    "pactkeeper.repo.languages.python.adapter:PYTHON",
    "pactkeeper.repo.languages.javascript.adapter:JAVASCRIPT",
)


def load(name: str) -> Language:
    """Import the adapter that a table entry names, written `module:attribute`."""
    return cast("Language", _named(name))


def parser(name: str) -> Parser:
    """Import a parser named `module:attribute`: a table entry, or one with `.importing` appended."""
    return cast("Parser", _named(name))


def _named(name: str) -> object:
    module, _, attributes = name.partition(":")
    return attrgetter(attributes)(importlib.import_module(module))


def owner(path: str) -> Language | None:
    """Return the first language of the table that owns the file's suffix."""
    adapters = (load(name) for name in LANGUAGES)
    return next((adapter for adapter in adapters if adapter.owns(path)), None)
