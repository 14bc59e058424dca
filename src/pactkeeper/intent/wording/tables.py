"""How a table of words is written: as plain text, one word after the other.

The category and tags of a test, from its markers.

Identifiers as English words: splitting, abbreviations, acronyms, plurals and articles, each by its table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from pactkeeper.intent.atoms import CATEGORIES, Category
from pactkeeper.intent.claims import TestEvidence
from pactkeeper.speech.words import stem


def table(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


def ordered(text: str) -> tuple[str, ...]:
    """The words of a text in their order."""
    return tuple(text.split())


def pairs(text: str) -> dict[str, str]:
    """The words of a text, each with what stands behind its colon."""
    return dict(entry.split(":") for entry in text.split())


_NO_TAGS = frozenset(
    {"xfail", "fails", "failing", "fail", "fixme", "todo", "only", "skip", "skipif", "runif"}
    | {"asyncio", "anyio", "usefixtures", "filterwarnings", "django_db", "trio"}
)


def category_of(tags: Iterable[str]) -> Category:
    """The category that a tag names; functional where none does."""
    named = {tag.lower() for tag in tags}
    return next((category for category in CATEGORIES if category in named), "functional")


def tags_of(evidence: TestEvidence) -> tuple[str, ...]:
    """The markers that group tests by meaning; those that steer the runner are left out."""
    return tuple(name for name in dict.fromkeys(evidence.markers) if name.lower() not in _NO_TAGS)


_PIECES = re.compile(
    r"IPv[46]|OAuth2?(?![a-z])|[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])\d*|[A-Z]?[^\W\d_A-Z]+\d*|\d+[a-z]*|[^\W_]+"
)

ACRONYMS: Mapping[str, str] = {
    word.lower(): word
    for word in ordered("""
    ACL AES AJAX ANSI API APIs ASCII ASGI ATOM AWS BOM CA CDN CI CLI CORS CPU CRLF CRUD CSP CSRF CSS CSV DDoS DNS DOM
    DSN DST EOF EUR FIFO FTP GBP GCS GET GIF GPU GUI HMAC HTML HTTP HTTPS I18N ICU ID IDs IDN IDNA IO IP IPs IPv4 IPv6
    ISO JPEG JS JSON JSONP JWT LDAP LIFO LRU MD5 MFA MIME MRO NFC OAuth OAuth2 OIDC OK ORM OS PDF PEM PID PKCE PNG
    QR RAM REPL REST RFC RGB RPC RSA RSS RST S3 SAML SDK SEO SHA SHA1 SHA256 SMTP SNI SOCKS SOCKS5 SPA SQL SSE SSH
    SSL SSO SSRF SVG TCP TLS TOML TOTP TTL TTY UDP UI URI URIs URL URLs UTC UTF UUID UUIDs UX USD VAT VPN WAF WSGI
    XHR XML XSS YAML ZIP
""")
    if word not in {"GET", "ATOM", "OK", "REST", "CA", "IO", "ZIP"}
} | {"ok": "OK", "io": "I/O", "utf8": "UTF-8", "utf16": "UTF-16", "utf32": "UTF-32", "ipv4": "IPv4", "ipv6": "IPv6"}


_SINGULAR_S = table("""
    access address alias analysis apis basis bias bonus business bus canvas cls class compress cookies_policy css
    database_access dns express focus gas glass https is its js kwargs_class less lens loss mass os pass plus
    process progress redis series status success this tls us utils was windows xss address axis diagnosis chaos
    kubernetes news mess dress press stress bypass compass canvas corpus virus census radius nexus
""")
_IRREGULAR_PLURALS: Mapping[str, str] = pairs("""
    children:child men:man people:person women:woman criteria:criterion indices:index matrices:matrix
    vertices:vertex aliases:alias statuses:status caches:cache cookies:cookie movies:movie axes:axis
    responses:response databases:database releases:release cases:case bases:base phrases:phrase clauses:clause
    purchases:purchase houses:house uses:use causes:cause sizes:size prizes:prize breezes:breeze axes_:axe dies:die
    ties:tie pies:pie data:data media:media stats:stat settings:setting licenses:license expenses:expense
    courses:course pauses:pause warehouses:warehouse spouses:spouse mailboxes:mailbox
""")


def split_identifier(name: str) -> list[str]:
    """The words of an identifier in snake, kebab or camel case, their letters as written."""
    return list(_split(name))


@lru_cache(maxsize=4096)
def _split(name: str) -> tuple[str, ...]:
    found: list[str] = []
    for part in re.split(r"[_\W]+", name):
        if not part:
            continue
        if part.islower() or (part.isupper() and len(part) > 1) or part.isdigit() or part.lower() in ACRONYMS:
            found.append(part)
        else:
            found.extend(_PIECES.findall(part))
    return tuple(found)


_NAME = re.compile(r"[^\W\d]\w*")
_WORD = re.compile(r"[^\W\d_]+|\d+")


def stems_of(text: str) -> frozenset[str]:
    """The stems of all words of a text, names taken apart."""
    parts = (part for name in _NAME.findall(text) for part in split_identifier(name))
    return frozenset(stem(word.lower()) for part in parts for word in _WORD.findall(part))


_TWO_LETTERS, _TIES = 2, 4  # "is" and "us"; "ties" and "pies" stand in the table


def is_plural(word: str) -> bool:
    """Whether a noun is plural, by its ending and a table of exceptions."""
    lower = word.lower()
    if lower in {"data", "media"}:
        return False
    if lower in _IRREGULAR_PLURALS:
        return True
    if lower in _SINGULAR_S or len(lower) <= _TWO_LETTERS or not lower.endswith("s"):
        return False
    return not lower.endswith(("ss", "us", "is"))


def singular(word: str) -> str:
    """The singular of a plural noun; other words come back unchanged."""
    lower = word.lower()
    if lower in _IRREGULAR_PLURALS:
        return _IRREGULAR_PLURALS[lower]
    if not is_plural(word):
        return word
    if lower.endswith("ies") and len(lower) > _TIES:
        return word[:-3] + "y"
    if lower.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    return word[:-1]


def capitalised(text: str) -> str:
    """The text with a capital first letter, unless it starts with an identifier or a quotation."""
    first = text.split(" ", 1)[0].rstrip(":,.")
    if not (first.isalpha() and first.islower()) and (
        not first
        or not first[0].islower()
        or is_identifier(first)
        or any(letter.isupper() or letter in "()[]<>$=" for letter in first)
    ):
        return text
    return text[0].upper() + text[1:]


_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")


def is_identifier(word: str) -> bool:
    """Whether a word is a name from the code and keeps its letters: it has an underscore, a dot or inner capitals."""
    return "_" in word or "." in word.strip(".") or (not word.islower() and _INNER_CAPITAL.search(word) is not None)
