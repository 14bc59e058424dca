"""Verbs of prose: those of test names, and what shops, clinics, machines and people do, with all forms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal

from pactkeeper.intent.wording.tables import ordered, pairs, table
from pactkeeper.intent.wording.verbs import NOUNISH, form_of, gerund, participle, third

Form = Literal["base", "third", "participle", "gerund", "past"]

_MORE = ordered("""
    abide absorb agree document notice state assert belong borrow declare outlive say supersede accelerate accompany
    acknowledge acquire act activate adapt address adjust admit adopt age agree aim alarm alert align alter amount
    analyse analyze animate announce annotate answer appear arm arrange arrive assess assist associate assume assure
    attend attract audit authenticate average avoid awake award back ban bang base bath beat become beep begin
    behave bill blink blur board boil book boot bounce brake brew bring browse buffer burn buzz cache call care
    carry cater cause celebrate cease certify challenge charge chat chime cite claim classify climb clock code
    collide combine come comment communicate compensate complain comply concern conclude conduct confuse
    congratulate conserve consider consist consolidate construct consult contact contribute control cook cool
    cooperate coordinate cost cover credit cross curate cut damage dare deal debit decide decline decrease dedicate
    deduct defeat deflate degrade demand demonstrate depart deposit depict derive describe deselect design desire
    destine deteriorate develop deviate diagnose dial die differ differentiate digest dim direct disagree disappear
    discharge discount discuss dismiss dispense display dispute dissolve distribute disturb dock donate dose double
    draft drag draw dream drive drown dry dye earn ease eat elect eliminate email embed emerge employ empower
    encounter encourage end endanger endorse endure engage enhance enjoy enlarge enrich enrol enroll entail enter
    entertain entitle equal equip erase escalate establish estimate evolve exchange excite excuse exhaust expedite
    experience experiment explode explore express extinguish face facilitate fade favour favor fear feed feel fetch
    file finalise finalize finance fish flash float flow fly focus foster found free fulfil fulfill function fund
    gain gather glow grade grant grasp greet grind group guarantee guard guide halt hand happen harm harvest hash
    heal hear heat help hesitate highlight hint hit honour honor hope host house identify ignite illuminate
    illustrate image imagine impair impede impose impress improve incorporate incur index indicate induce infect
    inflate influence inform inherit inhibit initiate injure inquire instruct insure integrate intend interact
    interest interfere interrupt introduce invalidate invent invest invite invoice involve irrigate irritate isolate
    jam jump justify knock label lack last laugh lay lead lean learn lease lend level leverage license lie lighten
    light like live loan look loop loosen love lubricate mail maintain manage mandate manipulate manufacture march
    mask master mature maximise maximize mean mention message meter mind minimise minimize mirror misplace miss
    mitigate mix mobilise model moderate modernise monitor motivate mute narrow near need neglect nominate note
    number nurse obey object oblige occlude occupy offer operate oppose opt order orchestrate organise organize
    orient originate outline outperform oversee overtake overheat pack page paint pair park partition party peel
    perceive perish permit photograph phone plan plant play please plug point polish pool possess postpone pour
    practise precede predict prefer present press pretend prevail price proceed procure profile profit program
    prohibit project prolong promise proof propose prove pulse pump punish purchase pursue qualify quantify query
    question queue rain rate react readjust realise realize rearrange reassure rebate reboot receipt recharge
    recommend reconcile recruit recycle refactor reference refill reflect refund regard regret regulate rehearse
    reimburse reinforce reinsert relate relax rely relocate remind remit repaint repair repay rephrase replicate
    represent reproduce reroute rescue research reserve reside resign resist respect rest result resubmit resupply
    retire retract reveal reverse review revise revive reward ride rinse ring rise rotate row ruin rule rush sail
    salute sanction satisfy saturate scan scare scatter schedule scroll seal secure see segment seize separate
    settle sew shake shape shelve shield shine ship shoot shop shorten shout shuffle sign signal silence simplify
    simulate sing sink sit slide slow smell smile smoke smooth soften solve sound spark spawn speak spell spend
    spill spin spoil sponsor spray spread spring stabilise stabilize stage stall stamp stand standardise stay steer
    step stick stimulate stir store strain streamline strengthen stress stretch strike strive struggle study style
    subdivide succeed suffer suffice suit summarise summarize supervise supplement suppose surface surge surprise
    surrender surround survey survive sustain swap sweep swim swing synthesise synthesize tackle tailor talk tap
    target taste tax teach tend test thank thaw think threaten thrive tick tighten tilt tip title tolerate top total
    tow trade train transact transcribe transfer transit transmit transport travel treat tremble trial trip triple
    trouble tune type understand undergo undertake undo unite unload unlock unplug unveil update utilise utilize
    vacate value vanish want ventilate venture verge violate vote warrant wash waste weaken wear weigh welcome widen
    wipe wish withdraw withhold withstand witness wonder worry worsen wrap wrestle yell zoom
""")
_IRREGULAR: Mapping[str, tuple[str, str]] = {
    base: (past, participle)
    for base, said in pairs("""
    awake:awoke,awoken beat:beat,beaten become:became,become begin:began,begun bring:brought,brought come:came,come
    cost:cost,cost cut:cut,cut deal:dealt,dealt draw:drew,drawn drive:drove,driven eat:ate,eaten feed:fed,fed
    feel:felt,felt fly:flew,flown grind:ground,ground hear:heard,heard hit:hit,hit lay:laid,laid lead:led,led
    lend:lent,lent light:lit,lit mean:meant,meant oversee:oversaw,overseen overtake:overtook,overtaken
    repay:repaid,repaid ride:rode,ridden ring:rang,rung rise:rose,risen see:saw,seen shake:shook,shaken
    shine:shone,shone shoot:shot,shot sing:sang,sung sink:sank,sunk sit:sat,sat slide:slid,slid speak:spoke,spoken
    spend:spent,spent spin:spun,spun spread:spread,spread stand:stood,stood stick:stuck,stuck strike:struck,struck
    swim:swam,swum swing:swung,swung teach:taught,taught think:thought,thought undergo:underwent,undergone
    understand:understood,understood undertake:undertook,undertaken undo:undid,undone wear:wore,worn
    withdraw:withdrew,withdrawn withhold:withheld,withheld withstand:withstood,withstood
""").items()
    for past, participle in [said.split(",")]
}
_PAST: Mapping[str, str] = pairs("""
    began:begin bought:buy broke:break caught:catch chose:choose fell:fall found:find gave:give got:get grew:grow
    held:hold kept:keep knew:know left:leave lost:lose made:make paid:pay ran:run sent:send showed:show sold:sell
    threw:throw took:take went:go won:win wrote:write
""")
_NO_VERBS = table("unread under unit resources")
_DOUBLED = table("""
    admit ban clip cut dim drag drop hit jam permit plan plug program refer regret scan scrap ship shop sit spin
    stir swap swim tap tip transfer transmit trip unplug wrap zip hint_ submit begin
""")
_SAME = table("cost cut hit spread cast let put reset set shut split unset quit read beat become come")
ALSO_NOUNS = NOUNISH | table("""
    act document notice state address age aim alarm alert amount answer average award back ban base bath beat bill
    blur board boot bounce brake buffer burn care cause challenge charge chat claim climb clock code comment concern
    contact control cook cost cover credit cross damage deal debit decline decrease demand deposit design desire
    discharge discount display dispute dock dose double draft drag draw dream drive dye ease email end estimate
    exchange excuse experience experiment face fear feed file finance fish flash float flow fly focus fund function
    gain grade grant group guarantee guard guide halt hand harm harvest hash head heat help highlight hint hit hope
    host house image impact index influence interest interrupt invoice jam jump label lack land laugh lead lean
    lease level license lie light like live load loan look loop love mail mandate march mask master matter mean
    mention message meter mind mirror miss mix model monitor need note number nurse object offer order outline pack
    page paint pair park partition party phone plan plant play plug point pool practise present press price proceed
    profile profit program project promise proof pulse pump purchase query question queue rain rate receipt record
    reference refund regard regret repair research reserve respect rest result review reward ride ring rise row rule
    rush sail sanction scan scroll seal segment shake shape share shield ship shop shout sign signal silence slide
    smell smile smoke sound spark spell spray spread spring stage stall stamp stand step stick store strain stress
    stretch strike struggle study style surface surge surprise survey swap sweep swing switch talk tap target taste
    tax test tick tilt tip title top total trade train transfer transit transport travel treat trial trip trouble
    tune type update value vote wash waste wish witness wonder worry yield zoom answer call can close complete
    correct down due dry empty even exit fix free last like long mean mobile near open own past present right round
    second separate set slow sound still trim live subject permit process start stay balance book box bundle
    contract detail document entry event line login logout match name output place power print reply report request
    response return score search sort stop support view watch work buy read find hide run cache cut die fire fit
    form hear kind leave left lock map mark measure order pass patch pick post stock supply
""")
"""Words that are nouns (or adjectives) as often as verbs, so that their place must decide."""


def third_of(base: str) -> str:
    """`pay` to `pays`."""
    return third(base)


def participle_of(base: str) -> str:
    """`withdraw` to `withdrawn`."""
    if base in _IRREGULAR:
        return _IRREGULAR[base][1]
    return f"{base}{base[-1]}ed" if base in _DOUBLED else participle(base)


def gerund_of(base: str) -> str:
    """`plan` to `planning`."""
    if base in {"die", "lie"}:
        return f"{base[0]}ying"
    return f"{base}{base[-1]}ing" if base in _DOUBLED else gerund(base)


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Mapping[Form, str]]:
    found: dict[str, dict[Form, str]] = {}

    def add(word: str, form: Form, base: str) -> None:
        found.setdefault(word, {}).setdefault(form, base)

    for base in _MORE:
        add(base, "base", base)
        add(third_of(base), "third", base)
        add(participle_of(base), "participle", base)
        add(gerund_of(base), "gerund", base)
        add(_IRREGULAR[base][0] if base in _IRREGULAR else participle_of(base), "past", base)
    return found


@lru_cache(maxsize=8192)
def forms_of(word: str) -> Mapping[Form, str]:
    """The forms a word can be, each with its base: `set` is base, participle and past; empty where it is no verb."""
    lower = word.lower()
    if lower in _NO_VERBS:
        return {}
    found: dict[Form, str] = dict(_table().get(lower, {}))
    if lower in _PAST:
        found.setdefault("past", _PAST[lower])
    known = form_of(lower)
    if known is not None:
        base, form = known
        found.setdefault(form, base)
        if form == "base" and base in _SAME:
            found.setdefault("participle", base)
        if form == "participle" and lower.endswith(("ed", "t", "d")):
            found.setdefault("past", base)
    for prefix in ("re", "un", "over", "mis", "pre", "auto-"):
        if not found and lower.startswith(prefix) and len(lower) > len(prefix) + _SHORTEST:
            found = {form: f"{prefix}{base}" for form, base in forms_of(lower.removeprefix(prefix)).items()}
    return found


_SHORTEST = 3


def is_verb(word: str, forms: Iterable[Form]) -> bool:
    """Whether a word can be one of these forms."""
    known = forms_of(word)
    return any(form in known for form in forms)


def also_noun(word: str) -> bool:
    """Whether a verb form may just as well be a noun: `order`, `orders`."""
    known = forms_of(word)
    bases = {base for form, base in known.items() if form in {"base", "third"}}
    return any(base in ALSO_NOUNS for base in bases)
