"""Command lines that run checks: what they run, what they leave out, and whether a failure is noticed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from pactkeeper.repo.strength.switches.flow import CONDITIONS

Aspect = Literal["tests", "types", "lint", "coverage", "guards"]
GUARDS: Final = "guards"
CALLED: Final = "workflow "  # before the name of a workflow that another one calls
SCRIPT: Final = "script "  # before the path of a program of the repository that is no shell script
_PROGRAMS: Final[Mapping[Aspect, tuple[str, ...]]] = {
    "tests": ("pytest", "py.test", "unittest", "nose2", "trial", "tox", "nox", "jest", "vitest", "mocha", "ava", "tap",
              "tape", "borp", "uvu", "jasmine", "playwright test", "cypress run", "karma start", "node --test",
              "tsx --test", "bun test", "deno test", "go test", "cargo test", "cargo nextest", "react-scripts test",
              "mvn", "gradle", "dotnet test", "ctest", "doctest", "hatch test", "rspec", "behave", "manage.py test",
              "ng test", "nx test", "turbo test"),
    "types": ("mypy", "pyright", "basedpyright", "ty check", "pyre check", "tsc", "tsgo", "vue-tsc", "svelte-check",
              "tsd", "tstyche", "attw"),
    "lint": ("ruff check", "ruff", "flake8", "pylint", "eslint", "biome", "oxlint", "golangci-lint", "bandit", "xo",
             "lint-imports", "pre-commit run", "cargo clippy", "node --check", "stylelint", "standard", "knip"),
    "coverage": ("coverage report", "nyc check-coverage", "c8 check-coverage"),
    GUARDS: ("pk guard", "pk check"),
}  # fmt: skip
ASPECTS: Final = {program: aspect for aspect, programs in _PROGRAMS.items() for program in programs}
_WRAPPERS: Final = re.compile(
    r"(?:(?:uv|poetry|pdm|hatch|pipenv|rye|pixi|conda) run|uvx|pipx run|npx|bunx|(?:pnpm|yarn|npm|bundle) (?:exec|dlx)|"
    r"(?:yarn )?node|command(?! -)|"
    r"xvfb-run|timeout|time|nice|env|cross-env|sudo|exec|dotenv|coverage run|docker(?: compose|-compose)? (?:run|exec)|"
    r"nyc|c8)(?: |\Z)"
)
_MEASURING: Final = ("c8", "nyc")
MEASURED: Final = ("lines", "branches", "functions", "statements")
_GATE: Final = re.compile(
    rf"(?<= )(--check-coverage(?=[ =])|--(?:{'|'.join(MEASURED)})(?=[ =]\d))(?:[= ]([\d.]++|true|false))?"
)
_MOST_OPTIONS: Final = 40
RUNNERS: Final = ("npm", "pnpm", "yarn", "make", "just", "task", "invoke", "poe", "bun")
KINDS: Final = "tests?|spec|e2e|unit|integration|functional|acceptance|smoke|regression"
_NAMED: Final[tuple[tuple[re.Pattern[str], Aspect], ...]] = (
    (re.compile(r"type|mypy|tsc|pyright"), "types"),
    (re.compile(r"lint|ruff|flake"), "lint"),
    (re.compile(rf"(?:^|[:_-])(?:{KINDS}|t|check|verify|ci|cov(?:erage)?)(?:$|[:_-])"), "tests"),
    (re.compile(rf"^(?:{'|'.join(one for one in _PROGRAMS['tests'] if one.isalpha())})(?:$|[:_-])"), "tests"),
)
_ENVIRONMENTS: Final = ("tox", "nox")
_NAMING: Final = ("-e", "-f", "-s", "--session", "--sessions")
_OF_ENVIRONMENTS: Final[tuple[tuple[re.Pattern[str], Aspect], ...]] = (
    (re.compile(r"typ(?:e|ing)|mypy|pyright"), "types"),
    (re.compile(rf"(?:^|[-_])(?:{KINDS})"), "tests"),
    (re.compile(r"lint|style|ruff|flake|format|\bdocs?\b|pre-commit"), "lint"),
)
_OWN_PK: Final = re.compile(r"(?!/|\$|~|(?:\./)?\.?v?env/).*/")  # a program of the repository's own
_LEADING: Final = frozenset({"then", "do", "else", "{", "(", "&&", *CONDITIONS})
_OPERATORS: Final = frozenset({"&&", "||", ";", "|", "&", "|&"})
_BRANCHES: Final = ("then", "do")
_LAST: Final = ("else",)  # a command of its own, since it steers the ones after it
_LONGEST: Final = 4000
# Options that take the next word as their value, unless that word looks like an option itself.
_VALUED: Final = re.compile(
    r"-(?:[kmpWcontgjrw]|run|skip|bench|count|cpu|parallel|timeout|tags|coverprofile|covermode|coverpkg)|--(?:"
    r"cov-report|cov-config|junitxml|durations|timeout|dist|tb|rootdir|maxfail|reruns|config|"
    r"project|reporter|shard|workers|browser|config-file|deselect|ignore|ignore-glob|"
    r"testNamePattern|testPathPattern|testPathPatterns|testPathIgnorePatterns|exclude|grep|grep-"
    r"invert|fgrep|retries|retry|test-name-pattern|test-skip-pattern|rule|ignore-pattern|max-"
    r"warnings|select|extend-ignore|cov-fail-under|fail-under|ext|format|output-format|bail|cov|"
    r"numprocesses|basetemp|import|require|loader|max-line-length|test-timeout|testTimeout|"
    r"override-ini|capture|color|import-mode|confcutdir|verbosity|show-capture|assert|doctest-glob|doctest-report|"
    r"log-[a-z-]{1,30}|since|at|sarif"
    r")"
)
_ATTACHED: Final = re.compile(r"-[kmpWnt][^-]")
_RUNS_NOTHING: Final = frozenset({("vitest", "list"), ("vitest", "init"), ("tox", "list"), ("tox", "config")})
_PYTHON: Final = re.compile(
    r"(?:pytest|py\.test|hatch test|unittest|tox|nox|npm|pnpm|yarn|make|just|task|invoke|poe|bun|script)\b"
)
_NODE: Final = re.compile(r"(?!pytest|py\.test|hatch|unittest|tox|nox)")
_PYTEST: Final = frozenset({"pytest", "py.test", "hatch test"})
_PYTEST_VALUED: Final = frozenset("kmrWcpon")  # single-letter options with a value, attached or as the next word
_PYTEST_FLAGS: Final = frozenset("xsvqlVhfd")  # single-letter flags, which others may follow in the same word
_PYTEST_SPELT: Final = {"-o": "--override-ini", "--pythonwarnings": "-W", "--report-chars": "-r"}


@dataclass(frozen=True, slots=True)
class Check:
    """One command that checks something; `ignored` says why its failure goes unnoticed, `condition` when it runs.

    `branches` are patterns for those whose changes start it. `known` is False for a program that is only assumed to run
    tests because of its script's name. `around` is what else may change its result: the folder it runs in, say. `runs`
    is what it is known to run in turn. `through` are the scripts of the repository that lead from `path` to it.
    """

    aspect: Aspect
    program: str
    words: tuple[str, ...]
    entry: str = ""
    path: str = ""
    ignored: str = ""
    condition: str = ""
    branches: tuple[str, ...] = ("**",)
    known: bool = True
    around: tuple[str, ...] = ()
    runs: tuple[Check, ...] = ()
    through: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The command as people would write it."""
        shown = " ".join((self.program, *self.words))
        return (
            f"{shown} ({self.ignored})"
            if self.ignored
            else f"{shown} (if {self.condition})"
            if self.condition
            else shown
        )


def handed(check: Check, variables: Mapping[str, str]) -> tuple[str, ...]:
    """Return what variables say in the form a check's program accepts, if it heeds them."""
    heeded = (VARIABLES[name][1](value) for name, value in variables.items() if VARIABLES[name][0].match(check.program))
    words = tuple(word for some in heeded for word in some)
    return words if not words or check.program in _PYTEST or _NODE.match(check.program) is not None else ("--", *words)


def split(line: str) -> tuple[str, ...]:
    """Split a line into words like a shell, or at whitespace if a quote is unclosed."""
    try:
        return tuple(shlex.split(line))
    except ValueError:
        return tuple(line.split())


# Variables of the environment with the programs that heed them, and what each says as words of a command.
VARIABLES: Final[Mapping[str, tuple[re.Pattern[str], Callable[[str], tuple[str, ...]]]]] = {
    "PYTEST_ADDOPTS": (_PYTHON, split),
    "PYTHONOPTIMIZE": (_PYTHON, lambda value: ("-O",) if value not in {"", "0"} else ()),
    "NODE_OPTIONS": (_NODE, lambda value: (f"--node-options={value}",)),
}


def commands_of(line: str) -> Iterator[tuple[list[str], str]]:
    """Yield a line's commands with the operator after each."""
    if line.lstrip()[:1] in {"", "#"}:
        return
    scanner = shlex.shlex(line[:_LONGEST], posix=True, punctuation_chars=";&|")
    scanner.whitespace_split, scanner.commenters = True, ""
    words: list[str] = []
    try:
        tokens = list(scanner)
    except ValueError:  # an unclosed quote: plain splitting is good enough
        tokens = line[:_LONGEST].split()
    for token in tokens:
        if token.startswith("#"):
            break
        if token in _OPERATORS:
            if words:
                yield words, token
            words = []
        elif not words and token in _LAST:
            yield [token], ";"
        elif words or token not in _BRANCHES:
            words.append(token)
    if words:
        yield words, ""


def check_of(words: Sequence[str]) -> Check | None:
    """Return what the words of a command check; None if it isn't known to check anything."""
    rest = list(words[leading(words) :])
    while rest:
        found = _program(rest)
        if found is not None:
            return found
        wrapper = _WRAPPERS.match(" ".join(rest[:3]) + " ")
        if wrapper is None:
            return None
        gates = tuple(_gates(rest)) if rest[0] in _MEASURING else ()
        rest = rest[len(wrapper[0].split()) :]
        at = next((at for at in range(len(rest)) if not _is_given(rest, at)), len(rest))
        inner = (found for start in range(at + 1) if (found := _program(rest[start:] or [""])) is not None)
        found = next(inner, None)
        if found is not None:
            return replace(found, words=(*found.words, *gates))
        rest = rest[at + 1 :] if rest[at - 1 : at] == ["-m"] else rest[at:]
    return None


def leading(words: Sequence[str]) -> int:
    """Return how many words precede the program of a command: steering words, and variables that it gets."""
    return next(
        (at for at, word in enumerate(words) if word not in _LEADING and not re.match(r"\w++=", word)), len(words)
    )


def unwrapped(words: Sequence[str]) -> list[str]:
    """Return the words of a command from its program on, without programs that only run others."""
    rest = list(words[leading(words) :])
    while (wrapper := _WRAPPERS.match(" ".join(rest[:3]) + " ")) is not None:
        rest = rest[len(wrapper[0].split()) :]
        rest = rest[next((at for at in range(len(rest)) if not _is_given(rest, at)), len(rest)) :]
    return rest


def _gates(words: Sequence[str]) -> Iterator[str]:
    """Yield the coverage that a measuring program asks for, as options; `--100` asks for all of it."""
    whole = " ".join(words[:_MOST_OPTIONS])
    if re.search(r"(?<= )--100(?= )", whole):
        yield from ("--check-coverage", *(f"--{part}=100" for part in MEASURED))
    for found in _GATE.finditer(whole):
        yield f"{found[1]}={found[2]}" if found[2] else found[1]


def _is_given(words: Sequence[str], at: int) -> bool:
    """Whether a word belongs to the preceding program: an option, its value, a setting, a number or a variable."""
    word = words[at]
    return (
        word.startswith(("-", "$")) or "=" in word or word[:1].isdigit() or (at > 0 and words[at - 1].startswith("-"))
    )


def _by_python(words: Sequence[str]) -> Check | None:
    at = next((at for at, word in enumerate(words) if word in {"-m", "manage.py"}), len(words))
    if words[at : at + 1] == ["-m"] and words[at + 1 : at + 2] != ["pip"]:
        inner = check_of(words[at + 1 :])
        optimized = any(re.fullmatch(r"-[a-zA-Z]*+(?<=O)", word) for word in words[1:at])
        return replace(inner, words=(*inner.words, "-O")) if inner is not None and optimized else inner
    return Check("tests", "manage.py test", tuple(words[at + 2 :])) if words[at + 1 : at + 2] == ["test"] else None


def _program(words: Sequence[str]) -> Check | None:
    name = re.sub(r"\.[cm]?js\Z|\A\$\{\w{1,60}+\}(?=\w)", "", words[0].rpartition("/")[2])
    if re.fullmatch(r"python[\d.]*|py|pypy3?|\{env_?python\}|\$\{?\w{0,60}PYTHON\w{0,60}\}?", name):
        return _by_python(words)
    run_by_node = words[1].partition("=") if name == "node" and len(words) > 1 else ("", "", "")
    if name in RUNNERS or run_by_node[0] == "--run":
        named = [*filter(None, run_by_node[2:]), *words[2:]]
        return _by_name(name, words[1:]) if name in RUNNERS else _by_name("npm", named)
    if name in {"mvn", "mvnw", "gradle", "gradlew"}:
        goals = {"test", "verify", "check", "build", "install"} & set(words)
        return Check("tests", name.removesuffix("w"), tuple(words[1:])) if goals else None
    if name in {"pk", "pactkeeper"}:
        known = f"pk {words[1]}" if len(words) > 1 else ""
        ignored = f"another pk: {words[0]}" if _OWN_PK.match(words[0]) else ""
        found = Check(GUARDS, known, tuple(words[2:]), ignored=ignored)
        return found if known in ASPECTS and words[2:3] != ["accept"] else None
    for size in (2, 1):
        known = " ".join((name, *words[1:size]))
        if (name, *words[1:2]) in _RUNS_NOTHING:
            return None
        if known in ASPECTS and len(words) >= size and not (known == "ruff" and words[1:2] == ["format"]):
            aspect = _aspect_of(words) if known in _ENVIRONMENTS else ASPECTS[known]
            return Check(aspect, known.removesuffix(" check"), tuple(words[size:]))
    return Check("tests", f"{name} --test", tuple(words[1:])) if name == "node" and "--test" in words else None


def _aspect_of(words: Sequence[str]) -> Aspect:
    """Return what the environments that tox or nox is asked for check: types or lint if all their names say so."""
    options, _ = parsed(words, words[0])
    named = [word for name in _NAMING for word in options.get(name, ())]
    names = [one for word in named for one in re.split(r"[,\s]+", word) if one]
    found = set(map(aspect_of_environment, names))
    return found.pop() if len(found) == 1 else "tests"


def aspect_of_environment(name: str) -> Aspect:
    """Return what the name of an environment of tox or nox says that it checks: tests if it says nothing."""
    return next((aspect for pattern, aspect in _OF_ENVIRONMENTS if pattern.search(name)), "tests")


def aspect_of_name(name: str) -> Aspect | None:
    """Return what the name of a script or workflow says that it checks; None if it says nothing."""
    return next((aspect for pattern, aspect in _NAMED if pattern.search(name)), None)


def _by_name(runner: str, words: Sequence[str]) -> Check | None:
    """Return a check for a script or target known only by name: `npm run test:unit`, `make check`."""
    rest = [word for word in words if not word.startswith("-")]
    rest = rest[1:] if rest[:1] in (["run"], ["run-script"]) else rest
    if not rest or rest[0] in {"install", "ci", "exec", "dlx", "add", "build"}:
        return None
    if runner in {"yarn", "pnpm", "bun"} and rest[0] in ASPECTS:
        return Check(ASPECTS[rest[0]], rest[0], tuple(words[words.index(rest[0]) + 1 :]))
    aspect = aspect_of_name(rest[0])
    name = "test" if rest[0] == "t" else rest[0]
    runner = "npm" if runner in {"npm", "pnpm", "yarn", "bun"} else runner
    return Check(aspect, f"{runner} {name}", tuple(words[words.index(rest[0]) + 1 :])) if aspect is not None else None


def parsed(words: Iterable[str], program: str = "") -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Return a command's options with their values, and its other arguments."""
    options: dict[str, tuple[str, ...]] = {}
    rest: list[str] = []
    waiting = ""
    for word in words:
        optional = word.startswith("-") and len(word) > 1
        if waiting and (not optional or " " in word):
            options[waiting] = (*options[waiting], word)
            waiting = ""
        elif optional:
            for name, value in _options_of(word, program):
                options[name] = (*options.get(name, ()), *(() if value is None else (value,)))
                valued = _VALUED.fullmatch(name) is not None or (program in _ENVIRONMENTS and name in _NAMING)
                waiting = name if value is None and valued else ""
        elif not re.match(r"\d?[<>]", word):
            rest.append(word)
    return options, tuple(rest)


def _options_of(word: str, program: str) -> Iterator[tuple[str, str | None]]:
    """Yield the options in one word, each with its value from that word: `-xk=a` is `-x`, and `-k` with `a`."""
    name, equals, value = word.partition("=")
    if program in _PYTEST and not name.startswith("--") and len(name) > len("-k"):
        yield from _letters(word[1:])
    elif not equals and _ATTACHED.match(word) and not _VALUED.fullmatch(word):
        yield word[:2], word[2:]
    else:
        yield _PYTEST_SPELT.get(name, name) if program in _PYTEST else name, value if equals else None


def _letters(word: str) -> Iterator[tuple[str, str | None]]:
    """Yield a word's single-letter options as pytest reads them: one by one, up to one that takes the rest as value."""
    for at, letter in enumerate(word):
        if letter not in _PYTEST_FLAGS:
            name = _PYTEST_SPELT.get(f"-{letter}", f"-{letter}")
            given = word[at + 1 :].removeprefix("=")
            yield name, given if given or letter not in _PYTEST_VALUED else None
            return
        yield f"-{letter}", None
