"""Expressions written out as code again, where that is certain: short calls, names and literal values."""

from __future__ import annotations

from typing import Final

from pactkeeper.intent.claims import Argument, Attribute, Call, Collection, Expression, Subscript, Name, Value

MOST: Final = 120
_BRACKETS: Final = {"list": ("[", "]"), "tuple": ("(", ")"), "set": ("{", "}"), "mapping": ("{", "}")}


def code(one: Expression | None) -> str:
    """The expression as code; empty where a part of it is not known word for word, or it is long."""
    text = _written(one)
    return text if text is not None and len(text) <= MOST and "`" not in text and "\n" not in text else ""


def literal(one: Value) -> str:
    """A value as a sentence shows it: text between quotes, whole; empty where it has several lines."""
    if "\n" in one.text or one.text != one.text.strip() or "`" in one.text:
        return ""
    if one.kind in {"string", "regex"}:
        return f"'{one.text}'" if "'" not in one.text else f'"{one.text}"' if '"' not in one.text else ""
    return one.text if one.kind in {"number", "boolean", "none"} else ""


def _written(one: Expression | None) -> str | None:
    match one:
        case Name(name=name):
            return name
        case Value():
            return literal(one) or None
        case Attribute(value=value, name=name):
            return _joined("{}." + name.replace("{", "{{").replace("}", "}}"), value)
        case Subscript(value=value, key=key):
            return _joined("{}[{}]", value, key)
        case Call(function=function, arguments=arguments):
            called, given = _written(function), [_argument(argument) for argument in arguments]
            return None if called is None or None in given else f"{called}({', '.join(map(str, given))})"
        case Collection(kind=kind, items=items):
            return _collection(kind, items)
    return None


def _argument(one: Argument) -> str | None:
    value = _written(one.value)
    return value if value is None or one.name is None else f"{one.name}={value}"


def _joined(form: str, *parts: Expression) -> str | None:
    texts = [_written(part) for part in parts]
    return None if None in texts else form.format(*texts)


def _collection(kind: str, items: tuple[Expression, ...]) -> str | None:
    texts = [_written(item) for item in items]
    if None in texts:
        return None
    known = [text for text in texts if text is not None]
    if kind == "mapping":
        known = [f"{known[at]}: {known[at + 1]}" for at in range(0, len(known) - 1, 2)]
    opening, closing = _BRACKETS[kind]
    return f"{opening}{', '.join(known)}{',' if kind == 'tuple' and len(known) == 1 else ''}{closing}"
