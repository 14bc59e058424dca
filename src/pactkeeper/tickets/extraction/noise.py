"""Words that say nothing about a ticket: greetings, thanks, reactions, and what people say in passing."""

from __future__ import annotations

import re
from typing import Final

_PHRASES: Final = (
    (
        r"(?:hi|hello|hey|hiya|yo|morning|good (?:morning|afternoon|evening)|hallo|moin|servus|guten (?:tag"
        r"|morgen|abend)|salut|bonjour|coucou|bonsoir|hola|buenas(?: tardes| noches)?|buenos días)"
        r"(?:[ ,]+(?:there|all|everyone|team|folks|bot|zusammen|allerseits|à tous|tout le monde|a todos|equipo"
        r"|(?-i:[A-ZÄÖÜ]\w+)))*"
    ),
    (
        r"(?:many )?(?:thanks|thank you|thx|ty|cheers|danke(?: dir| schön)?|vielen dank|merci(?: beaucoup)?"
        r"|gracias|muchas gracias)(?:[ ,]+(?:a lot|so much|all|everyone|team|bot|in advance|im voraus"
        r"|(?-i:[A-ZÄÖÜ]\w+)))*"
    ),
    (
        r"(?:ok(?:ay)?|k|alright|right|sure|cool|great|nice|perfect|awesome|super|excellent|good (?:point|idea"
        r"|catch|question)|fair enough|makes sense|sounds good|works for me|got it|understood|noted|agreed"
        r"|i agree|same here|me too|indeed|exactly|true|yes|yep|yeah|yup|no worries|np|lol|haha+|hehe|lgtm"
        r"|done|alles klar|passt|genau|stimmt|einverstanden|gut|d'accord|parfait|très bien|ça marche"
        r"|de acuerdo|vale|perfecto|genial|claro)(?:[ ,!.]+(?:thanks|thank you|then|with me|to me|from me|too"
        r"|for now|danke|merci|gracias))*"
    ),
    (
        r"(?:omg|wow|oof|ouch|ugh+|yikes|huh|eh|nah|nope|mhm|jo|puh|oha|been there|seconded|classic|again|insane"
        r"|that(?:'s| is) (?:insane|awful|terrible|crazy|wild|rough|bad|wonderful|lovely|hilarious)|love it"
        r"|love this(?: for us)?"
        r"|ship it|brilliant|fun times|totally|same|ok wow|klopt|prima|por fin)"
        r"(?:[ ,]+(?:again|indeed|here|too|lol|ok))*"
    ),
    (
        r"(?:source|really|seriously|srsly|why|what|how|when|where|who|how (?:many|much|often|come|so)|since when"
        r"|no way|again|any(?:thing|body|one) else|(?:\w+ )?(?:them|it|that|this|him|her|us)"
        r"|(?:so )?(?:how|what|which|why|when|where)(?: \w+){0,2}|(?:all|both|none|any) of (?:it|them)"
        r"|(?:so |and )*(?:what|how|why|where|when) (?:did|do|would) (?:you|we|they) (?:know|want|mean|think"
        r"|need|find out|suggest)"
        r"(?: by that| then| exactly)?|(?:so )?what (?:should|would|shall) (?:happen|we do|we call (?:it"
        r"|this))(?: then| now| instead)?"
        r")\?+|(?:what would we call (?:it|this)|which one)|(?:that(?:'s"
        r"| is) an? )?(?:open"
        r"|good|fair) question[,.:!]?(?: \w+\?+)?"
    ),
    r"(?:\+1|-1|👍|✅|🎉|:[\w+-]+:|[\U0001F300-\U0001FAFF☀-➿️‍\s])++",
    (
        r"(?:let me (?:check|see|think|look|ask)|one (?:sec|second|moment|minute)|brb|hold on|hm+|uh+m*"
        r"|wait(?: a (?:sec|second|moment|minute))?|i(?:'ll| will) (?:check|ask|look|get back|come back"
        r"|be back|ping|follow up)\b.*|give me a (?:sec|second|minute|moment)|(?:einen )?moment(?: bitte| mal)?"
        r"|warte(?: mal)?|wart mal|attend(?:s|ez)|espera"
        r"|ich (?:frage|schaue|prüfe) (?:mal )?nach|je (?:vérifie|regarde)|un momento|lo reviso)"
    ),
    r"(?:sorry|my bad|oops|apologies|pardon|perdón|entschuldigung)(?: (?:for|about) .*)?",
    (
        r"(?:anyone|anybody)(?: here| around| there)?\??|(?:is )?(?:anyone|anybody) (?:here|around|there)\??"
        r"|are you there\??|can (?:you|someone|anyone) help(?: me| us)?(?: with (?:this|that|something"
        r"|a ticket))?\??|(?:i|we) have a (?:question|request|ticket|feature request|bug)(?: for you)?"
        r"|(?:any )?(?:thoughts|opinions|comments|objections|ideas)\??|what do you (?:all |guys )?think\??"
        r"|wdyt\??|kann (?:mir )?jemand helfen\??"
    ),
    (
        r"(?:see you|bye|later|ttyl|have a (?:nice|good|great) (?:day|weekend|one|evening|lunch)|tschüss"
        r"|bis (?:später|morgen|dann)|schönes wochenende|à plus|bonne journée|hasta luego|adiós|lunch\??"
        r"|i'm off(?: to .*)?|off to (?:lunch|a meeting|the dentist).*|back (?:in|from|at) .*)"
    ),
    (
        r"(?:as )?(?:discussed|mentioned|promised)(?: (?:above|yesterday|earlier|before|in the (?:meeting"
        r"|standup|call)))?|here (?:it is|you go|we go)|fyi|see (?:above|below)|ping|bump|any (?:news|update"
        r"|updates)\??|nächster versuch"
    ),
    (
        r"(?:let's |please |(?:can|could) (?:we|you|someone|somebody|anyone) )?(?:please )?(?:create|open|file"
        r"|make|start|write"
        r"|draft) (?:a |an |the )?(?:new )?ticket(?: for (?:this|that|it))?(?: please)?\??|(?:new"
        r"|another) (?:ticket|one)|ticket please|neues ticket(?: bitte)?|(?:ich |wir )?(?:brauche|bräuchte"
        r"|brauchen|bräuchten) ein ticket"
    ),
)
_MARKS: Final = r"[\s,.!?…:;~)(-]*+"
_NOISE: Final = re.compile(rf"{_MARKS}(?:(?:" + "|".join(_PHRASES) + rf")(?!\w){_MARKS})++", re.IGNORECASE)
_BOT: Final = re.compile(r"<[@!][^<>]*>|@[\w-]+")
_LEAD: Final = re.compile(
    r"(?:(?:as (?:discussed|mentioned|promised|agreed)|anyway|anyhow|seriously|servus|guten morgen"
    r"|guten tag|buenas|hi|hello|hey|(?:no|nope"
    r"|nein)(?=[,.!;])|hallo|moin|bonjour|salut|hola|ok(?:ay)?|sure|right(?! now)|yes|yep|yeah|well|so|oh|ah|um"
    r"|hm+|ja|oui|sí|also|and|und|et|y|wait|sorry|oops|good point|btw|fyi|by the way|ah right|no wait"
    r"|moment"
    r"|warte(?: mal)?|wart mal|quatsch|attends|attendez|espera|perdona"
    r"|nope|nah|ugh+|omg|oof|yikes|wow|puh|jo|hoi|klopt|heads up|ojo|let op|no really|yes please|but"
    r"|then|tbh|however|dear)\b"
    r"(?:\s+(?:there|all|everyone|team|folks|bot|zusammen|à tous|a todos))?[\s,.!:;–—-]+)+",
    re.IGNORECASE,
)
_CALLED: Final = re.compile(r"[A-Z][a-z]+, (?=(?:is|are|can|could|would|do|does|please|what|how|who|when|why)\b)")
_JEST: Final = re.compile(
    r"[😂🤣😆😜🤪😝🙃💀]|\b(?:lol|lmao|rofl|lmfao|haha\w*|hehe\w*|jaja\w*|mdr|xd|just kidding|jk|kidding)\b|(?<=\s)/s$",
    re.IGNORECASE,
)
_UNKNOWN: Final = re.compile(
    r"(?:(?:sorry|hmm+|well|honestly|ehrlich gesagt)[, ]++)*+(?:i |we )?(?:really |honestly "
    r"|just )?(?:don'?t|do not|dunno|didn'?t) ?(?:know|have (?:one|any|an idea|a clue))?(?: yet| that"
    r"| (?:that|this) (?:one|yet)| for now| right now| either)?"
    r"|(?:i |we )?(?:have )?no (?:idea|clue)(?: yet)?|(?:i'?m |we'?re )?not sure(?: yet| about (?:that"
    r"|this))?|dunno|unknown|not known(?: yet)?|n/?a|none(?: yet)?|tbd|to be (?:decided|defined"
    r"|determined)|(?:i |we )?can(?:'t|not) (?:say|tell)(?: yet| now)?|nobody knows(?: yet)?|no epic"
    r"|there is none|skip(?: (?:that|it|this))?|(?:that(?:'s| is) )?(?:still )?(?:open|undecided|unclear)"
    r"|(?:das )?(?:weiß|weiss) ich (?:noch )?nicht|(?:ich )?weiß (?:es )?(?:noch )?nicht|keine ahnung"
    r"|(?:noch )?unklar|(?:je )?(?:ne )?sais pas(?: encore)?|aucune idée|je ne sais pas(?: encore)?"
    r"|no (?:lo )?sé(?: todavía)?|(?:no tengo )?ni idea",
    re.IGNORECASE,
)

# How people begin who do not know, whatever they say next.
_NOT_KNOWING: Final = re.compile(
    r"(?:(?:sorry|hmm+|well|honestly|ehrlich gesagt|leider|puh|bof|pues|la verdad)[, ]+)*(?:"
    r"(?:(?:i|we) (?:really |honestly |just |still )?)?(?:don['’]?t|do not) (?:really |actually )?know"
    r"|(?:i |we )?(?:have )?(?:absolutely )?no (?:idea|clue)|(?:i dunno|dunno|idk|beats me)"
    r"|(?:i['’]m |i am |we['’]re |we are )?not (?:really |quite )?sure"
    r"|(?:das )?(?:weiß|weiss) ich (?:es |leider |auch |noch )*nicht"
    r"|(?:ich |wir )?(?:weiß|weiss|wissen) (?:es |das )?(?:leider |auch |noch )*nicht"
    r"|(?:ich habe )?keine ahnung|(?:ich )?(?:bin )?(?:mir )?nicht sicher"
    r"|(?:je |j['’]|on )?(?:ne |n['’]en )?sais (?:pas|rien)|(?:je n['’]ai )?aucune idée|(?:je (?:ne )?suis )?pas sûre?"
    r"|(?:yo )?no (?:lo )?(?:sé|sabemos)|(?:no tengo )?ni idea|no tengo idea|no estoy segur[oa]"
    r")(?!\w)(?:,?\s+(?:yet|either|too|for now|right now|leider|noch|auch|encore|non plus|todavía|tampoco"
    r"|aún)(?!\w))*"
    r"[\s,.!…;:–—-]*",
    re.IGNORECASE,
)


def not_knowing(text: str) -> int:
    """How many characters at the start of a sentence say that its speaker does not know; 0 where they do not."""
    hit = _NOT_KNOWING.match(text)
    return hit.end() if hit else 0


def is_jest(text: str) -> bool:
    """Whether somebody laughs about what they say: then it obliges nobody to anything."""
    return _JEST.search(text) is not None


def is_noise(text: str) -> bool:
    """Whether a sentence says nothing about a ticket, whoever it is addressed to."""
    return not (bare := _BOT.sub("", text).strip()) or _NOISE.fullmatch(bare) is not None


def lead_of(text: str) -> int:
    """How many characters at the start of a sentence only greet, agree or hesitate."""
    hit = _LEAD.match(text)
    end = hit.end() if hit and hit.end() < len(text) else 0
    called = _CALLED.match(text, end)
    return called.end() if called else end


def is_unknown(text: str) -> bool:
    """Whether a sentence says that the speaker does not know."""
    return _UNKNOWN.fullmatch(text.strip(" .!…,;:")) is not None
