"""What the ids of atoms begin with in a snapshot: the one setting of the pact that reading annotations depends on.

The pact's files belong to the catalog, which checks them; here anything unreadable means the default.
"""

from __future__ import annotations

import re
import tomllib
from typing import Final

from pactkeeper.intent.folder import SETTINGS, USUAL
from pactkeeper.intent.ids import PREFIX_PATTERN
from pactkeeper.ledger.toml_document import read_toml
from pactkeeper.repo.languages.adapter import Files
from pactkeeper.repo.pact_folder import folder_of

DEFAULT: Final = "IA"
_PREFIX: Final = re.compile(rf"{PREFIX_PATTERN}\Z")


def atom_prefix(files: Files) -> str:
    """The prefix that the `pact.toml` of the snapshot declares."""
    data = files.read(folder_of(files).path(f"{USUAL}{SETTINGS}"))
    if data is None or b"atom_prefix" not in data:
        return DEFAULT
    try:
        table = read_toml(data.decode("utf-8")).get("pact")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return DEFAULT
    prefix = table.get("atom_prefix") if isinstance(table, dict) else None
    return prefix if isinstance(prefix, str) and _PREFIX.match(prefix) else DEFAULT
