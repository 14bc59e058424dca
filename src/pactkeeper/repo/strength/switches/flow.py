"""How far a shell script has come: what decides whether its commands are run, and whether a failure is heard."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

CONDITIONS: Final = frozenset({"if", "while", "until", "!"})
_OPENING: Final = frozenset({"if", "while", "until", "for", "case", "{"})
_CLOSING: Final = frozenset({"fi", "done", "esac", "}"})
_ENDING: Final = re.compile(r" (?:EXIT|ERR|0)\b")
_CLEAN_EXIT: Final = re.compile(r"\bexit 0\b")
SWALLOWS: Final = re.compile(r"(?:true|:|exit 0|echo\b.*|printf\b.*|exit)\Z")
# What makes a failure heard after `||`; pytest exits with 5 if it finds no tests.
_HEARD: Final = re.compile(
    r"\b(?:exit|return) (?:[1-9]|\$)|\b(?:false|die|fail|abort)\b|\A(?:\[\[?|test) \$\? (?:-eq|==?) 5\b"
)
_KEEPS: Final = re.compile(r"\w++=")
_EXITS: Final = re.compile(r"\b(?:exit|return|exec|trap)\b")
_NOTHING: Final = re.compile(r"\s*+(?:#.*|\}|fi|done|esac|else|;;)?\s*+\Z")


@dataclass(slots=True)
class Flow:
    """How far a script has come: what decides whether a command is run, and whether its failure is heard.

    `blocks` are the conditions of the blocks that are open, "" for any other block. `apart` says that the commands of
    one line, too, run after a failure.
    """

    script: str
    goes_on: bool
    apart: bool
    blocks: list[str] = field(default_factory=list)
    stopped: str = ""
    folder: str = ""

    def is_steering(self, words: Sequence[str], operator: str) -> bool:
        """Whether a command (after an operator) only steers the script; what it does to the following ones is kept."""
        text = " ".join(words)
        if words[0] == "set":
            lenient = "+e" in words or (self.stopped == "set +e" and "-e" not in text)
            self.stopped = "set +e" if lenient else self.stopped.replace("set +e", "")
        elif words[0] in _CLOSING:
            del self.blocks[-1:]
        elif words[0] in _OPENING or words[-1] == "{":
            self.blocks.append(" ".join(words[1:]) if words[0] in CONDITIONS else "")
        elif words[0] == "trap" and _ENDING.search(text):
            action = text if len(words[1].split()) > 1 else self.script  # perhaps a function of the script
            self.stopped = self.stopped or (text if _CLEAN_EXIT.search(action) else "")
        elif words[0] == "cd":
            self.folder = place(" ".join(words[1:]))
        elif words[0] in {"exit", "exec"} and not self.blocks and operator not in {"&&", "||"}:
            command = words[0] == "exec" and (not words[1:] or not re.match(r"\d?[<>]", words[1]))
            self.stopped = self.stopped or (text if command or words[0] == "exit" else "")
            return words[0] == "exit"
        else:
            return False
        return words[0] not in {"{", *CONDITIONS}

    def unheard(
        self, words: Sequence[str], operator: str, later: Sequence[tuple[list[str], str]], below: Sequence[str]
    ) -> str:
        """Return why nobody hears of a failure of this command; "" if it counts."""
        then = " ".join(later[0][0]) if later else ""
        rest = "; ".join(" ".join(part) for part, _ in later)
        if self.stopped and not (words[0] == "exec" and self.stopped == " ".join(words)):
            return self.stopped
        if words[0] in CONDITIONS:
            return f"{words[0]} …"
        heard = _HEARD.search(rest) or (_KEEPS.match(then) and _EXITS.search("; ".join((rest, *below))))
        overruled = SWALLOWS.match(then) or (self.apart and _overruled((rest, *below)))
        if (operator == "||" and not heard) or (operator == ";" and overruled):
            return f"{operator} {then}"
        if operator in {"|", "|&"} and "pipefail" not in self.script:
            return f"{operator} {then}"
        if self.goes_on and operator not in {"&&", "||"} and _overruled(below):
            return "the script goes on"
        return "in the background" if operator == "&" else ""


def _overruled(later: Iterable[str]) -> bool:
    """Whether a later command decides what a script exits with that doesn't end at a failure."""
    commands = [line.strip() for line in later if not _NOTHING.match(line)]
    return bool(commands) and not any(_EXITS.search(line) for line in commands)


def place(folder: str) -> str:
    """Return a folder in its plain form; "" for the root of the repository."""
    plain = re.sub(r"\A(?:\.|\"?\$\{?GITHUB_WORKSPACE\}?\"?|\"?\$_\"?)(?:/|\Z)", "", folder).strip("/")
    return "" if plain in {"..", "-"} else plain
