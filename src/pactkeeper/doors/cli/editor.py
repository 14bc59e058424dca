"""A person's own editor, started with an argument list; no shell takes part."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from pactkeeper.errors import UsageError
from pactkeeper.settings import Environment


def edited(text: str, surroundings: Environment, *, instead: str) -> str:
    """Let a person edit a text; `instead` says how to do it where nobody is at a terminal or there is no editor."""
    if surroundings.ci or not _is_terminal():
        raise UsageError(f"nobody is at a terminal; {instead}")
    command = _command(surroundings.editor, instead)
    with tempfile.TemporaryDirectory(prefix="pactkeeper-") as folder:
        place = Path(folder, "atom.toml")
        place.write_text(text, encoding="utf-8")
        try:
            code = subprocess.run([*command, str(place)], check=False).returncode
        except OSError as error:
            raise UsageError(f"the editor {command[0]!r} cannot be started: {error.strerror}; {instead}") from error
        if code:
            raise UsageError(f"the editor {command[0]!r} ended with {code}; nothing was changed")
        return place.read_text(encoding="utf-8", errors="strict")


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty()


def _command(editor: str, instead: str) -> list[str]:
    try:
        command = shlex.split(editor)
    except ValueError as error:
        raise UsageError(f"VISUAL or EDITOR is {editor!r}, which is no command: {error}") from error
    if not command:
        raise UsageError(f"neither VISUAL nor EDITOR is set; {instead}")
    return command
