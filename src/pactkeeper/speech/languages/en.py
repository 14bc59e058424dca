"""English."""

from __future__ import annotations

from typing import Final

from pactkeeper.speech.languages.table import Language

TABLE: Final = Language(
    code="en",
    stemmer="english",
    labels={
        "epic_id": "epic, epic id, parent epic, parent",
        "title": "title, ticket title, ticket name, summary, subject, headline, feature, feature name",
        "problem": """problem, the problem, problem statement, problem description, issue, pain, pain point, context,
            background, motivation, why, bug, user story, use case, current behaviour, current behavior,
            actual behaviour, actual behavior, actual, actual result, what happened, what happened instead,
            describe the bug, describe the problem, bug description, what is the problem, what's the problem,
            is your feature request related to a problem, what problem does this solve,
            is your feature request related to a problem please describe""",
        "proposed_solution": """solution, proposed solution, the solution, proposal, proposed fix, suggested fix,
            suggested solution, possible solution, idea, approach, suggestion, fix, describe the solution you'd like,
            the solution you'd like, describe the solution, what would you like, feature description""",
        "acceptance_criteria": """acceptance criteria, acceptance criterion, acceptance, ac, acs, criteria, criterion,
            success criteria, requirements, requirement, accepted when, accepted if, done when, it is done when,
            definition of done, dod, expected behaviour, expected behavior, expected, expected result,
            what did you expect to happen, what did you expect, what should happen""",
        "constraints": """constraints, constraint, limits, limit, limitations, non-functional requirements, nfr, nfrs,
            must hold""",
        "open_questions": "open questions, open question, questions, question, unclear, still open, to clarify",
        "dependencies": """dependencies, dependency, depends on, blocked by, blockers, blocker, prerequisites,
            prerequisite, requires""",
        "risks": "risks, risk, concerns, concern",
        "evidence_links": "evidence, evidence links, links, link, references, reference, see, see also, docs",
    },
    other_labels="""bug report, feature request, request, description, details, overview, steps to reproduce,
        to reproduce, reproduction, how can we reproduce it, additional context, additional information, environment,
        version, versions, logs, debug logs, relevant log output, alternatives, checklist, notes, note, tasks, ps,
        screenshots, screenshot, desktop, smartphone, describe alternatives you've considered, code of conduct,
        anything else, out of scope, non-goals, browser, operating system, owner, assignee, priority, severity, eta""",
    casual="""question, questions, unclear, see, see also, link, links, docs, reference, references, idea, suggestion,
        approach, fix, issue, why, context, background, pain, bug, limit, limits, parent, subject, headline, summary,
        feature, actual, expected, requires, concern, concerns, blocker, blockers, must hold, update, updated, edit, edited, new, change, changed,
        instead, now, correct""",
    corrections="correction, corrected, correct, update, updated, edit, edited, new, change, changed, instead, now",
    removals="drop, remove, delete, scratch, strike, skip, omit, leave out, no longer, withdraw",
    given="given",
    when="when",
    then="then",
    also="and, but, *",
    scenarios="scenario, scenario outline, feature, background, rule, example, examples",
    not_known="""i don't know, i do not know, we don't know, we do not know, don't know, don't know yet, dunno, idk,
        no idea, not known, not known yet, unknown, not sure, not sure yet, i'm not sure, tbd, to be decided,
        to be defined, n/a, nobody knows, nobody knows yet, no clue, i don't know yet, we don't know yet""",
    nothing="no response, none, n/a, nothing, not applicable, -",
    both="both, both hold, both of them, keep both, both are right, both are fine, both apply",
    first="a, first, the first, the first one, first one, option a, side a, the former, 1",
    second="b, second, the second, the second one, second one, option b, side b, the latter, 2",
    keep="keep, take, choose, use, go with, let's keep, let's take, please keep, i choose, we keep, we take, it's, it is",
    small_talk="""hi hello hey hiya yo morning good afternoon evening there all everyone team folks thanks thank you thx
        ty cheers ok okay k sure cool great nice perfect awesome super lol haha hahaha hehe lmao rofl yes yep yeah yup
        no nope nah wow ouch ugh hmm hm oh ah bye later np lgtm same here me too so much a lot very done agreed noted
        indeed exactly true congrats welcome please sorry ping bump fyi""",
    abbreviations="e.g i.e etc vs approx max min dept fig sec tel resp esp incl excl ca mr mrs ms dr st inc ltd",
    empty="""a an the this that these those which who whom of to it its their his her they them he she we us our you
        your i my me there is are was were be been being am do does did can could may might must shall should will
        would have has had also now then still just only so as and or but if at in on by for from with into about than
        very really please always ever correctly properly successfully system application app need needs needed
        let lets via per any each every all""",
    negations="not no nope never cannot neither nor none nobody nothing without n't don't doesn't isn't aren't won't can't "
    "couldn't shouldn't mustn't wasn't weren't didn't hasn't haven't",
    without="""no longer, not any more, instead of, rather than, must not, may not, should not, is not, are not, do not,
        does not, will not, no one""",
    at_most="""at most, up to, no more than, not more than, maximum of, maximum, max, within, no longer than, not longer
        than, limited to, capped at, not exceed, never exceed, not to exceed, a maximum of, in at most, by at most,
        or less, or fewer, <=, ≤""",
    at_least="""at least, no less than, not less than, no fewer than, not fewer than, minimum of, minimum, a minimum of,
        min, or more, or longer, >=, ≥""",
    less="less than, under, below, fewer than, shorter than, smaller than, faster than, quicker than, <",
    more="more than, over, above, longer than, larger than, greater than, bigger than, exceeding, exceeds, exceed, >",
    units="""
        second 0.001 ms msec msecs millisecond milliseconds
        second 1 s sec secs second seconds
        second 60 m min mins minute minutes
        second 3600 h hr hrs hour hours hourly
        second 86400 d day days daily
        second 604800 w wk week weeks weekly
        second 1209600 fortnight fortnights
        month 1 month months monthly
        month 3 quarter quarters quarterly
        month 12 y yr yrs year years yearly annually
        byte 1 b byte bytes
        byte 1000 kb kilobyte kilobytes
        byte 1000000 mb megabyte megabytes
        byte 1000000000 gb gigabyte gigabytes
        byte 1000000000000 tb terabyte terabytes
        byte 1024 kib
        byte 1048576 mib
        byte 1073741824 gib
        share 1 % percent pct
        euro 1 € eur euro euros
        euro 0.01 cent cents
        dollar 1 $ usd dollar dollars bucks
        pound 1 £ gbp pound pounds
        metre 1 metre metres meter meters
        metre 0.01 cm centimetre centimetres centimeter centimeters
        metre 0.001 mm millimetre millimetres millimeter millimeters
        metre 1000 km kilometre kilometres kilometer kilometers
        gram 1 g gram grams
        gram 1000 kg kilo kilos kilogram kilograms
        gram 1000000 t tonne tonnes
        degree 1 °c celsius
        pixel 1 px pixel pixels
        frequency 1 hz hertz
    """,
    halves="half an, half a, a half",
    ones="one a an single",
    months=(
        "january jan",
        "february feb",
        "march mar",
        "april apr",
        "may",
        "june jun",
        "july jul",
        "august aug",
        "september sep sept",
        "october oct",
        "november nov",
        "december dec",
    ),
    weekdays=(
        "monday mon",
        "tuesday tue tues",
        "wednesday wed",
        "thursday thu thurs",
        "friday fri",
        "saturday sat",
        "sunday sun",
    ),
    until="by, before, until, till, no later than, not later than, at the latest on",
    since="after, from, since, starting, not before, as of",
    before="before",
    month_leads="in by until before after since from to for",
    month_parts="mid, early, late, end of",
    date_links="the of st nd rd th last this",
    opposites="""accept refuse, allow refuse, allow forbid, allow block, allow prevent, permit block, succeed fail,
        succeed refuse, pass fail, enable disable, enabled disabled, show hide, visible hidden, visible invisible,
        open close, open closed, include exclude, include omit, keep remove, keep drop, keep lose, keep discard,
        retain remove, preserve remove, save discard, store discard, start stop, begin end, lock unlock, connect
        disconnect, increase decrease, ascending descending, oldest newest, true false, on off, empty full,
        present absent, present missing, equal differ, active inactive, required optional, mandatory optional,
        public private, online offline, internal external, always never, everything nothing, everybody nobody,
        everyone nobody, before after, above below, add remove, grant revoke, encrypt plain, encrypted plain,
        encrypted unencrypted, automatic manual, automatically manually, synchronous asynchronous,
        import export, upper lower, uppercase lowercase, anonymous registered, anonymous signed, free paid,
        left right, first last, dark light, possible impossible, necessary unnecessary, editable read-only,
        writable read-only, opt-in opt-out, light heavy, hot cold, temporary permanent, immediate delayed,
        approve reject, available unavailable, case-sensitive case-insensitive, unlimited limited""",
    synonyms="""keep kept, send sent, show shown, begin began begun, lose lost, buy bought, pay paid, make made, build built,
        write written wrote, hide hidden, forbid forbidden, choose chosen, find found, hold held, leave left, give given,
        refuse reject deny decline rebuff, remove delete erase purge wipe discard, show display, raise throw,
        start begin commence, forbid prohibit disallow ban, permit allow let, keep retain preserve store,
        required mandatory compulsory obligatory, send deliver, user customer client, email mail e-mail, log-in login
        sign-in signin, logout sign-out log-out, picture image photo, fast quick rapid, finish complete end,
        expire lapse, last take, buy purchase, cost price, answer respond reply, member user, phone telephone,
        encrypt cipher, error fault, notify inform alert, edit change modify alter, see view, create make, stop halt,
        upload attach, file document, limit cap, duration length, support handle, launch release go-live""",
    limits="""limit limited cap capped exceed maximum minimum max min most least longer more less up within take takes last
        lasts answer answers respond responds complete completes finish finishes expire expires end ends run runs cost
        costs weigh weighs total totals accept accepted accepts allow allowed allows permitted permits""",
    scopes="when if unless while during until for after before except where once",
    refusals="refuse refused refuses reject rejected rejects forbid forbidden forbids prohibited deny denied block blocked "
    "disallowed declined",
    only="only solely exclusively",
    rates="hourly:hour daily:day nightly:day weekly:week fortnightly:fortnight monthly:month quarterly:quarter yearly:year "
    "annually:year",
    hedges="""if whether maybe perhaps might could would should suppose supposing imagine assume assuming
        unless possibly probably guess think believe wonder propose proposed suggest recommend idea please wish""",
    decided="""decided, decision, new rule, we agreed, agreed on, agreed to, settled on, is settled, settled:, is final, final:, final
        decision, going with, go with, sticking with, stick with, chose, picked, opted for""",
    reasons="because, since, so that, due to, in order to, given that, reason",
    agrees="""yes, yep, yeah, ok, okay, agreed, sounds good, go ahead, do it, approved, correct, exactly,
        perfect, great, ship it, lgtm""",
    ours="i we i'm we're i've we've i'd we'd i'll we'll let's us our",
    others="they he she you who everybody",
    pending="be being get getting need needs will must want wants almost nearly half partly far supposedly soon tomorrow",
    done="done finished completed complete shipped closed resolved merged deployed delivered released live",
    moved="""move moved postpone postponed reschedule rescheduled push pushed delay delayed defer deferred
        shift shifted slips slipped""",
    given_up="""paused, postponed, parked, dropped, cancelled, canceled, abandoned, rejected, frozen, stopped,
        shelved, deprioritised, deprioritized, on hold, out of scope, decided against, not now, off the
        table""",
    entries="new entry, new task, new todo, new to-do, add to the board, todo, to-do",
    tasks="task tasks ticket tickets",
    verdicts="verdict, conclusion, root cause, finding, bottom line, diagnosis",
    cases="without except unless that who which whose before after",
    equals="is are be equals equal returns return responds",
    numbered="version step phase section page chapter level tier part sprint release milestone room line figure table number",
    states="""open closed, visible hidden, visible invisible, public private, online offline, internal external, active
        inactive, free paid, first last, left right, upper lower, oldest newest, empty full, anonymous registered,
        hot cold, dark light, light heavy, encrypted unencrypted, enabled disabled, available unavailable""",
    deeds="""add create make do implement build write update fix send get set check review test run use improve change prepare
        finish start plan define extend expand support handle move new step task work item""",
    versions="revised updated final new draft revision version latest second",
    plans="plan, plans, step, steps, phase, phases, todo, to-do, next steps, action items, rollout, migration path, checklist",
    roadmaps="roadmap, milestone, milestones, phase, phases, quarter, quarters",
    analyses="""analysis, analyses, findings, insights, themes, comparison, root cause, postmortem, post-mortem, audit,
        assessment, evaluation, benchmark, benchmarks, trade-off, trade-offs, tradeoffs, investigation, interview,
        interviews, research""",
    frameworks="""framework, taxonomy, permission model, tier, tiers, maturity model, criteria, decision matrix, matrix,
        principles, classification, rubric, playbook""",
    asides="""risk, risks, open question, open questions, question, questions, assumption, assumptions, alternatives, out of
        scope, non-goals, non-goal, context, background, done, options, setup, usage, installation, getting started,
        results, changes, changed, did, why, how it, how the, how to""",
    wanted="""recommend, recommended, recommendation, recommendations, next step, next steps, action items, actions, to-do,
        to-dos, todo, todos, follow-up, follow-ups, followups""",
    steps="step, steps, phase, phases, milestone, milestones",
    past="did",
    today="today",
    yesterday="yesterday",
    this_week="this week",
    last_week="last week",
    this_month="this month",
    last_month="last month",
)
