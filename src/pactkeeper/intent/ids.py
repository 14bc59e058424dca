"""Ids of the pact: short, derived from content, never reused, never compared as text to find the next one.

Also a similarity measure for sentences, which only suggests candidates and decides nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # an id can be recognised without knowing atoms
    from pactkeeper.intent.atoms import Atom

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford base32: no I, L, O, U to misread
HASH_LENGTH = 7
MOLECULE_PREFIX = "M"
INVARIANT_PREFIX = "INV"
COMMITMENT_PREFIX = "COM"
RECOMMENDATION_PREFIX = "REC"
CLARIFICATION_PREFIX = "CLA"
PREFIX_PATTERN = r"[A-Z][A-Z0-9]*(?:-[A-Z][A-Z0-9]*)*"
BUILT_IN_RULES = (*(f"INV-{number:03d}" for number in range(1, 10)), *(f"R{number:03d}" for number in range(1, 6)))
RESERVED_PREFIXES = (MOLECULE_PREFIX, INVARIANT_PREFIX, COMMITMENT_PREFIX, RECOMMENDATION_PREFIX, CLARIFICATION_PREFIX)


def atom_id(test_id: str, body_hash: str, *, prefix: str = "IA") -> str:
    """Make the id of an atom inferred from a test; two branches that infer from the same test get the same id."""
    return hashed_id(prefix, test_id, body_hash)


def authored_id(intent: str, *, prefix: str = "IA") -> str:
    """Make the id of an atom that a person wrote, from its normalised intent."""
    return hashed_id(prefix, normalised_intent(intent))


def hashed_id(prefix: str, *parts: str) -> str:
    """Make `PREFIX-` and 35 bits of the parts' SHA-256; the prefix itself is not hashed."""
    framed = "".join(f"{len(part.encode(errors='surrogatepass'))}:{part}" for part in parts)
    number = int.from_bytes(sha256(framed.encode(errors="surrogatepass")).digest()[:8])
    letters = [ALPHABET[number >> (64 - 5 * place) & 31] for place in range(1, HASH_LENGTH + 1)]
    return f"{prefix}-{''.join(letters)}"


def normalised_intent(intent: str) -> str:
    """Reduce an intent to what its id depends on: NFC, case folded, single spaces, no final full stop."""
    return " ".join(unicodedata.normalize("NFC", intent).casefold().split()).rstrip(".! ")


@lru_cache(maxsize=64)
def id_pattern(prefix: str) -> re.Pattern[str]:
    """Compile the pattern that whole ids with this prefix match."""
    return re.compile(rf"{re.escape(prefix)}-[0-9A-Z]+(?:-[0-9A-Z]+)*\Z")


def is_id(text: str, prefix: str) -> bool:
    """Whether the whole text is an id with this prefix."""
    return id_pattern(prefix).match(text) is not None


def is_prefix(text: str) -> bool:
    """Whether the text may be used as a prefix of atom ids: capitals and digits, not a reserved one."""
    return re.fullmatch(PREFIX_PATTERN, text) is not None and text not in RESERVED_PREFIXES


def next_id(taken: Iterable[str], prefix: str) -> str:
    """Make the next sequential id: the greatest number in use plus one, at least three digits wide."""
    opening = f"{prefix}-"
    numbers = [int(text[len(opening) :]) for text in taken if text.startswith(opening) and _is_number(text, opening)]
    return f"{opening}{max(numbers, default=0) + 1:03d}"


def _is_number(text: str, opening: str) -> bool:
    digits = text[len(opening) :]
    return digits.isascii() and digits.isdigit()


NEARLY: Final = 90  # of 100; below it the words differ, not just the wording
MOST: Final = 5


@dataclass(frozen=True, slots=True)
class Near:
    """An atom with a nearly identical sentence; 100 `points` means identical up to case, spaces and the full stop."""

    atom: Atom
    points: int


def nearest(intent: str, atoms: Iterable[Atom], *, least: int = NEARLY, most: int = MOST) -> tuple[Near, ...]:
    """Return the atoms that say nearly the same as the sentence, most similar first."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - loaded only to write or compare sentences

    known = list(atoms)
    sentences = [normalised_intent(atom.intent) for atom in known]
    wanted = normalised_intent(intent)
    hits = process.extract(wanted, sentences, scorer=fuzz.ratio, score_cutoff=least, limit=None)
    found = [Near(known[index], int(points)) for _, points, index in hits]
    return tuple(sorted(found, key=lambda near: (-near.points, near.atom.id))[:most])


def same(intent: str, atoms: Iterable[Atom]) -> tuple[Atom, ...]:
    """The atoms whose sentence is the same up to case, spaces and the final full stop."""
    wanted = normalised_intent(intent)
    return tuple(atom for atom in atoms if normalised_intent(atom.intent) == wanted)
