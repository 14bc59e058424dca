"""What an op must have before it is proposed: all words of its source, nothing promised that is missing, a place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pactkeeper.intent.actions import MARK
from pactkeeper.intent.routing import Routing
from pactkeeper.ledger.op import Op

LEAST: Final = 500  # characters; what is shorter belongs into a remark
# The key of a payload that holds the words which are added.
_TEXTS: Final = {"createTask": "body", "logTask": "text", "createDocument": "body", "enrichDocument": "text"}
_PROMISE: Final = re.compile(
    r"(?i)(?:see|includes?|contains?|shown in|as in|listed in|siehe|enthält|voir|contient|véase|contiene)\s+"
    r"(?:the\s+|an?\s+|die\s+|das\s+|den\s+|le\s+|la\s+|el\s+)?"
    r"(?:[\w-]+\s+){0,2}?(?P<what>section\s+[\"“][^\"”]+[\"”]|(?:tables?|diagrams?|figures?|charts?|screenshots?|appendix|attachments?"
    r"|tabelle|diagramm|abbildung|anhang|tableau|annexe|tabla|anexo)\b)"
)
_KEPT: Final = (
    (re.compile(r"(?i)table|tabelle|tableau|tabla"), re.compile(r"^[^\S\n]*+\|.*\|", re.MULTILINE)),
    (
        re.compile(r"(?i)diagram|figure|chart|screenshot|abbildung|attachment"),
        re.compile(r"!\[[^\]]{0,300}\]\(|^\s{0,3}(?:```|~~~)|https?://", re.MULTILINE),
    ),
    (
        re.compile(r"(?i)appendix|anhang|annexe|anexo"),
        re.compile(r"(?im)^\s{0,3}#{1,6}\s.*(?:appendix|anhang|annexe|anexo)"),
    ),
)


def wrong_with(op: Op, spans: Sequence[str], routing: Routing) -> tuple[str, ...]:
    """Everything that keeps an op from being proposed; `spans` are the texts that it must hold word for word."""
    return tuple(_wrong(op, spans, routing))


def _wrong(op: Op, spans: Sequence[str], routing: Routing) -> Iterator[str]:
    text = str(op.payload[_TEXTS[op.verb]]) if op.verb in _TEXTS else MARK
    if MARK not in text.partition("\n")[0]:
        yield f"its first line does not say {MARK} and where it comes from"
    if op.verb not in {"createDocument", "enrichDocument"}:
        return
    missing = [span for span in spans if span not in text]
    if missing:
        yield f"{len(missing)} of {len(spans)} spans are not in it word for word"
    if len("".join(spans)) <= LEAST:
        yield f"its {len(''.join(spans))} characters are no more than {LEAST}; that is a remark and no document"
    yield from (f"it speaks of {what!r}, which is not there" for what in phantoms(text))
    if op.verb == "createDocument" and op.payload["section"] not in {one.name for one in routing.open_sections}:
        yield f"{op.payload['section']!r} is no section that documents may go to"


def phantoms(text: str) -> tuple[str, ...]:
    """What a text says that it holds, and does not."""
    found = (" ".join(one["what"].split()) for one in _PROMISE.finditer(text))
    return tuple(dict.fromkeys(what for what in found if not _is_there(what, text)))


def _is_there(what: str, text: str) -> bool:
    if what.lower().startswith("section"):
        name = re.escape(what.partition(" ")[2].strip('"“” '))
        return re.search(rf"(?im)^\s{{0,3}}#{{1,6}}\s+{name}\s*$", text) is not None
    return all(sign.search(text) for noun, sign in _KEPT if noun.search(what))
