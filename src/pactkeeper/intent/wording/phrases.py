"""Expressions as noun phrases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from pactkeeper.intent.claims import (
    Attribute,
    Call,
    Captured,
    Collection,
    Expression,
    Item,
    Name,
    Opaque,
    Operation,
    Raised,
    Value,
)
from pactkeeper.intent.wording.naming import (
    CONSTANTS,
    attribute_words,
    instance_noun,
    is_constructor,
    joined,
    last_name,
    named,
    of,
    weak,
)
from pactkeeper.intent.wording.nouns import (
    MEMBERS,
    ORDINALS,
    RESPONSE_MEMBERS,
    RESPONSE_NAMES,
    WEAK,
    Noun,
    Setting,
    unsure,
)
from pactkeeper.intent.wording.values import MAX_LISTED, quoted, value_text
from pactkeeper.intent.wording.words import is_plural, listed, singular, spoken_words

MAX_FOLLOWED = 3


MAX_PHRASE = 140


STREAMS: Mapping[str, str] = {"output": "output", "error_output": "error output", "log": "log", "warnings": "warnings"}


OPERATORS: Mapping[str, str] = {
    "+": "plus",
    "-": "minus",
    "*": "times",
    "/": "divided by",
    "//": "divided by",
    "%": "modulo",
    "**": "to the power of",
    "|": "combined with",
    "&": "intersected with",
}


def noun(one: Expression | None, setting: Setting) -> Noun:
    """The noun phrase for an expression; not `sure` where something in it has no words."""
    phrase = _phrase(one, setting)
    return phrase if len(phrase.core) <= MAX_PHRASE else replace(phrase, sure=False)


def _phrase(one: Expression | None, setting: Setting) -> Noun:
    if one is None or setting.depth > _MAX_DEPTH:
        return unsure()
    return _PHRASES[type(one)](one, setting.deeper())


_MAX_DEPTH = 12


def _name(one: Name, setting: Setting) -> Noun:
    if one.name in CONSTANTS:
        return Noun(CONSTANTS[one.name], "", value=True)
    held = setting.held.get(one.name)
    told = one.name in setting.told and isinstance(held, Call) and bool(held.arguments)
    if held is not None and (told or _worth_following(one.name, held, setting)):
        followed = _followed(held, setting, told=told)
        if followed is not None:
            return followed
    return named(one.name, setting)


def _followed(held: Expression, setting: Setting, *, told: bool) -> Noun | None:
    """The phrase for what a name that says little holds; None where that is no better."""
    if isinstance(held, Call) and is_constructor(held) and not told:
        return instance_noun(held)
    followed = _phrase(held, setting)
    if not followed.sure:
        return None
    if followed.core.startswith("result") and not setting.detailed:
        return Noun("result", simple=True)
    return followed if len(followed.core) <= (MAX_PHRASE if told else MAX_PHRASE // 2) else None


def _worth_following(name: str, held: Expression, setting: Setting) -> bool:
    if setting.depth > _MAX_DEPTH // 2:
        return False
    if isinstance(held, Value):
        return len(held.text) <= _SHORT or name in WEAK
    if isinstance(held, Collection) and not held.items:
        return False  # an empty list is there to be filled
    if isinstance(held, Call) and not held.arguments and last_name(held.function) in _EMPTY:
        return False  # likewise
    return weak(name) or name.startswith(("expected", "want"))


_SHORT = 60
_EMPTY = frozenset(
    {"dict", "list", "set", "bytearray", "deque", "OrderedDict", "Counter", "Map", "Set", "Array", "Object"}
)


def _attribute(one: Attribute, setting: Setting) -> Noun:
    if isinstance(one.value, Raised):
        return (
            Noun(f"message of the {_type_name(one.value.error)}")
            if one.name == "message"
            else of(attribute_words(one.name), _phrase(one.value, setting))
        )
    if isinstance(one.value, Name) and one.value.name in {"self", "cls"}:
        return named(one.name, setting)
    if one.name in _SAME_THING:
        return _phrase(one.value, setting)
    if one.name[:1].isupper() and not one.name.islower():
        return Noun(one.name, "", simple=True)
    return joined(base_noun(one.value, setting, one.name), attribute_words(one.name))


def base_noun(one: Expression, setting: Setting, member_name: str = "") -> Noun:
    """What an attribute or method is reached through."""
    if isinstance(one, Call) and is_constructor(one):
        return instance_noun(one)
    phrase = _phrase(one, setting)
    if isinstance(one, Name) and phrase.core in {one.name, "result"} and member_name in RESPONSE_MEMBERS:
        return Noun("response", simple=True) if one.name.rstrip("0123456789_") in RESPONSE_NAMES else phrase
    return phrase


_SAME_THING = frozenset({"__wrapped__"})


def member(container: Expression) -> str:
    """What one member of a container is called."""
    name = last_name(container).lower()
    if name in MEMBERS:
        return MEMBERS[name]
    words = spoken_words(name)
    last = words[-1] if words else ""
    return singular(last) if last and is_plural(last) and not weak(name) else "item"


def _item(one: Item, setting: Setting) -> Noun:
    key, container = one.key, one.value
    if isinstance(key, Operation) and key.operator == "slice":
        return unsure()
    number = key.text if isinstance(key, Value) and key.kind == "number" else None
    if number is not None and number.lstrip("-").isdigit():
        return _numbered(int(number), container, setting)
    return keyed(key, container, setting)


def _numbered(number: int, container: Expression, setting: Setting) -> Noun:
    base, kind = base_noun(container, setting), member(container)
    position = "last" if number == -1 else ORDINALS[number] if 0 <= number < len(ORDINALS) else ""
    if not position:
        return Noun(f"{kind} at index {number} of {base.text}", sure=base.sure)
    words = base.core.split(" ")
    if base.article == "the" and singular(words[-1]) == kind and " of " not in base.core:
        return Noun(f"{position} {' '.join([*words[:-1], kind])}", sure=base.sure)
    head, _, owner = base.core.partition(" of ")
    if owner and base.article == "the" and singular(head.split(" ")[-1]) == kind:
        return Noun(f"{position} {' '.join([*head.split(' ')[:-1], kind])} of {owner}", sure=base.sure)
    return Noun(f"{position} {kind} of {base.text}", sure=base.sure)


def keyed(key: Expression, container: Expression, setting: Setting) -> Noun:
    """`the 'Content-Type' header of the response`: a member by its key."""
    label, kind = _phrase(key, setting), member(container)
    owner = _owner(container, setting)
    tail = f" of {owner.text}" if owner is not None else ""
    sure = owner is None or owner.sure
    if isinstance(key, Value):
        return Noun(f"{label.text} {kind}{tail}", sure=sure)
    return Noun(f"{kind}{tail} for {label.text}", sure=sure and label.sure)


def _owner(container: Expression, setting: Setting) -> Noun | None:
    """Whose member it is: `headers` is dropped where members are called headers."""
    if last_name(container).lower() not in MEMBERS or isinstance(container, Item):
        return base_noun(container, setting)
    if isinstance(container, Call) and not container.arguments:
        container = container.function
    if isinstance(container, Attribute):
        return None if _is_self(container.value) else base_noun(container.value, setting, container.name)
    return None if isinstance(container, Name) else base_noun(container, setting)


def _is_self(one: Expression) -> bool:
    return isinstance(one, Name) and one.name in {"self", "cls"}


def _value(one: Value, _setting: Setting) -> Noun:
    return Noun(value_text(one), "", value=True)


def _collection(one: Collection, setting: Setting) -> Noun:
    if not one.items:
        word = "mapping" if one.kind == "mapping" else one.kind
        return Noun(f"empty {word}", "an", value=True)
    if one.kind == "mapping":
        return _mapping(one, setting)
    parts = [_phrase(item, setting) for item in one.items]
    texts = [part.text for part in parts]
    if not _listable(parts):
        spread = any(isinstance(item, Operation) and item.operator == "spread" for item in one.items)
        return Noun(f"{one.kind} of {_items(len(parts))}", "a", value=True, sure=not spread)
    if len(parts) == 1:
        return Noun(f"{one.kind} of only {texts[0]}", "a", value=True)
    shape: str = "pair" if one.kind == "tuple" and len(parts) == _PAIR else one.kind
    return Noun(f"{shape} {listed(texts)}", value=True)


_PAIR = 2


def _listable(parts: list[Noun]) -> bool:
    """Whether members are few and short enough to be listed; else their number is all that is said."""
    return (
        len(parts) <= MAX_LISTED * 2
        and all(part.sure and " and " not in part.core for part in parts)
        and sum(len(part.core) for part in parts) <= MAX_PHRASE - MAX_LISTED * 4
    )


def _items(number: int) -> str:
    return f"{number} item" if number == 1 else f"{number} items"


def _mapping(one: Collection, setting: Setting) -> Noun:
    pairs = list(zip(one.items[::2], one.items[1::2], strict=False))
    parts = [(_phrase(key, setting), _phrase(value, setting)) for key, value in pairs]
    if not _listable([side for part in parts for side in part]):
        return Noun(f"mapping with {len(pairs)} {'entry' if len(pairs) == 1 else 'entries'}", "a", value=True)
    return Noun(f"mapping of {listed([f'{key.text} to {value.text}' for key, value in parts])}", "a", value=True)


def _operation(one: Operation, setting: Setting) -> Noun:
    if one.operator == "text":
        return _formatted(one, setting)
    if one.operator == "each":
        return _mapped(one, setting)
    if one.operator in {"spread", "spread-mapping"}:
        inner = _phrase(one.operands[0], setting)
        return replace(inner, sure=False)
    if one.operator in OPERATORS and len(one.operands) > 1:
        left, right = (_phrase(side, setting) for side in one.operands)
        strings = any(isinstance(side, Value) and side.kind in {"string", "bytes"} for side in one.operands)
        strings = strings or (one.operator == "/" and any(_is_path(side) for side in one.operands))
        word = _STRING_OPERATORS.get(one.operator, "") if strings else OPERATORS[one.operator]
        if not word:
            return unsure()
        text = f"{left.text} {word} {right.text}"
        return Noun(text, "", sure=left.sure and right.sure, value=left.value and right.value)
    if one.operator == "typeof":
        return of(["type"], _phrase(one.operands[0], setting))
    return unsure()


def _is_path(one: Expression) -> bool:
    if isinstance(one, Operation):
        return one.operator == "/" and any(_is_path(side) for side in one.operands)
    return any(word in last_name(one).lower() for word in ("path", "dir", "folder", "root"))


_STRING_OPERATORS: Mapping[str, str] = {"+": "followed by", "/": "joined with", "*": "times", "|": "combined with"}


def _formatted(one: Operation, setting: Setting) -> Noun:
    parts: list[str] = []
    sure = True
    for part in one.operands:
        if isinstance(part, Value):
            parts.append(part.text)
            continue
        phrase = _phrase(part, setting)
        sure = sure and phrase.sure
        spelled = " ".join(spoken_words(last_name(part))) if isinstance(part, Call) else phrase.core
        parts.append(f"<{spelled.strip(_QUOTES)}>")
    return Noun(quoted("".join(parts)), "", value=True)


_QUOTES = "'\""


def _mapped(one: Operation, setting: Setting) -> Noun:
    element, variable, over, *conditions = one.operands
    if conditions:
        return unsure()
    members = _phrase(over, setting)
    if element == variable:
        return members
    if isinstance(element, Attribute) and element.value == variable:
        words = attribute_words(element.name)
        return Noun(f"{' '.join(words)} of each {member(over)} in {members.text}", sure=members.sure)
    if isinstance(element, Item) and element.value == variable and isinstance(element.key, Value):
        return Noun(f"{value_text(element.key)} of each {member(over)} in {members.text}", sure=members.sure)
    return unsure()


def _opaque(_one: Opaque, _setting: Setting) -> Noun:
    return unsure()


def _raised(one: Raised, _setting: Setting) -> Noun:
    return Noun(_type_name(one.error), simple=False)


def _type_name(error: Expression) -> str:
    name = last_name(error)
    if name == "Error":
        return "error"
    return name if name[:1].isupper() and name not in {"Exception", "BaseException"} else "exception"


def _captured(one: Captured, _setting: Setting) -> Noun:
    return Noun(STREAMS[one.stream], plural=one.stream == "warnings", simple=True)


def _call(one: Call, setting: Setting) -> Noun:
    from pactkeeper.intent.wording.results import call_noun  # noqa: PLC0415 - calls are phrases made of phrases

    return call_noun(one, setting)


_PHRASES: Mapping[type, Callable[..., Noun]] = {
    Name: _name,
    Attribute: _attribute,
    Item: _item,
    Call: _call,
    Value: _value,
    Collection: _collection,
    Operation: _operation,
    Opaque: _opaque,
    Raised: _raised,
    Captured: _captured,
}
