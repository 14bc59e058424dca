"""Resolves paths as tools write them to files of the project, without touching the file system."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

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
        self._named = _by_name(files)
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


def _by_name(files: Iterable[str]) -> Mapping[str, list[str]]:
    named: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(files):
        named[posixpath.basename(path)].append(path)
    return named


def _below(roots: Sequence[str]) -> re.Pattern[str] | None:
    """Compile a pattern that matches each root and its trailing slash, with slashes of either kind."""
    if not roots:
        return None
    either = ["".join(r"[/\\]" if sign == "/" else re.escape(sign) for sign in root) for root in roots]
    return re.compile(rf"(?:file://)?(?:{'|'.join(either)})[/\\]+")
