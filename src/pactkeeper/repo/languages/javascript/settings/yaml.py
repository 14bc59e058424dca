"""The flat YAML that `.mocharc.yml` is."""

from __future__ import annotations

import re
from typing import Any

_YAML_LINE = re.compile(r"^(?P<key>[\w-]+)\s*:\s*(?P<value>.*)$")


def yaml(source: str) -> dict[str, Any]:
    """The flat YAML that `.mocharc.yml` is: scalars and lists of scalars."""
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
