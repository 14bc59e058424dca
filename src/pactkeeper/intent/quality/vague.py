"""Words that two readers understand differently: by what is missing where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

VagueKind = Literal[
    "time",
    "often",
    "ease",
    "quality",
    "amount",
    "size",
    "hedge",
    "open",
    "pointer",
    "placeholder",
    "compared",
    "gain",
    "feeling",  # what nobody can look at
    "empty",  # something is dealt with, and not what comes of it
    "project",  # what the project itself says is vague
    "clear",  # a term of art: nothing is missing
]


@dataclass(frozen=True, slots=True)
class Missing:
    """What a vague word leaves out, and how to say it."""

    why: str
    suggestion: str


MISSING: Mapping[VagueKind, Missing] = {
    "time": Missing("says no time", 'say how long it may take: "within 2 seconds"'),
    "often": Missing("says no interval", 'say how often: "every 24 hours"'),
    "ease": Missing("is felt differently by everybody", "leave it out, or say the steps or the time it takes"),
    "quality": Missing("is a judgement, no observation", "say what would be seen that makes it so"),
    "amount": Missing("says no number", 'say how many or which: "at least 3", "the last 10"'),
    "size": Missing("says no measure", 'say from which size on: "more than 10 MB"'),
    "hedge": Missing("leaves open when it holds", "say when it holds, and state it without reserve"),
    "open": Missing("leaves the list open", "list everything that is meant"),
    "pointer": Missing("points to something that is not here", "name what is meant"),
    "placeholder": Missing("says that this is not decided yet", "decide it, then write it down"),
    "compared": Missing("compares with something that is not named", 'say "than …", or give the value'),
    "feeling": Missing("what people feel or think cannot be looked at", "say what they do or see"),
    "empty": Missing("names no result", "say what is shown, returned or changed"),
    "project": Missing("is vague here, as pact.toml says", "say what would be seen"),
    "gain": Missing("names a direction and no goal", "say the value to be reached and where it is read"),
}

# Phrases are parted by `|`; `/v`, `/a`, `/n` ask for the forms of a verb, an adjective (its adverb too), a noun.
ROWS: tuple[tuple[VagueKind, str], ...] = (
    (
        "feeling",
        """
        feel/v | happy | enjoy/v | enjoyable | enjoyment | motivated | satisfied | satisfaction | delighted
        | delight/v | confident | confidence in | frustrated | frustration | comfortable | love/v | fun |
        user experience/n | great experience/n | customer experience/n | peace of mind | engaged |
        engagement | impressed | excited | annoyed | annoying | confused | customer journey/n
        | assumes | believes | cares | considers | understands | knows | thinks | realises | realizes | wishes
        """,
    ),
    (
        "empty",
        """
        addresses | adapts | allows | behaves | caters | deals with | enables | ensures | facilitates | handles | lets
        | integrates | leverages | manages | permits | performs | provides | supports | takes care
        """,
    ),
    (
        "time",
        """
        fast/a | faster | quick/a | swift/a | rapid/a | promptly | is prompt | prompt answer/n | prompt reply |
        prompt response/n | prompt delivery | prompt action | speedy/a | timely | in a timely manner | in a
        timely fashion | soon | as soon as possible | as quickly as possible | as fast as possible | asap | almost
        immediately | nearly immediately | almost instantly | near real-time | in near real-time | slow/a | in a
        short time | a short time | short time | for a short time | for a long time | a while | in no time | without
        delay | without noticeable delay | without undue delay | noticeable delay | responsive/a | low latency |
        high latency | early good enough | fast enough | long enough | loud enough | large enough | high enough |
        strong enough | soon enough | enough time | enough space | recent/a | in good time | at short notice | short
        period | long period | some time | after some time | after a while | eventually | sooner or later | high
        speed | high performance | high-performance | performant/a
        """,
    ),
    (
        "often",
        """
        regularly | at regular intervals | periodically | frequent/a | from time to time | now and then | on a
        regular basis | every now and then | every so often | repeatedly | constantly | as often as possible
        """,
    ),
    (
        "ease",
        """
        easy/a | easy-to-use | user-friendly | intuitive/a | convenient/a | comfortable/a | comfortably |
        effortless/a | seamless/a | smooth/a | hassle-free | frictionless/a | straightforward | pain-free |
        painless/a | simple to | simple for | is simple | simply | without hassle | without effort | with ease |
        ergonomic/a | self-explanatory | pleasant/a | at a glance | with little effort | uncomplicated
        """,
    ),
    (
        "quality",
        """
        good | better | worse | more efficient | more reliable | easier | well | nice/a | great | excellent/a |
        optimal/a | optimum | ideal/a | perfect/a | high-quality | high quality | robust/a | reliable/a | reliably |
        stable | scalable/a | flexible/a | extensible | efficient/a | effective/a | modern | attractive/a |
        beautiful/a | elegant/a | clean/a | maintainable | secure/a | safe/a | proper/a | correctly | appropriate/a
        | suitable/a | suitably | adequate/a | sufficient/a | reasonable/a | reasonably | acceptable | acceptably |
        meaningful/a | helpful/a | useful/a | relevant | realistic/a | future-proof | state-of-the-art |
        best-practice/n | world-class | graceful/a | gracefully | sensible | sensibly | as expected | as intended |
        as it should | as desired | as designed | in the expected way | in the usual way | the right way | in a good
        way | in a nice way | powerful/a | industry-standard | accurate/a | suspicious/a | unusual | sensitive |
        important | noticeable/a | interesting | high standard/n | enough | normal conditions | normal lighting |
        normal load | normal use | usual | typical | clever/a | look and feel | decent/a | satisfactory |
        satisfactorily | competitive | innovative | state of the art | production-ready | enterprise-grade |
        bulletproof | rock-solid | clear and concise | business needs | customer needs | user needs | unnecessary |
        unnecessarily
        """,
    ),
    (
        "amount",
        """
        some | several | various | many | few | a few | numerous | a lot of | lots of | plenty of | a number of |
        any number of | a couple of | a variety of | a range of | a handful of | multiple | most | as many as
        possible | as few as possible | a minimum of effort | as much as possible | as little as possible | too many
        | too much | different kinds of | all kinds of | all sorts of | other things | certain
        """,
    ),
    (
        "size",
        """
        large/a | big/a | huge/a | small/a | tiny | long | high load | heavy load | heavy traffic | high traffic |
        high volume/n | large volume/n | high/a | low/a | short | strong/a | weak/a | near | close to | nearby |
        minimal | maximal | as small as possible | as short as possible | as low as possible | as high as possible |
        big enough | small enough
        """,
    ),
    (
        "hedge",
        """
        usually | normally | typically | generally | in general | often | sometimes | occasionally | mostly | mainly
        | largely | ideally | preferably | if possible | where possible | when possible | whenever possible |
        wherever possible | as far as possible | as far as practicable | to the extent possible | if necessary |
        when necessary | where necessary | if needed | when needed | where needed | as needed | as necessary | if
        appropriate | where appropriate | when appropriate | as appropriate | if applicable | where applicable |
        when applicable | as applicable | under normal circumstances | in most cases | in many cases | in some cases
        | likely | probably | possibly | perhaps | maybe | hopefully | might | could | try/v to | attempt/v to |
        aim/v to | strive/v to | strive/v for | best effort | on a best effort basis | more or less | approximately
        | roughly | rarely | seldom | hardly ever | to some extent | somehow | under certain conditions | in certain
        cases | depending on the situation | as a rule | unless otherwise specified | nice to have
        """,
    ),
    (
        "open",
        """
        etc | etc . | and so on | and so forth | and / or | among others | amongst others | including but not
        limited to | or similar | and similar | and more | and the like | or the like | or something | and others |
        and other things | to name a few
        """,
    ),
    (
        "pointer",
        """
        as discussed | as agreed | as described above | as described below | see above | see below | as before | as
        usual | as mentioned | as specified | as required | as per the specification | legally required | see ticket
        | see the ticket | the above | same as above | likewise | as in the old system | as today | as in the
        current system | as is
        """,
    ),
    (
        "placeholder",
        "tbd | todo | fixme | xxx | to be defined | to be decided | to be determined | to be discussed | ? ? ?",
    ),
    (
        "compared",
        """
        faster than before | quicker | cheaper | bigger | smaller | larger | stronger | higher | lower | longer |
        shorter | later | sooner | more often | less often | too strong | too long | too short | too big | too large
        | too small | too slow | too fast | too high | too low
        """,
    ),
    (
        "gain",
        """
        improve/v | enhance/v | optimise/v | optimize/v | minimise/v | minimize/v | maximise/v | maximize/v |
        streamline/v | modernise/v | modernize/v | boost/v | accelerate/v | simplify/v
        """,
    ),
    (
        "clear",
        """
        as well as | as well | at most | at least | no more than | the most recent | most recent | least recently
        used | most recently used | recently used | fast-forward | fast forward | quick start | quick reply | long
        press | short link | short code | high score | low battery | real time | safe mode | secure cookie | secure
        flag | secure attribute | rich text | clean install | clean up | stable sort | stable release | high
        contrast | high-contrast mode | easy mode | easy level | simple interest | normal form | normal mode | a
        multiple of | multiples of | as long as | no longer | any longer | how long | how many | how often | how
        soon | as soon as | as fast as | as high as | as low as | as big as | as small as | well-known | smart meter
        | low tide | high tide | long term | short term | high school | large intestine | small intestine | fast
        lane | good friday | well formed | well-formed | fast fashion | reasonable doubt | strong password | weak
        password | weak reference | strong reference | low stock | small caps | multiple choice | multiple-choice
        """,
    ),
)
