"""Files that run commands (CI workflows, Makefiles, package scripts, tox and nox), reduced to the checks they run.

Also what a pact declares for sweeps, `[[health.check]]`: it says what a green main means.
"""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from configparser import Error as IniError
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.folder import SETTINGS, is_settings
from pactkeeper.ledger.documents import read_toml, whole_escapes
from pactkeeper.repo.languages.python.syntax import callee, parse, text_of
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.switches import tox
from pactkeeper.repo.strength.switches.commands import Aspect, Check, split
from pactkeeper.repo.strength.switches.flow import SWALLOWS, place
from pactkeeper.repo.strength.switches.hooks import AGENTS, agent_hooks, git_hooks, hooks_family, pre_commit_hooks
from pactkeeper.repo.strength.switches.matrices import MATRIX, matrices
from pactkeeper.repo.strength.switches.reading import SIZE_LIMIT, Unreadable, Value, read_yaml
from pactkeeper.repo.strength.switches.scripts import Scripts, checks, exported, named_checks
from pactkeeper.repo.strength.switches.verdicts import TESTS
from pactkeeper.repo.strength.switches.workflows import Around, branches_of, filters_of, heeded, walk

if TYPE_CHECKING:
    from tree_sitter import Node

_CI: Final = re.compile(
    r"\.github/workflows/[^/]+\.ya?ml|\.github/actions/.+\.ya?ml|\.gitlab-ci\.ya?ml|\.gitlab/.+\.ya?ml|(?:.*/)?azure-pipelines[\w.-]*\.ya?ml"
    r"|\.circleci/config\.ya?ml|\.travis\.ya?ml|\.buildkite/.+\.ya?ml|bitbucket-pipelines\.ya?ml|\.woodpecker(?:/.+)?\.ya?ml"
    r"|\.drone\.ya?ml|appveyor\.ya?ml|\.cirrus\.ya?ml"
)
_SEVERAL: Final = re.compile(r"(?:npm-run-all|run-s|run-p)\s")
_TARGET: Final = re.compile(r"([\w./-]++(?:[ \t]++[\w./-]++)*+)[ \t]*+::?(?!=)([^#\n]*+)")
_VARIABLE: Final = re.compile(r"(\w++)[ \t]*+[:?]?=[ \t]*+(.*)")
_FAILING: Final = re.compile(r"(?<!\d)(?![05]\b)\d")  # pytest exits with 5 if there are no tests
_IGNORE: Final = re.compile(r"^\.IGNORE[ \t]*+:(.*)", re.MULTILINE)
_NAMING: Final = re.compile(r"-[ncmplts]|--(?:names|prefix-colors|max-processes|prefix|prefix-length|success)")
_CALLS: Final = frozenset({"npm", "make", "just", "poe"})
_BUILDS: Final = re.compile(
    r"build|compile|clean|generat|codegen|install|lint|format|prettier|tsc|rimraf|mkdir|prisma|copy"
)
_IN_CI: Final = {"CI": "true", "GITHUB_ACTIONS": "true"}  # what a script may ask for, to do less or more
_MOST: Final = 10_000  # checks per file; scripts that call each other multiply


@dataclass(slots=True)
class Pipeline:
    """What one file runs; `entries` are called by name from elsewhere, `facts` are triggers, matrices, tox's tests.

    `scripts` are the paths of the shell scripts that it calls.
    """

    checks: list[Check] = field(default_factory=list)
    entries: set[str] = field(default_factory=set)
    facts: dict[str, Value] = field(default_factory=dict)
    scripts: set[str] = field(default_factory=set)


def family_of(path: str) -> str:
    """Name the group of files read together: all of CI, or the scripts of one folder; "" for any other file."""
    folder, name = posixpath.split(path)
    if name.endswith((".yml", ".yaml")) and _CI.fullmatch(path):
        return "ci"
    if (hooks := hooks_family(path)) != "":
        return hooks
    known = (
        name.endswith(".sh")
        or is_declaring(path)
        or name
        in {
            "package.json",
            "Makefile",
            "makefile",
            "GNUmakefile",
            "justfile",
            "tox.ini",
            "tox.toml",
            "noxfile.py",
            "pyproject.toml",
        }
    )
    return f"{folder}/{name}" if known else ""


def read_pipeline(path: str, read: Callable[[str], bytes | None]) -> Pipeline:
    """Return the checks that a file runs, read as the scripts that it calls are; raise Unreadable."""
    source = read(path) or b""
    if len(source) > SIZE_LIMIT:
        raise Unreadable(f"it is larger than {SIZE_LIMIT} bytes")
    folder = "" if _is_of_all(path) or path.endswith(".sh") else posixpath.dirname(path)
    scripts = Scripts(read, folder)
    try:
        found = _read(path, source.decode(), scripts)
    except (ValueError, TypeError, AttributeError, IniError, RecursionError) as error:
        raise Unreadable(" ".join(str(error).split())) from error
    return replace(found, scripts=scripts.followed)


def _is_of_all(path: str) -> bool:
    """Whether the commands of a file run in the root of the repository, wherever it is."""
    return _CI.fullmatch(path) is not None or hooks_family(path) != "" or is_declaring(path)


def _read(path: str, text: str, scripts: Scripts) -> Pipeline:
    name = posixpath.basename(path)
    if hooks := hooks_family(path):
        return Pipeline(list(_hooked(path, text, hooks, scripts)))
    if name.endswith((".yml", ".yaml")):
        return _ci(path, read_yaml(text), scripts)
    if is_declaring(path):
        return Pipeline(list(declared_checks(path, text, scripts)))
    named = {"": text} if name.endswith(".sh") else _READERS[name](text)
    facts = _FACTS[name](text, scripts) if name in _FACTS else {}
    found = {
        entry: list(named_checks(script, path=path, entry=entry, scripts=scripts)) for entry, script in named.items()
    }
    if name == "package.json":
        found = {entry: list(_prepared(some, named.get(f"pre{entry}", ""), scripts)) for entry, some in found.items()}
    whole = list(islice((check for entry in found for check in _closure(entry, found)), _MOST + 1))
    if len(whole) > _MOST:
        raise Unreadable(f"its scripts run more than {_MOST} checks")
    return Pipeline(whole, set(named), facts)


def _prepared(some: Iterable[Check], script: str, scripts: Scripts) -> Iterator[Check]:
    """Yield checks with the script that npm runs before them, unless it is known to build or check something."""
    found = checks(script, path="", entry="", scripts=scripts)
    harmless = not script or _BUILDS.search(script) or any(one.known for one in found)
    yield from (one if harmless else replace(one, around=(*one.around, f"after {script}")) for one in some)


def _closure(entry: str, found: Mapping[str, list[Check]]) -> Iterator[Check]:
    """Yield the checks of a script and of the scripts it calls in the same file, each once."""
    seen = {entry}
    waiting: list[tuple[Check, str, tuple[str, ...]]] = [(check, check.ignored, ()) for check in reversed(found[entry])]
    while waiting:
        check, ignored, given = waiting.pop()
        runner, _, called = check.program.partition(" ")
        if runner not in _CALLS or called not in found or called == entry:
            yield replace(check, entry=entry, ignored=ignored, words=(*check.words, *given))
        elif called not in seen:
            seen.add(called)
            more = (*given, *(word for word in check.words if word != "--"))
            waiting += [(inner, ignored or inner.ignored, more) for inner in reversed(found[called])]


def _package(text: str) -> dict[str, str]:
    data = json.loads(whole_escapes(text))
    scripts = data.get("scripts") if isinstance(data, dict) else None
    found = {key: line for key, line in scripts.items() if isinstance(line, str)} if isinstance(scripts, dict) else {}
    return {key: _several(line, found) for key, line in found.items()}


def _several(line: str, scripts: Mapping[str, str]) -> str:
    if line.startswith("concurrently "):
        words = split(line)
        fewer = any(one in {"-s", "--success"} and other != "all" for one, other in pairwise(words))
        commands = [word for one, word in pairwise(words) if not (word.startswith("-") or _NAMING.fullmatch(one))]
        return "\n".join(f"{one.replace('npm:', 'npm run ')}{' || true' if fewer else ''}" for one in commands)
    if _SEVERAL.match(line) is None:
        return line
    return " && ".join(f"npm run {word}" for word in line.split()[1:] if word in scripts)


def _makefile(text: str) -> dict[str, str]:
    variables = {match[1]: match[2].strip() for match in map(_VARIABLE.match, text.splitlines()) if match}
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith(("\t", "    ")):
            current.append(_recipe(line.strip(), variables))
            continue
        target = _TARGET.match(line)
        if target is not None and not line.startswith("."):
            current = found.setdefault(target[1].split()[0], [])
            current += [f"make {word}" for word in target[2].split()]
    ignoring = _IGNORE.search(text)
    named = ignoring[1].split() if ignoring else []
    for name in (named or found) if ignoring else ():
        found[name] = [f"{line} || true" for line in found.get(name, ())]
    return {name: "\n".join(lines) for name, lines in found.items()}


def _recipe(line: str, variables: Mapping[str, str]) -> str:
    """Return a line as the shell gets it; a leading `-` makes make continue after a failure."""
    marks = re.match(r"[@+-]*+", line)
    rest = line[marks.end() :] if marks else line
    rest = re.sub(r"\$[({](\w+)[)}]", lambda match: variables.get(match[1], match[1].lower()), rest)
    return rest + " || true" if marks and "-" in marks[0] else rest


def _project(text: str) -> dict[str, str]:
    """Return the tasks of poe, pdm and hatch, and the environments of tox."""
    tools = read_toml(text).get("tool", {})
    tables = [tools.get("poe", {}).get("tasks", {}), tools.get("pdm", {}).get("scripts", {})]
    tables += [env.get("scripts", {}) for env in tools.get("hatch", {}).get("envs", {}).values()]
    found = {name: script for table in tables for name, task in table.items() if (script := _task(task))}
    return found | tox.table_scripts(tools.get("tox", {}))


def _task(task: object) -> str:
    if isinstance(task, dict):
        task = next((task[key] for key in ("cmd", "shell", "script", "sequence", "composite") if key in task), "")
    if isinstance(task, list):
        steps = (item for item in task if isinstance(item, str))
        return "\n".join(step if " " in step else f"poe {step}" for step in steps)
    return task if isinstance(task, str) else ""


def _nox(text: str) -> dict[str, str]:
    """Return the nox sessions: what `session.run` is given in each."""
    source = text.encode()
    found: dict[str, str] = {}
    root = parse(source).root_node
    if root.has_error:
        raise ValueError("it does not parse")
    for statement in root.named_children:
        function = (
            statement.child_by_field_name("definition") if statement.type == "decorated_definition" else statement
        )
        name = function.child_by_field_name("name") if function is not None else None
        if function is not None and name is not None and function.type == "function_definition":
            found[text_of(name)] = "\n".join(_runs(function))
    return found


def _runs(function: Node) -> Iterator[str]:
    waiting = [function]
    while waiting:
        node = waiting.pop()
        waiting += reversed(node.named_children)
        arguments = node.child_by_field_name("arguments") if node.type == "call" else None
        if arguments is not None and callee(node).endswith(".run"):
            given = [text_of(one) for one in arguments.named_children if one.type == "string"]
            named = (text_of(one) for one in arguments.named_children if one.type == "keyword_argument")
            deaf = any(one.startswith("success_codes") and _FAILING.search(one) for one in named)
            yield " ".join(given) + (" || true" if deaf else "")


_READERS: Final = {"package.json": _package, "Makefile": _makefile, "makefile": _makefile, "GNUmakefile": _makefile,
                   "justfile": _makefile, "tox.ini": tox.ini_scripts, "pyproject.toml": _project, "noxfile.py": _nox,
                   "tox.toml": tox.toml_scripts}  # fmt: skip
_FACTS: Final[Mapping[str, Callable[[str, Scripts], dict[str, Value]]]] = {
    "tox.ini": tox.ini_tests,
    "tox.toml": tox.toml_tests,
    "pyproject.toml": lambda text, scripts: tox.table_tests(read_toml(text).get("tool", {}).get("tox", {}), scripts),
}


def _ci(path: str, data: object, scripts: Scripts) -> Pipeline:
    found = Pipeline()
    found.checks = list(walk(path, data, Around(scripts=replace(scripts, known=_IN_CI))))
    if isinstance(data, dict) and "on" in data:
        branches = tuple(dict.fromkeys(branches_of(data["on"])))
        found.checks = [replace(check, branches=branches) for check in found.checks]
    if isinstance(data, dict) and found.checks:
        found.facts = {"ci.filters": filters_of(data["on"])} if "on" in data else {}
        for name, value in matrices(data):
            found.facts[MATRIX + name] = value
    return found


def _hooked(path: str, text: str, family: str, scripts: Scripts) -> Iterator[Check]:
    if family == AGENTS:
        yield from agent_hooks(path, text, scripts)
    elif posixpath.basename(path).startswith(".pre-commit"):
        yield from pre_commit_hooks(path, read_yaml(text), scripts)
    elif path.endswith((".yml", ".yaml")):
        yield from git_hooks(walk(path, read_yaml(text), Around(scripts=scripts)))
    else:
        yield from git_hooks(
            checks(text, path=path, entry="", goes_on=".husky/" not in path, scripts=scripts)
        )  # which runs them with `-e`


def all_checks(snapshot: Snapshot) -> Iterator[Check]:
    """Yield what every file of a state runs, as far as it can be read."""
    for path in snapshot.paths:
        try:
            yield from read_pipeline(path, snapshot.read).checks if family_of(path) else ()
        except Unreadable:
            continue  # said of the file itself where it changed


_PRESETS: Final = "what the project's files suggest"
_INLINE: Final = frozenset({"-c", "-e", "-p", "--eval"})


def is_declaring(path: str) -> bool:
    """Whether a file is named like the settings of a pact."""
    return posixpath.basename(path) == SETTINGS


def declared_checks(path: str, text: str, scripts: Scripts) -> Iterator[Check]:
    """Yield the checks that the settings of a pact declare; raise ValueError."""
    health = read_toml(text).get("health") if is_settings(text.encode()) else None
    listed = health.get("check") if isinstance(health, dict) else None
    for one in listed if isinstance(listed, list) else ():
        argv = [str(word) for word in one.get("argv", ())] if isinstance(one, dict) else []
        if argv:
            given = one.get("environment")
            folder = place(str(one.get("directory", ".")))
            line = exported(shlex.join(argv), heeded(given if isinstance(given, dict) else {}))
            found = list(
                checks(line, path=path, entry=str(one.get("name", "")), scripts=replace(scripts, folder=folder))
            )
            around = (f"in {folder}",) if folder else ()
            for check in found or [_unknown(argv, path, one)]:
                yield replace(check, around=(*around, *check.around))


def _unknown(argv: Sequence[str], path: str, one: dict[str, object]) -> Check:
    """Return a program that isn't known as what its category says; code in its arguments tests nothing."""
    testing = one.get("category") == "test" and not SWALLOWS.match(" ".join(argv)) and not _INLINE.intersection(argv)
    aspect: Aspect = "tests" if testing else "lint"
    return Check(aspect, argv[0], tuple(argv[1:]), str(one.get("name", "")), path, known=False)


def with_presets(mine: Sequence[Check], others: Iterable[Check], path: str, paths: Iterable[str]) -> list[Check]:
    """Return the checks of a state's pact; if it declares none, those that presets run, as the `others` spell them.

    Presets leave no test out. `paths` are the files of both states.
    """
    if mine:
        return list(mine)
    same = [
        replace(one, words=(), ignored="", condition="")
        for one in others
        if one.aspect in {"tests", "types"} and one.known
    ]
    tested = any(map(TESTS.search, paths)) and all(one.aspect != "tests" for one in same)
    return [*same, Check("tests", _PRESETS, (), path=path)] if tested else same
