"""The category and tags of a test, from the words of its name, suites, markers and claims."""

from __future__ import annotations

from collections.abc import Mapping

from pactkeeper.intent.atoms import Category
from pactkeeper.intent.claims import Attribute, Name, TestEvidence
from pactkeeper.intent.wording.tables import table
from pactkeeper.intent.wording.words import split_identifier

WORDS: Mapping[Category, frozenset[str]] = {
    "security": table("""
    acl auth authentication authorization authorisation authenticate authorize certificate cert credential
    credentials csrf cors csp decrypt encrypt encryption forbidden hijack hmac injection jwt login logout malicious
    oauth password passwords permission permissions phishing privilege sanitize sanitise secret secrets secure
    security signature signed ssl tls token tokens traversal trusted unauthorized untrusted vulnerability vulnerable
    xss xxe
"""),
    "performance": table("""
    benchmark benchmarks latency perf performance scalability throughput
"""),
    "reliability": table("""
    crash crashes deadlock durable fallback fault idempotent leak leaks race reconnect recover recovers recovery
    resilient resume retries retry robust shutdown timeout timeouts
"""),
    "usability": table("""
    a11y accessibility accessible aria contrast keyboard screenreader tooltip usability
"""),
    "maintainability": table("deprecated deprecation deprecations lint typing typecheck docs"),
}
"""Words that make a test's behaviour one of the category; the first category with a word wins, else functional."""
PROMISED = table("fast latency memory quick quickly slow slowly speed")
"""Words that promise speed in a requirement; in the name of a test they as well name a thing, as in `fast_edit`."""
_LEAKS = table("leak leaks leaked leaking exposes exposed reveals revealed discloses disclosed")
_CONFIDED = table("""
    basicauth confidential data header headers hidden hide hides info information input inputs key keys netrc personal
    prompt private sensitive session sessions user users
""")
"""What must not leak for the sake of people; what leaks otherwise is memory, handles, state."""
_ERRORS: Mapping[str, Category] = {
    "AuthError": "security",
    "PermissionError": "security",
    "Unauthorized": "security",
    "Forbidden": "security",
    "SSLError": "security",
    "TimeoutError": "reliability",
    "DeprecationWarning": "maintainability",
    "PendingDeprecationWarning": "maintainability",
    "ScrapyDeprecationWarning": "maintainability",
}
_NO_TAGS = frozenset(
    {"xfail", "fails", "failing", "fail", "fixme", "todo", "only", "skip", "skipif", "runif"}
    | {"asyncio", "anyio", "usefixtures", "filterwarnings", "django_db", "trio"}
)


def category_of(evidence: TestEvidence) -> Category:
    """The category of the behaviour a test observes."""
    words = {
        word.lower() for part in (evidence.name, *evidence.suite, *evidence.markers) for word in split_identifier(part)
    }
    if words & _LEAKS and words & _CONFIDED:
        return "security"
    for category, known in WORDS.items():
        if words & known:
            return category
    for claim in evidence.claims:
        if claim.relation in {"raises", "warns"}:
            named = claim.subject.name if isinstance(claim.subject, Name | Attribute) else ""
            found = _ERRORS.get(named)
            if found is not None:
                return found
    return "functional"


def tags_of(evidence: TestEvidence) -> tuple[str, ...]:
    """The markers that group tests by meaning; those that steer the runner are left out."""
    return tuple(name for name in dict.fromkeys(evidence.markers) if name.lower() not in _NO_TAGS)
