"""Configuration files as flat facts, whatever their format: `{"tool.mypy.strict": True}`."""

from __future__ import annotations

from collections.abc import Iterator
from configparser import ConfigParser
from configparser import Error as IniError
from typing import Final

from pactkeeper.ledger.documents import read_toml, whole_text
from pactkeeper.repo.languages.javascript.settings.unknown import Pattern, Unknown
from pactkeeper.repo.languages.javascript.settings.values import SettingsFiles

SIZE_LIMIT: Final = 512 << 10  # bytes; nobody writes that much configuration by hand
_NODES: Final = 50_000  # YAML aliases can repeat the same part over and over
_LARGEST: Final = 10**15
_NAMES: Final = ("id", "name", "module", "repo", "testDir")
Value = str | float | bool | tuple[str, ...] | Unknown | None
_DEEPEST: Final = 100  # nested tables; no tool has settings anywhere near as deep


class Unreadable(ValueError):
    """A configuration file that is broken, or whose content only running it would reveal."""


def read_data(path: str, source: bytes, scripts: SettingsFiles) -> object:
    """Read a configuration file into dicts, lists and scalars; raise Unreadable."""
    if len(source) > SIZE_LIMIT:
        raise Unreadable(f"it is larger than {SIZE_LIMIT} bytes")
    try:
        if path.endswith(".toml"):
            return read_toml(source.decode())
        if path.endswith((".ini", ".cfg", ".coveragerc", ".flake8", "pylintrc")):
            return _ini(source.decode())
        if path.endswith((".yml", ".yaml")):
            return read_yaml(source.decode())
        if path.endswith(".npmrc"):
            return _ini(f"[npm]\n{source.decode()}")["npm"]
    except (ValueError, AttributeError, IniError, RecursionError) as error:  # AttributeError: a line under no value
        raise Unreadable(" ".join(str(error).split())) from error
    found = scripts.of(path)
    if path in scripts.broken:
        raise Unreadable("it does not parse")
    if isinstance(found, Unknown):
        raise Unreadable(found.source)
    return found


def _ini(text: str) -> dict[str, dict[str, str]]:
    parser = ConfigParser(interpolation=None, strict=False, allow_no_value=True)
    parser.read_string(text)
    return {name: dict(parser[name]) for name in parser.sections()}


def read_yaml(text: str) -> object:
    """Read YAML with every scalar as text, except `true` and `false`; raise ValueError."""
    import yaml  # noqa: PLC0415 - most changes touch no YAML

    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    return _plain(node, iter(range(_NODES)))


def _plain(node: object, left: Iterator[int]) -> object:
    import yaml  # noqa: PLC0415 - likewise

    if next(left, None) is None:
        raise ValueError(f"it has more than {_NODES} values")
    if isinstance(node, yaml.MappingNode):
        found: dict[str, object] = {}
        for key, value in node.value:
            _enter(found, whole_text(str(key.value)), _plain(value, left))
        return found
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, left) for item in node.value]
    if not isinstance(node, yaml.ScalarNode):
        return None
    text = whole_text(str(node.value))
    return {"true": True, "false": False}.get(text.lower(), text) if node.style is None else text


def _enter(found: dict[str, object], key: str, value: object) -> None:
    if key != "<<":
        found[key] = value
        return
    for other in value if isinstance(value, list) else [value]:
        if isinstance(other, dict):
            found.update({name: item for name, item in other.items() if name not in found})


def flat(data: object, prefix: str = "", *, depth: int = 0) -> Iterator[tuple[str, Value]]:
    """Yield every setting by its dotted key; tables in a list are named by an identifying key, or numbered.

    Raises Unreadable for input that is nested too deeply.
    """
    if depth > _DEEPEST:
        raise Unreadable(f"it is nested more than {_DEEPEST} deep")
    if isinstance(data, dict):
        for key, value in data.items():
            name = whole_text(str(key))
            yield from flat(value, f"{prefix}.{name}" if prefix else name, depth=depth + 1)
    elif isinstance(data, list):
        tables = [item for item in data if isinstance(item, dict | list)]
        for at, item in enumerate(tables):
            yield from flat(item, f"{prefix}.{_name(item, at)}", depth=depth + 1)
        if len(tables) < len(data) or not data:
            yield prefix, tuple(_text(item) for item in data if not isinstance(item, dict | list))
    elif isinstance(data, Pattern):
        yield prefix, (data.source,)
    elif isinstance(data, str | bool | Unknown) or data is None:
        yield prefix, whole_text(data) if isinstance(data, str) else data
    elif isinstance(data, int | float):
        yield prefix, float(max(-_LARGEST, min(data, _LARGEST)))
    else:
        yield prefix, str(data)


def _name(item: object, at: int) -> str:
    named = [item[key] for key in _NAMES if isinstance(item.get(key), str)] if isinstance(item, dict) else []
    return str(named[0]) if named else str(at)


def _text(item: object) -> str:
    return item.source if isinstance(item, Pattern | Unknown) else whole_text(str(item))
