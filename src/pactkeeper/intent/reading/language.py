"""Which language a sentence is in, as far as it takes to know whether the rules can read it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

from pactkeeper.intent.reading.tokens import tokens
from pactkeeper.intent.wording.tables import table

# Words of grammar; what two languages share, or what is an English word as well, stands in none of them.
_WORDS: Mapping[str, frozenset[str]] = {
    "German": table("""
    aber als auch auf aus bei beim bis dann das dem den der des durch ein eine einem einen einer eines er es für
    gegen gibt haben hat ihr im ist jede jeder jedes kann kein keine können mit muss müssen nach nicht nur oder ohne
    sein sich sie sind soll sollen sowie über um und unter vom von vor wenn werden wie wird wurde zu zum zur
    zwischen
    """),
    "French": table("""
    aux avec ce cette chaque dans des doit du elle est et être il la le les leur lorsque mais ne nous ou par pas
    peut plus pour qu que qui sans ses si son sont sur un une vous à été où après
    """),
    "Spanish": table("""
    al con cuando de debe del desde el en entre es esta este fue hasta la las lo los más no o para pero por puede
    que se ser si sin sobre su sus también un una y
    """),
    "Italian": table("""
    al alla che con da dal dalla dei del della delle deve di dopo e è gli ha i il in la le lo ma nel nella non o per
    più può quando sono su un una viene
    """),
    "Portuguese": table("""
    ao aos as com da das de deve do dos e é em está foi mais mas na não nas no nos o os ou para pela pelo pode por
    quando que se sem ser seu sua um uma
    """),
    "Dutch": table("""
    aan als bij dat de deze dit door een en geen het hij ieder kan met moet naar niet nog om onder ook op over te
    tot uit van voor wanneer was wordt ze zijn zonder
    """),
    "Polish": table("""
    bez być dla do gdy i jak jest jeśli na nie o od po pod powinien przez przy się są to w z za że zostaje
    """),
    "Swedish": table("""
    att av den det efter eller en ett från för har i inte kan med måste när och om på som ska skall till utan vid är
    """),
}
_ENGLISH = table("""
    a about after all an and any are as at be because been before but by can cannot did do does during each every
    for from had has have how if in into is it its must never no not of off on once one only or out over shall
    should so some such than that the their them then there they this to under unless until up was were what when
    where which while who will with within without would you
""")
_SCRIPTS: Mapping[str, str] = {
    "ARABIC": "Arabic script",
    "BENGALI": "Bengali script",
    "CJK": "Chinese or Japanese script",
    "CYRILLIC": "Cyrillic script",
    "DEVANAGARI": "Devanagari script",
    "GREEK": "Greek script",
    "HANGUL": "Korean script",
    "HEBREW": "Hebrew script",
    "HIRAGANA": "Japanese script",
    "KATAKANA": "Japanese script",
    "THAI": "Thai script",
}
_LEAST_WORDS = 2
_THIRD = 3


def foreign_language(text: str) -> str:
    """Name the language or script of a text that is not English; empty where it is, or where nothing tells."""
    spoken = [token.lower for token in tokens(text) if token.kind == "word"]
    script = _script("".join(spoken))
    if script:
        return script
    counts = {name: _hits(spoken, known) for name, known in _WORDS.items()}
    best = max(counts, key=lambda name: counts[name])
    accents = sum(any(not letter.isascii() for letter in word) for word in spoken)
    least = 1 if accents else _LEAST_WORDS
    return best if counts[best] >= least and counts[best] > _hits(spoken, _ENGLISH) else ""


def _hits(spoken: Iterable[str], known: frozenset[str]) -> int:
    return sum(part in known for word in spoken for part in word.split("'"))


def _script(letters: str) -> str:
    """The script that a third or more of the letters are of, other than Latin."""
    counts: dict[str, int] = {}
    for letter in letters:
        if not letter.isascii():
            name = unicodedata.name(letter, "").partition(" ")[0]
            if name in _SCRIPTS:
                counts[_SCRIPTS[name]] = counts.get(_SCRIPTS[name], 0) + 1
    if not counts or _THIRD * sum(counts.values()) < len(letters):
        return ""
    return max(counts, key=lambda name: counts[name])
