"""Settings files of a snapshot as values, imports between them included."""

from __future__ import annotations

import json
import posixpath
import re
from dataclasses import dataclass, field

from pactkeeper.repo.languages.adapter import Files
from pactkeeper.repo.languages.javascript.settings.literals import is_broken, read_settings
from pactkeeper.repo.languages.javascript.settings.unknown import Unknown
from pactkeeper.repo.languages.javascript.settings.yaml import yaml

_ENDINGS = ("", ".js", ".ts", ".mjs", ".mts", ".cjs", ".cts", ".json", "/index.js", "/index.ts")


@dataclass(slots=True)
class SettingsFiles:
    """Reads settings files without running them; what only running them would tell is `Unknown`.

    `broken` are files of JSON read so far that do not parse, of which some keys may be known.
    """

    files: Files
    broken: set[str] = field(default_factory=set)
    paths: frozenset[str] = field(init=False)
    _known: dict[str, object] = field(default_factory=dict)
    _loading: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.paths = frozenset(self.files.paths)

    def of(self, path: str) -> object:
        """What a settings file exports."""
        if path not in self._known:
            self._known[path] = self._read(path)
        return self._known[path]

    def _read(self, path: str) -> object:
        source = self.files.read(path)
        if source is None:
            return Unknown("the file cannot be read", 0)
        if path.endswith((".yml", ".yaml")):
            return yaml(source.decode("utf-8", "replace"))
        if path.endswith(".json"):
            try:
                return json.loads(source)
            except (ValueError, RecursionError):  # comments and trailing commas, which most tools allow, or worse
                if is_broken(source):
                    self.broken.add(path)
        return read_settings(path, source, self.load)

    def load(self, importer: str, module: str, name: str) -> object:
        """What another settings file exports, for imports between them."""
        base = posixpath.normpath(posixpath.join(posixpath.dirname(importer), module))
        stem = re.sub(r"\.[cm]?js$", "", base)
        path = next((c for c in (base, *(stem + ending for ending in _ENDINGS)) if c in self.paths), None)
        if path is None or path in self._loading:
            return Unknown(f"{module!r}", 0)
        self._loading.add(path)
        try:
            source = self.files.read(path)
            return read_settings(path, source, self.load, name) if source is not None else Unknown(f"{module!r}", 0)
        finally:
            self._loading.discard(path)
