"""What people or tools say or do later about the same thing makes a person decide, with those words shown."""

from dataclasses import replace

import pytest

from pactkeeper.intent.conversation import Block, ConversationEntry, RecordPlace
from pactkeeper.transcripts.extraction.extract import extract
from pactkeeper.transcripts.reconciling import Commit, Place
from tests.transcripts.worlds import NOW, YESTERDAY, event, plan, proposed, seen, spoken, task, update, world

EARLIER = "2026-02-28T09:00:00Z"
CSV = task("Export invoices as CSV", "T-0004")
SEPA = ("Add a mandate form to the portal", "Write the pain.008 file nightly", "Book returned debits as unpaid")
MERGED = event(
    "merge", "gh pr merge 12", "✓ Squashed and merged pull request #12 (Export invoices as CSV)", request="#12"
)


def placed(one, file="/chats/a.jsonl", at=0):
    """The same artifact further down in a file."""
    parts = tuple(replace(part, place=RecordPlace(file, at, at + 9)) for part in one.artifact.excerpts)
    return replace(one, artifact=replace(one.artifact, excerpts=parts))


def wrote(text, *, at=NOW, folder="/work/shop"):
    """A message of a person in another conversation."""
    remark = seen(spoken("remark", text[:120], text, at=at), conversation="cv-000000000002", folder=folder)
    return placed(remark, "/chats/b.jsonl")


def accepted():
    given = plan(*SEPA, title="Plan: SEPA payments", signals=(95, 100))
    return replace(given, artifact=replace(given.artifact, facts={**given.artifact.facts, "accepted": True}))


def closing(*given, at=None):
    (found,) = [one for one in proposed(*given, world=at or world(CSV)).actions if one.verb == "completeTask"]
    return found


def test_a_merge_of_exactly_the_title_that_nothing_follows_needs_nobody():
    assert closing(MERGED).tier == 1


@pytest.mark.parametrize(
    "text",
    [
        "T-0004 is not done, the semicolons are wrong.",
        "t-0004: reopen",
        "The CSV is unreadable.",
        "Der CSV-Export fehlt noch.",
        "#12 was too early",
        "PR 12 has to go",
    ],
)
@pytest.mark.parametrize("at", [NOW, ""])
def test_words_on_a_task_in_another_conversation_are_shown_and_asked_about(text, at):
    found = closing(MERGED, wrote(text, at=at))
    assert found.tier == 2
    assert text in [one.quote for one in found.op.evidence]
    assert "a person said more afterwards" in found.why


@pytest.mark.parametrize(
    "remark",
    [
        wrote("Book a room for Friday."),
        wrote("Book a room for Friday.", at=EARLIER),
        wrote("T-0004: export the invoices as CSV.", at=EARLIER, folder="/work/blog"),
        wrote("#12 was too early", folder="/work/blog"),
    ],
)
def test_words_on_something_else_or_from_before_in_another_repository_change_nothing(remark):
    assert closing(MERGED, remark).tier == 1


def test_a_long_message_is_shown_by_the_sentences_that_concern_the_task():
    text = "It rained all day and nobody came to the office. " * 20 + "The CSV is empty. Nobody can read it."
    assert "The CSV is empty." in [one.quote for one in closing(MERGED, wrote(text)).op.evidence]


def test_the_deciding_one_of_many_messages_of_the_same_conversation_is_shown():
    texts = ["What is next?", "T-0004 is not done.", "Look at the logs.", "Good night."]
    remarks = [placed(seen(spoken("remark", text, text, at=NOW)), at=10 * at) for at, text in enumerate(texts, 1)]
    found = closing(MERGED, *remarks)
    assert [one.quote for one in found.op.evidence][2:] == ["What is next?", "T-0004 is not done.", "Good night."]


@pytest.mark.parametrize(
    "text", ["We won't write the pain.008 file nightly.", "Forget the SEPA plan, we buy Stripe instead.", "Drop SEPA."]
)
def test_a_step_of_an_accepted_plan_that_a_later_conversation_touches_is_asked_about(text):
    assert [one.tier for one in proposed(accepted()).actions] == [1, 1, 1]
    found = proposed(accepted(), wrote(text)).actions
    (step,) = [one for one in found if one.op.payload["title"] == "Write the pain.008 file nightly"]
    assert step.tier == 2
    assert text in [one.quote for one in step.op.evidence]


@pytest.mark.parametrize(("text", "is_shown"), [("Book a room.", False), ("Returned debits are unpaid.", True)])
def test_a_message_of_another_session_stands_beside_a_step_only_if_it_is_evidently_meant(text, is_shown):
    (step,) = [one for one in proposed(plan(*SEPA), wrote(text, at=SOON)).actions if one.op.payload["title"] == SEPA[2]]
    assert (text in [one.quote for one in step.op.evidence]) == is_shown


LABELS = task("Print the labels", "T-0005")


@pytest.mark.parametrize(
    "texts",
    [
        ["T-0005 now: please plan it, no code yet."],
        ["Good. T-0005 now.", "What would it take?", "Fine, go on with the printer."],
        ["Hold on.", "T-0005 now."],
        ["That was too early. T-0005 now."],
        ["T-0005 now.", "No, not like that."],
        ["T-0005 now.", "The CSV is empty."],
        ["T-0005 now.", "And T-0004 has to wait."],
    ],
)
def test_whatever_a_person_says_in_a_conversation_after_a_merge_is_asked_about(texts):
    remarks = [placed(seen(spoken("remark", text, text, at=NOW)), at=10 * at) for at, text in enumerate(texts, 1)]
    found = closing(MERGED, *remarks, at=world(CSV, LABELS))
    assert found.tier == 2
    assert {texts[0], texts[-1]} <= {one.quote for one in found.op.evidence}


def test_what_takes_a_persons_word_back_is_shown_with_it():
    word, sorry = (
        update("completion", "T-0004 is done."),
        seen(spoken("remark", "No wait", "No wait, it isn't.", at=NOW)),
    )
    found = closing(word, placed(sorry, at=50))
    assert [one.quote for one in found.op.evidence] == ["T-0004 is done.", "No wait, it isn't."]


@pytest.mark.parametrize(
    ("kind", "command", "answer"),
    [
        ("revert", "git revert --no-edit HEAD", '[main 1234567] Revert "Export invoices as CSV"'),
        ("revert", "git revert 9a9eb25", "[main 1234567] Back out semicolons"),
        ("reset", "git reset --hard HEAD~1", "HEAD is now at a899197 Add credit notes"),
        ("push", "git push --force", "done"),
        ("push", "git push", " + 9a9eb25...a899197 main -> main (forced update)"),
        ("push", "git push origin +main", "done"),
        ("merge", "gh pr merge 13", 'Merged pull request #13 (Revert "Export invoices as CSV")'),
        ("merge", "gh pr merge 13", "Merged pull request #13 (Revert #12)"),
        ("commit", "git commit", "[main 1234567] Back out 9a9eb25"),
    ],
)
def test_a_later_event_that_takes_back_or_names_what_was_merged_is_asked_about(kind, command, answer):
    later = placed(event(kind, command, answer, at=NOW), at=50)
    known = world(
        CSV, commits={"/work/shop": (Commit("9a9eb25" + "0" * 33, "Export invoices as CSV (#12)", YESTERDAY),)}
    )
    found = closing(MERGED, later, at=known)
    assert found.tier == 2
    assert "afterwards: " in found.why


@pytest.mark.parametrize(
    "later",
    [
        event("revert", "git revert HEAD", "error: your local changes would be overwritten", "failed", at=NOW),
        event("push", "git push", "   c11fc1b..9a9eb25  main -> main", at=NOW),
        event("reset", "git reset --hard", "HEAD is now at c11fc1b", at=EARLIER),
    ],
)
def test_a_later_event_that_takes_nothing_back_changes_nothing(later):
    file = "/chats/a.jsonl" if later.artifact.at == NOW else "/chats/c.jsonl"
    assert closing(MERGED, placed(later, file, at=50)).tier == 1


def test_a_revert_in_the_very_same_call_is_asked_about():
    assert closing(MERGED, event("revert", "gh pr merge 12 && git revert HEAD", "[main 1234567] Revert")).tier == 2


def called(command, answer):
    """One call of a shell with its answer, as entries."""
    place = RecordPlace("/chats/a.jsonl", 0, 9)
    call = Block("call", command, call="c1", tool="shell", arguments="{}")
    result = Block("result", answer, call="c1", failed=False)
    return (
        ConversationEntry("u1", "", "assistant", YESTERDAY, (call,), place),
        ConversationEntry("u2", "u1", "tool", YESTERDAY, (result,), place),
    )


@pytest.mark.parametrize(
    ("command", "kinds"),
    [
        ("git revert --no-edit HEAD", ["revert"]),
        ("git -C /work/shop revert 9a9eb25 && git push", ["revert", "push"]),
        ("git revert --abort", []),
        ("git reset -q --hard HEAD~1 && git push --force", ["reset", "push"]),
        ("git reset src/app.py", []),
    ],
)
def test_commands_that_take_work_back_are_events(command, kinds):
    entries = called(command, "[main 1234567] Revert\nHEAD is now at a899197 Add\n + 9a9eb25...a899197 main -> main")
    found = extract((), entries, fresh=frozenset({"u1", "u2"}))
    assert sorted(str(one.facts["kind"]) for one in found if one.type == "event") == sorted(kinds)


@pytest.mark.parametrize(
    ("answer", "failed", "outcomes"),
    [
        ("checking\nFAILED test_full", True, ["failed"]),
        ("checking", True, []),
        ("FAILED test_full", False, []),
    ],
)
def test_a_call_that_failed_and_printed_failures_was_a_run_of_tests_whatever_its_name(answer, failed, outcomes):
    call, result = called("sh check.sh", answer)
    given = (call, replace(result, blocks=(replace(result.blocks[0], failed=failed),)))
    found = extract((), given, fresh=frozenset({"u1", "u2"}))
    assert [one.facts["outcome"] for one in found if one.facts.get("kind") == "test_run"] == outcomes
    later = [
        replace(one, uuid=f"{one.uuid}b", blocks=(replace(one.blocks[0], call="c2"),))
        for one in called("sh check.sh", "fine")
    ]
    again = extract((), (*given, *later), fresh=frozenset({"u1", "u2", "u2b"}))
    both = [one.facts["outcome"] for one in again if one.facts.get("kind") == "test_run"]
    assert both == [*outcomes, *(["succeeded"] if outcomes else [])]


def test_the_end_of_a_long_message_is_kept():
    text = "It rained all day. " * 200 + "T-0004 is not done."
    said = ConversationEntry("u1", "", "user", NOW, (Block("text", text),), RecordPlace("/chats/b.jsonl", 0, 9))
    remarks = [one for one in extract((), (said,), fresh=frozenset({"u1"})) if one.type == "remark"]
    assert [one.excerpts[0].text for one in remarks] == [text]


@pytest.mark.parametrize(
    "order",
    [
        "Merge #12, but leave T-0004 open: the semicolons are missing.",
        "Merge #12, but keep the ticket open.",
        "Is T-0004 really finished?",
        "Don't forget T-0004.",
        "Merge #12 please.",
        "Now ship the CSV export.",
        "Book a room, but not on Friday.",
        "That is only the docstring, but fine. Merge it too.",
        "That is only the semicolon. Merge it.",
        "Ok, merge it too.",
    ],
)
def test_a_persons_last_message_before_a_merge_is_shown_and_asked_about(order):
    found = closing(placed(MERGED, at=50), placed(seen(spoken("remark", order, order)), at=10))
    assert found.tier == 2
    assert order in [one.quote for one in found.op.evidence]
    assert f"more was said before it: {order!r}" in found.why


def test_of_many_words_around_a_merge_those_that_may_mean_it_are_quoted_nearest_first():
    said = [f"The CSV export, {at}." for at in range(9)]
    remarks = [placed(seen(spoken("remark", one, one)), at=10 * at) for at, one in enumerate(said, 1)]
    order = placed(seen(spoken("remark", "Merge it.", "Merge it.")), at=100)
    found = closing(*remarks, order, placed(MERGED, at=200))
    assert [one.quote for one in found.op.evidence][2:] == said[:-6:-1]


DEPOSITS = task("Collect deposits for expensive tools", "T-0005")


@pytest.mark.parametrize("branch", ["deposits", "b10", "feature/deposits"])
@pytest.mark.parametrize(
    ("order", "said_next"),
    [
        ("Please merge the branch {}.", "Merged {} into main."),
        ("Merge {}, T-0005 still lacks the refund.", "Merged {} into main."),
        ("Merge {} into main, but the tools part stays open.", "Merged {} into main."),
        ("Please merge the branch {}.", "Merged {} into main; T-0005 is half done."),
    ],
)
def test_the_order_of_a_merge_and_what_the_agent_says_next_are_both_quoted(branch, order, said_next):
    command = f"git merge --no-ff {branch} -m 'Collect deposits for expensive tools' -m 'Closes T-0005'"
    merged = placed(event("merge", command, "Merge made by the 'ort' strategy."), at=50)
    text, answer = order.format(branch), said_next.format(branch)
    asked = placed(seen(spoken("remark", text, text)), at=10)
    found = closing(merged, asked, heard_of(answer, "agent"), at=world(DEPOSITS))
    assert found.tier == 2
    assert {text, answer} <= {one.quote for one in found.op.evidence}


def heard_of(text, by, **more):
    remark = seen(spoken("remark", text[:120], text, at=NOW, facts={"by": by}), **more)
    return placed(remark, at=90)


@pytest.mark.parametrize(
    ("text", "tier_elsewhere"),
    [
        ("Merged. T-0004 is not finished: the semicolons are missing.", 2),
        ("Merged, the CSV export still lacks semicolons.", 2),
        ("Merged #12, T-0004 is done.", 2),
        ("Merged, the branch is gone.", 1),
    ],
)
def test_what_an_agent_says_is_asked_about_in_another_conversation_if_it_may_mean_the_task(text, tier_elsewhere):
    assert closing(MERGED, heard_of(text, "agent")).tier == 2
    elsewhere = placed(heard_of(text, "agent", conversation="cv-000000000002"), "/chats/b.jsonl")
    found = closing(MERGED, elsewhere)
    assert found.tier == tier_elsewhere
    assert (text in [one.quote for one in found.op.evidence]) == (tier_elsewhere == 2)


@pytest.mark.parametrize(
    ("answer", "tier"),
    [
        ('99aa88b Revert "Export invoices as CSV (#12)"\n9a9eb25 Export invoices as CSV (#12)', 2),
        ("✓ Reopened issue acme/shop#5 (Export invoices as CSV)", 2),
        ("title:\tExport invoices as CSV\n--\ncomments: QA: it fails", 2),
        ("FAILED tests/test_export.py::test_invoices_as_csv_have_semicolons", 2),
        ("9a9eb25 Export invoices as CSV (#12)\n1326ea7 Fix the city tax", 1),
        ("FAILED tests/test_search.py::test_rooms", 1),
    ],
)
def test_an_answer_of_a_tool_that_names_it_later_is_asked_about_if_it_says_more(answer, tier):
    assert (
        closing(MERGED, placed(heard_of(answer, "tool", conversation="cv-000000000002"), "/chats/b.jsonl")).tier == tier
    )
    assert closing(placed(MERGED, at=95), heard_of(answer, "tool")).tier == 1


SHOP = Place("/work/shop", "example.org/acme/shop", "main")


@pytest.mark.parametrize(("place", "tier"), [(replace(SHOP, root="/work/fork"), 2), (Place("/work/fork"), 1)])
@pytest.mark.parametrize(
    "later",
    [
        event("revert", "git revert --no-edit 1234567", '[main 7654321] Revert "Invoices"', at=NOW),
        event("push", "git push --force-with-lease", " + 9a9eb25...a899197 main -> main (forced update)", at=NOW),
    ],
)
def test_what_takes_work_back_in_another_clone_of_the_repository_is_asked_about(later, place, tier):
    one = event("merge", "git merge x -m 'closes T-0004'", "Fast-forward")
    there = world(CSV, places={"/work/shop": SHOP, "/work/fork": place})
    assert closing(one, placed(replace(later, folder="/work/fork"), "/chats/b.jsonl"), at=there).tier == tier


SOON, LATER = "2026-03-01T17:00:00Z", "2026-03-01T22:00:00Z"


@pytest.mark.parametrize(
    ("text", "at", "folder", "tier"),
    [
        ("That merge from this morning broke production.", SOON, "/work/shop", 2),
        ("Das von vorhin ist leider noch nicht fertig.", SOON, "/work/shop", 2),
        ("T-0007 is not done yet.", SOON, "/work/shop", 2),
        ("T-0007 is not done yet.", LATER, "/work/shop", 1),
        ("That merge from this morning broke production.", LATER, "/work/shop", 1),
        ("That merge from this morning broke production.", SOON, "/work/blog", 1),
    ],
)
def test_words_soon_after_in_the_same_repository_are_asked_about_whatever_they_name(text, at, folder, tier):
    there = world(CSV, task("Refund deposits by card", "T-0007"))
    assert closing(MERGED, wrote(text, at=at, folder=folder), at=there).tier == tier
    plan = proposed(accepted(), wrote(text, at=at, folder=folder), world=there).actions
    assert {one.tier for one in plan} == {tier}


@pytest.mark.parametrize(
    "texts",
    [
        ["Members get too much mail."],
        ["Let members cancel a reservation, T-0003."],
        ["Let members cancel a reservation, T-0003.", "That merge from this morning broke production."],
        ["Let members cancel a reservation, T-0003.", "Members get too many reminders."],
        ["T-0003 and T-0002 are for members.", "A member may cancel until then, not later."],
    ],
)
def test_a_word_that_several_titles_share_is_asked_about_whichever_task_is_meant(texts):
    there = world(task("Remind members of the due date", "T-0002"), task("Cancel a reservation of a member", "T-0003"))
    merged = event("merge", "git merge remind -m 'Closes T-0002'", "Fast-forward")
    remarks = [
        placed(wrote(text, at=f"2026-03-01T1{at}:00:00Z"), "/chats/b.jsonl", 10 * at) for at, text in enumerate(texts)
    ]
    assert closing(merged, *remarks, at=there).tier == 2


@pytest.mark.parametrize(
    ("answer", "tier"),
    [
        ("To example.org:acme/shop.git\n   c11fc1b..9a9eb25  main -> main", 1),
        ("To example.org:acme/shop.git\n   9a9eb25..7d8e9f0  main -> main", 1),
        ("[main 7d8e9f0] Go back\n   9a9eb25..7d8e9f0  main -> main", 2),
        ("remote: PR of 9a9eb25 broke the build\n   c11fc1b..9a9eb25  main -> main", 2),
    ],
)
def test_the_push_of_a_merge_is_asked_about_only_if_its_answer_says_more(answer, tier):
    known = world(
        CSV, commits={"/work/shop": (Commit("9a9eb25" + "0" * 33, "Export invoices as CSV (#12)", YESTERDAY),)}
    )
    assert closing(MERGED, placed(event("push", "git push", answer, at=NOW), at=50), at=known).tier == tier
    assert closing(MERGED, placed(heard_of(answer, "tool"), at=60), at=known).tier == tier


def test_a_word_that_says_how_far_something_is_is_no_subject():
    there = world(task("Mail the guest when it is done", "T-0009"))
    merged = event("merge", "gh pr merge 12", "Merged pull request #12 (Mail the guest when it is done)")
    assert closing(merged, wrote("The cake is done."), at=there).tier == 1
    assert closing(merged, wrote("The guest got no letter."), at=there).tier == 2


def test_all_that_the_answer_to_a_merge_says_is_kept():
    answer = "Fast-forward\n src/app.py | 8 ++++\n! Some checks were failing: QA\n✓ Merged pull request #12 (Export)\n"
    (merged,) = [
        one
        for one in extract((), called("gh pr merge 12", answer), fresh=frozenset({"u1", "u2"}))
        if one.type == "event"
    ]
    assert [one.text for one in merged.excerpts[1:]] == [
        "! Some checks were failing: QA",
        "✓ Merged pull request #12 (Export)",
    ]


STEPS = "# Plan\n\n1. Add a form\n2. Send it\n3. Book it"
YES = "User has approved your plan. You can now start coding. Start with updating your todo list if applicable"


@pytest.mark.parametrize(
    ("answer", "more"),
    [
        (YES, 0),
        (f"{YES}\n\nYour plan has been saved to: /tmp/x.md\n\n## Approved Plan:\n{STEPS}\n", 0),
        (f"{YES}. The user also said: leave out step 3", 1),
        (f"{YES}\n\n## Approved Plan (edited by user):\n# Plan\n\n1. Add a form\n2. Send it tomorrow\n", 1),
    ],
)
def test_a_plan_that_was_changed_while_accepting_it_is_shown_with_the_change(answer, more):
    place = RecordPlace("/chats/a.jsonl", 0, 9)
    plan = Block("call", STEPS, call="c1", tool="ExitPlanMode", arguments="{}")
    result = Block("result", answer, call="c1", failed=False)
    entries = (
        ConversationEntry("u1", "", "assistant", YESTERDAY, (plan,), place),
        ConversationEntry("u2", "u1", "tool", YESTERDAY, (result,), replace(place, start=10)),
    )
    assert [one.artifact.excerpts[0].text for one in remarks_in(entries)] == [answer.rstrip()] * more


def test_the_agents_words_are_kept_from_a_merge_to_the_next_message_of_a_person():
    merge = called("gh pr merge 12", "✓ Merged pull request #12 (Export)")
    said = remarks_in((*merge, *talk("Merged.", "Thanks, what else?", "Nothing.")))
    assert [one.artifact.excerpts[0].text for one in said if one.artifact.facts.get("by") == "agent"] == ["Merged."]


HALF = "It's merged, but only half of the ticket is done. Shall I do the other half?"


def talk(*texts):
    """What a person (every second) and the agent said in turn, the agent first."""
    return tuple(
        ConversationEntry(
            f"t{at}",
            "",
            "user" if at % 2 else "assistant",
            NOW,
            (Block("text", text),),
            RecordPlace("/chats/a.jsonl", 100 + at, 101 + at),
        )
        for at, text in enumerate(texts)
    )


def remarks_in(entries):
    found = extract((), entries, fresh=frozenset(one.uuid for one in entries))
    return [seen(one) for one in found if one.type == "remark"]


@pytest.mark.parametrize(("question", "tier"), [(HALF, 2), ("Merged.", 1)])
def test_a_plain_yes_is_shown_with_the_question_that_it_answers(question, tier):
    found = closing(MERGED, *remarks_in(talk(question, "Yes")))
    assert found.tier == tier
    assert [one.quote for one in found.op.evidence][2:] == ([question, "Yes"] if tier > 1 else [])


def test_thanks_for_an_answer_that_ends_in_a_question_say_nothing():
    assert remarks_in(talk("Merged. Anything else?", "Thanks!")) == []


def test_a_yes_to_a_submitted_plan_accepts_it_and_is_no_remark():
    plan = Block(
        "call", "# Plan\n\n1. Add a form\n2. Send it\n3. Book it", call="c9", tool="ExitPlanMode", arguments="{}"
    )
    submitted, (asking, yes) = replace(talk("")[0], uuid="p0", blocks=(plan,)), talk("Shall I start?", "Yes")
    assert remarks_in((submitted, asking, yes)) == []
    assert (
        len(remarks_in((submitted, asking, yes, *(replace(one, uuid=f"x{one.uuid}") for one in talk(HALF, "Yes")))))
        == 1
    )


BELLS = task("Sell bells", "T-0005", body="Two kinds, for 12 euros.")


@pytest.mark.parametrize(
    "order",
    [
        "The bells branch is reviewed, merge it into main and push.",
        "Do T-0005 and merge it when the tests pass.",
        "Do T-0005 and merge it when the labels are tested.",
        "Great, thanks. Next: T-0005.",
        "Dropped: T-0005.",
        "Blocked: T-0005.",
        "On hold: T-0005.",
        "Maybe next: T-0005.",
        "Next: T-0005, with labels.",
        "Sell bells for 15 euros, then merge.",
        "T-0005 needs a test, but merge and push it.",
        "Merge bells, the labels are missing.",
    ],
)
def test_an_order_is_asked_about_whatever_the_session_did_and_said_in_the_reason(order):
    command = "git switch main && git merge --no-ff -m 'Sell bells\n\nCloses T-0005' bells"
    done = (
        event("test_run", "pytest -q", "11 passed in 0.03s"),
        event("merge", command, "Merge made by the 'ort' strategy."),
        event("push", "git push", "   b67d8b5..c0ffee1  main -> main"),
    )
    asked = placed(seen(spoken("remark", order, order)), at=10)
    found = closing(asked, *(placed(one, at=50 + at) for at, one in enumerate(done)), at=world(BELLS))
    assert found.tier == 2
    assert order in found.why


def test_what_was_said_before_a_merge_is_not_told_as_said_afterwards():
    order = seen(spoken("remark", "order", "Merge the CSV export with semicolons."))
    found = closing(placed(order, at=10), placed(MERGED, at=20), wrote("The CSV is unreadable."))
    assert (
        "said before it: 'Merge the CSV export with semicolons.'; a person said more afterwards: 'The CSV" in found.why
    )


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (("Do T-0004. It must not be closed before Salma has seen it.", "Merge it."), "The branch is ready."),
        (("T-0004 needs the semicolons too.", "Merge it."), "Ready."),
        (("Do T-0004.", "Commas, but only from January, so hold that part back.", "Merge it."), "Ready."),
        (("Do T-0004.", "Leave the semicolons out.", "Merge it."), "Ready."),
        (("T-0004 is split: the commas now, the semicolons in T-0005.", "Merge it."), "Ready."),
        (("Do T-0004.",), "Semicolons are hard, so I leave them out."),
        (("Do T-0004.",), "Semicolons are out of scope here."),
        (("Do T-0004.",), "I write the headers now and the semicolons on Friday."),
        ((), "Semicolons are out of scope here."),
    ],
)
def test_what_was_said_since_the_order_or_of_the_task_before_a_merge_is_quoted_and_asked_about(said, told):
    remarks = [placed(seen(spoken("remark", one, one)), at=10 * at) for at, one in enumerate(said, 1)]
    agent = placed(heard_of(told, "agent"), at=45)
    found = closing(*remarks, agent, placed(MERGED, at=50), at=world(CSV, BELLS))
    assert found.tier == 2
    named = [one for one in said if "T-0004" in one]
    assert {*named, *said[-1:], told} <= {one.quote for one in found.op.evidence}


def test_a_task_that_another_session_held_back_before_is_asked_about():
    found = closing(MERGED, wrote("T-0004: the semicolons have to be in before we close it.", at=EARLIER))
    assert "before it: 'T-0004: the semicolons have to be in" in found.why


def test_what_a_commands_text_has_makes_no_sentence_an_order():
    written = event("commit", "git commit -m Semicolons", "[csv 1a2b3c4] Semicolons")
    call = replace(written.artifact.excerpts[0], text="cat > a.py <<X\nraise Missing(header)\nX\ngit commit")
    written = replace(written, artifact=replace(written.artifact, excerpts=(call, *written.artifact.excerpts[1:])))
    order = seen(spoken("remark", "order", "The header is missing, merge it."))
    assert closing(placed(written, at=10), placed(order, at=20), placed(MERGED, at=30)).tier == 2


def test_an_order_for_another_task_is_shown_on_that_tasks_card_with_its_speaker_and_place():
    part = event("merge", "git merge -m 'Write CSV (part of T-0004)' csv", "Fast-forward")
    said = "That is only the printer, but fine. Merge it too."
    closes = event("merge", "git merge -m 'Print the labels\n\nCloses T-0005' labels", "Fast-forward")
    remark = seen(spoken("remark", said, said))
    given = [placed(one, at=10 * at) for at, one in enumerate((part, remark, closes), 1)]
    note, done = proposed(*given, world=world(CSV, LABELS)).actions
    assert (note.verb, done.verb, done.tier) == ("logTask", "completeTask", 2)
    assert said not in [one.quote for one in note.op.evidence]
    (shown,) = [one for one in done.op.evidence if one.quote == said]
    assert shown.note.startswith("person, 2026-03-01 09:00, cv-000000000001; ")


def test_a_merge_and_the_push_in_the_same_command_are_noted_once():
    command = "git merge -m 'Write CSV (part of T-0004)' csv && git push"
    merged, pushed = event("merge", command, "Fast-forward"), event("push", command, "a1..b2  main -> main")
    named = [
        replace(one, artifact=replace(one.artifact, identity=f"call/{kind}"))
        for one, kind in ((merged, "merge"), (pushed, "push"))
    ]
    assert len(proposed(merged, pushed, world=world(CSV)).actions) == 2
    found = proposed(*named, world=world(CSV))
    assert [one.verb for one in found.actions] == ["logTask"]
    assert "the merge in the same command stands for it" in [one.reason for one in found.suppressed]


@pytest.mark.parametrize(
    ("printed", "tier"),
    [
        ("....      [100%]\n4 passed in 0.05s", 1),
        (
            "===== test session starts =====\ncollected 1 item\n\ntests/a.py .   [100%]\n\n===== 1 passed in 0.05s =====",
            1,
        ),
        ("tests/a.py::test_it PASSED [100%]\n3 passed, 1 skipped in 0.05s", 1),
        ("..F.      [100%]\n1 failed, 3 passed in 0.05s", 2),
        ("....      [100%]\nThe page is still missing\n4 passed in 0.05s", 2),
        ("missing [100%]\n4 passed in 0.05s", 2),
    ],
)
def test_what_a_run_of_tests_prints_between_a_merge_and_its_push_says_nothing_if_they_pass(printed, tier):
    command = (
        "git merge --no-ff csv -m 'Export invoices as CSV' -m 'Closes T-0004' && pytest -q && git push origin main"
    )
    answer = f"{printed}\n   b67d8b5..c0ffee1  main -> main\nMerge made by the 'ort' strategy."
    found = extract((), called(command, answer), fresh=frozenset({"u1", "u2"}))
    assert {one.tier for one in proposed(*map(seen, found), world=world(CSV)).actions if one.verb != "logTask"} == {
        tier
    }


def test_a_later_merge_that_has_this_one_as_its_parent_or_in_its_log_is_no_doubt():
    known = world(
        CSV, commits={"/work/shop": (Commit("9a9eb25" + "0" * 33, "Export invoices as CSV (#12)", YESTERDAY),)}
    )
    head = "commit 7d8e9f0" + "0" * 33
    shown = f"Merge made by the 'ort' strategy.\n{head}\nMerge: 9a9eb25 c11fc1b\n    Add a footer"
    for answer in (shown, "Fast-forward\n7d8e9f0 Add a footer\n9a9eb25 Export invoices as CSV (#12)"):
        later = event("merge", "git merge footer && git log", answer, at=NOW)
        heard = placed(heard_of(answer, "tool"), at=60)
        assert closing(MERGED, placed(later, at=50), heard, at=known).tier == 1


def test_what_the_agent_says_of_a_task_is_shown_with_the_note_on_it():
    part = event("merge", "git merge -m 'Write CSV (part of T-0004)' csv", "Fast-forward")
    said = "The rule is merged. T-0004 still lacks semicolons."
    (note,) = proposed(part, heard_of(said, "agent"), world=world(CSV)).actions
    assert (note.verb, note.tier) == ("logTask", 1)
    assert f"said with it: {said!r}" in note.why


REJECTED = " ! [rejected]        {0} -> {0} (fetch first)\nerror: failed to push some refs to 'acme'"
PUSHED = "   9a9eb25..7d8e9f0  main -> main"


@pytest.mark.parametrize(
    ("later", "tier"),
    [
        ([("git push origin main", REJECTED.format("main"), "failed")], 2),
        ([("git push", "fatal: unable to access", "failed")], 2),
        ([("git push origin HEAD", "pre-push hook failed", "failed")], 2),
        ([("git push origin export", REJECTED.format("export"), "failed")], 1),
        ([("git push -u origin export", "fatal: unable to access", "failed")], 1),
        ([("git push", REJECTED.format("main"), "failed"), ("git push", PUSHED, "succeeded")], 1),
        ([("git push", REJECTED.format("main"), "failed"), ("git push", "abc..def export -> export", "succeeded")], 2),
        ([("git push", PUSHED, "succeeded"), ("git push", REJECTED.format("main"), "failed")], 2),
        ([("git push origin main", "hint: have locally", "unknown")], 2),
        ([("git push origin main", "hint: have locally", "unknown"), ("git push", PUSHED, "succeeded")], 1),
        ([("git push", "fatal: x", "failed"), ("git push -q origin main", "", "succeeded")], 1),
        ([("git push", "fatal: x", "failed"), ("git push -q", "", "succeeded")], 2),
    ],
)
def test_a_merge_whose_push_failed_is_asked_about_until_a_later_one_of_its_branch_works(later, tier):
    command = "git merge --no-ff export -m 'Export invoices as CSV' -m 'Closes T-0004'"
    merged = placed(event("merge", command, "Merge made by the 'ort' strategy."), at=10)
    pushes = [
        placed(event("push", given, answer, outcome, **_to(answer)), at=20 + 10 * row)
        for row, (given, answer, outcome) in enumerate(later)
    ]
    said_next = heard_of("The push was rejected because main has moved.", "agent")
    found = closing(merged, *pushes, *([said_next] if tier > 1 else []))
    assert found.tier == tier
    shown = [one.quote for one in found.op.evidence]
    if tier == 1:
        assert shown[0] == command
    else:
        assert shown[:4] == [*_last_failed(later), said_next.artifact.title, command]
        is_known = any(outcome == "failed" for _, _, outcome in later)
        assert ("its push failed, and no later one worked" in found.why) == is_known


def _to(answer):
    return {"to": answer.split()[-1]} if ".." in answer else {}


def _last_failed(later):
    return next([given, answer] for given, answer, outcome in reversed(later) if outcome != "succeeded")


WARN = task("Warn customers when a round is late", "T-0006")
PULLED = (
    event("merge", "git switch main && git merge late -m 'Closes T-0006'", "Fast-forward"),
    event("push", "git push origin main", PUSHED, to="main"),
)
RUN, FAILED = event("test_run", "pytest -q", "11 passed in 0.03s"), event("test_run", "pytest -q", "1 failed", "failed")


@pytest.mark.parametrize(
    "text",
    [
        "Merged and pushed.",
        "T-0006 and T-0004 are done.",
        "T-0006 lacks a page.",
        "Merged. The page is still missing.",
        "Merged and pushed. One test still fails.",
        "Merged and pushed. CI is red.",
        "Merged and pushed. Should I also send an e-mail?",
        "Merged and pushed?",
        "Tests: ❌",
        "It should be pushed.",
        "Only merged.",
        "It was not pushed.",
        "Deployed.",
        "All 12 tests pass.",
        "Merged and pushed as 1234567.",
        "| page | missing |\n|---|---|\n| 2 | x |",
        "> The page is missing.",
    ],
)
def test_the_agents_words_after_a_merge_are_quoted_and_asked_about_whatever_they_say(text):
    done = [placed(one, at=10 * at) for at, one in enumerate((RUN, *PULLED), 1)]
    found = closing(*done, heard_of(text, "agent"), at=world(CSV, WARN))
    assert found.tier == 2
    assert text in [one.quote for one in found.op.evidence]


@pytest.mark.parametrize(
    ("runs", "tier"),
    [
        ([(FAILED, 5)], 2),
        ([(FAILED, 60)], 2),
        ([(RUN, 5), (FAILED, 6)], 2),
        ([(FAILED, 5), (RUN, 6)], 1),
        ([(event("test_run", "make test | tail -1", "see the log", "unknown"), 5)], 2),
    ],
)
@pytest.mark.parametrize("conversation", ["cv-000000000001", "cv-000000000002"])
def test_a_merge_whose_last_test_run_did_not_pass_is_asked_about_with_that_run_first(runs, tier, conversation):
    done = [placed(one, at=10 * at) for at, one in enumerate(PULLED, 1)]
    file = "/chats/a.jsonl" if conversation.endswith("1") else "/chats/b.jsonl"
    tested = [placed(replace(run, conversation=conversation), file, at) for run, at in runs]
    found = closing(*done, *tested, at=world(CSV, WARN))
    assert found.tier == tier
    shown = runs[-1][0] if tier == 2 else PULLED[0]
    assert found.op.evidence[0].quote == shown.artifact.excerpts[0].text
    assert (", and the same command has not passed since" in found.why) == (tier == 2)


@pytest.mark.parametrize("minute", [5, 60], ids=["before the merge", "after it"])
def test_a_narrower_run_that_passed_does_not_answer_one_that_failed(minute):
    done = [placed(one, at=10 * at) for at, one in enumerate(PULLED, 1)]
    narrow = event("test_run", "pytest tests/test_price.py::test_slots", "1 passed")
    found = closing(*done, placed(FAILED, at=4), placed(narrow, at=minute), at=world(CSV, WARN))
    assert found.tier == 2
    assert "a test run failed, and the same command has not passed since" in found.why


def test_a_test_run_of_another_day_or_repository_opposes_nothing():
    done = [placed(one, at=10 * at) for at, one in enumerate(PULLED, 1)]
    for run in (replace(FAILED, folder="/work/blog"), event("test_run", "pytest", "1 failed", "failed", at=EARLIER)):
        other = placed(replace(run, conversation="cv-000000000002"), "/chats/b.jsonl")
        assert closing(*done, other, at=world(CSV, WARN)).tier == 1


def test_what_was_said_is_quoted_by_whole_words_in_the_order_in_which_it_was_said():
    order = "T-0004: export the invoices as CSV, " + "and write a test for every kind of semicolon in it, " * 3
    asked = placed(seen(spoken("remark", order[:120], order, at=YESTERDAY)), at=1)
    late = placed(heard_of("T-0004 lacks a header.", "agent"), at=90)
    found = closing(placed(MERGED, at=10), late, asked)
    ordered, _, later = found.why.partition("; more was said or answered afterwards: ")
    assert "before it: 'T-0004: export the invoices as CSV, and" in ordered
    assert ordered.endswith("a test for every …'")
    assert later.startswith("'T-0004 lacks a header.'")


REVERTED = '[main 1234567] Revert "Renew login tokens"'


@pytest.mark.parametrize(
    ("later", "proposed_verbs"),
    [
        ([("revert", "git revert -m 1 --no-edit HEAD && git push", REVERTED)], ["reopenTask"]),
        ([("revert", "git revert 1234abc", '[main 1234567] Revert "Print the labels"')], []),
        ([("revert", "git revert -m 1 HEAD", REVERTED), ("merge", "git merge x -m 'Closes T-ab12cd34'", "Merge made")], []),
        ([("revert", "git revert HEAD", '[main 1234567] Reapply "Renew login tokens"')], []),
    ],
)  # fmt: skip
def test_a_done_task_whose_merge_was_reverted_in_any_session_is_proposed_to_be_reopened(later, proposed_verbs):
    done = task("Renew login tokens", "T-ab12cd34", status="done", state="Done")
    other = task("Print the labels", "T-00000005", state="Backlog")
    merged = event("merge", "git merge tokens -m 'Closes T-ab12cd34'", "Fast-forward")
    after = [
        placed(replace(event(kind, command, answer, at=NOW), conversation="cv-000000000002"), "/chats/b.jsonl", at)
        for at, (kind, command, answer) in enumerate(later)
    ]
    found = [one for one in proposed(merged, *after, world=world(done, other)).actions if one.verb == "reopenTask"]
    assert [one.verb for one in found] == proposed_verbs
    for one in found:
        assert (one.tier, one.op.payload["state"], one.op.payload["old"]) == (2, "Backlog", "Done")
        assert REVERTED in [seen.quote for seen in one.op.evidence]


@pytest.mark.parametrize(("order", "tier"), [("Plan SEPA payments, no returned debits yet.", 2), ("Plan SEPA.", 1)])
def test_an_order_that_denies_something_of_a_plan_is_shown_with_its_steps(order, tier):
    asked = placed(seen(spoken("remark", order, order)), at=10)
    for step in proposed(asked, placed(accepted(), at=20)).actions:
        assert step.tier == tier
        assert (order in [one.quote for one in step.op.evidence]) == (tier == 2)


@pytest.mark.parametrize(("text", "shown"), [("Now paint the fence.", False), ("The CSV lacks semicolons.", True)])
def test_beside_a_note_stand_only_words_that_may_mean_its_task(text, shown):
    part = event("merge", "git merge -m 'Write CSV (part of T-0004)' csv", "Fast-forward")
    (note,) = proposed(part, placed(seen(spoken("remark", text, text, at=NOW)), at=50), world=world(CSV)).actions
    assert note.verb == "logTask"
    assert (text in [one.quote for one in note.op.evidence]) == shown
