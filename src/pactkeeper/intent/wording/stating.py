"""Whether a text is a statement about behaviour: it has a subject or lacks only that, a verb, and says something.

Strict on purpose: what is not certainly a statement is left for a person to word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from pactkeeper.intent.reading.verbs import also_noun, forms_of, is_verb
from pactkeeper.intent.wording.tables import table

Form = Literal["whole", "headless"]
"""A statement with its own subject, or one that begins with its verb and needs the subject of its surroundings."""

_MODAL = table("""
    can cannot could should must may might will would shall
    kann können darf dürfen muss müssen soll sollen sollte wird werden
    peut peuvent doit doivent devrait puede pueden debe deben debería
""")
_BEING = table("""
    is are was were has does ist sind war hat gibt est sont était a-t-il es está son están era tiene
""")
_PRESENT: frozenset[str] = table("base third")
_IS = table("is are was were")
_LEADING = table("has does is gibt")
_HAVING = table("have do")  # also the head of an order, so only after a subject
_DETERMINERS = table("a an the its their each every all any no nothing only not one both itself them it")
_PLAIN = table("return use raise")
_VALUES = table("none null undefined true false nan zero empty error errors new")
_LINKS = table("""
    of in on at by to for with without from into via and or as than per over under between within after before during
    using against through inside outside like except about across
""")
_RELATIVE = table("that which who")
_SUBORDINATE = table("whose where if when whenever while because unless until whether since once")
_OPENING = table("if when whenever while unless once wenn falls lorsque quand si cuando")
_THEN = re.compile(r",?\s\bthen\s", re.IGNORECASE)
_ASKING = table("how what whether why")
_DENYING = table("not no never without only nothing cannot neither")
_TALK = table("we i you let here now first note see todo fixme this these those there what test tests testing example")
_VACUOUS = table("work handle behave test check verify cover cope deal succeed try exercise happen matter")
_UNTOLD = _VACUOUS | {"pass"}  # "bounds are passed": to what?
_BARE = table("run render pass fail load exist compile start build export import return display show")
_VAGUE = table("""
    correct correctly proper properly expected appropriate appropriately fine ok okay sane sensible right well good
    reasonable gracefully nicely
""")
_ORDERS = table("test check verify ensure assert make confirm validate exercise")
_UNSURE = table("test tests v1 v2 bug issue regression")
_WORD = re.compile(r"[^\W_](?:[\w.'’/()-]*[\w)])?")
_LEAST = 2
_SEVERAL = 3
_UNSPACED = re.compile(r"[぀-ヿ㐀-鿿가-힯]")


def form_of(text: str, *, prose: bool) -> Form | None:
    """How a text states something; None where that is not certain. A name is no `prose`: it has lost its marks."""
    return None if obstacle(text, prose=prose) else _form(text, prose=prose)


def obstacle(text: str, *, prose: bool) -> str:
    """Why a text is not read as a statement, worded to follow "its title"; empty for a statement."""
    words = _words(text)
    if _UNSPACED.search(text):
        return "" if len(_UNSPACED.findall(text)) >= 2 * _SEVERAL else "is very short"
    if len(words) < _LEAST:
        return "is a single word"
    if text.rstrip().endswith("?") or words[0] in _ASKING:
        return "is a question"
    if words[0] in (_ORDERS | _TALK if prose else _ORDERS):
        return f"begins with {words[0]!r}"
    return "" if prose and _follows(_effect(text)) else _unstated(words, prose=prose)


def _unstated(words: Sequence[str], *, prose: bool) -> str:
    at = _main_verb(words, prose=prose)
    if at is None or (not prose and at == 0 and words[0] in _BEING):
        return "has no word that is certainly its verb"
    if _says_nothing(words, at):
        open_words = [word for word in words[at:] if word in _VAGUE] or [" ".join(words[at : at + _LEAST])]
        return f"leaves the result open with {open_words[0]!r}"
    if prose:
        return _of_itself(words)
    unsure = [word for word in words if word in _UNSURE]
    return f"says {unsure[0]!r}" if unsure else ""


def _form(text: str, *, prose: bool) -> Form:
    words = _words(text)
    if _UNSPACED.search(text) or (prose and _follows(_effect(text))):
        return "whole"
    return "headless" if _main_verb(words, prose=prose) == 0 or words[0] == "it" else "whole"


def length(text: str) -> int:
    """How many words a text has."""
    return len(_words(text))


def _words(text: str) -> list[str]:
    return [found.group().lower().replace("’", "'") for found in _WORD.finditer(text)]


def _main_verb(words: Sequence[str], *, prose: bool) -> int | None:
    """Where the verb of the main clause stands; what stands in a subordinate clause is none."""
    wanted = 2 if words[0] in _OPENING else 1
    for at, word in enumerate(words):
        if at and word in _RELATIVE and wanted == 1:
            wanted += 1
        elif at and word in _SUBORDINATE and wanted == 1:
            return None
        elif _finite(words, at, prose=prose) or (prose and words[at - 1] in _RELATIVE and "base" in forms_of(word)):
            wanted -= 1
            if not wanted:
                return at
    return None


def _effect(text: str) -> str:
    """What follows from a condition: `returns this` of `when called then returns this`; empty where nothing does."""
    opening, _, rest = text.partition(" ")
    if opening.lower() not in _OPENING:
        return ""
    return _THEN.split(rest, maxsplit=1)[-1] if _THEN.search(rest) else rest.rpartition(", ")[2] if ", " in rest else ""


def _of_itself(words: Sequence[str]) -> str:
    """How a docstring speaks of its test or its authors: `the test`, `this test`, `exercises …`, `we`; else empty."""
    if any(word in {"test", "tests"} and before in {"the", "this"} for before, word in pairwise(words)):
        return "speaks of the test itself"
    if words[0].removesuffix("s") in _VACUOUS:
        return f"begins with {words[0]!r}"
    return "says 'we'" if "we" in words else ""


def _follows(effect: str) -> bool:
    """Whether an effect says what happens, as short as people write it: `value is 1`, `throw`, `values reset`."""
    words = _words(effect)
    at = next((at for at, word in enumerate(words) if word in _MODAL | _BEING or forms_of(word)), None)
    return (
        at is not None
        and not _vague(words)
        and (at > 0 or len(words) > 1 or not forms_of(words[0]).keys().isdisjoint(_PRESENT))
    )


def _finite(words: Sequence[str], at: int, *, prose: bool) -> bool:
    word = words[at]
    if word in _MODAL or word in _BEING or word.endswith("n't"):
        return at > 0 or word not in _BEING or word in _LEADING
    if word in _HAVING:
        return at > 0
    before = words[at - 1] if at else ""
    if before in _LINKS or before in _DETERMINERS - {"it", "itself", "nothing", "all", "both"}:
        return False
    if "third" in forms_of(word):
        return _is_third(words, at, prose=prose)
    return prose and at > 0 and _plural_does(words, at)


def _is_third(words: Sequence[str], at: int, *, prose: bool) -> bool:
    """`returns` is a verb wherever it stands; `calls` only before what can be its object."""
    if not also_noun(words[at]):
        return True
    if not prose and set(forms_of(words[at]).values()).isdisjoint(_PLAIN):
        return False
    after = words[at + 1] if at + 1 < len(words) else ""
    if prose and (at == 0 or len(words) > at + _LEAST):
        return bool(after) and after not in _LINKS | _BEING | _MODAL and not is_verb(after, ("third",))
    return after in _DETERMINERS or after in _VALUES or after.isdigit()


def _plural_does(words: Sequence[str], at: int) -> bool:
    """`tokens expire after a day`: a verb without its -s behind a plural."""
    before, word = words[at - 1], words[at]
    plural = before.endswith("s") and not before.endswith(("ss", "us", "is")) and before.isalpha()
    return plural and "base" in forms_of(word) and not also_noun(word) and "third" not in forms_of(before)


def _vague(words: Sequence[str]) -> bool:
    """`is valid`, `is defined`, but not `is not valid` and `allows aliases to be defined for an argument`."""
    defined = words[-1:] == ["defined"] and len(words) > 1 and words[-2] in _IS | {"be"}
    return bool(_VAGUE & {*words}) or (_DENYING.isdisjoint(words) and ("valid" in words or defined))


def _says_nothing(words: Sequence[str], at: int) -> bool:
    """`works`, `handles x`, `is correct`, `renders`: everybody has a different result in mind."""
    rest = [word for word in words[at + 1 :] if word not in {"not", "be", "just"}]
    verb = next((form for form in (words[at], *words[at + 1 : at + _SEVERAL]) if forms_of(form)), "")
    base = set(forms_of(verb).values())
    if base & _VACUOUS and words[at] in {verb, *_MODAL, "does"}:
        return True
    end = next((end for end in range(at + 1, len(words)) if words[end] in _OPENING), len(words))
    if _vague(words[at:end]):
        return True
    left = [word for word in rest if not base & {*forms_of(word).values(), word}]
    if words[at] in _BEING:
        return not rest or (not left and bool(base & _UNTOLD))
    return not left and (len(rest) > 1 or bool(base & _BARE))
