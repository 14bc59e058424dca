"""The closed classes of words, and what describes things: what a word is before anything is known of its sentence."""

from __future__ import annotations

from pactkeeper.intent.wording.tables import ordered, table

BE = table("is are was were be been being am isn't aren't wasn't weren't")
FINITE_BE = BE - table("be been being")
HAVE = table("has have had hasn't haven't hadn't having")
DO = table("does do did doesn't don't didn't")
MODALS = table("""
    can cannot can't could couldn't must mustn't shall shan't should shouldn't may might mightn't will won't would
    wouldn't needn't
""")
NEGATIVE = table("not n't")
RELATIVES = table("who which whose whom that what whatever whoever whichever")
COORDINATORS = table("and or but nor yet & plus")
SUBORDINATORS = table("""
    when if unless while until once after before because whenever although where
    since provided given whereas though otherwise else lest
""")
PREPOSITIONS = table("""
    with without for from to into onto in on at by of via per as during through across against between among over
    under within outside inside behind beyond despite except including like near since than toward towards upon
    versus vs about above below along around using
    upon amid beside besides amongst against off out throughout
""") - {
    "since",
    "after",
    "before",
    "until",
    "given",
}
NOT_ADVERBS = table("""
    family reply supply apply assembly anomaly monopoly july friendly ugly lonely user-friendly butterfly fly rely
    comply multiply imply italy daily weekly monthly yearly hourly nightly bully belly jelly
""")
ADVERBS = table("""
    not never always only also already again still just even twice once correctly properly explicitly implicitly
    directly immediately exactly together separately back too instead gracefully silently automatically lazily
    eagerly twice anyway up down out off away safely fully partially manually now later here there
    alone asynchronously sequentially concurrently globally locally recursively independently cleanly
    successfully early
    very soon often seldom almost nearly mostly thus hence therefore then well nearby
""") - {"up", "down"}
DETERMINERS = table("""
    a an the this that these those its their our my your no any each every all some both either neither another
    such more most less few many multiple several one two three four five what which whose
""")
PRONOUNS = table("""
    it itself they them he she we you i nothing everything something anything nobody everyone one
""")
PLURAL = table("are were have do aren't weren't haven't don't")
SINGULAR = table("is was has does isn't wasn't hasn't doesn't")
STANDING = table("one other others another both all this that these those each")
PARTICLES = table("in out off on up down over back away through")
AS_LONG = table("soon long far")
CLOSERS = table("per each a an")


def described(lower: str) -> bool:
    """Whether a word says how something is."""
    if lower in NO_ADJECTIVES:
        return False
    return (
        lower in ADJECTIVES
        or (lower.endswith(("able", "ible", "less", "ful", "ous")) and lower not in NO_ADJECTIVES)
        or lower.endswith(("-based", "-friendly", "-proof", "-free"))
    )


NO_ADJECTIVES = table("""
    timetable vegetable constable syllable table variable cable deliverable executable observable enable disable handful
    unable
""")
LINKING = table("appear become feel keep look remain seem sound stay taste get grow turn")
ADJECTIVES = table("""
    able absent absolute abstract accessible accurate active actual additional adequate alive allowed
    alphabetical ambiguous angry appropriate ascii asleep async asynchronous atomic attractive available awake
    aware bad bare beautiful better big binary black blank blue bold boolean bound bright broad broken busy
    callable calm case-insensitive case-sensitive cheap chunked circular clean clear clever cold comfortable
    common compatible complete complex compliant complicated concurrent confident consistent constant contiguous
    convenient cool correct corrupt custom daily dark dead deep deterministic different difficult direct dirty
    distinct double dry due dynamic eager early easy economic effective efficient elegant empty enough equal
    equivalent ergonomic even exact excellent exclusive expensive explicit external extra fair false falsy
    famous fast few final fine finite firm fit fixed flat foreign free fresh friendly full general generic
    gentle global good great greater green grey happy hard hashable hassle-free healthy heavy hidden high ideal
    idempotent identical idle illegal immediate immutable implicit important inactive incompatible incomplete
    inconsistent incorrect independent indirect infinite insecure insensitive inside intelligent internal
    intuitive invalid invisible iterable late lazy legacy legal less light likely liquid local long loose loud
    low lower main major malformed mandatory manual missing modern monthly multiple mutable naive narrow native
    natural neat necessary negative nested new nice nightly non-empty nonexistent normal null odd offline ok old
    online open optimal optimum optional orange ordered outdated overdue partial pending perfect permanent
    persistent picklable plain pleasant polite poor popular positive possible powerful precise premium present
    pretty primary private professional prompt proper public quick quiet random rapid rare raw ready real
    realistic recursive red redundant relative relevant reliable required responsive reusable rich right robust
    rough round rude safe same scalable seamless secondary secret secure sensible sensitive separate sequential
    serial severe shallow sharp short sick silent similar simple single slow small smart smooth soft solid
    sorted special stable stale standard static steep straight straightforward strange strict strong successful
    sufficient suitable sure suspicious sweet swift tall temporary thick thin thread-safe tidy tight timely tiny
    tough true trusted truthy ugly unauthorised unauthorized unavailable unchanged undefined unequal unhashable
    unicode unique unknown unlimited unnecessary unreachable unsafe unsorted unsupported untouched unused
    unusual upper urgent useful useless user-friendly valid various verbose virtual visible warm weak weekly
    well wet white whole wide wild worse worst wrong yellow young zero
""")

# Two verbs that people say as one act.
PAIRS = frozenset(
    tuple(pair.split("+"))
    for pair in ordered("""
    check+balance click+drag click+hold copy+paste cut+paste drag+drop find+replace go+get hold+release mix+match
    pan+zoom park+ride pick+choose pick+place pinch+zoom plug+play point+click press+hold press+release read+write
    rinse+repeat scan+go search+replace stop+go swipe+hold tap+hold touch+hold track+trace trial+error wait+see
    """)
)
