"""What Slack's library has to say of errors, without secrets, and not again and again."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Final

_APART, _MOST = 60.0, 50  # seconds until the same is told again; how many texts are remembered
_SESSION: Final = re.compile(r"session id: [\w-]+,? ?")
_SECRET: Final = re.compile(r"xox[a-z]-[\w-]+|xapp-[\w-]+|(?<=ticket=)[\w-]+")


def logger(tell: Callable[[str], None], *, by: str = "Slack's library") -> logging.Logger:
    """What Slack's library has to say of errors, or another speaker, told without any secret; it says nothing else."""
    found = logging.Logger("slack", logging.ERROR)  # noqa: LOG001 - a global one would keep the handlers of others
    found.addHandler(_Told(tell, by))
    return found


class _Told(logging.Handler):
    """Hands records to whoever is told; the same again once a minute, with a count, as while Slack is away."""

    def __init__(self, tell: Callable[[str], None], by: str) -> None:
        super().__init__(logging.ERROR)
        self._tell, self._by = tell, by
        self._before: dict[str, tuple[float, int]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Tell a record, with its trace where it has one."""
        text = _SESSION.sub("", _SECRET.sub("…", self.format(record)))
        told, since = self._before.get(text, (0.0, 0))
        if since and record.created - told < _APART:
            self._before[text] = (told, since + 1)
            return
        self._before = {**dict(list(self._before.items())[-_MOST:]), text: (record.created, 1)}
        self._tell(f"{self._by}: {text}{f' ({since} times before)' if since > 1 else ''}")
