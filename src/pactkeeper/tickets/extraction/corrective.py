"""How people put right or take back what was said, in four languages."""

from __future__ import annotations

import re
from typing import Final

_POLITE: Final = (
    r"(?:(?:please|pls|bitte|s'il te plaît|por favor|let's|lets|can (?:you|we)|could (?:you|we)|i(?:'d"
    r"| would) (?:rather )?(?:like to )?|we should|actually|on second thought|no wait|wait|no|correction"
    r"|korrektur|eigentlich|doch(?! nicht)(?: lieber| besser| eher)?|nein|nee|halt|moment|warte(?: mal)?|quatsch"
    r"|en fait|non|attends|plutôt|pardon|mejor|espera|perdón|corrección),?\s++)*+"
)
CHANGE: Final = re.compile(
    _POLITE + r"(?:change|rename|update|set|correct|make|switch|rephrase|reword|ändere?|ändern wir|setze?|change"
    r"|changeons|remplace|modifie|cambia|cambiemos|modifica)\s+(?P<what>.+?)\s+"
    r"(?:from\s+.+?\s+|von\s+.+?\s+)?(?:to|into|as|zu|in|auf|en|par|a|por)(?:\s*:\s*|\s+)(?P<new>.+)",
    re.IGNORECASE,
)
SHOULD_BE: Final = re.compile(
    _POLITE + r"(?P<what>(?:the\s+|der\s+|die\s+|das\s+|le\s+|la\s+|el\s+)?[\w' ]{2,40}?)\s+(?:should|must|needs to"
    r"|ought to|has to|soll|sollte|devrait|debería)\s+(?P<firm>rather |actually |instead |better |eher "
    r"|lieber )?"
    r"(?:be called|be|read|say|lauten|heißen|être|ser|decir)(?:\s*:\s*|\s+)(?P<new>.+?)(?:\s+(?:heißen|lauten|sein))?",
    re.IGNORECASE,
)
HEISSEN: Final = re.compile(
    _POLITE
    + (
        r"(?P<what>(?:der\s+|die\s+|das\s+)?\w+)\s+(?:soll|sollte)\s+(?:besser "
        r"|lieber )?(?P<new>.+?)\s+(?:heißen|lauten)"
    ),
    re.IGNORECASE,
)
IS_NOW: Final = re.compile(
    _POLITE
    + (
        r"(?P<what>(?:the|our|der|die|das|le|la|el)\s+[\w' ]{2,40}?)\s+(?:is now|is actually|is rather"
        r"|is really|ist jetzt|ist eigentlich|est maintenant|es ahora)\s+(?P<new>.+)"
    ),
    re.IGNORECASE,
)
CALL_IT: Final = re.compile(
    _POLITE
    + (
        r"(?:call it|name it|rename it to|rename it|call the ticket|title it|nenn(?:en wir)? es|appelle-le"
        r"|appelons-le|llámalo)\s+(?P<new>.+?)(?:\s+instead)?"
    ),
    re.IGNORECASE,
)
REPLACE: Final = re.compile(
    _POLITE
    + (
        r"(?:replace|change|swap|ersetze?n?|ändere?|remplace[zr]?|reemplaza|sustituye|cambia)\s+(?P<old>.{1,200}?)\s+"
        r"(?:by|with|to|into|durch|zu|in|auf|par|en|por|a|con)\s+(?P<new>.{1,200})"
    ),
    re.IGNORECASE,
)
NOT_BUT: Final = (
    re.compile(
        (
            r"(?:.*?\b)?(?:not|nicht|pas|no)\s+(?P<old>[^,;]{1,60}?),?\s+(?:but|sondern|mais"
            r"|sino)\s+(?:rather\s+)?(?P<new>[^,;]{1,80})"
        ),
        re.IGNORECASE,
    ),
    re.compile(r"(?:not|nicht|pas|no)\s+(?P<old>[\d.,]+[^,;]{0,20}?),\s+(?P<new>\d[^,;]{0,40})", re.IGNORECASE),
    re.compile(
        _POLITE
        + (
            r"(?:it(?:'s| is| should be| must be)|that(?:'s| is)|make (?:it|that)|es sind|es ist|das sind|c'est"
            r"|son|es)?\s*(?P<new>[^,;]{1,80}?)(?:,\s*(?:and |und |et |y )?(?:doch )?(?:not|nicht|pas|no)"
            r"|,?\s+(?:instead of|rather than"
            r"|statt|anstatt"
            r"|au lieu d[e']|en vez de|en lugar de))\s+(?P<old>[^,;]{1,60})"
        ),
        re.IGNORECASE,
    ),
    re.compile(
        _POLITE
        + (
            r"(?:instead of|rather than|statt|anstatt|anstelle von|au lieu d[e']|en vez de|en lugar de)\s+"
            r"(?P<old>[^,;]{1,60}?)(?:,\s+|\s+(?=lieber|besser|eher|plutôt|mejor|rather))"
            r"(?:(?:lieber|besser|eher|plutôt|mejor|rather|make it|use|nehmen wir|on prend)\s+)?(?P<new>[^,;]{1,80})"
        ),
        re.IGNORECASE,
    ),
)
ACTUALLY: Final = re.compile(
    r"(?:(?:sorry|no|wait|hm+|correction|oops)[,:.]?\s+)*(?:actually|correction|i meant|i mean|make (?:it"
    r"|that)|better|rather|korrektur|eigentlich|ich meinte|besser|en fait|je voulais dire|plutôt"
    r"|doch(?! nicht)(?: lieber| besser| eher)?|en realidad|mejor|quise decir)[,:]?\s+"
    r"(?:it(?:'s| is| should be)|that(?:'s| is)|make (?:it|that)|let's (?:make it|do|say|use)|es sind"
    r"|c'est|son)?\s*(?P<new>.+)",
    re.IGNORECASE,
)
DROP: Final = re.compile(
    _POLITE
    + (
        r"(?:drop|remove|delete|scrap|forget|ignore|strike|cancel|kill|leave out|take out|skip|streiche?n?"
        r"|entferne?n?|lösche?n?|vergiss|supprime[zr]?|enlève|retire|oublie|elimina|quita|borra"
        r"|olvida)\s+(?:about\s+)?(?P<what>.+)"
    ),
    re.IGNORECASE,
)
NO_LONGER: Final = re.compile(
    (
        r"(?:the\s+|wir brauchen\s+)?(?P<what>.+?)\s+(?:(?:is|are)\s+(?:no longer|not)\s+(?:needed|relevant|required"
        r"|a (?:risk|problem|dependency|constraint)|an issue)(?:\s+(?:any ?more|any longer|after all))?"
        r"|(?:brauchen wir )?doch nicht(?: mehr)?|brauchen wir nicht(?: mehr)?|entfällt|entfallen|fällt weg|fallen weg"
        r"|(?:on n'en a )?finalement pas|n'est plus nécessaire|ne sont plus nécessaires"
        r"|ya no (?:hace falta|es necesari[oa]))"
    ),
    re.IGNORECASE,
)
