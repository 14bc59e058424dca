from dataclasses import replace

import pytest

from pactkeeper.intent.routing import Routing
from pactkeeper.transcripts.reconciling import Commit, Place
from tests.transcripts.worlds import (
    NOW,
    document,
    event,
    outcomes,
    proposed,
    reasons,
    seen,
    spoken,
    task,
    update,
    verbs,
    world,
)

PASSPORT = task("Renew the passport", "T-abcdef")
URL = "https://example.com/boards/7"


@pytest.mark.parametrize("named", ["T-abcdef", URL])
def test_an_id_or_an_address_binds_and_a_person_is_asked(named):
    there = task("Renew the passport", "T-abcdef", url=URL)
    found = proposed(update("completion", f"{named} is done."), world=world(there))
    assert verbs(found) == [("completeTask", "Renew the passport")]
    assert found.actions[0].tier == 2


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("T-1", "T-1 is done."),
        ("T-1", "I finished (t-1) yesterday."),
        ("2026-passport", "I finished 2026-passport."),
        ("trips/passport.md", "I finished trips/passport.md."),
    ],
)
def test_an_id_that_a_person_gave_binds_whatever_its_form(name, words):
    there = world(task("Renew the passport", name), task("Pack", f"{name}0"))
    found = proposed(update("completion", words), world=there)
    assert verbs(found) == [("completeTask", "Renew the passport")]


@pytest.mark.parametrize(
    ("name", "words"), [("T-1", "I finished T-12."), ("1", "I finished 1 of them."), ("all", "All.")]
)
def test_what_is_no_id_of_a_task_binds_none(name, words):
    found = proposed(update("completion", words), world=world(task("Renew the passport", name)))
    assert found.actions == ()


def test_another_amount_of_something_else_closes_nothing():
    there = world(task("Backup payment method"))
    found = proposed(update("completion", "I finished it."), world=there)
    assert (found.actions, found.patch.questions) == ((), ())
    assert reasons(found) == ["no task has this id, address or title"]


def test_a_to_do_of_a_document_that_says_exactly_this_is_proposed_to_be_ticked():
    there = world(document("Trip", "- [ ] Renew the passport\n- [x] Pack\n- [ ] Renew the licence"))
    found = proposed(update("completion", "I finished renew passport."), world=there)
    assert [(one.verb, one.tier, one.op.payload["text"]) for one in found.actions] == [
        ("tickTodo", 2, "Renew the passport")
    ]


ROADMAP = "# Roadmap\n\n- Profile expansion: May 3\n- Pricing page: June\n"


def test_a_date_that_a_person_moved_is_proposed_where_a_document_has_the_old_one():
    moving = update("reschedule", "Let's move the profile expansion to April 9.")
    found = proposed(moving, world=world(document("Plans", ROADMAP)))
    (action,) = [one for one in found.actions if one.verb == "patchDocumentSection"]
    said = action.op.payload
    assert (said["heading"], said["old"], said["new"]) == (
        "Roadmap",
        "- Profile expansion: May 3",
        "- Profile expansion: April 9",
    )
    assert action.tier == 2


@pytest.mark.parametrize(
    ("body", "until"),
    [
        (ROADMAP, "later"),
        (ROADMAP, "May 3"),
        ("- Profile expansion: May 3\n- The profile expansion ends in June", "April 9"),
        ("- Profile expansion: May 3 to June 4", "April 9"),
        ("- Pricing page: June", "April 9"),
        ("# A\n\n- Profile expansion: May 3\n\n# A\n", "April 9"),
    ],
)
def test_where_it_is_not_clear_which_date_is_meant_none_is_proposed(body, until):
    moving = update("reschedule", f"Let's move the profile expansion to {until}.")
    assert proposed(moving, world=world(document("Plans", body))).actions == ()


def test_a_to_do_that_stands_twice_is_not_chosen_between():
    there = world(document("Trip", "- [ ] Renew the passport\n- [ ] Renew passport"))
    found = proposed(update("completion", "I finished renew passport."), world=there)
    assert found.actions == ()


def test_a_push_that_was_rejected_settles_nothing():
    pushed = event("push", "git push # closes T-abcdef", "! [rejected] main -> main", "failed")
    found = proposed(pushed, world=world(PASSPORT))
    assert found.actions == ()
    assert reasons(found) == ["the push failed, so it decides nothing"]


@pytest.mark.parametrize("kind", ["deploy", "release"])
def test_a_deployment_that_names_a_task_is_asked_about(kind):
    found = proposed(event(kind, f"{kind} EARTH-294", "deployed"), world=world(task("EARTH-294 Profile fields", "7f")))
    assert [(one.verb, one.tier, one.confidence.level) for one in found.actions] == [("completeTask", 2, "medium")]
    assert f"says '{kind} EARTH-294'; that doesn't mean all of it is done" in found.actions[0].why


@pytest.mark.parametrize(
    ("command", "answer", "line"),
    [
        (
            "git merge x -m 'Word it' -m 'Part of T-abcdef; the rest is missing'",
            "",
            "Part of T-abcdef; the rest is missing",
        ),
        ("git merge x -m 'First half of T-abcdef'", "Fast-forward", "First half of T-abcdef"),
        ("gh pr merge 1", "Merged pull request #1 (Closes half of T-abcdef)", "Closes half of T-abcdef"),
        ("kubectl apply -f .", "deployed\nNot included: T-abcdef", "Not included: T-abcdef"),
    ],
)
def test_a_message_that_says_more_of_a_task_than_its_title_is_noted_there_and_completes_nothing(command, answer, line):
    found = proposed(event("merge", command, answer), world=world(PASSPORT))
    assert [(one.verb, one.tier) for one in found.actions] == [("logTask", 1)]
    assert f"says {line!r}; that doesn't mean all of it is done" in found.actions[0].why
    assert f"[daemon] merge, which says {line!r}" in str(found.actions[0].op.payload["text"])


def test_a_merge_that_names_a_task_without_closing_it_is_asked_about():
    merged = event("merge", "git merge feature/T-abcdef-part-1", "Fast-forward")
    assert [(one.verb, one.tier) for one in proposed(merged, world=world(PASSPORT)).actions] == [("completeTask", 2)]
    closing = event("merge", "git merge x -m 'closes T-abcdef'", "Fast-forward")
    assert [(one.verb, one.tier) for one in proposed(closing, world=world(PASSPORT)).actions] == [("completeTask", 1)]


def test_a_request_of_exactly_the_tasks_title_that_was_merged_closes_it():
    merged = event("merge", "gh pr merge 34", "Squashed and merged pull request acme/shop#34 (Renew the passport)")
    assert [(one.verb, one.tier) for one in proposed(merged, world=world(PASSPORT)).actions] == [("completeTask", 1)]


def test_the_number_of_a_request_is_no_task():
    merged = event("merge", "gh pr merge 12", "Merged pull request #12 (Other work)")
    assert proposed(merged, world=world(task("Renew the passport", "12"))).actions == ()


def test_a_number_of_a_tracker_is_never_closed_without_a_person():
    merged = event("merge", "gh pr merge 34", "Merged pull request #34 (fixes #12)")
    found = proposed(merged, world=world(task("Renew the passport", "12")))
    assert [(one.verb, one.tier) for one in found.actions] == [("completeTask", 2)]


def test_a_commit_is_noted_and_closes_nothing():
    committed = event("commit", "git commit", "[main abc1234] Renew the passport", subject="Renew the passport")
    assert [one.verb for one in proposed(committed, world=world(PASSPORT)).actions] == ["logTask"]


def test_an_event_of_two_weeks_ago_is_asked_about():
    shipped = event("deploy", "deploy T-abcdef", "deployed", at="2026-02-10T09:00:00Z")
    assert [one.tier for one in proposed(shipped, world=world(PASSPORT)).actions] == [2]


def test_what_the_session_did_on_the_board_itself_is_not_done_again():
    called = event("board_call", "{}", "ok", verb="complete", target="T-abcdef", title="Renew the passport")
    found = proposed(called, world=world(PASSPORT))
    assert (found.actions, [outcome for outcome, _ in outcomes(found)]) == ((), ["exists"])


def test_a_task_that_is_done_is_left_alone():
    there = world(task("Renew the passport", "T-abcdef", "done"))
    found = proposed(event("deploy", "deploy T-abcdef", "deployed"), world=there)
    assert (found.actions, outcomes(found)) == ((), [("exists", "Renew the passport")])


@pytest.mark.parametrize(
    ("words", "verb"),
    [("I finished renew the passport.", "completeTask"), ("Renew the passport is moved to 4 May.", "logTask")],
)
def test_what_a_person_says_of_a_task_by_its_whole_title_is_asked(words, verb):
    change = "completion" if verb == "completeTask" else "reschedule"
    found = proposed(update(change, words), world=world(PASSPORT))
    assert [(one.verb, one.tier) for one in found.actions] == [(verb, 2)]


def test_a_part_of_a_title_binds_nothing():
    found = proposed(update("completion", "The passport renewal is done."), world=world(PASSPORT))
    assert (found.actions, reasons(found)) == ((), ["no task has this id, address or title"])


def test_two_tasks_of_one_title_are_not_chosen_between():
    there = world(PASSPORT, task("Renew passport", "T-bbbbbb"))
    assert proposed(update("completion", "I finished renew the passport."), world=there).actions == ()


def test_every_task_that_is_named_by_its_id_is_asked_about():
    there = world(PASSPORT, task("Pack", "T-bbbbbb"))
    found = proposed(update("completion", "T-abcdef and T-bbbbbb are done."), world=there)
    assert verbs(found) == [("completeTask", "Renew the passport"), ("completeTask", "Pack")]


def test_a_new_entry_is_asked_about_as_a_task():
    found = proposed(update("new", "Renew the licence"), world=world(PASSPORT))
    assert [(one.verb, one.op.payload["title"], one.tier) for one in found.actions] == [
        ("createTask", "Renew the licence", 2)
    ]


def test_a_task_that_a_later_event_names_again_is_asked_about():
    merged = event("merge", "git merge x -m 'closes T-abcdef'", "Fast-forward")
    reverted = event("commit", "git revert HEAD", '[main 1234567] Revert "closes T-abcdef"', at=NOW)
    (closing, *_) = proposed(merged, reverted, world=world(PASSPORT)).actions
    assert (closing.verb, closing.tier) == ("completeTask", 2)
    assert "afterwards: " in closing.why


def test_a_word_on_a_task_is_quoted_with_the_message_around_it():
    whole = 'Bob: "T-abcdef is done." ' + "Ada looked into it. " * 30 + "It isn't."
    said = update("completion", "T-abcdef is done.")
    said = replace(said, artifact=replace(said.artifact, facts={"message": whole}))
    (action,) = proposed(said, world=world(PASSPORT)).actions
    assert [one.quote for one in action.op.evidence] == [whole]


HALF = event("merge", "git merge feature/T-abcdef-part-1", "Fast-forward")
WHOLE = event("merge", "git merge page -m 'Closes T-abcdef'", "Fast-forward", at="2026-03-01T19:00:00Z")


def test_a_no_is_about_what_was_shown_and_later_evidence_proposes_the_same_change_anew():
    (first,) = proposed(HALF, world=world(PASSPORT)).actions
    no = f"you said no to it ({first.id})"
    there = world(PASSPORT, settled={(first.fingerprint, one): no for one in ("", *first.artifacts)})
    assert reasons(proposed(HALF, world=there)) == [no]
    (second,) = proposed(HALF, WHOLE, world=there).actions
    assert (second.tier, second.artifacts) == (2, (WHOLE.artifact.fingerprint,))
    assert second.id != first.id
    assert f"before this, {no}" in second.why


def test_what_several_artifacts_show_is_proposed_once_with_the_evidence_of_all_the_latest_first():
    (action,) = proposed(HALF, WHOLE, world=world(PASSPORT)).actions
    assert action.tier == 2
    assert action.artifacts == (HALF.artifact.fingerprint, WHOLE.artifact.fingerprint)
    quotes = [one.quote for one in action.op.evidence]
    assert quotes.index("git merge page -m 'Closes T-abcdef'") < quotes.index("git merge feature/T-abcdef-part-1")


def closed(*artifacts, **given):
    """The tier of closing a task, none if that isn't proposed, and why."""
    found = [one for one in proposed(*artifacts, **given).actions if one.verb == "completeTask"]
    return (found[0].tier, found[0].why) if found else (None, "")


@pytest.mark.parametrize(
    "said",
    [
        "closes T-abcdef",
        "Renew the passport, fixes T-abcdef.",
        "Renew the passport (closes: T-abcdef)",
        "Resolves T-abcdef (#1)",
    ],
)
def test_a_clause_that_only_says_that_a_task_is_closed_closes_it(said):
    assert closed(event("merge", "gh pr merge 1", f"Merged pull request #1 ({said})"), world=world(PASSPORT))[0] == 1


@pytest.mark.parametrize(
    "said",
    [
        "Passport form, fixes T-abcdef.",
        "Renew the passport (closes T-abcdef) [WIP]",
        "Renew the passport (closes T-abcdef, part 1/2)",
        "Renew the passport (closes T-abcdef) behind a flag",
        "Backport: Renew the passport (closes T-abcdef)",
        "Renew the passport (closes T-abcdef?)",
        "Almost closes T-abcdef",
        "Closes T-abcdef with #13",
        "Use a stub until Jonas closes T-abcdef",
        "Parse 'Closes T-abcdef' in messages",
        "Part of T-abcdef, closes EARTH-7",
        'Revert "Passport form, closes T-abcdef"',
        'Revert "Merge passport (closes T-abcdef)"',
    ],
)
def test_a_clause_that_says_more_is_asked_about(said):
    assert closed(event("merge", "gh pr merge 1", f"Merged pull request #1 ({said})"), world=world(PASSPORT))[0] == 2


@pytest.mark.parametrize("said", ["Does not close T-abcdef yet", "Doesn't close T-abcdef", "No longer closes T-abcdef"])
def test_what_says_that_it_does_not_close_a_task_is_quoted_and_closes_nothing(said):
    found = proposed(event("merge", f"git merge x -m 'Merge csv\n\n{said}'", "Fast-forward"), world=world(PASSPORT))
    assert found.actions == ()
    assert any(said in reason for reason in reasons(found))


@pytest.mark.parametrize(
    "more",
    [
        "Doesn't close it yet",
        "Closes T-abcdef once the photos are in",
        "Closes T-abcdef, closes T-bbbbbb",
        "TODO before closing: Closes T-abcdef?",
        "> Closes T-abcdef",
        "See the comments",
    ],
)
def test_a_further_line_of_the_answer_is_asked_about(more):
    titled = "Merged pull request #34 (Renew the passport)"
    assert closed(event("merge", "gh pr merge 34", f"{titled}\n{more}"), world=world(PASSPORT))[0] in {None, 2}
    known = f"{titled}\n✓ Deleted local branch passport and switched to branch main\nCloses T-abcdef"
    assert closed(event("merge", "gh pr merge 34", known), world=world(PASSPORT))[0] == 1


@pytest.mark.parametrize("title", ["Renew the passport?", "Renew the passport!", "WIP: Renew the passport"])
def test_a_title_with_anything_added_is_asked_about(title):
    merged = event("merge", "gh pr merge 34", f"Merged pull request #34 ({title})")
    assert closed(merged, world=world(PASSPORT))[0] in {None, 2}


@pytest.mark.parametrize(
    "there",
    [
        task("Renew the passport", "T-abcdef", state="blocked"),
        task("Renew the passport", "T-abcdef", body="- [x] Photos\n- [ ] Form\n"),
    ],
)
def test_a_task_that_says_itself_that_something_is_left_is_asked_about(there):
    assert closed(event("merge", "gh pr merge 34", TITLED), world=world(there))[0] == 2
    plain = replace(there, state="open", body="- [x] Photos\n")
    assert closed(event("merge", "gh pr merge 34", TITLED), world=world(plain))[0] == 1


TITLED = "Merged pull request #34 (Renew the passport)"
SHOP, BLOG = Place("/work/shop", "git@example.org:acme/shop.git", "main"), Place("/work/blog")


@pytest.mark.parametrize(
    ("command", "answer", "facts"),
    [
        ("gh pr merge 34 -R acme/playground", TITLED, {}),
        ("gh pr merge 34", "Merged pull request acme/playground#34 (Renew the passport)", {}),
        ("cd ../blog && gh pr merge 34", TITLED, {}),
        ("GH_REPO=acme/playground gh pr merge 34", TITLED, {}),
        ("gh pr merge https://github.com/acme/playground/pull/34", TITLED, {}),
        ("gh pr edit 34 --base epic/travel && gh pr merge 34", TITLED, {}),
        ("git -C /work/blog merge x -m 'closes T-abcdef'", "Fast-forward", {}),
        ("git merge x -m 'closes T-abcdef'", "Fast-forward", {"into": "epic/travel"}),
        ("git switch epic/travel && git merge x -m 'closes T-abcdef'", "Fast-forward", {"into": "main"}),
    ],
)
def test_a_merge_in_another_repository_folder_or_branch_is_asked_about(command, answer, facts):
    there = world(PASSPORT, places={"/work/shop": SHOP})
    tier, why = closed(event("merge", command, answer, **facts), world=there)
    assert tier == 2
    assert "; it happened in " in why or "; it went to the branch 'epic/travel'" in why


@pytest.mark.parametrize(
    ("command", "facts"),
    [
        ("gh pr merge 34 --repo acme/shop", {}),
        ("gh pr merge https://github.com/acme/shop/pull/34", {}),
        ("gh pr create --base main && gh pr merge 34", {}),
        ("cd /work/shop/api && gh pr merge 34", {}),
        ("git switch main && git merge x -m 'closes T-abcdef'", {"into": "topic"}),
    ],
)
def test_a_merge_in_the_tasks_own_repository_and_branch_closes_it(command, facts):
    there = world(PASSPORT, places={"/work/shop": SHOP})
    assert closed(event("merge", command, TITLED, **facts), world=there)[0] == 1


def test_an_id_closes_nothing_where_the_repository_cannot_be_seen():
    merged = event("merge", "git merge x -m 'closes T-abcdef'", "Fast-forward")
    assert closed(merged, world=world(PASSPORT, places={}))[0] == 2


@pytest.mark.parametrize(
    "message", ["Renew the passport\n\nCloses T-abcdef", "Renew the passport (closes T-abcdef)", "closes T-abcdef"]
)
@pytest.mark.parametrize("rest", ["", " --no-edit"])
def test_a_message_of_a_merge_closes_a_task_however_it_is_laid_out(message, rest):
    merged = event("merge", f"git merge x -m '{message}'{rest}", "Fast-forward")
    assert closed(merged, world=world(PASSPORT))[0] == 1


@pytest.mark.parametrize(
    "message", ['Revert "Merge csv (closes T-abcdef)"', "Almost closes T-abcdef", "Merge csv\n\nCloses T-abcdef"]
)
def test_a_message_of_a_merge_that_quotes_doubts_or_adds_to_it_is_asked_about(message):
    assert closed(event("merge", f"git merge x -m '{message}'", "Fast-forward"), world=world(PASSPORT))[0] == 2


def test_a_title_alone_closes_nothing_where_it_may_be_another_repositorys():
    merged = event("merge", "gh pr merge 34", TITLED)
    several = {"/work/shop": SHOP, "/work/blog": BLOG}
    assert closed(merged, world=world(PASSPORT, places=several))[0] == 2
    assert closed(merged, world=world(PASSPORT, places={}))[0] == 2
    routed = Routing(tasks="home", documents="home", domains={"shop": "home"})
    assert closed(merged, world=world(PASSPORT, places=several, routing=routed))[0] == 1


def test_words_on_another_task_supersede_nothing():
    one, other = task("Credit notes", "T-0005"), task("Take payments by SEPA", "T-0007")
    done = update("completion", "T-0005 is done")
    whole = "T-0005 is done, T-0007 isn't."
    denied = seen(spoken("statement", whole, whole))
    assert verbs(proposed(done, denied, world=world(one, other))) == [("completeTask", "Credit notes")]
    taken_back = seen(spoken("statement", "T-0005 is not done", "T-0005 is not done", at=NOW))
    assert verbs(proposed(done, taken_back, world=world(one, other))) == []


CRITERIA = "Said by Ada; approved by Bob.\n\n## Acceptance criteria\n\n- [ ] It has photos.\n- [ ] It has a form.\n"


@pytest.mark.parametrize(
    ("body", "tier"),
    [
        (CRITERIA, 1),
        (CRITERIA.replace("## ", "Ask Bob first.\n\n## "), 1),
        (CRITERIA.replace("- [ ]", "- [x]"), 1),
        (CRITERIA.replace("- [ ]", "- [x]", 1), 2),
        (CRITERIA.replace("photos", "photos of you"), 2),
        (f"{CRITERIA}- [ ] Call them\n", 2),
    ],
)
def test_criteria_that_a_thread_wrote_hold_no_merge_back_until_somebody_works_with_them(body, tier):
    there = world(task("Renew the passport", "T-abcdef", body=body))
    ours = replace(there.boards["home"], tickets={"T-abcdef": CRITERIA})
    merged = event("merge", "git merge x -m 'Closes T-abcdef'", "Fast-forward")
    assert closed(merged, world=replace(there, boards={"home": ours}))[0] == tier
    assert closed(merged, world=there)[0] == (1 if "[ ]" not in body else 2)


ASKS = f"{CRITERIA}\n## Open questions\n\n- Who tells the desk?\n\n## Risks\n\n- Rain\n"


@pytest.mark.parametrize(
    ("body", "tier"),
    [(ASKS, 2), (ASKS.replace("desk?", "desk? Lea does."), 1), (ASKS.replace("- Who tells the desk?", "None."), 1)],
)
def test_a_question_that_a_thread_left_open_is_asked_before_its_ticket_is_closed(body, tier):
    there = world(task("Renew the passport", "T-abcdef", body=body))
    ours = replace(there.boards["home"], tickets={"T-abcdef": ASKS})
    merged = event("merge", "git merge x -m 'Closes T-abcdef'", "Fast-forward")
    found, why = closed(merged, world=replace(there, boards={"home": ours}))
    assert (found, "its text asks 'Who tells the desk?'" in why) == (tier, tier == 2)


@pytest.mark.parametrize(
    ("subjects", "done"),
    [
        (["Word it"], "merge 9a9eb2500000 by Lea Brandt"),
        (["Word it", "Word it"], "merge 9a9eb2500000 by Lea Brandt"),
        (["Word it"] * 3, "merge"),
        (["Something else"], "merge"),
    ],
)
def test_a_note_on_a_board_says_which_commit_was_made_by_whom_and_not_how_git_merges(subjects, done):
    commits = tuple(Commit(f"{9 - row}a9eb25" + "0" * 33, one, NOW, "Lea Brandt") for row, one in enumerate(subjects))
    merged = event("merge", "git merge x -m 'Word it' -m 'Part of T-abcdef'", "Merge made by the 'ort' strategy.")
    (action,) = proposed(merged, world=world(PASSPORT, commits={"/work/shop": commits})).actions
    assert action.op.payload["text"] == (
        f"[daemon] {done}, which says 'Part of T-abcdef' (2026-03-01 09:00, pk transcripts show cv-000000000001)"
    )


CAP = task("Cap the storage fee", "T-0001")
PLAIN_MERGE = "git switch main && git merge --no-ff -m 'Cap the storage fee (Closes T-0001)' storage-cap && git log -1"


LOG = """\
commit 76507f3ef21a2685ebea3c5993d68edac11687e8
Merge: 4fbe654 1ce2ea3
Author: Marit <marit@example.org>
Date:   Wed Nov 25 09:00:00 2026 +0100

    Cap the storage fee

    Closes T-0001
"""


@pytest.mark.parametrize(
    "log",
    [
        "76507f3 Cap the storage fee (Closes T-0001)",
        "76507f3 (HEAD -> main, origin/main) Cap the storage fee (Closes T-0001)",
        LOG,
    ],
)
def test_a_log_of_the_merge_says_nothing_besides_it(log):
    merged = event("merge", PLAIN_MERGE, f"Merge made by the 'ort' strategy.\n{log}")
    (done,) = proposed(merged, world=world(CAP)).actions
    assert (done.verb, done.tier) == ("completeTask", 1)


def test_what_a_closing_merge_says_besides_is_what_is_asked_about():
    merged = event("merge", PLAIN_MERGE, "Fast-forward\n! Some checks were failing: QA")
    (done,) = proposed(merged, world=world(CAP)).actions
    assert done.tier == 2
    assert "a successful merge closes it and also says '! Some checks were failing: QA'" in done.why
