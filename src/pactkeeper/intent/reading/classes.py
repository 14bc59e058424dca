"""The closed classes of words, and what describes things: what a word is before anything is known of its sentence."""

from __future__ import annotations

from pactkeeper.intent.wording import prose
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
SUBORDINATORS = prose.SUBORDINATORS | table("since provided given whereas though otherwise else lest")
PREPOSITIONS = (prose.PREPOSITIONS | table("upon amid beside besides among amongst against off out throughout via")) - {
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
ADVERBS = (
    prose.ADVERBS
    | table("""
    too very soon often seldom almost nearly mostly thus hence therefore then instead well nearby
""")
) - {
    "both",
    "up",
    "down",
}
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
        lower in ADJECTIVES or prose.is_adjective(lower) or lower.endswith(("-based", "-friendly", "-proof", "-free"))
    )


NO_ADJECTIVES = table("timetable vegetable constable syllable table variable cable deliverable")
LINKING = table("appear become feel keep look remain seem sound stay taste get grow turn")
ADJECTIVES = table("""
    absent accessible accurate active adequate alive angry appropriate asleep attractive awake aware bad bare
    beautiful better big black blank blue bold bright broad busy calm cheap clever cold comfortable common
    complicated compliant confident convenient cool correct daily dark dead deep difficult dirty distinct dry easy
    economic effective efficient elegant enough equal ergonomic excellent expensive extra fair famous fast few fine
    firm fit flat free friendly full general gentle good great green grey happy hard hassle-free healthy heavy high
    ideal idle illegal important intelligent intuitive invisible late legal less light likely liquid long loose loud
    low main major manual modern monthly multiple narrow natural neat nice nightly normal offline online optimal
    optimum orange overdue pending perfect plain pleasant polite poor popular positive powerful precise premium
    present pretty private professional prompt proper public quick quiet rapid rare ready realistic red relevant
    responsive rich right robust rough round rude safe scalable seamless secure sensible sensitive severe shallow
    sharp short sick silent similar simple single slow small smart smooth soft solid stable steep straight
    straightforward strange strong sufficient suitable sure suspicious sweet swift tall thick thin tidy tight timely
    tough true ugly unusual urgent useful user-friendly valid various visible warm weak weekly well wet white wide
    wild worse worst wrong yellow young
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
