"""Runs of plain words as prose: where a noun phrase begins, which article it takes, what a word does in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from pactkeeper.intent.wording.tables import table
from pactkeeper.intent.wording.verbs import form_of, is_participle
from pactkeeper.intent.wording.words import article, is_identifier, is_mass, is_plural, spoken

AUXILIARIES = table("""
    is are was were has have had can cannot could may might must should shall will would does do did
""")
CONTRACTIONS = {
    "arent": ("are", "not"),
    "cant": ("cannot",),
    "couldnt": ("could", "not"),
    "didnt": ("did", "not"),
    "doesnt": ("does", "not"),
    "dont": ("do", "not"),
    "hasnt": ("has", "not"),
    "havent": ("have", "not"),
    "isnt": ("is", "not"),
    "mustnt": ("must", "not"),
    "shouldnt": ("should", "not"),
    "wasnt": ("was", "not"),
    "werent": ("were", "not"),
    "wont": ("will", "not"),
    "wouldnt": ("would", "not"),
}
SUBORDINATORS = table("""
    when if unless while until once after before because whenever although where
""")
PREPOSITIONS = table("""
    with without for from to into onto in on at by of via per as during through across against between among over
    under within outside inside behind beyond despite except including like near since than toward towards upon
    versus vs about above below along around using
""")
CONJUNCTIONS = table("and or but nor then so yet")
ADVERBS = table("""
    not never always only also already again still just even twice once correctly properly explicitly implicitly
    directly immediately exactly together separately back too instead gracefully silently automatically lazily
    eagerly twice anyway first_ last_ up down out off away safely fully partially manually now later here there
    both_ alone asynchronously sequentially concurrently globally locally recursively independently cleanly
    successfully early
""")
DETERMINERS = table("""
    a an the this that these those its their our my your no any each every all some both either neither another
    other_ such more most less few many multiple several one two three four five what which whose
""")
PRONOUNS = table("""
    it itself they them he she we you i nothing everything something anything nobody everyone one
""")
DEFINITE = table("""
    first last same current next previous original only whole entire main rest latest final
""")
ADJECTIVES = table("""
    able absent absolute abstract active actual additional alive allowed alphabetical ambiguous ascii_ async
    asynchronous atomic available aware bad big binary blank boolean bound broken busy callable case-insensitive
    case-sensitive chunked circular clean clear compatible complete complex concurrent consistent constant
    contiguous correct corrupt custom dead deep deterministic different direct dirty distinct double dry due dynamic
    early eager empty enough equal equivalent even exact exclusive explicit external extra false fast final fine
    finite fixed foreign free fresh full generic global good greater hashable healthy hidden high idempotent
    identical idle illegal immediate immutable implicit inactive incompatible incomplete inconsistent incorrect
    independent indirect infinite insecure insensitive inside_ internal invalid invisible iterable late lazy legacy
    legal less local long loose low lower malformed mandatory manual missing mutable naive native necessary negative
    nested new non-empty nonexistent normal null odd ok old online offline open optional ordered outdated partial
    pending permanent persistent picklable positive possible present primary private public quiet random raw ready
    real recursive redundant relative reliable required reusable right safe same secondary secret secure sensitive
    separate sequential serial short silent similar simple single small sorted special stable stale standard static
    strict successful temporary thread-safe tiny true trusted truthy falsy unauthorized unauthorised unavailable
    unchanged undefined unequal unhashable unicode_ unique unknown unlimited unnecessary unreachable unsafe unsorted
    unsupported untouched unused upper useful useless valid various verbose virtual visible weak whole wrong zero
""")
VERBATIM = {"none": "None", "true": "true", "false": "false", "null": "null", "nan": "NaN"}


_NOT_ADJECTIVES = table("variable table cable executable deliverable observable enable disable handful unable")


def is_adjective(word: str) -> bool:
    """Whether the word describes and does not name, by the table or by its ending."""
    lower = word.lower()
    return lower in ADJECTIVES or (
        lower.endswith(("able", "ible", "less", "ful", "ous")) and lower not in _NOT_ADJECTIVES
    )


def is_break(word: str) -> bool:
    """Whether the word stands outside noun phrases."""
    lower = word.lower()
    return (
        lower in PREPOSITIONS
        or lower in CONJUNCTIONS
        or lower in SUBORDINATORS
        or lower in ADVERBS
        or lower in AUXILIARIES
    )


UNIQUE = table("""
    environment database filesystem network console terminal shell end beginning start past future world registry
    clock internet root cwd system cli repl wire
""")
METHODS = table("get post put patch delete head options")
_BARE_AFTER = {
    "by": table("default name key id index value hand type"),
    "in": table("place memory order parallel debug production time sync"),
    "on": table("demand error success failure exit start startup shutdown close redirect time windows linux"),
    "at": table("once runtime startup end import"),
    "as": table("string integer json bytes text list tuple dict unicode"),
    "to": table("file disk string json bytes stdout stderr"),
    "from": table("file disk string json bytes stdin cache"),
}


def noun_phrase(words: Sequence[str], after: str = "") -> str:
    """A noun phrase with the article English wants; `after` is the preposition before it."""
    if not words:
        return ""
    lower = words[-1].lower()
    if len(words) == 1 and after and lower in METHODS:
        return lower.upper()
    if after == "per":
        return " ".join(show(word) for word in words)
    if len(words) == 1 and lower in _BARE_AFTER.get(after, ()):
        return show(words[0])
    shown = [show(word) for word in words]
    return " ".join(shown) if _bare(words) else f"{_article(words, shown)} {' '.join(shown)}"


def _article(words: Sequence[str], shown: Sequence[str]) -> str:
    definite = words[0].lower() in DEFINITE or (len(words) == 1 and spoken(words[0]) in UNIQUE)
    return "the" if definite else article(shown[0])


def _bare(words: Sequence[str]) -> bool:
    first, head = words[0].lower(), words[-1]
    lower = head.lower()
    if first in DETERMINERS or first in PRONOUNS or first.isdigit() or lower in PRONOUNS or lower in VERBATIM:
        return True
    if head[0] in "'\"‘“" or is_identifier(head) or lower.isdigit() or lower[0].isdigit():
        return True
    if is_adjective(lower) and lower not in _ADJECTIVE_NOUNS:
        return True
    if spoken(head).isupper() and len(words) == 1 and len(head) > 1:
        return lower not in _COUNTED_ACRONYMS
    if is_mass(spoken(head).split(" ")[-1]) or is_plural(spoken(head).split(" ")[-1]):
        return True
    return _names_an_act(lower)


def _names_an_act(word: str) -> bool:
    """`subclassing`, `chaining`: an act takes no article; a thing that ends alike does."""
    return word.endswith("ing") and len(word) > _SHORTEST_ACT and word not in _THINGS


_SHORTEST_ACT = 5  # "thing" and "ring" are no acts
_THINGS = table("""
    string setting warning binding mapping heading listing building meeting rating ranking ending beginning opening
    padding_ substring docstring bytestring querystring something anything nothing everything spring morning evening
    sibling ceiling offering booking finding recording reading_ drawing_ meaning painting ping
""")


_ADJECTIVE_NOUNS = table("""
    callable constant default iterable native negative positive secret single standard
""")
_COUNTED_ACRONYMS = table("url uri api id ip uuid cookie orm cdn")


def show(word: str) -> str:
    """A word as it stands in a sentence."""
    return VERBATIM.get(word.lower()) or spoken(word)


def predicate(words: Sequence[str]) -> str:
    """What follows `is`: an adjective or participle stays bare, a noun gets its article."""
    if not words:
        return ""
    lower = words[-1].lower()
    if words[0].lower() in ADVERBS:
        return f"{show(words[0])} {predicate(words[1:])}".strip()
    if len(words) == 1 and (is_adjective(lower) or is_participle(lower) or _gerund(lower)):
        return show(words[0])
    if _ends_as_participle(lower):
        return " ".join(show(word) for word in words)  # `double encoded`, `cached`
    return sentence_words(words)


def _ends_as_participle(word: str) -> bool:
    """Whether a word is a participle by its looks, in a place where a noun would carry an article."""
    return is_participle(word) or (word.endswith("ed") and not word.endswith("eed") and len(word) > _SHORTEST_ACT)


def _gerund(word: str) -> bool:
    found = form_of(word)
    return found is not None and found[1] == "gerund"


def sentence_words(words: Sequence[str]) -> str:
    """Words in their order with articles put before their noun phrases; what breaks noun phrases stays as it is."""
    if len({word.lower() for word in words} & _METHOD_NOUNS) > 1:
        words = [word.upper() if word.lower() in _METHOD_NOUNS else word for word in words]
    parts: list[str] = []
    chunk: list[str] = []
    after = ""
    for at, word in enumerate(words):
        if is_break(word) or _verbal(words, at, chunk):
            parts += [noun_phrase(chunk, after)] if chunk else []
            parts.append(show(word))
            chunk, after = [], word.lower()
        else:
            chunk.append(word)
    parts += [noun_phrase(chunk, after)] if chunk else []
    return " ".join(part for part in parts if part)


_METHOD_NOUNS = table("get head post put delete patch")
"""Where two of these stand together they are methods of HTTP and nothing else."""


def _verbal(words: Sequence[str], at: int, chunk: Sequence[str]) -> bool:
    """A participle or adjective after `is`, a gerund that opens a phrase: words that end or precede noun phrases."""
    before = words[at - 1].lower() if at else ""
    lower = words[at].lower()
    after_be = before in {"is", "are", "was", "were", "be", "not", "been"} and not chunk
    if after_be and (is_participle(lower) or is_adjective(lower)):
        return at + 1 == len(words) or is_break(words[at + 1])
    form = form_of(lower)
    if form is None or chunk:
        return False
    if form[1] == "gerund":
        return before in {"without", "by", "when", "while", "after", "before", "for", "on", "from"} and at + 1 < len(
            words
        )
    return form[1] == "base" and before in {"not", "to", "cannot", "can", "should", "must", "will", "may", "does", "do"}
