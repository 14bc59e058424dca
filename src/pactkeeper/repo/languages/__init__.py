"""The languages that discovery knows, in one table; a new language is one module and one line here.

Adapters are named rather than imported: a command that finds everything in the cache never loads a parser, and the
processes that parse can be told what to load.
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
    """Import the adapter that a line of the table names, written `module:attribute`."""
    return cast("Language", _named(name))


def parser(name: str) -> Parser:
    """Import a parser named `module:attribute`: a line of the table, or one with `.importing` behind it."""
    return cast("Parser", _named(name))


def _named(name: str) -> object:
    module, _, attributes = name.partition(":")
    return attrgetter(attributes)(importlib.import_module(module))


def owner(path: str, languages: tuple[str, ...] = LANGUAGES) -> Language | None:
    """The first language of the table that the file's suffix belongs to."""
    adapters = (load(name) for name in languages)
    return next((adapter for adapter in adapters if adapter.owns(path)), None)
