"""The unit file by which systemd keeps a watch running for a person."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pactkeeper.errors import UsageError

_UNIT: Final = """\
# Keep this as {place}, then: systemctl --user enable --now {name}
[Unit]
Description=Pactkeeper watches {folder}

[Service]
Type=exec
ExecStart={command}
# Checks look for their programs here; a unit does not inherit what a terminal has.
Environment={path}
# Secrets such as PACTKEEPER_WEBHOOK_SECRET=… stand here, one a line.
EnvironmentFile=-%E/pactkeeper/watch.env
# The watch itself ends its checks; what is left after the time is killed.
KillMode=mixed
TimeoutStopSec=30
Restart=on-failure
RestartSec=60
Nice=10

[Install]
WantedBy=default.target"""


def unit(command: Sequence[str], folder: Path, path: str) -> str:
    """A user unit that runs a command, its first word an absolute path; raises UsageError for what no unit can hold.

    Nothing of it goes through a shell. The quoting is that of systemd.service(5), with `$` and `%` taken literally.
    """
    for word in (*command, str(folder), path):
        if any(ord(character) < ord(" ") for character in word):
            raise UsageError(f"{word!r} holds a control character, which no unit file can hold; rename it")
    name = f"pactkeeper-{_plain(folder.name)}.service"
    return _UNIT.format(
        place=f"~/.config/systemd/user/{name}",
        name=name,
        folder=str(folder).replace("%", "%%"),
        command=" ".join(_quoted(word).replace("$", "$$") for word in command),
        path=_quoted(f"PATH={path}"),
    )


def _quoted(word: str) -> str:
    text = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{text}"'


def _plain(name: str) -> str:
    return "".join(character if character.isascii() and character.isalnum() else "-" for character in name)
