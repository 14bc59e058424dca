"""Names from the code as noun phrases, and compounds made of them."""

from __future__ import annotations

import re
from dataclasses import replace

from pactkeeper.intent.claims import (
    Attribute,
    Call,
    Expression,
    Item,
    Name,
    Value,
)
from pactkeeper.intent.wording.nouns import (
    ORDINALS,
    SPOKEN_NAMES,
    WEAK,
    Noun,
    Setting,
)
from pactkeeper.intent.wording.prose import is_adjective
from pactkeeper.intent.wording.tables import table
from pactkeeper.intent.wording.verbs import NOUNISH, form_of, is_participle
from pactkeeper.intent.wording.words import article, is_identifier, is_plural, singular, spoken_words

CONSTANTS = {"NaN": "NaN", "Ellipsis": "Ellipsis", "NotImplemented": "NotImplemented", "Infinity": "Infinity"}


def weak(name: str) -> bool:
    """Whether a name says less than what it holds."""
    bare = name.rstrip("0123456789_")
    return name in WEAK or bare in WEAK or len(bare) <= 1


_NUMBERED = re.compile(r"^([A-Za-z_]*[a-z]{2,})_?([1-9])$")


_NUMBERED_NAMES = table("http sha md base utf ipv ascii python py oauth h latin iso rfc tls ssl v level top gz bz")


def named(name: str, setting: Setting) -> Noun:
    """A variable, function or class by its name."""
    term = setting.vocabulary.term(name) or SPOKEN_NAMES.get(name)
    if name in {"self", "cls"}:
        return Noun("test case", simple=True)
    if term is not None:
        return Noun(term, plural=is_plural(term.split(" ")[-1]), simple=True)
    if name[:1].isupper() or "." in name or name.startswith("__"):
        return Noun(name, "", plural=False, simple=True)
    bare = name.strip("_")
    if len(bare.rstrip("0123456789")) <= 1:
        return Noun(name, "", simple=True, verbatim=True, sure=False)
    numbered = _NUMBERED.match(bare)
    if numbered and numbered[1].lower() not in _NUMBERED_NAMES:
        inner = named(numbered[1], setting)
        return replace(inner, core=f"{ORDINALS[int(numbered[2]) - 1]} {inner.core}") if inner.article else inner
    words = spoken_words(bare)
    words = words[1:] if words[0] in {"a", "an", "the"} and len(words) > 1 else words
    if _reads_as_code(words):
        return Noun(name, "", simple=True, verbatim=True)
    return Noun(" ".join(words), plural=is_plural(words[-1]), simple=True)


def _reads_as_code(words: list[str]) -> bool:
    """Whether a name is no noun phrase, so that it is spoken of by its own spelling."""
    if len(words) == 1:
        return is_participle(words[0]) or is_adjective(words[0])
    form = form_of(words[0])
    if any(len(word) == 1 and word.isalpha() for word in words):
        return True
    return words[0] in _OPENERS or (form is not None and form[1] == "base" and words[0] not in NOUNISH)


_OPENERS = table("my our is has was can should do does on to from not no with without")


def attribute_words(name: str) -> list[str]:
    """The words of an attribute's name."""
    special = {"__name__": ["name"], "__class__": ["class"], "__doc__": ["docstring"], "__dict__": ["attributes"]}
    if name in special:
        return special[name]
    words = spoken_words(name.strip("_"))
    if not words or len(words[0]) == 1 or (len(words) > 1 and words[0] in _PREDICATES):
        return [f"'{name}'", "property"]
    return words


_PREDICATES = table("is has was can should does not no")


def joined(base: Noun, words: list[str]) -> Noun:
    """`the response status code` where the base is a plain noun, else `the status code of ...`."""
    plural = is_plural(words[-1])
    core = base.core.split(" ")
    plain = base.simple and base.article == "the" and not base.plural and not is_identifier(base.core)
    compound = plain and len(core) <= _LONGEST_COMPOUND
    if not compound:
        return replace(of(words, base), plural=plural)
    if base.core == "expected value":
        return Noun(f"expected {' '.join(words)}", plural=plural)
    if core[-1].lower() == words[0].lower():
        if len(words) == 1:
            return replace(of(words, base), plural=plural)
        words = words[1:]
    return Noun(f"{base.core} {' '.join(words)}", plural=plural, sure=base.sure)


_LONGEST_COMPOUND = 3


def of(words: list[str], base: Noun) -> Noun:
    """`the status code of the response request`."""
    base = replace(base, article="the") if base.article in {"a", "an"} else base
    text = f"{' '.join(words)} of {base.text}"
    return Noun(text, plural=is_plural(words[-1]), sure=base.sure)


def last_name(one: Expression) -> str:
    """The last name in an access path: `headers` of `r.request.headers`."""
    match one:
        case Name(name=name) | Attribute(name=name):
            return name
        case Call(function=function):
            return last_name(function)
        case Item(value=value, key=Value(kind="string", text=text)):
            return text if text.isidentifier() else singular(last_name(value))
    return ""


def with_article(core: str) -> str:
    """The words with `a` or `an` in front."""
    return f"{article(core)} {core}"


def is_constructor(one: Expression | None) -> bool:
    """Whether the expression makes an object of a class, by the capital of its name."""
    name = last_name(one.function) if isinstance(one, Call) else ""
    return name[:1].isupper() and not name.isupper()


def instance_noun(call: Call) -> Noun:
    """The object a constructor makes, as the thing a sentence is about: `the prepared request`."""
    words = spoken_words(last_name(call.function))
    return Noun(" ".join(words), simple=True, plural=is_plural(words[-1]))
