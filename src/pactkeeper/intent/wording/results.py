"""Calls as noun phrases: responses, conversions, lookups, constructors, and the result of anything else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Collection,
    Expression,
    Item,
    Name,
    Operation,
    Raised,
    Value,
)
from pactkeeper.intent.wording.naming import (
    attribute_words,
    instance_noun,
    is_constructor,
    joined,
    last_name,
    named,
    with_article,
)
from pactkeeper.intent.wording.nouns import CLIENTS, HTTP_FUNCTIONS, HTTP_METHODS, Noun, Setting
from pactkeeper.intent.wording.phrases import base_noun, keyed, noun
from pactkeeper.intent.wording.placeholders import placeholder
from pactkeeper.intent.wording.tables import table
from pactkeeper.intent.wording.verbs import form_of
from pactkeeper.intent.wording.words import is_plural, listed, spoken_words

MAX_ARGUMENTS = 3
MAX_ARGUMENT = 60
KEPT = table("""
    list tuple dict iter str bytes text bytearray deepcopy copy to_unicode to_bytes ensure_str
    deferred_from_coro maybe_deferred_to_future ensureDeferred deferred_to_future wait_for next_ Array.from Object
    structuredClone
""")
"""Functions that change how a value is held, not what it is; as a subject the value itself is meant."""
_OF: Mapping[str, str] = {
    "sorted": "sorted",
    "reversed": "reversed",
    "set": "distinct",
    "frozenset": "distinct",
}
_FUNCTIONS: Mapping[str, str] = {
    "len": "number of",
    "type": "type of",
    "repr": "representation of",
    "hash": "hash of",
    "id": "identity of",
    "sum": "sum of",
    "max": "largest of",
    "min": "smallest of",
    "abs": "absolute value of",
    "next": "next item of",
    "dir": "names in",
    "int": "integer value of",
    "float": "number value of",
    "bool": "truth value of",
}
_METHODS: Mapping[str, str] = {
    "decode": "",
    "encode": "",
    "strip": "stripped",
    "lower": "lower-cased",
    "upper": "upper-cased",
    "copy": "copy of",
    "keys": "keys of",
    "values": "values of",
    "items": "items of",
    "read": "content of",
    "read_text": "content of",
    "read_bytes": "content of",
    "getvalue": "content of",
    "getall": "",
    "tolist": "",
    "exists": "existence of",
    "split": "parts of",
    "splitlines": "lines of",
}
_SEVERAL = table("getlist getall get_all")
_ENCODED = table("decode encode read read_text read_bytes")
_LOOKUPS = table("""
    get get_value pop setdefault getfirst get_option getheader get_setting
""")
_TYPED = table("getint getbool getfloat getdict getwithbase")


def call_noun(call: Call, setting: Setting) -> Noun:
    """The noun phrase for what a call gives."""
    for rule in (placeholder, _response, _builtin, _construction, _method):
        found = rule(call, setting)
        if found is not None:
            return found
    return result_of(call, setting)


def is_response(call: Call) -> bool:
    """Whether the call sends a request to a web application."""
    function = call.function
    if isinstance(function, Name):
        return function.name in HTTP_FUNCTIONS and bool(call.arguments) and not _is_text(call.arguments[0].value)
    if not isinstance(function, Attribute) or function.name not in HTTP_METHODS:
        return False
    if _path(call):
        return True
    client = last_name(function.value) in CLIENTS and not isinstance(function.value, Item)
    return client and not (call.arguments and _is_text(call.arguments[0].value))


def _is_text(one: Expression) -> bool:
    return isinstance(one, Value) and not one.text.startswith(("/", "http://", "https://"))


def _path(call: Call) -> str:
    for one in call.arguments[:2]:
        value = one.value
        if isinstance(value, Operation) and value.operator == "text" and value.operands:
            value = value.operands[0]
        if isinstance(value, Value) and value.kind == "string" and value.text.startswith(("/", "http://", "https://")):
            return value.text
    return ""


def _response(call: Call, setting: Setting) -> Noun | None:
    if not is_response(call):
        return None
    if not setting.detailed:
        return Noun("response", simple=True)
    method = last_name(call.function).upper()
    for one in call.arguments:
        if one.name == "method" and isinstance(one.value, Value):
            method = one.value.text.upper()
    verb = "" if method in {"OPEN", "REQUEST", "FETCH"} else f"{method} "
    target = next((noun(one.value, setting) for one in call.arguments if one.name is None), None)
    known = target is not None and target.sure and (target.value or target.simple)
    return Noun(f"response to {verb}{target.text}" if target and known else "response", simple=not known)


def _builtin(call: Call, setting: Setting) -> Noun | None:
    if not isinstance(call.function, Name) or not call.arguments:
        return None
    name, first = call.function.name, call.arguments[0].value
    if call.arguments[0].name is not None:
        return noun(Collection("mapping", _entries(call.arguments)), setting) if name == "dict" else None
    if name in KEPT and len(call.arguments) == 1:
        return noun(first, setting)
    if name in _OF and (len(call.arguments) == 1 or name == "sorted"):
        inner = noun(first, setting)
        return replace(inner, core=f"{_OF[name]} {inner.core}", simple=False) if inner.article == "the" else inner
    if name == "len":
        inner = noun(first, setting)
        word = "number" if inner.plural else "length"
        return Noun(f"{word} of {inner.text.removeprefix('the ') if inner.plural else inner.text}", sure=inner.sure)
    if name in _FUNCTIONS and len(call.arguments) == 1:
        inner = noun(first, setting)
        return Noun(f"{_FUNCTIONS[name]} {inner.text}", sure=inner.sure)
    return _looked_up(call, setting) if name == "getattr" and len(call.arguments) > 1 else None


def _entries(arguments: tuple[Argument, ...]) -> tuple[Expression, ...]:
    """The keys and values `dict(a=1)` makes, as a mapping display alternates them."""
    return tuple(side for one in arguments for side in (Value("string", one.name or ""), one.value))


def _looked_up(call: Call, setting: Setting) -> Noun:
    owner, name = noun(call.arguments[0].value, setting), call.arguments[1].value
    if isinstance(name, Value):
        return joined(owner, attribute_words(name.text))
    label = noun(name, setting)
    return Noun(f"{label.core} of {owner.text}", sure=label.sure and owner.sure)


def _construction(call: Call, setting: Setting) -> Noun | None:
    name = last_name(call.function)
    if not is_constructor(call):
        return None
    if not call.arguments:
        shown = f"{name} object" if is_plural(name) else name
        return Noun(shown, with_article(name).split(" ", 1)[0])
    inner = arguments_text(call.arguments, setting)
    joiner = "with" if any(one.name for one in call.arguments) else "of"
    if inner is None:
        return Noun(name, with_article(name).split(" ", 1)[0], sure=False)
    return Noun(f"{name} {joiner} {inner}", with_article(name).split(" ", 1)[0])


def _method(call: Call, setting: Setting) -> Noun | None:
    function = call.function
    if not isinstance(function, Attribute):
        return None
    values = [one.value for one in call.arguments]
    if function.name in _METHODS and (not values or (function.name in _ENCODED and all(map(_is_written, values)))):
        return _transformed(function, setting)
    if function.name in _SEVERAL and values and _is_key(values[0]):
        one = keyed(values[0], function.value, setting)
        return replace(one, core=f"values of the {one.core}", plural=True)
    if function.name in _LOOKUPS | _TYPED and values and _is_key(values[0]):
        return keyed(values[0], function.value, setting)
    if not values and function.value in {Name("self"), Name("cls")}:
        return named(function.name, setting)
    if not values and not _is_verbal(function.name) and not isinstance(function.value, Raised):
        return joined(base_noun(function.value, setting), attribute_words(function.name))
    return None


def _is_written(one: Expression) -> bool:
    """Whether an argument only says how: an encoding, a number of bytes; anything else is itself transformed."""
    return isinstance(one, Value)


def _transformed(function: Attribute, setting: Setting) -> Noun:
    inner = base_noun(function.value, setting)
    word = _METHODS[function.name]
    if not word:
        return inner
    if word.endswith("of"):
        return Noun(f"{word} {inner.text}", plural=is_plural(word.split(" ", 1)[0]), sure=inner.sure)
    return replace(inner, core=f"{word} {inner.core}", simple=False) if inner.article == "the" else inner


def _is_key(one: Expression) -> bool:
    return isinstance(one, Value) and not one.text.startswith(("/", "http:", "https:"))


def _is_verbal(name: str) -> bool:
    words = spoken_words(name.strip("_"))
    return not words or form_of(words[0]) is not None or words[0] in {"is", "has", "can", "should", "to", "from"}


def subject_noun(one: Expression, setting: Setting) -> Noun:
    """What a sentence is about: like `noun`, but an object that is made on the spot is definite."""
    if isinstance(one, Call) and is_constructor(one):
        return instance_noun(one)
    if isinstance(one, Name) and isinstance(setting.held.get(one.name), Value):
        return named(one.name, setting)
    return noun(one, setting)


def result_of(call: Call, setting: Setting) -> Noun:
    """`the result of guess_filename for 'a'`, where nothing closer can be said."""
    who, tail = function_words(call, setting), argument_tail(call, setting)
    if who is None or last_name(call.function) in _QUANTIFIERS:
        return Noun("result", sure=False)
    return Noun(f"result of {who}{tail or ''}", sure=tail is not None)


_QUANTIFIERS = frozenset({"any", "all", "every", "some"})


def function_words(call: Call, setting: Setting) -> str | None:
    """The function as it is spoken of: its own name, with whose method it is."""
    function = call.function
    if isinstance(function, Name):
        return function.name
    if isinstance(function, Attribute):
        base = function.value
        if isinstance(base, Name) and base.name in {"self", "cls"}:
            return function.name
        if isinstance(base, Name) and (base.name[:1].isupper() or base.name in _NAMESPACES):
            return f"{base.name}.{function.name}"
        owner = subject_noun(base, setting)
        if not owner.sure or len(owner.core) > MAX_ARGUMENT or owner.value:
            return None
        near = owner.article and " of " not in owner.core and not owner.core.startswith("result")
        return f"{owner.possessive} {function.name}" if near else f"{function.name} of {owner.text}"
    return None


_NAMESPACES = frozenset({"z", "np", "pd", "os", "path", "util", "utils", "fs"})
"""Modules by the names they are imported under: their functions are known with them."""


def argument_tail(call: Call, setting: Setting) -> str | None:
    """` for 'a' and the request`; empty without arguments, None where they cannot be said."""
    if not call.arguments:
        return ""
    inner = arguments_text(call.arguments, setting)
    return f" for {inner}" if inner is not None else None


def arguments_text(arguments: tuple[Argument, ...], setting: Setting) -> str | None:
    """Arguments as a list in prose; None where there are too many or one has no words."""
    if len(arguments) > MAX_ARGUMENTS:
        return None
    parts: list[str] = []
    for at, one in enumerate(arguments):
        phrase = noun(one.value, setting)
        if at == 0 and isinstance(one.value, Name) and one.value.name in setting.parameters and not phrase.plural:
            phrase = replace(phrase, article="each")
        if not phrase.sure or len(phrase.core) > MAX_ARGUMENT:
            return None
        parts.append(_named(one.name, phrase) if one.name else phrase.text)
    return listed(parts)


def _named(name: str, phrase: Noun) -> str:
    words = " ".join(spoken_words(name))
    if phrase.value:
        return f"{words} {phrase.text}"
    return phrase.text if phrase.core.endswith(words) else f"{phrase.text} as {words}"
