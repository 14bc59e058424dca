"""How far a shell script has come: what decides whether its commands are run, and whether a failure is heard."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final

CONDITIONS: Final = frozenset({"if", "elif", "while", "until", "!"})
_OPENING: Final = frozenset({"if", "while", "until", "for", "case", "{"})
_CLOSING: Final = frozenset({"fi", "done", "esac", "}"})
_ENDING: Final = re.compile(r" (?:EXIT|ERR|0)\b")
_CLEAN_EXIT: Final = re.compile(r"\b(?:exit|return) 0\b")
SWALLOWS: Final = re.compile(r"(?:true|:|exit 0|echo\b.*|printf\b.*|exit)\Z")
# What makes a failure heard after `||`; pytest exits with 5 if it finds no tests.
_HEARD: Final = re.compile(
    r"\b(?:exit|return) (?:[1-9]|\$)|\b(?:false|die|fail|abort)\b|\A(?:\[\[?|test) \$\? (?:-eq|==?) 5\b"
)
_KEEPS: Final = re.compile(r"\w++=")
_EXITS: Final = re.compile(r"\b(?:exit|return|exec|trap)\b")
_BRANCH: Final = re.compile(r"\s*+\(?([\w*?.\[\]|'\" -]{1,200}+)\)")  # of a `case`
_TEST: Final = frozenset({"[", "[[", "test", "]", "]]"})
_UNKNOWN: Final = re.compile(r"[$`*?\[]")  # only running it would tell
_OTHER_BRANCH: Final = re.compile(r"\s*+(?:else\b|elif\b|;;)")
_OPENS: Final = re.compile(r"(?:^|[;&|]|\bthen|\bdo|\belse)[ \t]*+(?:if|for|while|until|case)\b")
_CLOSES: Final = re.compile(r"(?:^|[;&|])[ \t]*+(?:fi|done|esac)\b")
_ROOT: Final = re.compile(
    r"\A\"?(?:\$\{?(?:GITHUB_WORKSPACE|CLAUDE_PROJECT_DIR|CI_PROJECT_DIR|BUILD_SOURCESDIRECTORY)\}?|\$_)\"?(?:/|\Z)"
)
NEVER: Final = "never"  # the condition of what surely doesn't run
_NOTHING: Final = re.compile(r"\s*+(?:#.*|\}|fi|done|esac|else|;;)?\s*+\Z")


@dataclass(slots=True)
class _Block:
    """An open block: the condition that it runs under, "" for none.

    `done` says that an earlier branch of it surely runs, `sure` that all of them are known; `value` is the word that a
    `case` asks about.
    """

    condition: str = ""
    done: bool = False
    sure: bool = False
    value: str | None = None

    def turn(self, condition: str, holds: bool | None) -> None:
        """Go on to the next branch, which runs under a condition unless one before it does."""
        known = "" if holds and self.sure else NEVER if holds is False else condition
        self.condition = NEVER if self.done else known
        self.done |= holds is True
        self.sure &= holds is not None


@dataclass(slots=True)
class Flow:
    """How far a script has come: what decides whether a command is run, and whether its failure is heard.

    `apart` says that the commands of one line, too, run after a failure; `folder` is where the next command runs.
    """

    script: str
    goes_on: bool
    apart: bool
    folder: str = ""
    stopped: str = ""
    _blocks: list[_Block] = field(default_factory=list)

    @property
    def conditions(self) -> list[str]:
        """The conditions of the open blocks; `NEVER` among them if one of them surely doesn't run."""
        return [block.condition for block in self._blocks if block.condition]

    def branch(self, line: str) -> str:
        """Return a line without the pattern and the end of a branch, if a `case` is what it stands in."""
        if not self._blocks or self._blocks[-1].value is None:
            return line
        block, pattern = self._blocks[-1], _BRANCH.match(line)
        if pattern is not None:
            offered = [one.strip(" '\"") for one in pattern[1].split("|")]
            known = (
                None
                if _UNKNOWN.search(block.value or "")
                else any(fnmatchcase(block.value or "", one) for one in offered)
            )
            block.turn("", known)
        return line[pattern.end() if pattern is not None else 0 :].replace(";;", "")

    def is_steering(self, words: Sequence[str], operator: str, after: str) -> bool:
        """Whether a command between two operators only steers the script; what it does to later ones is kept."""
        text = " ".join(words)
        if words[0] in _CLOSING:
            del self._blocks[-1:]
        elif words[0] in {"elif", "else"}:
            self._turn(words[1:], after)
        elif words[0] in _OPENING or words[-1] == "{":
            asked = words[1] if words[2:3] == ["in"] else ""
            self._blocks.append(_Block(value=asked if words[0] == "case" else None, sure=True))
            if words[0] in CONDITIONS:
                self._turn(words[1:], after if words[0] == "if" else "||")
        elif NEVER in self.conditions:
            return True
        elif words[0] == "set":
            lenient = "+e" in words or (self.stopped == "set +e" and "-e" not in text)
            self.stopped = "set +e" if lenient else self.stopped.replace("set +e", "")
        elif words[0] == "trap" and _ENDING.search(text):
            action = text if len(words[1].split()) > 1 else self.script  # perhaps a function of the script
            self.stopped = self.stopped or (text if _CLEAN_EXIT.search(action) else "")
        elif words[0] == "cd":
            self.folder = place(" ".join(words[1:]), self.folder)
        elif words[0] in {"exit", "exec"} and not self._blocks and operator not in {"&&", "||"}:
            command = words[0] == "exec" and (not words[1:] or not re.match(r"\d?[<>]", words[1]))
            self.stopped = self.stopped or (text if command or words[0] == "exit" else "")
            return words[0] == "exit"
        else:
            return False
        return words[0] not in {"{", *CONDITIONS}

    def _turn(self, condition: Sequence[str], after: str) -> None:
        """Go on to the branch of a condition, or to the last one if it has none."""
        if self._blocks:
            block, text = self._blocks[-1], " ".join(condition)
            holds = holds_when_run(condition) if condition else True
            several = after in {"&&", "||"} and not (after == "&&" and holds is False)
            block.turn(text or (f"not {block.condition}" if block.condition else ""), None if several else holds)

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
    commands = [line.strip() for line in _reached(later) if not _NOTHING.match(line)]
    return bool(commands) and not any(_EXITS.search(_CLEAN_EXIT.sub("", line)) for line in commands)


def _reached(later: Iterable[str]) -> Iterator[str]:
    """Yield the lines that run after a command: not the other branches of the blocks that it stands in."""
    depth, passed = 0, False
    for line in later:
        passed = passed or (depth == 0 and _OTHER_BRANCH.match(line) is not None)
        if not passed:
            yield line
        passed = passed or (depth == 0 and line.rstrip().endswith(";;"))
        depth += len(_OPENS.findall(line)) - len(_CLOSES.findall(line))
        if depth < 0:
            depth, passed = 0, False


def holds_when_run(words: Sequence[str]) -> bool | None:
    """Whether a condition of the shell holds; None if only running it would tell."""
    given = [word for word in words if word not in _TEST]
    if len(given) == len(words) or any(_UNKNOWN.search(word) for word in given):
        return None
    match given:
        case ["-z", value]:
            return not value
        case ["-n", value]:
            return bool(value)
        case [one, "=" | "==", two]:
            return one == two
        case [one, "!=", two]:
            return one != two
    return None


def place(folder: str, start: str = "") -> str:
    """Return a folder in its plain form, as seen from another one; "" for the root of the repository."""
    rooted = _ROOT.match(folder)
    whole = folder[rooted.end() :] if rooted is not None else posixpath.join(start, folder)
    plain = posixpath.normpath(whole.strip("/")) if folder != "-" else ""
    return "" if plain == "." or plain.startswith("..") else plain
