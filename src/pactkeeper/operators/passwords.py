"""Passwords of accounts, as argon2id hashes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from pactkeeper.errors import MissingExtra, UsageError, how_to_install

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST, LONGEST = 12, 1000
# Somebody's hash, for names that nobody has: an answer takes as long for them.
_NOBODY: Final = "$argon2id$v=19$m=65536,t=3,p=4$ES4g2lB9SB3DjMCG5G29ug$fmoXovLV0pKMoRuysdBuZlwmVqi9igxxPhI4TxGsDEM"


def hashed(password: str) -> str:
    """The hash to keep; raises UsageError for a password that is too short, or too long to be one."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise UsageError(f"a password has {SHORTEST} to {LONGEST:,} characters; this one has {len(password)}")
    return _hasher().hash(password)


def matches(kept: str, password: str) -> bool:
    """Whether this is the password; it takes as long where there is none."""
    from argon2.exceptions import InvalidHashError, VerificationError  # noqa: PLC0415 - an extra

    try:
        _hasher().verify(kept or _NOBODY, password[: LONGEST + 1])
    except (VerificationError, InvalidHashError):
        return False
    return bool(kept)


@cache
def _hasher() -> PasswordHasher:
    try:
        from argon2 import PasswordHasher  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise MissingExtra(f"passwords need a part that is not installed: {how_to_install('server')}") from error
    return PasswordHasher()
