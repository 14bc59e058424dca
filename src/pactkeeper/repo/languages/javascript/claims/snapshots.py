"""Inline snapshots: the value a test writes between backticks, parsed where it is a plain value."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import is_dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from pactkeeper.intent.claims import Attribute, Call, Claim, Collection, Expression, Name, Opaque, Subscript, Value
from pactkeeper.intent.strength.errors import ANY_ERROR
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.relations import NULL, Claims, equate, is_constant, qualified, string
from pactkeeper.repo.languages.javascript.claims.syntax import bare, children, parse, string_value

if TYPE_CHECKING:
    from tree_sitter import Node


_CLASS_PREFIX = re.compile(r"(^|[\[:,(]\s*)(?:Object|Array) (?=[{\[])")
_ERROR = re.compile(r"\[(?P<type>[A-Z][\w$]*)(?:: (?P<text>.*))?\]", re.DOTALL)
_ERROR_START = re.compile(r"\[([A-Z][\w$]*): (?=[\[{])")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_LINES = re.compile(r'"[^`]{0,20000}"', re.DOTALL)  # a text of several lines, or with quotation marks in it
_LONGEST = 20_000


def inline_snapshot(subject: Expression, given: tuple[Node, ...]) -> Claims:
    """Claim equality for a plain value, the parts of a plain object, otherwise the snapshot's text."""
    written = _written(given)
    if written is None:
        return (Claim("snapshot", subject),)
    value = _value(written)
    if value is None and _LINES.fullmatch(written):
        value = string(written[1:-1])
    if value is not None and is_constant(value):
        return equate(subject, value)
    parts = _parts(subject, value) if value is not None else _error(subject, written)
    return parts or (Claim("snapshot", subject, Opaque(" ".join(written.split()))),)


def _parts(subject: Expression, value: Expression) -> Claims:
    """Return the claims of an error, or of an object that contains errors, part by part."""
    if isinstance(value, Call):
        return (Claim("instance_of", subject, value.function), *_messages(subject, value))
    if not isinstance(value, Collection) or value.kind != "mapping":
        return ()
    claims: list[Claim] = []
    for key, held in zip(value.items[::2], value.items[1::2], strict=True):
        if not isinstance(key, Value):
            return ()
        part = Attribute(subject, key.text)
        claims.extend(_parts(part, held) if isinstance(held, Call) else equate(part, held))
    return tuple(claims)


def _messages(subject: Expression, error: Call) -> Claims:
    """Claim the messages of an error's listed issues, from which its text is built."""
    listed = error.arguments[0].value if error.arguments else None
    issues = listed.items if isinstance(listed, Collection) and listed.kind == "list" else ()
    found: list[Claim] = []
    for issue in issues:
        pairs = issue.items if isinstance(issue, Collection) and issue.kind == "mapping" else ()
        for key, held in zip(pairs[::2], pairs[1::2], strict=True):
            claim = Claim("contains", Attribute(subject, "message"), held)
            if key == string("message") and isinstance(held, Value) and claim not in found:
                found.append(claim)
    return tuple(found)


def _error(subject: Expression, written: str) -> Claims:
    found = _ERROR.fullmatch(written)
    if found is None:
        return ()
    message = found["text"]
    said = equate(Attribute(subject, "message"), string(message)) if message else ()
    return (Claim("instance_of", subject, Name(found["type"])), *said)


def thrown_snapshot(call: Expression | None, given: tuple[Node, ...]) -> Claims:
    """Claim an error with the snapshot's message."""
    written = _written(given)
    if written is None:
        return (Claim("raises", ANY_ERROR, call),)
    error = _ERROR.fullmatch(written)
    if error is not None:
        text = string(error["text"]) if error["text"] else None
        return (Claim("raises", Name(error["type"]), call, qualifiers=qualified(message=text)),)
    value = _value(written)
    # A serializer of the project's own writes no quotation marks.
    said = string(written) if value is None else value
    return (Claim("raises", ANY_ERROR, call, qualifiers=qualified(message=said)),)


def _written(given: tuple[Node, ...]) -> str | None:
    literal = string_value(bare(given[-1])) if given else None
    return textwrap.dedent(literal).strip() if literal else None


def _value(written: str) -> Expression | None:
    """Parse a snapshot in JavaScript notation; errors in it become calls of their class."""
    if len(written) > _LONGEST:
        return None
    source = "(" + _calls(_CLASS_PREFIX.sub(r"\1", written)) + "\n)"
    root = parse("snapshot.js", source.encode())
    statements = children(root)
    if root.has_error or len(statements) != 1:
        return None
    value = Scope().read(statements[0])
    return value if _plain(value) else None


def _plain(value: Expression) -> bool:
    if isinstance(value, Collection):
        return all(_plain(item) for item in value.items)
    if isinstance(value, Call):
        return isinstance(value.function, Name) and all(_plain(each.value) for each in value.arguments)
    return isinstance(value, Value)


def _calls(written: str) -> str:
    """Rewrite `[ZodError: […]]` as `ZodError([…])`, outside strings."""
    plain = _STRING.sub(lambda match: '"' + "." * (len(match[0]) - 2) + '"', written)
    characters = list(written)
    for start in _ERROR_START.finditer(plain):
        end = _closing(plain, start.start())
        if end is None:
            return written
        characters[start.start()] = ""
        characters[start.end() - 2 : start.end()] = ["", "("]
        characters[end] = ")"
    return "".join(characters)


def _closing(plain: str, opened: int) -> int | None:
    depth = 0
    for index in range(opened, len(plain)):
        if plain[index] in "[{":
            depth += 1
        elif plain[index] in "]}":
            depth -= 1
            if not depth:
                return index
    return None


_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_CALLS = {"firstCall": "0", "secondCall": "1", "thirdCall": "2", "lastCall": "-1"}
_FINDERS = ("getBy", "getAllBy", "queryBy", "queryAllBy", "findBy", "findAllBy")
_NAMED_BY = {
    "Text": "texts",
    "LabelText": "fields",
    "Label": "fields",
    "PlaceholderText": "fields",
    "Placeholder": "fields",
    "DisplayValue": "fields",
    "AltText": "images",
    "TestId": "elements",
    "Title": "elements",
}
_ROLES = {
    "button": "buttons",
    "link": "links",
    "heading": "headings",
    "checkbox": "checkboxes",
    "textbox": "fields",
    "tab": "tabs",
    "option": "options",
    "dialog": "dialogs",
    "menuitem": "menu items",
    "radio": "radio buttons",
    "img": "images",
}
_PAGES = frozenset({"screen", "page", "cy", "wrapper", "container", "within", "component", "utils", "result"})


def in_words(claim: Claim) -> Claim:
    """Return the claim with every such expression replaced."""
    return cast("Claim", _replaced(claim))


def pictured(expression: Expression) -> Expression:
    """Return the expression with every idiom in it replaced."""
    return cast("Expression", _replaced(expression))


def exchanged(value: object, old: Expression, new: Expression) -> object:
    """Return a claim or expression with one expression substituted for another."""
    return _mapped(value, lambda each: new if each == old else None)


def _replaced(value: object) -> object:
    return _mapped(value, _picture)


def _mapped(value: object, change: Callable[[Expression | Claim], Expression | Claim | None]) -> object:
    """Rebuild a value from the inside out with `change`; a value that it never changes is returned as is."""
    if isinstance(value, tuple):
        parts = [_mapped(each, change) for each in value]
        same = all(new is old for new, old in zip(parts, value, strict=True))
        return value if same else tuple(parts)
    if isinstance(value, (Name, Value)) or not is_dataclass(value):
        return value
    changed: dict[str, Any] = {}
    for each in value.__dataclass_fields__:
        old = getattr(value, each)
        new = _mapped(old, change)
        if new is not old:
            changed[each] = new
    inner = replace(value, **changed) if changed else value  # type: ignore[type-var]  # an instance, never a class
    return change(cast("Expression", inner)) or inner


def _picture(value: Expression | Claim) -> Expression | Claim | None:
    if isinstance(value, Claim):
        return replace(value, object=NULL) if value.relation == "none" and value.object is None else None
    if isinstance(value, Subscript):
        return _argument(value) or _spy_call(value)
    if isinstance(value, Attribute):
        return _spy_call(value)
    return _element(value) if isinstance(value, Call) else None


def _spy_call(value: Subscript | Attribute) -> Expression | None:
    """Recognize `spy.mock.calls[0]` and `spy.firstCall`: a call of the spy."""
    if isinstance(value, Attribute):
        named = value.name in _CALLS and isinstance(value.value, (Name, Attribute))
        return Subscript(Attribute(value.value, "calls"), Value("number", _CALLS[value.name])) if named else None
    inner = value.value
    mocked = isinstance(inner, Attribute) and inner.name == "calls" and isinstance(inner.value, Attribute)
    if not mocked or not isinstance(inner, Attribute) or not isinstance(inner.value, Attribute):
        return None
    return Subscript(Attribute(inner.value.value, "calls"), value.key) if inner.value.name == "mock" else None


def _argument(value: Subscript) -> Expression | None:
    """Recognize `spy.mock.calls[0][1]` and `spy.firstCall.args[1]`: an argument of a call of the spy."""
    call = value.value
    if isinstance(call, Attribute) and call.name == "args":
        call = call.value
    if not isinstance(call, Subscript) or not isinstance(call.value, Attribute) or call.value.name != "calls":
        return None
    if not isinstance(value.key, Value) or not value.key.text.isdecimal() or int(value.key.text) >= len(_ORDINALS):
        return None
    return Attribute(call, f"{_ORDINALS[int(value.key.text)]} argument")


def _element(call: Call) -> Expression | None:
    """Recognize `screen.getByRole("button", { name: "Save" })`: the 'Save' button."""
    function = call.function
    name = function.name if isinstance(function, (Name, Attribute)) else ""
    given = [argument.value for argument in call.arguments]
    if not given or not isinstance(given[0], Value):
        return None
    if name in {"get", "find", "locator", "contains"} and _is_page(function):
        return Subscript(Name("texts" if name == "contains" else "elements"), given[0])
    kind = next((name.removeprefix(each) for each in _FINDERS if name.startswith(each)), None)
    if kind == "Role":
        return _role(given)
    return Subscript(Name(_NAMED_BY[kind]), given[0]) if kind in _NAMED_BY else None


def _is_page(function: Expression) -> bool:
    return isinstance(function, Attribute) and isinstance(function.value, Name) and function.value.name in _PAGES


def _role(given: list[Expression]) -> Expression | None:
    role = given[0]
    if not isinstance(role, Value):
        return None
    options = given[1] if len(given) > 1 else None
    if not isinstance(options, Collection) or options.kind != "mapping":
        return Name(role.text) if role.text.isidentifier() else None
    named = dict(zip(options.items[::2], options.items[1::2], strict=True)).get(Value("string", "name"))
    return Subscript(Name(_ROLES[role.text]), named) if isinstance(named, Value) and role.text in _ROLES else None
