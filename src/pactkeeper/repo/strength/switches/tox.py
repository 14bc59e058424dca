"""What tox runs: the commands of its environments as shell scripts, and in which environments tests run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from configparser import ConfigParser
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, Final

from pactkeeper.ledger.documents import read_toml
from pactkeeper.repo.strength.switches.commands import VARIABLES, Check, parsed
from pactkeeper.repo.strength.switches.reading import Value
from pactkeeper.repo.strength.switches.scripts import Scripts, checks, exported
from pactkeeper.repo.strength.switches.workflows import heeded

_BASE: Final = "testenv"
_TOML_BASE: Final = "env_run_base"
_DEFAULT: Final = "py"  # the environment of a file that lists none
# Arguments for whoever calls tox; the default counts, and may name folders: `{toxinidir}/tests`.
_POSARGS: Final = re.compile(r"\{posargs(?::((?:[^{}\n]|\{[^{}\n]{0,60}\}){0,300}+))?\}")
_HERE: Final = re.compile(r"\{(?:toxinidir|tox_root)\}/")
_REFERENCE: Final = re.compile(r"\{\[([^\[\]\n]{1,60})\](\w{1,30})\}")
_FACTORS: Final = re.compile(r"([\w{},.!-]{1,200}+):\s++(?=\S)")  # `py312,tests: pytest`
_BRACES: Final = re.compile(r"\{([^{}\n]{0,300}+)\}")
_OUTSIDE: Final = re.compile(r"[,\s]++(?![^{}]{0,300}\})")
_MOST: Final = 300  # environments, or references to other sections
_LONGEST: Final = 1000  # characters that a reference stands for


@dataclass(frozen=True, slots=True)
class _Environments:
    """The environments that run by default, and the command lines of each section; `base` serves all others."""

    listed: tuple[str, ...]
    lines: Mapping[str, Sequence[str]]
    base: str
    start: str

    def tested(self, scripts: Scripts) -> dict[str, Value]:
        """Return every environment with the programs that run tests in it."""
        programs = {
            name: [(*_divided(line), _testing(line, scripts)) for line in lines] for name, lines in self.lines.items()
        }
        sections = [name.removeprefix(self.start) for name in self.lines if name != self.base]
        found: dict[str, Value] = {}
        for name in (*(self.listed or (_DEFAULT,)), *sections):
            factors = set(name.split("-"))
            ran = programs.get(self.start + name, programs.get(self.base, ()))
            some = {program for condition, _, listed in ran if _matches(condition, factors) for program in listed}
            found[f"tox.tests.{name}"] = tuple(sorted(some))
        return found


def ini_scripts(text: str) -> dict[str, str]:
    """Return the script of every section; raise configparser.Error."""
    parser = _parser(text)
    base = _variables(parser, _BASE)
    return {
        name: exported(_script(lines), base | _variables(parser, name)) for name, lines in _of_ini(parser).lines.items()
    }


def ini_tests(text: str, scripts: Scripts) -> dict[str, Value]:
    """Return the programs that run tests in every environment; raise configparser.Error."""
    return _of_ini(_parser(text)).tested(scripts)


def toml_scripts(text: str) -> dict[str, str]:
    """Return the script of every environment in `tox.toml`; raise ValueError."""
    return table_scripts(read_toml(text))


def toml_tests(text: str, scripts: Scripts) -> dict[str, Value]:
    """Like `ini_tests`, of `tox.toml`; raise ValueError."""
    return _of_table(read_toml(text)).tested(scripts)


def table_scripts(tox: Mapping[str, Any]) -> dict[str, str]:
    """Return the scripts of environments from TOML, where a command is a list of words."""
    if isinstance(tox.get("legacy_tox_ini"), str):
        return ini_scripts(tox["legacy_tox_ini"])
    base, environments = tox.get(_TOML_BASE, {}), _tables(tox)
    return {
        f"tox {name}": exported(
            _script(lines),
            heeded({**base.get("set_env", {}), **environments[name].get("set_env", {})}),
        )
        for name, lines in _of_table(tox).lines.items()
        if lines
    }


def table_tests(tox: Mapping[str, Any], scripts: Scripts) -> dict[str, Value]:
    """Like `ini_tests`, of a table in TOML."""
    legacy = tox.get("legacy_tox_ini")
    return ini_tests(legacy, scripts) if isinstance(legacy, str) else _of_table(tox).tested(scripts)


def run_by(words: Sequence[str], found: Sequence[Check]) -> list[Check]:
    """Return those of the checks in the settings of tox that a call with these words runs."""
    options, _ = parsed(words, "tox")
    named = [name for word in options.get("-e", ()) for name in word.split(",")]
    own = {f"{start}{name}" for name in named for start in (f"{_BASE}:", "tox ")}
    if not named or any("$" in name for name in named):
        return list(found)
    mine = [check for check in found if check.entry in own]
    rest = len({check.entry for check in mine}) < len(named)
    return mine + [check for check in found if rest and check.entry in {_BASE, f"tox {_TOML_BASE}"}]


def _parser(text: str) -> ConfigParser:
    parser = ConfigParser(interpolation=None, strict=False, allow_no_value=True)
    parser.read_string(text)
    return parser


def _of_ini(parser: ConfigParser) -> _Environments:
    named = (parser.get("tox", key, fallback="") or "" for key in ("envlist", "env_list"))
    left = iter(range(_MOST))

    def referred(match: re.Match[str]) -> str:
        there = parser.get(match[1], match[2], fallback="") if next(left, None) is not None else ""
        return (there or "")[:_LONGEST]

    found: dict[str, Sequence[str]] = {}
    for section in parser.sections():
        if section.startswith(_BASE) and "commands" in parser[section]:
            text = _REFERENCE.sub(referred, parser[section]["commands"] or "")
            lines = [_given(line.strip()) for line in text.replace("\\\n", " ").splitlines()]
            found |= dict.fromkeys(_expanded(section), lines)
    return _Environments(tuple(_names("\n".join(named))), found, _BASE, f"{_BASE}:")


def _of_table(tox: Mapping[str, Any]) -> _Environments:
    listed = tox.get("env_list", ())
    found = {
        name: [" ".join(_words(line)) for line in env["commands"] if isinstance(line, list)]
        for name, env in _tables(tox).items()
        if "commands" in env
    }
    return _Environments(tuple(name for name in listed if isinstance(name, str)), found, _TOML_BASE, "")


def _tables(tox: Mapping[str, Any]) -> dict[str, Any]:
    return {**tox.get("env_base", {}), **tox.get("env", {}), _TOML_BASE: tox.get(_TOML_BASE, {})}


def _words(line: Iterable[object]) -> Iterator[str]:
    """Yield the words of a command; `{ replace = "posargs", default = […] }` is replaced by its default."""
    for word in line:
        if isinstance(word, dict):
            default = word.get("default", ())
            yield from _words(default if isinstance(default, list) else (default,))
        else:
            yield shlex.quote(str(word)) if " " in str(word) else str(word)


def _given(line: str) -> str:
    """Return a line as it runs if nobody gives any arguments."""
    return _HERE.sub("", _POSARGS.sub(lambda match: match[1] or "", line))


def _script(lines: Iterable[str]) -> str:
    """Return lines of tox as a shell would have them: after a leading `-`, an exit code doesn't count."""
    bare = (_divided(line)[1] for line in lines)
    return "\n".join(f"{line[1:].strip()} || true" if line.startswith("-") else line for line in bare)


def _testing(line: str, scripts: Scripts) -> list[str]:
    found = checks(_script([line]), path="", entry="", scripts=scripts)
    return [check.program for check in found if check.aspect == "tests"]


def _divided(line: str) -> tuple[str, str]:
    """Return a line's factors, "" if it has none, and its command."""
    factors = _FACTORS.match(line)
    return (factors[1], line[factors.end() :]) if factors is not None else ("", line)


def _matches(condition: str, factors: set[str]) -> bool:
    """Whether one of a condition's alternatives fits: `py39,!docs-lint` asks for py39, or for lint without docs."""
    return not condition or any(
        all((one.lstrip("!") in factors) is not one.startswith("!") for one in alternative.split("-"))
        for alternative in _names(condition)
    )


def _names(text: str) -> Iterator[str]:
    """Yield the names of a list of environments, `py{39,310}` as two."""
    listed = (name for part in _OUTSIDE.split(text) if part for name in _expanded(part))
    yield from islice(listed, _MOST)


def _expanded(name: str) -> Iterator[str]:
    parts = _BRACES.split(name)
    choices = [[one.strip() for one in part.split(",")] if at % 2 else [part] for at, part in enumerate(parts)]
    yield from islice(map("".join, product(*choices)), _MOST)


def _variables(parser: ConfigParser, name: str) -> dict[str, str]:
    """Return the variables that a tox environment sets."""
    lines = [parser.get(name, key, fallback="") or "" for key in ("setenv", "set_env")]
    named = (line.partition("=") for text in lines for line in text.splitlines())
    return {key.strip(): value.strip() for key, _, value in named if key.strip() in VARIABLES}
