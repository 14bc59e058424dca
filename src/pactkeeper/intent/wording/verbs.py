"""The verbs that test names use, with their forms; a word that stands in none of the tables is a noun."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from pactkeeper.intent.wording.tables import ordered, pairs, table

Form = Literal["base", "third", "participle", "gerund"]

_BASE = ordered("""
    abort accept access accumulate activate add adjust advance affect aggregate allow append apply approve archive
    ask assemble assign attach attempt authenticate authorise authorize await backfill balance bind block break
    broadcast bubble build buy bypass calculate call cancel canonicalise canonicalize capture cast catch change
    check choose clamp clean clear click clip clone close coalesce coerce collapse collect colorize combine commit
    compare compile complete compose compress compute concatenate configure confirm connect consume contain continue
    convert copy correct count crash create decode decompress decorate decrement decrypt deduplicate default defer
    define delay delegate delete deliver deny depend deprecate dereference derive deserialise deserialize destroy
    detach detect determine disable discard disconnect discover dispatch display distinguish divide do download
    drain drop dump duplicate echo edit elapse emit enable encode encrypt end enforce enqueue ensure enter escape
    evaluate evict exceed exclude execute exist exit expand expect expire explain export expose extend extract fail
    fall fetch fill filter find finish fire fit fix flag flatten flush fold follow forbid force forget fork format
    forward freeze generate get give go grant grow guess handle happen have hide highlight hold ignore implement
    imply import include increase increment infer inherit initialise initialize inject insert inspect install
    instantiate interpolate interpret intersect invalidate invert invoke issue iterate join keep kill know land
    launch leak leave let lift limit link list listen load localise localize locate lock log lose lower make mangle
    map mark mask match measure memoise memoize merge migrate mock modify mount move multiply mutate name navigate
    negate negotiate nest normalise normalize notify observe obtain occur omit open optimise optimize override
    overwrite own pad parse pass patch pause pay perform permit persist pick pin place poll pop populate post prefer
    prefix prepare prepend preserve prevent print prioritise prioritize process produce promote prompt propagate
    protect provide prune publish pull purge push put quote raise rank reach read reassign rebuild receive recognise
    recognize recompute reconnect record recover redact redirect reduce refer refresh refuse regenerate register
    reinstall reject release reload remain remember remove rename render renew reopen reorder repeat replace replay
    reply report request require reschedule reset resize resolve respect respond restart restore restrict resume
    retain retrieve retry return reuse revert revoke rewind rewrite roll rotate round route run sanitise sanitize
    save scale schedule score search seek select sell send serialise serialize serve set shadow share shift show
    shrink shut skip sleep slice snapshot sort spawn specify split stack start stay stop store stream stringify
    strip submit subscribe substitute subtract succeed suggest supply support suppress suspend swallow switch sync
    synchronise synchronize tag take tell terminate throttle throw time tolerate toggle touch trace track transform
    translate traverse treat trigger trim truncate trust try turn unbind unescape uninstall unlock unmount unpack
    unquote unregister unset unsubscribe unwrap update upgrade upload upsert use validate vary verify view visit
    wait walk warn watch win work wrap write yield zip persist
""")

_IRREGULAR: Mapping[str, str] = pairs("""
    bind:bound break:broken build:built catch:caught choose:chosen do:done fall:fallen find:found forbid:forbidden
    forget:forgotten freeze:frozen get:got give:given go:gone grow:grown have:had hide:hidden hold:held keep:kept
    know:known leave:left lose:lost make:made override:overridden overwrite:overwritten pay:paid buy:bought
    sell:sold read:read rebuild:rebuilt rewind:rewound rewrite:rewritten run:run seek:sought send:sent show:shown
    shrink:shrunk take:taken tell:told throw:thrown unbind:unbound win:won write:written
""")
_SAME = table("cast let put reset set shut split unset quit")
_DOUBLED = table("""
    abort_ bar drop fit flag forget_ get_ grab job log map pad pin plan plug pop prefer refer occur permit commit
    omit submit skip slip snap spot stop strip swap tag trim unwrap unzip wrap zip run_ set_ begin_ defer infer
    control_ ship shut sync_ unset upset win cut hit input_ let put reset split spin unpin clip
""")
NOUNISH = table("""
    access block cache call cast change check click clone commit copy count crash default delay display download
    drop dump echo edit end escape exit export fall fill filter fire fit fix flag fold fork format function hold
    import increase increment issue join kill land leak lift limit link list load lock log map mark mask match
    measure merge mock mount move name nest notice offset order override pad pass patch pause pick pin place poll
    pop post prefix process prompt pull push quote range rank read record redirect release reload reply report
    request reset result retry return reuse rewrite roll round route run sample scale schedule score search select
    set shadow share shift show skip sleep slice snapshot sort split stack start stop store stream strip support
    switch sync tag test throttle time toggle touch trace track transform trigger trim trust turn update upgrade
    upload use view visit wait walk watch win work wrap zip
""")
"""Verbs whose base and third-person forms are nouns as often, so that their place in the name must decide."""


def third(base: str) -> str:
    """`raise` to `raises`."""
    if base == "have":
        return "has"
    if base.endswith(("s", "sh", "ch", "x", "zz", "o")) and base != "echo":
        return base + "es"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + "s"


def participle(base: str) -> str:
    """`reject` to `rejected`."""
    if base in _IRREGULAR:
        return _IRREGULAR[base]
    if base in _SAME:
        return base
    return _stem(base, "ed")


def gerund(base: str) -> str:
    """`add` to `adding`."""
    if base in {"run", "get", "set", "put", "let", "shut", "split", "reset", "unset", "win", "forget", "cut", "hit"}:
        return base + base[-1] + "ing"
    if base == "tie":
        return "tying"
    return _stem(base, "ing")


def _stem(base: str, ending: str) -> str:
    if base in _DOUBLED:
        return base + base[-1] + ending
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
        return base + ending[1:] if ending == "ed" else base[:-1] + ending
    if base.endswith("y") and base[-2] not in "aeiou" and ending == "ed":
        return base[:-1] + "ied"
    return base + ending


@lru_cache(maxsize=1)
def _forms() -> Mapping[str, tuple[str, Form]]:
    found: dict[str, tuple[str, Form]] = {}
    for base in _BASE:
        found.setdefault(third(base), (base, "third"))
        found.setdefault(participle(base), (base, "participle"))
        found.setdefault(gerund(base), (base, "gerund"))
    for base in _BASE:
        found[base] = (base, "base")
    for base in _SAME | {"read", "run"}:
        found[base] = (base, "base")
    return found


def form_of(word: str) -> tuple[str, Form] | None:
    """The base and form of a verb form; None where the word is no verb the tables know."""
    return _forms().get(word.lower())
