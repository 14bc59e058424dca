"""The values that parsers take and return, and helpers to read terminal output line by line.

Stack frames are ordered from the deepest outwards, whichever end a language prints first. Paths as tools write them are
resolved to files of the project without touching the file system.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from json import JSONDecoder
from typing import Final, Literal

from pactkeeper.health.parsers.names import Family
from pactkeeper.intent.health import CheckCategory, Diagnostic
from pactkeeper.ledger.canonical import by_key
from pactkeeper.ledger.documents import whole_escapes
from pactkeeper.ledger.finding import Severity

HintVerdict = Literal["not applicable", "could not run", "could not tell"]
NO_TESTS: Final = "no test ran; skipped ones do not count"
# On its own line where the middle of an output was cut; every block of text ends there.
GAP: Final = "bytes left out …"


@dataclass(frozen=True, slots=True)
class CheckOutput:
    """What remains after a check ran.

    `text` is its output, possibly without the middle; `report` the bytes of the report file it was told to write.
    `roots` are absolute paths at which the tool may have seen the tree, `files` the existing paths relative to the
    root, if known: partial names such as `CartTest.java` are completed from them. `failed` says whether the check
    failed.
    """

    text: str
    report: bytes | None = None
    roots: tuple[str, ...] = ()
    files: frozenset[str] = frozenset()
    failed: bool = True


@dataclass(frozen=True, slots=True)
class Hint:
    """Why an output says nothing about the commit; `reason` is a clause for messages."""

    verdict: HintVerdict
    reason: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """A parsed output; at least `tests_seen` tests ran, not counting skipped ones, or None if that is unknown."""

    diagnostics: tuple[Diagnostic, ...] = ()
    tests_seen: int | None = None
    verdict_hint: Hint | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """One stack frame as a tool prints it; numbers are 1-based, 0 if missing."""

    file: str
    line: int = 0
    column: int = 0


@dataclass(slots=True)
class Raw:
    """A diagnostic in the tool's own terms.

    `frames` run from the deepest outwards: the first one inside the project becomes the place, the files of the others
    are related. `modules` are related modules in the tool's notation, and `compiled` marks a compiler's diagnostic.
    `family` says how it refers to names, if not like the parser's tool.
    """

    message: str
    severity: Severity = "error"
    rule: str = ""
    test: str = ""
    file: str = ""
    line: int = 0
    column: int = 0
    symbol: str = ""
    related: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    frames: Sequence[Frame] = ()
    category: CheckCategory | None = None
    compiled: bool = False
    family: Family | None = None


@dataclass(slots=True)
class Found:
    """The result of one parser: diagnostics in order, the number of tests that ran, and why there may be none.

    `failed` is the number of failures in the tool's own summary, None without one: a passing test may print anything.
    """

    raw: list[Raw] = field(default_factory=list)
    tests: int | None = None
    hint: Hint | None = None
    failed: int | None = None


@dataclass(frozen=True, slots=True)
class ReadableOutput:
    """An output prepared for parsing: no colours, bounded lines, and the project's paths."""

    text: str
    lines: Sequence[str]
    report: bytes | None
    places: Places
    pattern: str = ""


Parser = Callable[[ReadableOutput], Found]


LONGEST_LINE: Final = 4_000  # characters of a line that patterns are applied to
LONGEST_MESSAGE: Final = 4_000  # characters of a diagnostic's message
_MOST_LINES: Final = 60  # of a diagnostic's message
_ESCAPES: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")


def clean(text: str) -> str:
    """Remove colours, cursor moves, null bytes and carriage returns; an overwritten line becomes several."""
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\0", "").removeprefix("\ufeff")


def lines_of(text: str) -> list[str]:
    """Split into lines, each truncated to `LONGEST_LINE` characters."""
    return [line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] for line in text.split("\n")]


def blocks(
    lines: Iterable[str], begins: Callable[[str], re.Match[str] | None], ends: Callable[[str], bool] = lambda _: False
) -> Iterator[tuple[re.Match[str], list[str]]]:
    """Yield each line that begins a block with the lines up to the next block, an end line, or a gap."""
    head: re.Match[str] | None = None
    body: list[str] = []
    for line in [*lines, GAP]:
        hit = begins(line)
        if hit or GAP in line or ends(line):
            if head is not None:
                yield head, body
            head, body = hit, []
        elif head is not None:
            body.append(line)


def dedented(lines: list[str]) -> str:
    """Join lines without their common indentation and without blank lines at either end."""
    full = [line for line in lines if line.strip()]
    margin = min((len(line) - len(line.lstrip(" ")) for line in full), default=0)
    return "\n".join(line[margin:].rstrip() for line in lines).strip("\n")


def bounded(message: str) -> str:
    """Truncate a message to `LONGEST_MESSAGE` characters and `_MOST_LINES` lines, marked by `…`."""
    text = message.strip()
    if len(text) > LONGEST_MESSAGE:
        text = text[: LONGEST_MESSAGE - 1] + "…"
    if text.count("\n") >= _MOST_LINES:
        text = "\n".join([*text.split("\n")[: _MOST_LINES - 1], "…"])
    return text


def count(text: str) -> int:
    """Parse a line or column number; 0 if it is not a number or too large."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0  # noqa: PLR2004 - a billion lines


PYTHON: Final = re.compile(r'^\s*File "([^"]+)", line (\d+)')
# at name (file:1:2) · at file:1:2 · ❯ name file:1:2 · at async file:1:2
_SCRIPT: Final = re.compile(r"^\s*at (?:[^()]*\()?(?:async )?(.+?):(\d+):(\d+)\)?$")
_SCRIPT_NAMED: Final = re.compile(r"^\s*❯ (?:\S+(?: \[as \S+\])? )?(\S+?):(\d+):(\d+)$")
_JAVA: Final = re.compile(r"\s*at (?:[\w.-]+/+)*([\w$.]+)\.[\w$<>]+\(([\w$]+\.(?:java|kt|groovy|scala)):(\d+)\)")
_GO: Final = re.compile(r"^\t(/?\S.*?\.go):(\d+)(?: \+0x|$)")
_RUST: Final = re.compile(r"^\s+at (\S.*?\.rs):(\d+):(\d+)$")


def _frames(lines: Iterable[str], *patterns: re.Pattern[str]) -> list[Frame]:
    """Return a frame for each line that matches one of the patterns: file, line, and column if captured."""
    found: list[Frame] = []
    for line in lines:
        hit = next(filter(None, (one.match(line) for one in patterns)), None)
        if hit:
            found.append(Frame(hit[1], count(hit[2]), count((*hit.groups(), "")[2])))
    return found


def python_frames(lines: Iterable[str]) -> list[Frame]:
    """Parse `File "…", line N`, which Python prints deepest last."""
    return _frames(lines, PYTHON)[::-1]


def script_frames(lines: Iterable[str]) -> list[Frame]:
    """Parse `at name (file:line:column)` from V8 and `❯ name file:line:column` from Vitest."""
    return _frames((line for line in lines if line.lstrip().startswith(("at ", "❯ "))), _SCRIPT_NAMED, _SCRIPT)


def java_frames(lines: Iterable[str]) -> list[Frame]:
    """Parse `at package.Class.method(File.java:12)`, adding the folder implied by the package."""
    hits = [hit for line in lines if "(" in line and (hit := _JAVA.match(line))]
    return [Frame("/".join([*hit[1].split(".")[:-1], hit[2]]), count(hit[3])) for hit in hits]


def go_frames(lines: Iterable[str]) -> list[Frame]:
    """Parse the indented places of a goroutine's stack, without those of Go's runtime."""
    return [one for one in _frames(lines, _GO) if "/src/runtime/" not in one.file]


def rust_frames(lines: Iterable[str]) -> list[Frame]:
    """Parse the places of a backtrace."""
    return _frames((line for line in lines if " at " in line), _RUST)


_DECODER: Final = JSONDecoder()


def json_value(text: str, start: int = 0) -> object:
    """Decode the JSON value at `start`, ignoring what follows; None if truncated, invalid or null."""
    try:
        found, _ = _DECODER.raw_decode(whole_escapes(text), start)
    except (ValueError, RecursionError):
        return None
    return found


_DRIVE: Final = re.compile(r"[A-Za-z]:[/\\]")
_NO_FILE: Final = ("<", "node:", "internal/", "native ", "[")
# Third-party code: never the place where one of the project's failures is raised.
_FOREIGN: Final = frozenset(
    {"node_modules", "site-packages", "dist-packages", ".venv", "venv", ".tox", ".nox", ".yarn", "target", ".cargo"}
)
_SCRIPT_ENDINGS: Final = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".vue", ".json")
_COMPILED: Final = frozenset({".js", ".mjs", ".cjs", ".jsx"})
_SOURCES: Final = (".ts", ".tsx", ".mts", ".cts")
_LONGEST: Final = 1_000  # characters of a path


class Places:
    """Translates a tool's paths into POSIX paths relative to the root, with a cache."""

    def __init__(self, roots: Iterable[str], directory: str = ".", files: frozenset[str] = frozenset()) -> None:
        plain = {_slashes(root).rstrip("/") for root in roots}
        self._roots = sorted(plain - {""}, key=len, reverse=True)
        self._directory = directory
        self._files = files
        self._named = by_key((posixpath.basename(path), path) for path in sorted(files))
        self._known: dict[str, str] = {}
        self._below = _below(self._roots)

    def file(self, text: str) -> str:
        """Return the path relative to the root; empty if the text is not a path or leads outside."""
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = self._file(text)
        return found

    def own(self, text: str) -> str:
        """Like `file`, but also empty for third-party and generated code."""
        path = self.file(text)
        if not path or _FOREIGN & set(path.split("/")) or (self._files and path not in self._files):
            return ""
        return path

    def listed(self, text: str) -> str:
        """Like `own`, but also empty if the files are unknown or the path isn't among them."""
        path = self.own(text) if "." in text or "/" in text else ""
        return path if path in self._files else ""

    def plain(self, message: str) -> str:
        """Return the message with the root stripped from its paths."""
        if self._below is None or ("/" not in message and "\\" not in message):
            return message
        return self._below.sub("", message)

    def module(self, name: str, importer: str = "") -> str:
        """Return the file of a module, `./models` relative to `importer` or dotted; empty if unknown."""
        if name.startswith("."):
            return self._script(posixpath.normpath(posixpath.join(posixpath.dirname(importer), name)), importer)
        if "/" in name:
            return self.own(name) if posixpath.splitext(name)[1] else ""
        stem = name.replace(".", "/")
        if not self._files:
            return f"{stem}.py" if name else ""
        return self._ending(f"{stem}.py") or self._ending(f"{stem}/__init__.py")

    def _file(self, text: str) -> str:
        path = _slashes(text.strip().removeprefix("file://"))
        if not path or len(path) > _LONGEST or path.startswith(_NO_FILE):
            return ""
        root = next((one for one in self._roots if path.startswith(one + "/")), None)
        if root is not None:
            return self._source(_below_top(path[len(root) + 1 :]))
        if path.startswith("/") or _DRIVE.match(path):
            return ""
        return self._relative(path)

    def _relative(self, path: str) -> str:
        joined = _below_top(posixpath.join(self._directory, path))
        if not self._files or joined in self._files:
            return joined
        plain = _below_top(path)
        if plain in self._files:
            return plain
        return self._ending(plain) or self._imported(plain) or self._source(joined)

    def _source(self, path: str) -> str:
        """Return the source of a compiled script such as `dist/test/cart.test.js`; any other path unchanged."""
        stem, ending = posixpath.splitext(path)
        if not self._files or path in self._files or ending not in _COMPILED:
            return path
        while stem:
            tries = [stem + one for one in _SOURCES]
            found = next((one for one in tries if one in self._files), "") or next(
                filter(None, map(self._ending, tries)), ""
            )
            if found:
                return found
            stem = stem.partition("/")[2]
        return path

    def _imported(self, path: str) -> str:
        """Return the known file behind a module's import path, such as `example.com/shop/store/a.go`."""
        host, _, rest = path.partition("/")
        while "." in host and rest:
            if rest in self._files:
                return rest
            rest = rest.partition("/")[2]
        return ""

    def _ending(self, path: str) -> str:
        """Return the only known file whose path ends like this; empty for none or several."""
        found = [one for one in self._named.get(posixpath.basename(path), ()) if f"/{one}".endswith(f"/{path}")]
        return found[0] if len(found) == 1 else ""

    def _script(self, stem: str, importer: str) -> str:
        if stem.startswith("../"):
            return ""
        bare = re.sub(r"\.[cm]?jsx?$", "", stem)
        if not self._files:
            ending = posixpath.splitext(importer)[1]
            return stem if posixpath.splitext(stem)[1] in _SCRIPT_ENDINGS else bare + ending
        tries = [stem, *(bare + one for one in _SCRIPT_ENDINGS), *(f"{stem}/index{one}" for one in _SCRIPT_ENDINGS)]
        return next((one for one in tries if one in self._files), "")


def _slashes(text: str) -> str:
    return text.replace("\\", "/") if "\\" in text else text


def _below_top(path: str) -> str:
    plain = posixpath.normpath(path)
    return "" if plain == "." or plain.startswith(("../", "/")) or plain == ".." else plain


def _below(roots: Sequence[str]) -> re.Pattern[str] | None:
    """Compile a pattern that matches each root and its trailing slash, with slashes of either kind."""
    if not roots:
        return None
    either = [re.escape(root).replace("/", r"[/\\]") for root in roots]
    return re.compile(rf"(?:file://)?(?:{'|'.join(either)})[/\\]+")
