"""Split command lines into simple commands, without running or expanding anything."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Final

Words = tuple[str, ...]

_HEREDOC: Final = re.compile(r"<<-?[^\S\n]*+(['\"]?)(\w++)\1(.*)")
_FIRST: Final = re.compile(r"[ \t]*+(\w*+)")
_BREAKS: Final = frozenset("();<>|&\n")
_LONGEST: Final = 20_000  # characters; nobody types a longer script
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
# Programs that run the rest of their line, and how many of their own arguments come first.
_WRAPPERS: Final = {"sudo": 0, "time": 0, "env": 0, "nohup": 0, "exec": 0, "command": 0, "timeout": 1, "npx": 0}
_RUNNERS: Final = frozenset({("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("bundle", "exec"), ("hatch", "run")})
_SHELLS: Final = frozenset({"bash", "sh", "zsh"})
_GIT_TAKES_VALUE: Final = frozenset({"-C", "-c", "--git-dir", "--work-tree"})
_SCRIPT: Final = 3  # bash -c SCRIPT


def _without_bodies(script: str) -> str:
    """Remove the bodies of here-documents; one without an end marker is left as it is."""
    lines = iter(enumerate(script.split("\n")))
    words = [_FIRST.match(line)[1] for line in script.split("\n")]  # type: ignore[index]  # it matches anything
    last = {word: number for number, word in enumerate(words)}
    kept: list[str] = []
    for number, line in lines:
        found = _HEREDOC.search(line)
        if found is None or last.get(found[2], 0) <= number:
            kept.append(line)
            continue
        kept.append(line[: found.start()] + found[3])
        kept.append(next(end.lstrip()[len(found[2]) :] for at, end in lines if words[at] == found[2]))
    return "\n".join(kept)


def simple_commands(script: str, *, depth: int = 0) -> tuple[Words, ...]:
    """The words of each command of a script, in order; empty if the script can't be parsed.

    Bodies of here-documents are skipped. Wrappers (`sudo`, `env A=b`, `bash -c`) are replaced by the command they run.
    """
    if len(script) > _LONGEST:
        return ()
    lexer = shlex.shlex(_without_bodies(script), posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:
        return ()
    return tuple(inner for one in _cut(words) for inner in _unwrapped(one, depth))


def _cut(words: list[str]) -> Iterator[Words]:
    """Split words into commands; redirections and their targets are dropped."""
    held: list[str] = []
    redirected = False
    for word in words:
        if word and _BREAKS.issuperset(word):
            redirected = set(word) <= {"<", ">", "&"} and ("<" in word or ">" in word)
            if redirected:
                held = held[:-1] if held and held[-1] in {"1", "2"} else held
            else:
                yield tuple(held)
                held = []
        elif redirected:
            redirected = False
        else:
            held.append(word)
    yield tuple(held)


def _unwrapped(words: Words, depth: int) -> Iterator[Words]:
    rest = words
    while rest:
        name = rest[0].rsplit("/", 1)[-1]
        if _ASSIGNMENT.match(rest[0]):
            rest = rest[1:]
        elif name in _WRAPPERS:
            rest = _after_options(rest[1:])[_WRAPPERS[name] :]
        elif rest[:2] in _RUNNERS:
            rest = _after_options(rest[2:])
        else:
            break
    if not rest or rest[0].startswith("#"):
        return
    if name in _SHELLS and len(rest) >= _SCRIPT and rest[1] in {"-c", "-lc"} and not depth:
        yield from simple_commands(rest[2], depth=depth + 1)
    else:
        yield _plain_git(name, rest)


def _after_options(words: Words) -> Words:
    while words and words[0].startswith("-"):
        words = words[1:]
    return words


def _plain_git(name: str, words: Words) -> Words:
    """The program without its directory, and for git without the options before its subcommand."""
    rest = words[1:]
    while name == "git" and rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in _GIT_TAKES_VALUE else rest[1:]
    return (name, *rest)
