"""The values of a snapshot's settings files, including imports between them."""

from __future__ import annotations

import json
import posixpath
import re
from dataclasses import dataclass, field
from typing import Any

from pactkeeper.ledger.documents import whole_escapes
from pactkeeper.repo.languages.adapter import Files
from pactkeeper.repo.languages.javascript.settings.literals import Module, Steps, read_module, value_of
from pactkeeper.repo.languages.javascript.settings.unknown import Unknown

_ENDINGS = ("", ".js", ".ts", ".mjs", ".mts", ".cjs", ".cts", ".json", "/index.js", "/index.ts")


@dataclass(slots=True)
class SettingsFiles:
    """Reads settings files without running them; values that depend on running them are `Unknown`.

    `broken` are the JSON files read so far that don't parse, of which some keys may be known.
    """

    files: Files
    broken: set[str] = field(default_factory=set)
    paths: frozenset[str] = field(init=False)
    _known: dict[str, object] = field(default_factory=dict)
    _modules: dict[str, Module] = field(default_factory=dict)
    _steps: Steps = field(default_factory=Steps)
    _loading: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.paths = frozenset(self.files.paths)

    def of(self, path: str) -> object:
        """Return what a settings file exports."""
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
                return json.loads(whole_escapes(source.decode(json.detect_encoding(source))))
            except (ValueError, RecursionError):  # comments and trailing commas, which most tools allow, or worse
                if self._module(path, source).root.has_error:
                    self.broken.add(path)
        self._steps.left = Steps().left
        return value_of(self._module(path, source), "default")

    def _module(self, path: str, source: bytes) -> Module:
        if path not in self._modules:
            self._modules[path] = read_module(path, source, self.load, self._steps)
        return self._modules[path]

    def load(self, importer: str, module: str, name: str) -> object:
        """Return what another settings file exports, for imports between them."""
        base = posixpath.normpath(posixpath.join(posixpath.dirname(importer), module))
        stem = re.sub(r"\.[cm]?js$", "", base)
        candidates = (base, *(stem + ending for ending in _ENDINGS))
        path = next((one for one in candidates if one in self.paths), None)
        if path is None or path in self._loading:
            return Unknown(f"{module!r}", 0)
        self._loading.add(path)
        try:
            source = self.files.read(path)
            return value_of(self._module(path, source), name) if source is not None else Unknown(f"{module!r}", 0)
        finally:
            self._loading.discard(path)


_YAML_LINE = re.compile(r"^(?P<key>[\w-]+)\s*:\s*(?P<value>.*)$")


def yaml(source: str) -> dict[str, Any]:
    """Parse the flat YAML of `.mocharc.yml`: scalars and lists of scalars."""
    settings: dict[str, Any] = {}
    key = ""
    for raw in source.splitlines():
        line = re.sub(r"(?:^|\s)#.*$", "", raw).rstrip()
        item = re.match(r"^\s*-\s+(.*)$", line)
        if item is not None and key:
            settings.setdefault(key, [])
            if isinstance(settings[key], list):
                settings[key].append(_scalar(item.group(1)))
            continue
        match = _YAML_LINE.match(line)
        if match is None:
            continue
        key = match["key"]
        value = match["value"].strip()
        if value.startswith("["):
            settings[key] = [_scalar(part) for part in value.strip("[]").split(",") if part.strip()]
        elif value:
            settings[key] = _scalar(value)
    return settings


def _scalar(text: str) -> object:
    text = text.strip()
    if text[:1] in {"'", '"'} and text[-1:] == text[:1]:
        return text[1:-1]
    return {"true": True, "false": False}.get(text, text)
