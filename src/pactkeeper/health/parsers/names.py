"""Extracts the name a message is about, and the module it mentions: one table of phrasings per tool family.

A member is written with its owner, `User.email`, if the message names both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, Literal

Family = Literal["typescript", "script run", "python", "python run", "go", "rust", "java"]

_ID: Final = r"[^\W\d][\w$]*"
_PLAIN_TYPES: Final = frozenset(
    {
        *("string", "number", "boolean", "null", "undefined", "void", "never", "any", "unknown", "object", "int"),
        *("str", "float", "bool", "bytes", "None", "list", "dict", "tuple", "set", "i8", "i16", "i32", "i64", "u8"),
        *("u16", "u32", "u64", "usize", "isize", "f32", "f64", "char", "error", "byte", "rune", "int32", "int64"),
        *("float64", "String", "Integer", "double", "long", "true", "false", "self", "this", "super"),
    }
)
_TYPESCRIPT: Final = (
    r"'\"(?P<module>[^\"'\n]+)\"' (?:has no exported member(?: named)?|declares) '(?P<name>[^'\n]+)'",
    r"Module '\"?(?P<module>[^\"'\n]+)\"?' has no default export",
    r"Cannot find module '(?P<name>[^'\n]+)'",
    r"Property '(?P<member>[^'\n]+)' does not exist on type '(?:typeof )?(?P<owner>[\w$]+)",
    r"Property '(?P<member>[^'\n]+)' is missing in type [^\n]+ but required in type '(?P<owner>[\w$]+)",
    r"Property '(?P<member>[^'\n]+)' in type [^\n]+ same property in base type '(?P<owner>[\w$]+)",
    r"incorrectly (?:implements interface|extends base class) '(?P<name>[\w$]+)",
    r"'(?P<member>[\w$]+)' does not exist in type '(?P<owner>[\w$]+)",
    r"is not assignable to (?:parameter of )?type '(?P<name>[\w$]+)'",
    rf"'(?P<name>{_ID}(?:\.{_ID})*)'",
)
_SCRIPT_RUN: Final = (
    r"requested module '(?P<module>[^'\n]+)' does not provide an export named '(?P<name>[^'\n]+)'",
    r"Cannot find (?:module|package) '(?P<name>[^'\n]+)'",
    r"Failed to (?:load url|resolve import) \"?(?P<name>[^\s\"]+)",
    # Compiled imports are called as `(0 , _models.makeOrder)` and `__vi_import_0__.makeOrder`.
    r"(?:\b_\w*\.)?(?P<name>[\w$]+(?:\.[\w$]+)*)\)? is not (?:a function|a constructor|defined|iterable)",
    r"Cannot read propert(?:y|ies) (?:of (?:undefined|null) \(reading )?'(?P<name>[^'\n]+)'",
)
_PYTHON_RUN: Final = (
    r"cannot import name '(?P<name>[^'\n]+)' from (?:partially initialized module )?'(?P<module>[^'\n]+)'",
    r"No module named '(?P<name>[^'\n]+)'",
    r"module '(?P<module>[^'\n]+)' has no attribute '(?P<name>[^'\n]+)'",
    r"(?:type object )?'(?P<owner>[\w.]+)'(?: object)? has no attribute '(?P<member>[^'\n]+)'",
    r"name '(?P<name>[^'\n]+)' is not defined",
    r"\+  where [^\n]* = (?P<name>[\w.]+)\(",
    r"(?P<name>[\w.]+)\(\) (?:got an unexpected|got multiple|missing \d|takes \d|takes from|takes no)",
)
_PYTHON: Final = (
    r'Module "(?P<module>[^"\n]+)" (?:has no attribute|does not explicitly export attribute) "(?P<name>[^"\n]+)"',
    r'"(?P<name>[^"\n]+)" is unknown import symbol',
    r'(?:library stub for module named|Import) "(?P<name>[^"\n]+)"',
    r'Cannot access attribute "(?P<member>[^"\n]+)" for class "(?:type\[)?(?P<owner>\w+)',
    r'"(?:type\[)?(?P<owner>\w+)[^"\n]*" has no attribute "(?P<member>[^"\n]+)"',
    r'Signature of "(?P<member>\w+)" incompatible with supertype "(?P<owner>\w+)"',
    r'to "(?P<member>\w+)" of "(?P<owner>\w+)" has incompatible type',
    r'of type "(?P<name>[A-Z]\w+)" in function "',
    r'in function "(?P<name>\w+)"',
    r'has incompatible type [^\n]+; expected "(?P<name>[A-Z]\w+)"',
    r'to "(?P<name>\w+)" has incompatible type',
    r'"(?P<name>[^\W\d]\w*)"',
    *_PYTHON_RUN,
)
_GO: Final = (
    r"(?m)^(?P<name>[\w.]+)\([^\n]*\) (?:=|==|returned) ",
    r"does not implement (?P<owner>[\w.]+) \((?:wrong type for|missing)(?: method)? (?P<member>\w+)",
    r"package (?P<name>\S+); to add it",
    r"package (?P<name>\S+) is not in",
    r"undefined: (?P<name>[\w.]+)",
    r"(?P<name>[\w.]+) undefined \(",
    r"unknown field '?(?P<member>\w+)'? in struct literal(?: of type (?P<owner>[\w.]+))?",
    r"in call to (?P<name>[\w.]+)",
    r"as (?:type )?(?P<name>[\w.]*[A-Z]\w*)(?: value)? in",
    r"declared (?:and|but) not used: (?P<name>\w+)",
    r"(?P<name>\w+) declared (?:and|but) not used",
    r"\"(?P<name>[^\"\n]+)\" imported and not used",
    r"imported and not used: \"(?P<name>[^\"\n]+)\"",
)
_RUST: Final = (
    r"unresolved import `(?P<name>[^`\n]+)`",
    r"no (?:method|function|variant)[a-z ]* `(?P<member>\w+)`[^`\n]*`[&*]?(?:mut )?(?P<owner>\w+)",
    r"no field `(?P<member>\w+)` on type `&?(?:mut )?(?P<owner>\w+)",
    r"missing: `(?P<name>\w+)`",
    r"expected `&?(?P<name>[A-Z]\w+)`",
    r"`(?P<name>[^\W\d][\w:]*)`",
)
_JAVA: Final = (
    r"does not override abstract method (?P<member>\w+)\([^)\n]*\) in (?P<owner>\w+)",
    r"package (?P<name>[\w.]+) does not exist",
    r"symbol:? +(?:method|class|variable|interface|enum|constructor|static)? ?(?P<name>\w+)",
    r"in class (?P<name>\w+) cannot be applied",
    r"cannot be converted to (?P<name>[A-Z]\w+)",
)
_FAMILIES: Final[Mapping[Family, Sequence[str]]] = {
    "typescript": _TYPESCRIPT,
    "script run": _SCRIPT_RUN,
    "python": _PYTHON,
    "python run": _PYTHON_RUN,
    "go": _GO,
    "rust": _RUST,
    "java": _JAVA,
}
_LOOK: Final = 1_000  # characters of a message that are searched


@cache
def _patterns(family: Family) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in _FAMILIES[family])


def named(message: str, family: Family) -> tuple[str, tuple[str, ...]]:
    """Return the name a message is about and the modules it mentions; empty if none.

    Types that every program has, such as `string`, are skipped.
    """
    text = message[:_LOOK]
    for pattern in _patterns(family):
        found = pattern.search(text)
        if found is None:
            continue
        groups = found.groupdict()
        modules = (groups["module"],) if groups.get("module") else ()
        symbol = groups.get("name") or ".".join(part for part in (groups.get("owner"), groups.get("member")) if part)
        if modules or symbol not in _PLAIN_TYPES:
            return symbol, modules
    return "", ()
