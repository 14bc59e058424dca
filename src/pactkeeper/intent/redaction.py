"""Secrets recognised by their form: replaced in text that is sent elsewhere or shown, never in what is stored."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import Final


@dataclass(frozen=True, slots=True)
class Secret:
    """One kind of secret; the group `secret` is replaced, or the whole match if there is no such group.

    At least one of the `hints` must occur in a text before the pattern is tried at all.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]


def _row(kind: str, hints: str, pattern: str) -> Secret:
    return Secret(kind, tuple(hints.split()), re.compile(pattern))


SECRETS: Final = (
    _row(
        "private key",
        "PRIVATE",
        r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    _row("password in URL", "://", r"(?<=://)[^\s/:@\"']{0,200}:(?P<secret>[^\s/@\"']{1,200})(?=@)"),
    _row("bearer token", "earer EARER", r"(?i:\bbearer)\s+(?P<secret>[A-Za-z0-9._~+/=-]{12,})"),
    _row("basic credentials", "asic", r"(?i:authorization: *basic)\s+(?P<secret>[A-Za-z0-9+/=]{8,})"),
    _row("JSON web token", "eyJ", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    _row("Anthropic key", "sk-ant-", r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    _row("OpenAI key", "sk-", r"\bsk-(?:proj-|svcacct-|or-v1-)?[A-Za-z0-9_-]{20,}"),
    _row("GitHub token", "gh github_pat_", r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})"),
    _row("GitLab token", "glpat-", r"\bglpat-[A-Za-z0-9_-]{18,}"),
    _row("Slack token", "xox xapp-", r"\bx(?:ox[abeoprs]|app)-[A-Za-z0-9-]{10,}"),
    _row("Slack webhook", "hooks.slack.com", r"(?<=hooks\.slack\.com/services/)[A-Za-z0-9/]{20,}"),
    _row("AWS key id", "AKIA ASIA", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    _row("Google key", "AIza", r"\bAIza[A-Za-z0-9_-]{35}"),
    _row("Google OAuth token", "ya29.", r"\bya29\.[A-Za-z0-9_-]{20,}"),
    _row("Stripe key", "sk_ rk_ whsec_", r"\b(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{16,})"),
    _row("npm token", "npm_", r"\bnpm_[A-Za-z0-9]{30,}"),
    _row("PyPI token", "pypi-", r"\bpypi-[A-Za-z0-9_-]{40,}"),
    _row("Notion token", "ntn_ secret_", r"\b(?:ntn_|secret_)[A-Za-z0-9]{40,}"),
    _row("Linear key", "lin_", r"\blin_(?:api|oauth)_[A-Za-z0-9]{30,}"),
    _row("Hugging Face token", "hf_", r"\bhf_[A-Za-z0-9]{30,}"),
    _row("SendGrid key", "SG.", r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    _row(
        "named secret",
        "= :",
        r"(?i:(?<![\w-])[\w-]{0,40}?(?:password|passwd|secret|(?:api|access|private)[_-]?key|(?:auth|access)[_-]?token)"
        r"[\w-]{0,20})[\"']?\s*[:=]\s*[\"']?(?P<secret>(?![$<{]|os\.|process\.|env\b|None\b|null\b|true\b|false\b)"
        r"[^\s\"',;]{8,})",
    ),
    _row("password option", "--pass --token", r"--(?:password|passwd|token)[= ](?P<secret>[^\s\"'$<-][^\s\"']{5,})"),
)


def redacted(text: str) -> str:
    """Replace every secret with `[redacted: kind]`, keeping the number of lines."""
    for secret in SECRETS:
        if any(hint in text for hint in secret.hints):
            text = secret.pattern.sub(partial(_replaced, secret.kind), text)
    return text


def _replaced(kind: str, found: re.Match[str]) -> str:
    mark = f"[redacted: {kind}]"
    if "secret" not in found.re.groupindex:
        return mark + "\n" * found[0].count("\n")
    if found["secret"].startswith("[redacted"):
        return found[0]
    start, end = found.start("secret") - found.start(), found.end("secret") - found.start()
    return found[0][:start] + mark + found[0][end:]


def redacted_json(value: object) -> object:
    """The same JSON value with secrets replaced in every text, keys included."""
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, dict):
        return {redacted(str(key)): redacted_json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [redacted_json(inner) for inner in value]
    return value
