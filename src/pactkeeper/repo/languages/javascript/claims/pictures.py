"""Replace code idioms with what a reader would call them: the arguments of a spy, the elements of a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass, replace
from typing import Any, cast

from pactkeeper.intent.claims import Attribute, Call, Claim, Collection, Expression, Name, Subscript, Value
from pactkeeper.repo.languages.javascript.claims.relations import NULL

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
