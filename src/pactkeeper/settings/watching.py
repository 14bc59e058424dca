"""What a watch takes from the environment: the secret that signs a webhook, and where programs are looked for."""

from __future__ import annotations

import os
import re
from typing import Final

from pactkeeper.errors import UsageError

SHORTEST: Final = 16
_NAME: Final = re.compile(r"PACTKEEPER_[A-Z0-9_]{1,60}")


def webhook_secret(variable: str) -> str:
    """The secret in a variable; raises UsageError where the name does not fit, or it holds none worth the name.

    The name begins with PACTKEEPER_, because such variables are taken out before a check of the project runs.
    """
    if not _NAME.fullmatch(variable):
        raise UsageError(f"checks would see {variable!r}; keep the secret in one like PACTKEEPER_WEBHOOK_SECRET")
    secret = os.environ.get(variable, "")
    if len(secret) < SHORTEST:
        raise UsageError(f"the variable {variable!r} holds no secret of at least {SHORTEST} characters; set it")
    return secret


def search_path() -> str:
    """The folders in which programs are looked for, as `PATH` has them."""
    return os.environ.get("PATH", "")
