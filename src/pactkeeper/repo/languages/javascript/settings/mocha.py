"""Read Mocha's settings: `.mocharc`, the `mocha` key of package.json, and arguments in scripts."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pactkeeper.repo.languages.javascript.settings.built import with_sources
from pactkeeper.repo.languages.javascript.settings.runner import Runner, globbed, is_pattern

if TYPE_CHECKING:
    from pactkeeper.repo.languages.javascript.settings.packages import Package, Reader


_SUFFIXES = frozenset({".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".jsx", ".tsx", ".coffee", ".ls"})


def mocha(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """Return Mocha's runners from `.mocharc`, the `mocha` key and scripts; default: `./test/*.{js,cjs,mjs}`."""
    settings: dict[str, Any] = {}
    origin = posixpath.join(package.folder, "package.json")
    own = package.manifest.get("mocha")
    bases: list[tuple[dict[str, Any], str]] = [(own, origin)] if isinstance(own, dict) else []
    for path in found:
        value = reader.evaluated(path)
        if value is not None:
            bases.append((value, path))
    runs = [command for command in package.commands if command.framework == "mocha"]
    runners: list[Runner] = []
    for settings, path in bases or [({}, origin)]:
        options = [_with_command(settings, command.files, command.options) for command in runs] or [settings]
        runners += [_mocha_options(reader, package.folder, option, path) for option in options]
    return runners


def _with_command(
    settings: dict[str, Any], files: tuple[str, ...], options: Mapping[str, tuple[str, ...]]
) -> dict[str, Any]:
    merged = dict(settings)
    given = [*files, *options.get("--spec", ())]
    if given:
        spec = settings.get("spec")
        merged["spec"] = [*(spec if isinstance(spec, list) else [spec] if isinstance(spec, str) else []), *given]
    for name, key in (("--ui", "ui"), ("-u", "ui")):
        if options.get(name):
            merged[key] = options[name][-1]
    for name, key in (("--extension", "extension"), ("--ignore", "ignore"), ("--exclude", "ignore")):
        if options.get(name):
            merged[key] = [part for value in options[name] for part in value.split(",")]
    if "--recursive" in options:
        merged["recursive"] = True
    return merged


def _mocha_options(reader: Reader, folder: str, options: dict[str, Any], origin: str) -> Runner:
    extensions = reader.listed(options, "extension", origin) or reader.listed(options, "extensions", origin)
    endings = [ending.lstrip(".") for part in extensions or ["js,cjs,mjs"] for ending in part.split(",")]
    ending = "{" + ",".join(endings) + "}" if len(endings) > 1 else endings[0]
    deep = options.get("recursive") is True
    spec = reader.listed(options, "spec", origin) or reader.listed(options, "files", origin) or ["./test"]
    include: list[str] = []
    for wanted in spec:
        path = wanted.rstrip("/")
        if is_pattern(path) or posixpath.splitext(path)[1] in _SUFFIXES:
            include.append(path)
        else:
            head = "" if path in {".", ""} else f"{path}/"
            include += [f"{head}**/*.{ending}" if deep else f"{head}*.{ending}", f"{path}.{ending}"]
    ignore = reader.certain(options, "ignore", origin) or reader.certain(options, "exclude", origin) or []
    ui = options.get("ui")
    interface = ui if isinstance(ui, str) else "bdd"
    include = with_sources(reader, folder, include)
    return globbed("mocha", folder, include, exclude=[*ignore, "**/node_modules/**"], interface=interface)
