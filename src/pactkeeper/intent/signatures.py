"""What is known about a signature: whose it is, or the one reason why it proves nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

Flaw = Literal[
    "forged",  # no signature over these bytes, or no signature at all
    "wrong namespace",  # a signature over these bytes that was given for another purpose
    "unknown signer",  # nobody is listed with this key
    "other signer",  # the key is listed, for somebody else
    "expired",  # the key is listed, but was not valid at that time
    "not checked",  # nothing is known: a program or the list of signers is missing
]
FLAWS: Final[tuple[Flaw, ...]] = get_args(Flaw)


@dataclass(frozen=True, slots=True)
class Verified:
    """The signature is good: `principal` is who signed, as the list of allowed signers calls them.

    `key` is the fingerprint of the key, as `ssh-keygen -l` prints it.
    """

    principal: str
    key: str


@dataclass(frozen=True, slots=True)
class Unverified:
    """The signature proves nothing, and why; `key` is the fingerprint where one could be read."""

    flaw: Flaw
    reason: str
    key: str = ""


Examined = Verified | Unverified
