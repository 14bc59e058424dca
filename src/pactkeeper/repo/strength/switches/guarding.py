"""What a step that runs the guard rests on: where its program comes from, and what earlier steps may do to it."""

from __future__ import annotations

import operator
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from pactkeeper.repo.strength.switches.commands import GUARDS, Check, check_of, commands_of, split

# Variables that put another program, module or package in place of the guard's.
_DECIDING: Final = re.compile(
    r"(?:PATH|PYTHON(?:PATH|HOME|STARTUP|USERBASE)|BASH_ENV|LD_\w+|GIT_(?:DIR|WORK_TREE|INDEX_FILE|CONFIG\w*|OBJECT\w*)"
    r"|(?:PIP|UV|PIPX)_\w*(?:INDEX|FIND_LINKS|CONFIG|TARGET|CONSTRAINT|OVERRIDE|TOOL_BIN)\w*)\Z"
)
_ACTIONS: Final = re.compile(
    r"(?!actions/github-script)(?:actions|github|docker|codecov|pre-commit|astral-sh|pdm-project|pnpm|oven-sh|denoland|ruby|dtolnay"
    r"|swatinem|hynek|step-security|conda-incubator|mamba-org)/[\w.-]{1,100}(?:/[\w./-]{1,200})?(?:@|\Z)",
    re.IGNORECASE,
)
_HARMLESS: Final = re.compile(
    r"(?:echo|printf|cd|ls|cat|pwd|mkdir|test|\[\[?|set|true|:|sleep|date|uname|which|type|head|tail|wc|nproc|exit|wait"
    r"|(?:python[\d.]*|node|npm|pip|uv|git) --?(?:version|V)|(?:sudo )?(?:apt|apt-get|brew|apk|dnf|yum) (?:-\w+ )*"
    r"(?:update|install)|(?:npm|pnpm|yarn|bun) (?:ci|install|i)|yarn|corepack enable"
    r"|(?:poetry|pdm|hatch|pipenv|bundle|cargo|go|composer|conda|mamba) (?:install|sync|lock|check|fetch|build|mod|env)"
    r"|uv (?:sync|lock|venv|build|python install|cache)|python[\d.]* -m (?:build|venv|ensurepip|compileall)"
    r"|(?:source|\.) \.?v?env/bin/activate"
    r"|git (?:config(?!.{0,200}(?:insteadof|alias|core\.))|submodule|diff|describe|status|log|rev-parse|ls-files"
    r"|show|fetch|rev-list|merge-base))"
    r"(?: |\Z)",
    re.IGNORECASE,
)
_STEERING: Final = frozenset(
    {"if", "then", "else", "elif", "fi", "while", "for", "do", "done", "{", "}", "(", ")", "!"}
)
_TARGET: Final = re.compile(r"[\d&]?>{1,2}(?!=)\s{0,9}(\"[^\"]{0,200}\"|\S{1,200})")
_SAFE: Final = re.compile(
    r"['\"]?(?:/dev/null|&[12]|\$\{?GITHUB_(?:OUTPUT|STEP_SUMMARY|ENV|PATH)\}?|[\w-]{1,60}\.(?:txt|log|json|xml|md|csv))"
    r"['\"]?\Z"
)  # of what is written to the path or the environment, `workflows` knows what is harmful
_WRITTEN: Final = re.compile(r"\b(\w{1,60}+)=.{0,300}GITHUB_ENV")
_SUBSTITUTED: Final = re.compile(r"`|\$\((?!(?:git|date|pwd|nproc|cat|uname|hostname|echo)\b[^()`$]{0,200}\))")
_INSTALLS: Final = re.compile(r"(?:(?:python[\d.]*|py) -m |uv )?pip[\d.]* install|(?:uv tool|pipx) install")
_PLAIN: Final = re.compile(
    r"[A-Za-z][\w.-]{0,100}(?:\[[\w,. -]{0,100}\])?(?:[=<>~!]=?[\w.*,<>=!~ ]{1,60})?|\.(?:\[[\w,. -]{0,100}\])?"
)
_QUIET: Final = re.compile(
    r"-[qUv]+|-[er]|-c|--(?:quiet|upgrade|user|no-input|no-cache|no-cache-dir|disable-pip-version-check|progress-bar"
    r"|system|require-hashes|prefer-binary|break-system-packages|editable|requirement|constraint|force|group)\b.*"
)
_CALLED: Final = re.compile(r"\b(?:pk|pactkeeper)\b.{1,60}?\b(guard|check)\b")
_OURS: Final = re.compile(r"pactkeeper|\bpk\b", re.IGNORECASE)
_FROM: Final = re.compile(r"--(?:from|with|spec|index|index-url|default-index|extra-index-url|find-links)|-i")
_VERSION: Final = re.compile(r"(?<![\w.])v?(\d{1,9}(?:\.\d{1,9}){0,5})(?![\w.])")
_PLACES: Final = ("install ", "uses ", "from ")
_COMMIT: Final = re.compile(r"(?<![\w.])[0-9a-f]{7,40}(?!\w)")


def deciding(data: Mapping[str, object], environment: Mapping[str, object]) -> Iterator[str]:
    """Yield what a part of a workflow sets that decides which program the guard is: its container, and variables."""
    if "container" in data:
        yield f"container: {data['container']}"
    yield from (f"{name}: {value}" for name, value in environment.items() if _DECIDING.match(name) and name != "PATH")


def guarded(check: Check, script: str, before: Iterable[str]) -> Check:
    """Return a check of a script with what it rests on if it is the guard; `before` is what earlier steps did."""
    if check.aspect != GUARDS:
        return check
    lines, name = _lines(script), check.program.rpartition(" ")[2]
    called = posixpath.basename(check.through[0]) if check.through else ""
    at = next((at for at, line in enumerate(lines) if name in _CALLED.findall(line) or (called and called in line)), 0)
    own = _fetched(lines[at]) if lines else ()
    return replace(check, around=(*before, *_touching(lines[:at]), *own, *check.around))


def touched(step: object, keys: Iterable[str]) -> Iterator[str]:
    """Yield what a step does that isn't known to be harmless to the guard; its commands are under these keys."""
    if not isinstance(step, dict):
        yield from _touching(_lines(step) if isinstance(step, str) else ())
        return
    action, given = step.get("uses"), step.get("with")
    other = given.get("repository") if isinstance(given, dict) and "path" not in given else None
    if isinstance(action, str) and (other or _ACTIONS.match(action) is None):
        yield f"uses {action} of {other}" if other else f"uses {action}"
    for key in keys:
        held = step.get(key)
        held = held.get("command") if isinstance(held, dict) else held
        yield from _touching(_lines("\n".join(map(str, held)) if isinstance(held, list) else str(held or "")))


def unknown(old: Sequence[str], new: Iterable[str]) -> list[str]:
    """Return the new circumstances that aren't an old one, or a newer version of what it installs."""
    known = set(old)
    versions = {_VERSION.sub("#", one): _versions(one) for one in old if one.startswith(_PLACES)}
    return [one for one in new if one not in known and not _is_newer(one, versions.get(_VERSION.sub("#", one)))]


def other_commits(old: Iterable[str], new: Iterable[str]) -> set[str]:
    """Return what is installed from the same place as before, but another commit, which may be newer or older."""
    known = {_COMMIT.sub("#", one) for one in old if one.startswith(_PLACES)}
    return {one for one in new if _COMMIT.sub("#", one) in known}


def _is_newer(one: str, versions: Sequence[tuple[int, ...]] | None) -> bool:
    return versions is not None and all(map(operator.ge, _versions(one), versions))


def _versions(text: str) -> list[tuple[int, ...]]:
    return [tuple(map(int, found.split("."))) for found in _VERSION.findall(text)]


def _lines(script: str) -> list[str]:
    return script.replace("\\\n", " ").splitlines()


def _touching(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        written = _WRITTEN.search(line)
        targets = (found[1] for found in _TARGET.finditer(line))
        if (
            _SUBSTITUTED.search(line)
            or (written is not None and _DECIDING.match(written[1]))
            or not all(map(_SAFE.match, targets))
        ):
            yield line.strip()
            continue
        for words, _ in commands_of(_TARGET.sub(" ", line)):
            yield from _told(words)


def _told(words: Sequence[str]) -> Iterator[str]:
    """Yield a command that isn't known to be harmless; of one that installs packages, only what may hold the guard."""
    rest = list(words)
    while rest and (rest[0] in _STEERING or re.match(r"\w+=|export\Z", rest[0])):
        name, equals, _ = rest.pop(0).partition("=")
        if equals and _DECIDING.match(name):
            yield " ".join(words)
            return
    text = " ".join(rest)
    installs = _INSTALLS.match(text)
    if installs is not None:
        packages = [word for word in rest[len(installs[0].split()) :] if not _QUIET.fullmatch(word)]
        named = [word for word in packages if _OURS.search(word) or not _PLAIN.fullmatch(word)]
        yield from [f"install {' '.join(named)}"] if named else []
    elif text and not (_HARMLESS.match(text) or check_of(rest) is not None):
        yield text


def _fetched(line: str) -> Iterator[str]:
    """Yield where the line that runs the guard has it from: `uvx --from git+https://… pk guard`."""
    words = [part for word in split(line) for part in (word.split("=", 1) if word.startswith("--") else (word,))]
    for at, word in enumerate(words[:-1]):
        if word in {"pk", "pactkeeper"}:
            return
        if _FROM.fullmatch(word):
            named = words[at + 1] if word in {"--from", "--with", "--spec"} else f"{word} {words[at + 1]}"
            yield f"install {named}"
