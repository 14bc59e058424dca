"""Shell scripts, reduced to the checks that they run: of a step, a target or a package script, and what those call.

Scripts of the repository are followed by their path, functions by their name, both with their arguments and variables.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from pactkeeper.repo.strength.switches.commands import (
    ASPECTS,
    GUARDS,
    KINDS,
    RUNNERS,
    SCRIPT,
    VARIABLES,
    Aspect,
    Check,
    aspect_of_name,
    check_of,
    commands_of,
    handed,
    leading,
    unwrapped,
)
from pactkeeper.repo.strength.switches.flow import NEVER, SWALLOWS, Flow, holds_when_run, place
from pactkeeper.repo.strength.switches.guarding import guarded
from pactkeeper.repo.strength.switches.reading import SIZE_LIMIT, Unreadable
from pactkeeper.repo.test_side import is_test_side

_WATCHES: Final = re.compile(r"(?:^|[\s:])(?:--)?watch\b(?!=false)")
_EXPRESSION: Final = re.compile(r"\$\{\{(?:[^}]|\}(?!\})){0,500}+\}\}")
_THIS: Final = re.compile(
    r"\$\{\{\s*+github\.(?:sha|ref|ref_name|head_ref|event\.after|event\.pull_request\.head\.\w++)\s*+\}\}"
)  # the commit that a workflow runs on
_INSTALLED: Final = re.compile(r"\$\((?:npm|yarn|pnpm) bin ?+(?:\)/([\w-]++)|([\w-]++)\))")  # an installation path
_SUBSTITUTED: Final = re.compile(r"\$\([^()\n]{0,500}+\)")  # operators inside it don't separate commands of the line
_TIMING: Final = frozenset({"--codspeed", "--benchmark-only", "bench"})  # measures without running tests
_ASKING: Final = frozenset({"[", "[[", "test", "command", "which"})
_OF_LINES: Final = ("package.json", "akefile", "justfile")  # every line has a shell of its own, without `-e`
_ENDS_EARLY: Final = re.compile(r"^[ \t]*+set[ \t].*?(?:-[a-z]*e|errexit)", re.MULTILINE)
_SHEBANG: Final = re.compile(r"\A#![^\n]{0,100}?\b(?:ba|da|z|k)?sh\b(?:[^\n]{0,60}?[ \t](-[a-z]*e))?")
_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh"})
_OF_SHELL: Final = ("", ".sh", ".bash", ".zsh", ".ksh")
_TESTING: Final = re.compile(rf"(?:^|[:_-])(?:{KINDS})(?:$|[:_-])")
_FUNCTION: Final = re.compile(
    r"([ \t]*+)(?:function[ \t]++([\w:.-]{1,60}+)[ \t]*+(?:\([ \t]*+\))?|([\w:.-]{1,60}+)[ \t]*+\([ \t]*+\))"
    r"[ \t]*+(?:\{(.*))?\Z"
)
_HOME: Final = "$GITHUB_WORKSPACE"
_SELF: Final = r'"?\$(?:\{?BASH_SOURCE(?:\[0\])?\}?|\{?0\}?)"?'
_DIRECTORY: Final = re.compile(
    rf'\$\(dirname (?:-- )?(?:{_SELF}|"?\$\((?:readlink -f|realpath) (?:-- )?{_SELF}\)"?)\)'
    r"|\$\{(?:0|BASH_SOURCE(?:\[0\])?)%/\*\}"
)  # of the script itself
_ABSOLUTE: Final = re.compile(
    r'\$\(cd (?:-- )?"?([^\s"&;()]{1,200}+)"?(?: ?&?> ?/dev/null(?: 2>&1)?)? && pwd(?: -P)?\)'
)
_TOP: Final = "$(git rev-parse --show-toplevel)"
_ALL: Final = re.compile(r'"\$\{?[@*]\}?"|\$\{?[@*]\}?')
_VALUE: Final = re.compile(r"\$(?:\{(\w{1,60}+)(?::?[-=]([^{}\n]{0,200}+))?\}|([A-Za-z_]\w{0,60}+|[1-9]))")
_ASSIGNED: Final = re.compile(r"[A-Za-z_]\w{0,60}+=")
_DECLARING: Final = frozenset({"export", "readonly", "local", "declare", "typeset"})
_LONGEST: Final = 4000
_LONGEST_VALUE: Final = 500
_MOST: Final = 1000  # of calls, and of thousands of characters that they lead to; scripts that call each other multiply
_DEEPEST: Final = 20  # calls within each other
_OTHER: Final = re.compile(r"\A(?:python[\d.]*|py|pypy3?|node|deno|bun|tsx|ruby|perl|\$\{?\w{0,60}PYTHON\w{0,60}\}?)\Z")
_LOADING: Final = frozenset({"-r", "--require", "--import", "--loader"})
_INLINE: Final = frozenset({"-m", "-c", "-e", "-p", "--eval", "--print"})
_PROGRAM: Final = re.compile(r"\.(?:py|[cm]?[jt]s|rb|pl)\Z")
# A program that runs tests says so in its name, or starts a known runner.
_NAMED: Final = re.compile(rf"(?:^|[._-]|run|all)(?:{KINDS})(?:$|[._-])")
_STARTS: Final = re.compile(
    r"\b(?:subprocess|Popen|os\.system|os\.exec|check_call|child_process|spawn|execa|execSync|zx)"
)
_RUNS: Final = re.compile(
    r"\b(?:pytest|unittest|doctest|nose2?)\.main\(|TextTestRunner|DiscoverRunner|\bget_runner\("
    r"|[\"'`](?:pytest|unittest|doctest|jest|vitest|mocha|ava|nox|tox)[\"'` ]"
)


@dataclass(frozen=True, slots=True)
class Scripts:
    """The files of a repository, and the folder (from its root) in which commands start.

    `read` gives a file by its path, None if there is none. `known` are variables that every command gets. `left` limits
    how much is followed; `followed` are the paths of the scripts that were.
    """

    read: Callable[[str], bytes | None] = lambda _: None
    folder: str = ""
    known: Mapping[str, str] = field(default_factory=dict)
    left: Iterator[int] = field(default_factory=lambda: iter(range(_MOST)))
    followed: set[str] = field(default_factory=set)


def checks(
    script: str, *, path: str, entry: str, goes_on: bool = False, scripts: Scripts | None = None
) -> Iterator[Check]:
    """Yield every check that a script runs, those of the scripts that it calls among them, line by line.

    `goes_on` says that its shell doesn't end at a failure. Raises Unreadable if what it calls is too much to read.
    """
    if path.endswith("package.json") and _WATCHES.search(script):
        return  # it never ends, so that nothing can wait for its verdict
    lenient = (goes_on or path.endswith(".sh")) and not _ends_early(script)
    shell = _Shell(scripts or Scripts(), lenient, lenient or path.endswith(_OF_LINES))
    shell.values |= shell.scripts.known
    yield from (replace(one, path=path, entry=entry) for one in shell.checks(script, shell.scripts.folder))


def named_checks(script: str, *, path: str, entry: str, scripts: Scripts | None = None) -> Iterator[Check]:
    """Yield the checks of a script called by name; if it has none, its name may still say that it runs tests."""
    found = list(checks(script, path=path, entry=entry, scripts=scripts))
    words = next((words for words, _ in commands_of(script.splitlines()[0])), []) if script.strip() else []
    if (
        any(one.known for one in found)
        or not words
        or not _TESTING.search(entry)
        or words[0] in {*RUNNERS, *ASPECTS}
        or SWALLOWS.match(" ".join(words))
    ):
        yield from found
    else:
        yield Check("tests", words[0], tuple(words[1:]), entry, path, known=False)


def exported(script: str, variables: Mapping[str, str]) -> str:
    """Prefix a script with exports of the variables that commands heed."""
    return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items()) + script


def may_be_script(path: str) -> bool:
    """Whether a file may be a shell script, by its name; no `.gitignore` is."""
    name = posixpath.basename(path)
    return not name.startswith(".") and posixpath.splitext(name)[1] in _OF_SHELL


def _is_script(path: str, text: str) -> bool:
    """Whether a file is a shell script; one that names no other program is run by the shell."""
    return _SHEBANG.match(text) is not None or (may_be_script(path) and not text.startswith("#!") and "\0" not in text)


def _ends_early(text: str) -> bool:
    shebang = _SHEBANG.match(text)
    return (shebang is not None and shebang[1] is not None) or _ENDS_EARLY.search(text) is not None


@dataclass(slots=True)
class _Shell:
    """What the commands of one shell share: its variables, those of them that checks heed, arguments and functions.

    `arguments` are None if nobody is seen to give any; `within` are the scripts and functions that it is in.
    """

    scripts: Scripts
    goes_on: bool
    apart: bool
    values: dict[str, str] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] | None = None
    functions: dict[str, str] = field(default_factory=dict)
    entered: set[str] = field(default_factory=set)
    within: tuple[str, ...] = ()

    def checks(self, script: str, start: str, *, whole: bool = True) -> Iterator[Check]:
        """Yield the checks of a script from a folder on; of a `whole` one, those of uncalled functions too."""
        text = _joined(script)
        own, lines = _divided(text)
        self.functions |= own
        flow = Flow(text, goes_on=self.goes_on, apart=self.apart, folder=start)
        for number, line in enumerate(lines, start=1):
            parts = list(commands_of(self._expanded(flow.branch(line))))
            for at, (words, operator) in enumerate(parts):
                before = parts[at - 1] if at else ([], "")
                if flow.is_steering(words, before[1], operator):
                    continue
                asked = _asked(*before)
                conditions = list(filter(None, (*flow.conditions, asked)))
                if NEVER in conditions:
                    continue
                self._keep(words, sure=not conditions and before[1] not in {"&&", "||"})
                ignored = flow.unheard(words, operator, parts[at + 1 :], lines[number:])
                around = (f"in {flow.folder}",) if flow.folder != start else ()
                for one in self._run(words, flow.folder):
                    yield replace(
                        one,
                        ignored=one.ignored or ignored,
                        condition=" and ".join(filter(None, (*conditions, one.condition))),
                        around=(*around, *one.around),
                    )
        for name in own if whole else ():
            if name not in self.entered:
                yield from self._enter(name, (), start)

    def _run(self, words: Sequence[str], folder: str) -> Iterator[Check]:
        """Yield what one command checks, itself or by what it calls."""
        at = leading(words)
        name = "".join(words[at : at + 1])
        if name in self.functions and name not in self.within:
            yield from self._enter(name, words[at + 1 :], folder)
            return
        found = check_of(words)
        if found is None:
            yield from self._called(words, folder)
        elif not (found.aspect == "tests" and _TIMING.intersection(found.words)):
            program = found.program.split()[0]
            own = _heeded(words[: words.index(program) if program in words else 0])
            yield replace(found, words=(*found.words, *handed(found, self.given | own)))

    def _enter(self, name: str, arguments: Sequence[str], folder: str) -> Iterator[Check]:
        """Yield the checks of a function of this shell."""
        self._count(self.functions[name])
        self.entered.add(name)
        inner = replace(self, arguments=tuple(arguments), within=(*self.within, name))
        yield from inner.checks(self.functions[name], folder, whole=False)

    def _called(self, words: Sequence[str], folder: str) -> Iterator[Check]:
        """Yield the checks of a script of the repository that a command calls, or that script itself as a check."""
        by, options, rest = _called_by(unwrapped(words))
        own = self.given | _heeded(words)
        if by == "shell" and _is_inline(options):
            text = "".join(rest[:1])
            self._count(text)
            yield from self._new(_stops(options), rest[1:], own, text).checks(text, folder)
            return
        path = place(rest[0], folder) if rest and not rest[0].startswith("/") and (by or "/" in rest[0]) else ""
        source = self.scripts.read(path) if path and "$" not in path and path not in self.within else None
        if source is None or len(source) > SIZE_LIMIT:
            return
        text = source.decode("utf-8", "replace")
        if by == "another" or (not by and not _is_script(path, text)):
            yield from _unknown(path, text, rest[1:], own)
            return
        self._count(text)
        self.scripts.followed.add(path)
        if by == "source":
            inner = replace(self, within=(*self.within, path))
        else:
            stops = _ends_early(text) if not by else _stops(options) or _ENDS_EARLY.search(text) is not None
            inner = self._new(stops, rest[1:], own, path)
        for one in inner.checks(_placed(text, posixpath.dirname(path)), folder, whole=by != "source"):
            found = guarded(one, text, ()) if one.aspect == GUARDS and not one.through else one
            yield replace(found, through=(path, *one.through))

    def _new(self, ends_early: bool, arguments: Sequence[str], given: Mapping[str, str], name: str) -> _Shell:
        """Return a shell that this one starts."""
        lenient = not ends_early
        return _Shell(self.scripts, lenient, lenient, dict(self.values), dict(given), tuple(arguments),
                      within=(*self.within, name))  # fmt: skip

    def _count(self, text: str) -> None:
        share = 1 + len(text) // 1000
        if len(self.within) >= _DEEPEST or len(list(islice(self.scripts.left, share))) < share:
            raise Unreadable("it calls too many scripts, or too long ones")

    def _keep(self, words: Sequence[str], *, sure: bool) -> None:
        """Keep what a command does to variables and arguments; a value that isn't `sure` replaces none."""
        if words[0] == "export":
            self.given |= _heeded(words)
        if words[0] == "shift" and self.arguments is not None:
            self.arguments = self.arguments[1:]
        names = [word for word in words[words[0] in _DECLARING :] if not word.startswith("-")]
        alone = all(map(_ASSIGNED.match, names))
        for name, _, value in (word.partition("=") for word in names if _ASSIGNED.match(word)):
            if "$(" in value or "`" in value or len(value) > _LONGEST_VALUE:
                self.values.pop(name, None)
            elif alone and sure:
                self.values[name] = value

    def _expanded(self, line: str) -> str:
        """Return a line with what is known of its variables and arguments."""
        if "$" not in line:
            return line
        line = line[:_LONGEST]
        if self.arguments is not None:
            line = _ALL.sub(shlex.join(self.arguments).replace("\\", r"\\"), line)
        return _VALUE.sub(self._value, line)

    def _value(self, found: re.Match[str]) -> str:
        name = found[1] or found[3]
        value = self.values.get(name)
        if name.isdigit() and self.arguments is not None:
            value = "".join(self.arguments[int(name) - 1 : int(name)])
        if value or found[2] is None:
            return found[0] if value is None else value
        return found[2]


def _joined(script: str) -> str:
    """Return a script with its continued lines joined, and without what GitHub or a package manager puts in place."""
    text = _INSTALLED.sub(r"\1\2", _EXPRESSION.sub("$_", _THIS.sub("$GITHUB_SHA", script.replace("\\\n", " "))))
    return _SUBSTITUTED.sub(lambda found: re.sub(r"[|;&]", "", found[0]), text)


def _placed(text: str, folder: str) -> str:
    """Return the text of a script with the folder that it stands in, where it asks for that."""
    own = f"{_HOME}/{folder}" if folder else _HOME
    text = _DIRECTORY.sub(lambda _: own, text).replace(_TOP, _HOME)
    return _ABSOLUTE.sub(lambda found: found[1], text)


def _divided(text: str) -> tuple[dict[str, str], list[str]]:
    """Return the functions of a script by name, and its other lines."""
    functions: dict[str, str] = {}
    lines: list[str] = []
    inside: tuple[str, str] | None = None  # the name of a function, and how far it is indented
    for line in text.splitlines():
        found = _FUNCTION.match(line) if inside is None else None
        if found is not None:
            name, rest = found[2] or found[3], (found[4] or "").rstrip()
            functions[name] = rest.removesuffix("}")
            inside = None if rest.endswith("}") else (name, found[1])
        elif inside is None:
            lines.append(line)
        elif line.startswith(f"{inside[1]}}}"):
            inside = None
        else:
            functions[inside[0]] += f"\n{line}" if line.strip() != "{" else ""
    return functions, lines


def _asked(words: Sequence[str], operator: str) -> str:
    """Return the condition that stands before a command and `&&` or `||`; "" for none, or one that surely holds."""
    if operator not in {"&&", "||"} or words[0] not in _ASKING:
        return ""
    holds = holds_when_run(words)
    if holds is None:
        return " ".join(words)
    return "" if holds is (operator == "&&") else NEVER


def _heeded(words: Sequence[str]) -> dict[str, str]:
    """Return the variables that words set for the commands after them."""
    named = (word.partition("=") for word in words)
    return {name: value for name, _, value in named if name in VARIABLES}


def _called_by(words: Sequence[str]) -> tuple[str, list[str], list[str]]:
    """Return what a file is run by ("" if only by its name), the options of that, and the file with its arguments."""
    name = words[0].rpartition("/")[2] if words else ""
    if name in {".", "source"}:
        return "source", [], list(words[1:])
    if name in _SHELLS:
        options = _options(words[1:])
        return "shell", options, list(words[1 + len(options) :])
    if _OTHER.match(name):
        named = (at for at in range(1, len(words)) if _PROGRAM.search(words[at]) and words[at - 1] not in _LOADING)
        at = next(named, len(words))
        options = list(words[1:at])
        return "another", options, [] if _INLINE.intersection(options) else list(words[at:])
    return "", [], list(words)


def _options(words: Sequence[str]) -> list[str]:
    """Return the options of a shell, with the value of `-o`, up to `-c`."""
    found: list[str] = []
    for word in words:
        valued = found and found[-1].endswith("o")
        if _is_inline(found) or not (valued or word.startswith(("-", "+"))):
            break
        found.append(word)
    return found


def _is_inline(options: Sequence[str]) -> bool:
    """Whether a shell with these options is given a script instead of a file."""
    return bool(options) and re.fullmatch(r"-[a-z]*c", options[-1]) is not None


def _stops(options: Iterable[str]) -> bool:
    """Whether a shell with these options ends at a failure."""
    return any(re.match(r"-[a-z]*e|errexit", one) for one in options)


def _unknown(path: str, text: str, words: Sequence[str], given: Mapping[str, str]) -> Iterator[Check]:
    """Yield a program of the repository as a check if its name or its text says that it is one."""
    aspect = _aspect_of(path, text)
    if aspect is not None:
        found = Check(aspect, f"{SCRIPT}{path}", tuple(words), known=False)
        yield replace(found, words=(*found.words, *handed(found, given)))


def _aspect_of(path: str, text: str) -> Aspect | None:
    name = _PROGRAM.sub("", posixpath.basename(path))
    if name == "setup":
        return None
    runs = _RUNS.search(text) is not None and (_STARTS.search(text) is not None or ".main(" in text)
    if runs or _NAMED.search(name) or (is_test_side(path) and name in {"run", "main", "all", "index", "__main__"}):
        return "tests"
    return "lint" if aspect_of_name(name) is not None else None
