"""Who says or wants something, as words in front of it that are no part of it: "security wants a timeout of …"."""

from __future__ import annotations

import re
from typing import Final

_WHO: Final = (
    r"(?:(?:the|our|my|their|die|der|das|unsere?|le|la|les|notre|el|nuestr[oa])\s+)?[^\W\d][\w'’-]*"
    r"(?:\s+[\w'’-]+){0,2}?"
)
_WANTS: Final = (
    r"wants?|wanted|wishes|asks? for|asked for|insists?(?: on)?|insisted on|demands?|demanded|prefers?|requested"
    r"|would (?:like|prefer)|says?|said|claims?|told us|tells us|thinks?|suggests?|suggested|proposes?|proposed"
    r"|expects?|agreed (?:on|to)|decided (?:on|for)|settled on"
    r"|sag(?:t|en)|mein(?:t|en)|wollen|(?-i:will (?=[A-ZÄÖÜ]))|möchten?|forder(?:t|n)|verlang(?:t|en)|wünsch(?:t|en)"
    r"|(?:besteht|bestehen) auf|veut|veulent|demand(?:e|ent)|exig(?:e|ent|en)|insiste(?:nt)? sur"
    r"|quieren?|piden?|dicen?|wil|willen|zegt"
)
_NEEDS: Final = r"(?:we|i|they)\s+(?:really\s+|all\s+)?(?:need|require)|(?:wir|ich)\s+brauchen?|il\s+(?:nous\s+)?faut"
_SOURCE: Final = (
    r"(?:according to|as per|laut|gemäß|selon|d'après|según)\s+(?:(?:the|our|der|die|dem|le|la|el)\s+)?[\w-]+,?"
)
# "Claims per day" and "the demands of a customer" are things; what somebody wants stands right behind the verb.
_SPEAKER: Final = re.compile(
    rf"(?:{_WHO}\s+(?:{_WANTS})|{_NEEDS}|{_SOURCE})\s*(?<=[\s,])"
    r"(?!(?:per|of|in|for|from|to|by|at|on|with|is|are|be|must|should|pro|par|de|des|von)\b)"
    r"(?:(?:that|dass|que)\s+)?(?=[^\W\d_])",
    re.IGNORECASE,
)


def unspoken(text: str) -> str:
    """A saying without the words at its beginning that only tell who says or wants it."""
    hit = _SPEAKER.match(text)
    return text[hit.end() :] if hit else text
