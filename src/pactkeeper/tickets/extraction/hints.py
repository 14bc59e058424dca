"""How people hint at a problem, a title or a solution without saying that it is one, in five languages."""

from __future__ import annotations

from typing import Final

from pactkeeper.tickets.extraction.phrases import any_of

_TODAY: Final = (
    r"(?:currently|today|right now|at the moment|these days|as of now|every (?:day|week|month|morning"
    r"|monday|release)|derzeit|aktuell|momentan|heute|zurzeit|im moment"
    r"|actuellement|aujourd'hui|en ce moment|actualmente|hoy(?: en día)?|ahora mismo|ahora)\b,?"
)
PAINS: Final = any_of(
    rf"^{_TODAY}",
    r"^(?:because|since|weil|parce qu[e']|porque)\b",
    r"\b(?:niemand|personne ne|nadie)\b",
    r"\b(?:complain\w*|annoy\w*|frustrat\w*|painful\w*|nobody|no one|outdated|offline|does(?:n\'t| not)"
    r"|hang up|slow(?:ly)?|giv(?:e|es|ing) up|gave up|wast(?:e|es"
    r"|ed|ing)|manually|by hand|can't|cannot"
    r"|unable to|fail(?:s|ed|ing|ure)?|crash\w*|broken|breaks?"
    r"|wrong(?:ly)?|too (?:slow|long|many|late|hard|small|fast|short|big|quick|early|often|few|much|expensive"
    r"|complicated|strict)(?:ly)?"
    r"|having (?:issues|problems|trouble)|tedious|hard-?coded|kick(?:s|ed)? (?:\w+ )?out|thrown out|tim(?:es"
    r"|ed) out|takes? (?:forever|hours|ages|days|minutes|too|about"
    r"|up to|almost|over)|los(?:e|es|ing|t)|missing|confus\w+|forg[eo]t\w*|stuck|never (?:get|gets|see"
    r"|arrive\w*)"
    r"|have no (?:way|idea)|has no (?:way|idea)|there is no|there's no|no way to|have to (?:call|ask|guess"
    r"|copy|type|retype|wait|scroll|email|phone)|by mistake|twice|support tickets|drop(?:s|ped) off"
    r"|spen(?:d|ds|t) (?:hours|about|a lot|days|\d+|two|three|half|the whole)"
    r"|keeps? (?!(?:the|a|an|all|them|it)\b)\w+ing|hangs?|hung|freez\w+|froze|vanish\w*|disappear\w*|traps?"
    r"|trapped|spinner"
    r"|(?:un(?:usable|playable|readable|bearable))|insane|awful|ends? up|ended up|nobody|no one|stale|hammer\w*"
    r"|(?:is|are|comes?|arrives?) (?:always |often )?late|jam(?:s|med)?|mess(?:es|ed)? up|drift apart|out of sync"
    r"|in line|(?:two|three|four|five|six|seven) (?:systems|tools|spreadsheets|places|lists|logins))\b",
    (
        r"\b(?:beschwer\w*|manuell|von hand|kaputt|fehlern?|geht nicht|(?:kann|können) (?:\w+ ){0,4}nicht"
        r"|kein\w* (?:möglichkeit|übersicht)|dauert|zu (?:lange|langsam)|stürzt|verlier\w*|verpass\w*"
        r"|vergess\w*|doppelt|bricht|brechen|abstürz\w*|schlange|umsonst|dreimal|zweimal|regelmäßig|ständig)\b"
    ),
    (
        r"\b(?:se plaign\w*|à la main|manuellement|plante\w*|erreurs?|trop (?:lente?|long\w*|tard)|impossible"
        r"|(?:ne |n')(?:peuvent|peut|arrivent|ont|savent) (?:pas|plus|aucun\w*)|perd(?:ent|ons|us?)?"
        r"|oubli\w*|(?:on|nous) jet(?:te|ons)|la queue|en panne)\b"
    ),
    (
        r"\b(?:se quejan|a mano|manualmente|fallan?|errores?|demasiado|no (?:pueden|puede|saben|reciben|hay)"
        r"|pierden?|perdemos|tarda\w*|olvid\w*|se cae|se caen|no se sienten?|la cola|no funciona)\b"
    ),
    (
        r"\b(?:(?:kan|kunnen|kun) (?:\w+ ){0,4}niet|niet kwijt|te (?:laat|langzaam|lang|traag)|kapot"
        r"|fout(?:en)?|verlie\w+"
        r"|vergeet|vergeten|handmatig|opnieuw|duurt|klagen)\b"
    ),
)
# What people have a product do; what they do themselves ("ask", "meet", "sue", "try") is no wish for one.
_BUILD: Final = (
    r"(?:add|archive|allow|automate|build|block|cache|change|combine|create|display|enable|encrypt|export"
    r"|filter|fix|flag|group"
    r"|hide|highlight|implement|import|introduce|keep|let|limit|list|lock|log|make|mark|merge|migrate|move"
    r"|notify|offer"
    r"|prevent|print|provide|put|redirect|remind|remove|rename|replace|restore|save|scan|search|send|show|sort"
    r"|split|store"
    r"|support|sync|track|translate|warn)"
)
_JUST: Final = r"(?: please| just| maybe| also| simply| finally)*"
_TO_HAVE: Final = r"(?:to (?:have |get |see |be able to )?)?(?:a way (?:to|for) )?"
REQUEST: Final = any_of(
    (
        rf"(?:(?:we|i|they|(?:the|our|some|many|all|most) \w+(?: \w+)?|\w+ team|users|customers|clients|support"
        rf"|sales|ops) )(?:(?:really |also |just |urgently )?(?:need|needs|want|wants|require|requires)"
        rf"|would (?:really |also )?(?:like|love|need)) {_TO_HAVE}(?P<v1>.+)"
    ),
    rf"(?:we|i)'d (?:really )?(?:like|love) (?:for )?(?:us |people |them )?{_TO_HAVE}(?P<v2>.+)",
    rf"(?:can|could|would) (?:we|you|someone|somebody){_JUST} (?:get|have) (?P<v3>.+)",
    rf"(?:can|could|would|should|shall) (?:we|you|someone|somebody){_JUST} (?P<v4>{_BUILD} .+)",
    rf"we{_JUST} should{_JUST} (?P<v14>{_BUILD} .+)",
    r"(?:please |pls )?(?P<v5>(?:add|build|support|implement|introduce|allow|enable|fix|replace|migrate"
    r"|increase|reduce|improve|set"
    r"|provide) .+)",
    rf"(?:please|pls) (?P<v15>{_BUILD} .+)",
    (
        r"(?:it would be|it'd be|would be|it'd|would) (?:be )?(?:so |really |very |super )?(?:nice|great|good"
        r"|cool|useful"
        r"|helpful|awesome|lovely) (?:to (?:have|get)|if we (?:had|could have|could)|if there (?:was|were)|to"
        r"|if) (?P<v6>.+)"
    ),
    rf"(?:is it|would it be) possible to{_JUST} (?P<v21>{_BUILD} .+)",
    (
        r"(?!and\b|also\b)(?P<v22>(?:an?|the|some|more|better) .{4,80}?) would (?:also |really )*be (?:good"
        r"|nice|great|cool"
        r"|helpful|useful|awesome|lovely)"
    ),
    r"(?:we(?:'re| are) missing|we (?:still )?lack|(?:es|uns|mir) fehlt|il (?:nous )?manque"
    r"|(?:nos )?falta) (?P<v23>.+)",
    rf"(?P<v24>{_BUILD} .+?),? (?:please|pls|bitte)",
    r"(?:i|we) (?:really |just )?wish (?:that )?(?P<v16>.+)",
    rf"what (?:i|we)(?:'d| would) (?:really )?(?:like|love|need|want) (?:is|would be) {_TO_HAVE}(?P<v17>.+)",
    r"as an? [^,]+,? i (?:want|would like|need) (?:to )?(?P<v7>.+?)(?:,? so (?:that )?.+)?",
    r"(?:wir|ich) (?:brauchen?|bräuchten?|benötigen?|möchten?|wollen|wünschen uns|hätten gerne?) (?P<v8>.+)",
    r"(?:we|wij|ik|mensen) (?:willen|wil|zouden graag|hebben nodig) (?P<v18>.+)",
    r"(?:kunnen|kun|kan) (?:we|jullie|je|iemand) (?P<v19>.+)",
    r"(?:können|könnten|könntet) (?:wir|ihr|sie) (?:bitte )?(?P<v9>.+?)(?: (?:haben|bekommen|einbauen))?",
    (
        r"(?:il (?:nous |me )?faut|il (?:nous )?faudrait|(?:on a|nous avons|j'ai) besoin (?:de |d'|du )|(?:on"
        r"|je|nous) (?:veut|voudrait|voudrais|voulons|aimerait|aimerais|aimerions) )(?P<v10>.+)"
    ),
    r"(?:necesitamos|necesito|queremos|quisiéramos|quisiera|nos gustaría|me gustaría"
    r"|hace falta) (?:que )?(?P<v11>.+)",
)
# What proposes a way even where it names a pain: "let's count with sensors instead of by hand".
SUGGESTS: Final = any_of(r"(?:let's|lets|how about|what if) (?:we )?(?:just |simply )?(?P<v1>.+)")
COULD: Final = any_of(
    r"(?:maybe |perhaps )?(?:we|you) (?:could|can|might) (?:just |simply |also )?(?P<v1>.+)",
    r"(?:let's|lets|how about|what about|what if) (?:we )?(?:just |simply )?(?P<v2>.+)",
    r"(?:vielleicht )?(?:wir könnten|könnten wir) (?P<v3>.+)",
    r"on (?:pourrait|peut) (?P<v4>.+)",
    r"(?:podríamos|podemos) (?P<v5>.+)",
)
