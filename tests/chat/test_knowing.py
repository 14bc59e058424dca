"""An answer has every number, day and name of its question, or it is none."""

from datetime import date, datetime, timedelta

import pytest

from pactkeeper.catalog.render import commitment_text
from pactkeeper.catalog.schema import commitment_path
from pactkeeper.chat.knowing import days_in, known_only, names_in
from pactkeeper.chat.words import read_question
from pactkeeper.intent.commitments import new_commitment
from pactkeeper.workspace import open_workspace
from tests.chat.test_asking import said

INVOICES = """\
[IA-DUE0014]
intent = "An invoice is due 14 days after it was issued."
status = "draft"

[IA-CANCEL1]
intent = "Cancelling a booking late costs 50 percent."
status = "draft"

[IA-SENT001]
intent = "An invoice is sent to the customer."
status = "draft"
"""
TEST = '''def test_due_after_14_days(invoice):
    """An invoice is due 14 days after it was issued."""
    assert invoice.due == 14
'''


@pytest.fixture
def rental(shop):
    """A shop with three atoms, two of which Petra Maier committed in March, and a commit by Bob Dev in May."""
    shop.write("pact/atoms/invoice.toml", INVOICES)
    with open_workspace(shop.root, notice=print) as opened:
        pact = opened.pact(opened.snapshot()).atoms
    atoms = [pact["IA-DUE0014"], pact["IA-CANCEL1"]]
    made = new_commitment(
        atoms, by="Petra Maier", at="2030-03-05T00:00:00+00:00", assurance="terminal", overrides={}, after={}
    )
    shop.write(commitment_path(made.id), commitment_text(made))
    shop.write("tests/test_invoice.py", TEST)
    shop.git("add", "--all")
    bob = ("-c", "user.name=Bob Dev", "commit", "--quiet", "--date=2030-05-04T00:00:00+00:00")
    shop.git(*bob, "--message", "Limit a booking to 8 hours because of the fire inspection")
    return shop


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("which tests prove that an invoice is due after 30 days?", "30"),
        ("which tests prove that an invoice is due after 7 days?", "7"),
        ("what is committed about invoices due after 30 days?", "30"),
        ("is the promise that invoices are due after 30 days proven?", "30"),
        ("which tests prove that an invoice is due after thirty days?", "30"),
        ("which tests prove that an invoice of Outlook is due after 14 days?", "Outlook"),
        ("which tests prove that an invoice in June 2031 is due after 14 days?", "June 2031"),
    ],
)
def test_what_a_question_names_and_no_source_has_is_named_and_nothing_is_claimed(rental, question, word):
    found = rental.ask(question)
    assert (found["kind"], found["says"][0]["text"]) == ("cannot_tell", f"Nothing that was found has: {word}.")


@pytest.mark.parametrize("number", ["14", "fourteen"])
def test_a_number_that_the_source_has_is_answered(rental, number):
    found = rental.ask(f"which tests prove that an invoice is due after {number} days?")
    assert (found["kind"], found["verb"]) == ("answer", "show_evidence")


def test_a_claim_without_a_word_of_its_subject_is_only_close(rental):
    found = rental.ask("which tests prove that an invoice is due after 14 days in cash?")
    assert (found["kind"], "Nothing that was found has: cash." in said(found)) == ("closest", True)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who committed the refund?", "There is no commitment about 'refund'."),
        ("who committed that an invoice is sent?", "There is no commitment about 'invoice sent'."),
        ("what did Bob commit?", "There is no commitment by Bob."),
        ("which promises did Bob commit?", "There is no commitment by Bob."),
        ("what was committed in October?", "There is no commitment of October."),
    ],
)
def test_commitments_of_nobody_of_another_day_or_about_nothing_are_none(rental, question, answer):
    found = rental.ask(question)
    assert (found["kind"], found["says"][0]["text"]) == ("cannot_tell", answer)


@pytest.mark.parametrize(
    "question",
    [
        "who committed the late cancelling promise?",
        "which promises did Petra commit?",
        "what was committed in March 2030?",
        "what was committed since February?",
    ],
)
def test_commitments_are_found_by_person_day_and_subject(rental, question):
    found = rental.ask(question)
    assert (found["kind"], found["verb"]) == ("answer", "list_commitments")
    assert "2 atoms by Petra Maier on 2030-03-05" in said(found)


def test_an_atom_says_who_committed_it_and_when(rental):
    assert "Committed by Petra Maier on 2030-03-05, in COM-" in said(rental.ask("who committed IA-DUE0014 and when?"))


def test_atoms_with_some_of_the_words_are_listed_committed_ones_first(rental):
    found = rental.ask("what did we promise customers about cancelling?")
    assert found["kind"] == "closest"
    assert said(found).splitlines()[0] == "No atom has all of 'customers cancelling'. These have some of it:"
    assert [text.split()[0] for text in said(found).splitlines()[1:]] == ["IA-CANCEL1", "IA-SENT001"]


def test_a_list_of_atoms_says_how_many_more_there_are(rental):
    more = "".join(f'\n[IA-MORE{n:03}]\nintent = "Invoice {n} is sent."\nstatus = "draft"\n' for n in range(9))
    rental.write("pact/atoms/more.toml", more)
    found = rental.ask("which promises are about invoices?")
    assert "4 more are not listed here; all: pk atom list" in found["limitations"]


def test_commits_of_a_time_and_a_person_are_listed(rental):
    for question in ("what changed since April 2030?", "what did Bob change in May 2030?"):
        text = said(rental.ask(question))
        assert "by Bob Dev: Limit a booking to 8 hours" in text
        assert "Begin" not in text
    assert rental.ask("what did Bob change in April 2030?")["kind"] == "cannot_tell"


def test_a_number_in_a_question_finds_the_commit_that_brought_it(rental):
    found = rental.ask("when did the 8 hour limit come in, and why?")
    assert "Bob Dev: Limit a booking to 8 hours because of the fire inspection" in said(found)


def test_a_question_whether_a_promise_holds_is_answered_by_atoms(rental):
    found = rental.ask("does the cancelling promise hold?")
    assert found["verb"] == "backed_atoms"
    assert "IA-CANCEL1" in said(found)


@pytest.mark.parametrize(
    ("question", "lost"),
    [
        ("what did Bob change two weeks ago?", "weeks, ago"),
    ],
)
def test_a_time_that_is_no_date_is_not_dropped(rental, question, lost):
    found = rental.ask(question)
    assert (found["kind"], found["says"][0]["text"]) == (
        "cannot_tell",
        f"No commit by Bob has in its first line all of: {lost}.",
    )


def committed(rental, subject, *, days, by):
    """Commit something as a person so many days ago; return that day."""
    at = datetime.now().astimezone() - timedelta(days)
    given = ("-c", f"user.name={by}", "-c", "user.email=x@example.org")
    rental.git(*given, "commit", "-q", "--allow-empty", f"--date={at.isoformat(timespec='seconds')}", "-m", subject)
    return at.date()


def test_what_a_person_did_in_a_week_is_their_commits_of_it(rental):
    monday = datetime.now().astimezone().date()
    monday -= timedelta(monday.weekday())
    ago = (datetime.now().astimezone().date() - monday).days
    for subject, days, by in (("Old", ago + 9, "Bob Dev"), ("Late", ago + 1, "Bob Dev"), ("Now", 0, "Bob Dev")):
        committed(rental, subject, days=days, by=by)
    committed(rental, "Hers", days=0, by="Petra Maier")
    now, before = (rental.ask(f"what did Bob do {which} week?") for which in ("this", "last"))
    assert (now["kind"], before["kind"]) == ("answer", "answer")
    read = f"{monday} to today" if ago else f"{monday}"
    assert said(now).startswith(f"'this week' was read as {read}.")
    assert [one in said(now) for one in (": Old", ": Late", ": Now", ": Hers")] == [False, False, True, False]
    assert [one in said(before) for one in (": Old", ": Late", ": Now", ": Hers")] == [False, True, False, False]


@pytest.mark.parametrize(
    ("asked", "by"),
    [
        ("Jonas Weiß", "Jonas Weiß"),
        ("Jonas Weiss", "Jonas Weiß"),
        ("Weiß", "Jonas Weiß"),
        ("Amelie", "Amélie Dubois"),
        ("Amélie Dubois", "Amélie Dubois"),
        ("Jurgen", "Jürgen Groß-Müller"),
    ],
)
def test_a_person_is_found_with_and_without_accents(rental, asked, by):
    committed(rental, "Add a bell", days=0, by=by)
    found = rental.ask(f"what did {asked} do this week?")
    assert found["kind"] == "answer"
    assert f"by {by}: Add a bell" in said(found)
    assert "Nothing that was found" not in said(found)


def test_a_person_of_several_words_is_named_once(rental):
    committed(rental, "Add a bell", days=0, by="Jonas Weiß")
    assert "No commit by Jonas Weiß since" in said(rental.ask("what did Jonas Weiß do last week?"))


@pytest.mark.parametrize("question", ["who did what?", "who did what this month?", "who did what today?"])
def test_who_did_what_is_answered_by_the_commits_of_each_person(rental, question):
    for subject, by in (("One", "Bob Dev"), ("Two", "Petra Maier"), ("Three", "Petra Maier")):
        committed(rental, subject, days=0, by=by)
    lines = said(rental.ask(question)).splitlines()
    assert lines.index("Petra Maier: 2 commits.") < next(at for at, one in enumerate(lines) if one.endswith(": Two"))
    assert any(one.startswith("Bob Dev: ") for one in lines)


def test_what_was_promised_since_a_day_is_commitments(rental):
    found = rental.ask("what was promised since February 2030?")
    assert (found["kind"], found["verb"]) == ("answer", "list_commitments")
    none = rental.ask("what was promised since April 2030?")
    assert (none["kind"], none["verb"]) == ("cannot_tell", "list_commitments")
    assert not any("where is since" in one for one in none["next"])


def test_a_commit_that_has_the_words_is_the_nearest_thing_where_no_file_has_them(rental):
    committed(rental, "Cap the storage fee (Closes T-0001)", days=0, by="Bob Dev")
    found = rental.ask("was the storage fee cap done?")
    assert found["kind"] == "cannot_tell"
    assert "by Bob Dev: Cap the storage fee (Closes T-0001)" in said(found)


def test_boards_that_are_set_up_are_named_where_nothing_is_found(rental, monkeypatch, tmp_path):
    assert rental.ask("which tickets are done?")["not_looked_at"] == []
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "pactkeeper").mkdir()
    (tmp_path / "pactkeeper/boards.toml").write_text(
        f'default = "shop"\n[boards.shop]\nkind = "local"\nfolder = "{tmp_path}"\n'
    )
    found = rental.ask("which tickets are done?")
    assert found["not_looked_at"] == ["the tasks on your boards; they are listed by: pk boards show"]


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("which tickets are closed?", "cannot_tell"),
        ("which tickets are open?", "cannot_tell"),
        ("which tasks are still open?", "cannot_tell"),
        ("how many tasks are done?", "cannot_tell"),
        ("which bookings are closed?", "answer"),
    ],
)
def test_the_state_of_tickets_is_on_boards_and_in_no_quoted_line(rental, monkeypatch, tmp_path, question, kind):
    rental.write(
        "docs/bookings.md", "# Bookings\n\nTickets and tasks of closed bookings are done, no others are open.\n"
    )
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "pactkeeper").mkdir()
    (tmp_path / "pactkeeper/boards.toml").write_text(
        f'default = "shop"\n[boards.shop]\nkind = "local"\nfolder = "{tmp_path}"\n'
    )
    found = rental.ask(question)
    assert found["kind"] == kind
    if kind == "cannot_tell":
        assert found["citations"] == []
        assert found["next"] == ["pk boards show"]


@pytest.mark.parametrize(
    ("question", "lost"),
    [
        ("which tests failed today?", "today"),
        ("what is failing in the parking module?", "parking, module"),
    ],
)
def test_a_verb_that_looks_at_everything_says_which_words_it_did_not_look_for(rental, question, lost):
    found = rental.ask(question)
    assert found["kind"] != "answer"
    assert found["kind"] == "cannot_tell" or f"Nothing that was found has: {lost}." in said(found)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("what was promised on Monday?", "There is no commitment of Monday."),
        ("what did we promise this week?", "There is no commitment since "),
        ("which invoices are proven since April 2031?", "Nothing that was found has: a day since April 2031."),
    ],
)
def test_a_day_of_which_there_is_nothing_is_named_in_a_sentence(shop, question, text):
    shop.write("pact/atoms/invoice.toml", INVOICES)
    found = shop.ask(question)
    assert found["kind"] == "cannot_tell"
    assert [one["text"] for one in found["says"] if one["text"].startswith(text)]
    assert len([one for one in found["says"] if one["text"].startswith(("There is no", "Nothing"))]) == 1


def test_an_answer_that_searched_for_no_word_names_no_search(rental):
    found = rental.ask("what did Bob do yesterday?")
    assert (found["kind"], found["searched"]) == ("cannot_tell", [])


def test_a_verb_that_is_unlikely_does_not_answer_because_the_likely_one_lacks_its_subject(rental):
    assert rental.ask("how is that?")["kind"] == "clarification"


def test_a_verb_that_looks_at_no_days_says_so_of_those_that_are_named(rental):
    found = rental.ask("which tests failed since 2026-11-20?")
    assert found["kind"] != "answer"
    assert said(found).startswith("This is not narrowed to: since ")


def test_a_weekday_is_the_last_one_of_that_name(rental):
    today = datetime.now().astimezone()
    for days in (0, 1, 7, 9):
        at = (today - timedelta(days)).isoformat(timespec="seconds")
        rental.git("-c", "user.name=Bob Dev", "commit", "-q", "--allow-empty", f"--date={at}", "-m", f"{days} old")
    text = said(rental.ask(f"what did Bob change since {today - timedelta(1):%A}?"))
    assert text.startswith(f"{today - timedelta(1):'%A'} was read as {today - timedelta(1):%Y-%m-%d}.")
    assert ("Bob Dev: 0 old" in text, "Bob Dev: 1 old" in text, "Bob Dev: 7 old" in text) == (True, True, False)
    text = said(rental.ask(f"what did Bob change on {today:%A}?"))
    assert ("Bob Dev: 0 old" in text, "Bob Dev: 7 old" in text, "Bob Dev: 9 old" in text) == (False, True, False)


@pytest.mark.parametrize("words", ["since last", "since the last", "after"])
def test_the_words_that_bound_a_day_are_part_of_it(rental, words):
    today = datetime.now().astimezone()
    for days, subject in ((1, "Tidy after work"), (2, "Tidy up")):
        at = (today - timedelta(days)).isoformat(timespec="seconds")
        rental.git("-c", "user.name=Bob Dev", "commit", "-q", "--allow-empty", f"--date={at}", "-m", subject)
    text = said(rental.ask(f"what did Bob change {words} {today - timedelta(2):%A}?"))
    assert ("Bob Dev: Tidy after work" in text, "Bob Dev: Tidy up" in text) == (True, True)


def test_a_week_that_is_asked_about_is_no_word_of_a_commit(rental):
    rental.git("commit", "-q", "--allow-empty", "-m", "Record this week's numbers")
    found = rental.ask("who did what two weeks ago?")
    assert found["kind"] == "cannot_tell"
    assert rental.ask("who did Record numbers of the week?")["kind"] != "cannot_tell"


def test_a_weekday_is_a_day_where_promises_are_asked_for(rental):
    for word in ("promised", "committed"):
        found = rental.ask(f"what was {word} on Monday?")
        assert "'Monday' was read as " in said(found)
        assert found["verb"] == "list_commitments"


def test_a_question_on_a_decision_names_what_searches_conversations(rental):
    found = rental.ask("what was decided about late invoices?")
    assert "Decisions of conversations are not searched here." in said(found)
    assert found["next"][-1] == "pk knowledge search 'late invoices'"
    assert "pk knowledge" not in " ".join(rental.ask("which tests prove late invoices?")["next"])


def test_a_word_of_the_subject_that_also_means_molecules_lists_none(rental):
    assert rental.ask("is the group discount done?")["verb"] == "explore"
    assert rental.ask("which groups are there?")["verb"] == "list_molecules"


def test_a_weekday_of_the_subject_is_no_date():
    question = read_question("which price applies on Sunday?", today=date(2026, 11, 29))
    assert days_in(question) == ()


def test_all_commits_of_a_file_that_a_word_names_are_told_whatever_their_titles(rental):
    for title, price in (("Raise the fees", 12), ("Follow the council", 15)):
        rental.write("src/fees.py", f'"""Fees in euros."""\n\nPRICE = {price}\n\n\ndef fee():\n    return PRICE\n')
        rental.git("add", "--all")
        rental.git("commit", "--quiet", "--date=2030-05-05T00:00:00+00:00", "--message", title)
    found = said(rental.ask("what changed in fees since April 2030?"))
    assert "Raise the fees" in found
    assert "Follow the council" in found


def test_commits_of_a_file_are_those_of_the_days_that_are_named(rental):
    found = rental.ask("what changed in tests/test_invoice.py since April 2030?")
    assert "by Bob Dev: Limit a booking to 8 hours" in said(found)
    found = rental.ask("what changed in tests/test_invoice.py since June 2030?")
    assert found["kind"] == "cannot_tell"
    assert "No commit since June 2030 in tests/test_invoice.py is known here." in said(found)


@pytest.mark.parametrize(
    ("question", "kind", "first"),
    [
        (
            "which tests prove that an invoice is never due after 14 days?",
            "closest",
            "Nothing that was found has: never.",
        ),
        ("which tests prove that a lost key is never replaced?", "answer", "Tests that have all of "),
        ("which tests prove that a lost key is replaced?", "closest", "This may say the contrary of what is asked: "),
    ],
)
def test_a_claim_and_its_contrary_are_told_apart(rental, question, kind, first):
    test = 'def test_lost_key(key):\n    """A lost key is never replaced."""\n    assert key.replaced is False\n'
    rental.write("tests/test_key.py", test)
    found = rental.ask(question)
    assert (found["kind"], found["says"][0]["text"][: len(first)]) == (kind, first)


def test_a_short_word_is_no_misspelling_of_one_that_people_ask_with(rental):
    rental.write("docs/cancelling.md", "# Cancelling\n\nGuests cancel free of charge until 48 hours before.\n")
    found = rental.ask("when can guests cancel free of charge?")
    assert (found["kind"], found["citations"][0]["path"]) == ("answer", "docs/cancelling.md")


def test_an_answer_that_does_not_look_at_days_says_so(rental):
    found = rental.ask("what broke the rental since April 2030?")
    assert found["kind"] != "answer"
    assert "This is not narrowed to: since April 2030." in said(found)


def test_the_command_for_the_other_commits_of_some_days_is_narrowed_to_these(rental):
    since = (datetime.now().astimezone() - timedelta(2)).date().isoformat()
    for number in range(9):
        committed(rental, f"Change {number}", days=1, by="Bob Dev")
    found = rental.ask(f"what changed since {since}?")
    command = next(one.partition("; all: ")[2] for one in found["limitations"] if "git log" in one)
    assert command == f"git log --date=short --format='%h %ad %an: %s' --since={since}T00:00"


def test_a_file_search_adds_nothing_to_the_commits_of_a_person(rental):
    found = rental.ask("what did Bob change in May 2030?")
    assert [one["text"][:7] for one in found["says"]] == ["commit "]
    assert found["limitations"] == []


@pytest.mark.parametrize(("name", "kind"), [("HTTP", "closest"), ("FTP", "cannot_tell")])
def test_a_search_may_quote_lines_below_the_name_that_they_are_about(rental, name, kind):
    lines = "".join(f"FILLER_{number} = {number}\n" for number in range(30))
    rental.write("shop/wire.py", f'"""What HTTP needs."""\n\n{lines}\n\ndef payload_methods():\n    return ["PUT"]\n')
    assert rental.ask(f"which {name} payload methods are there?")["kind"] == kind


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Which tests prove that Petra pays VAT?", ("Petra", "VAT")),
        ("What holds? Invoices are due.", ()),
        ("since March, who pays?", ()),
        ("Welche Tests prüfen die Rechnung?", ()),
        ("WHO PAYS THE BILL?", ()),
    ],
)
def test_names_are_words_with_a_capital_that_begin_no_sentence(text, names):
    assert names_in(read_question(text)) == names


def test_the_number_of_a_line_or_of_a_count_is_no_evidence():
    says = [
        {"text": "a.py:30 in due: return 14", "basis": "quoted", "cites": [0]},
        {"text": "Tests that have all of 'due after 30 days': 30.", "basis": "computed", "cites": []},
    ]
    quote = {"path": "a.py", "line": 30, "end": 30, "quote": "return 14"}
    document = {"kind": "answer", "verb": "show_evidence", "arguments": {}, "says": says, "citations": [quote]}
    assert known_only(read_question("is it due after 30 days?"), document)["kind"] == "cannot_tell"
    assert known_only(read_question("is it due after 14 days?"), document)["kind"] == "answer"


def test_of_several_questions_those_without_an_answer_are_named(rental):
    found = rental.ask("what changed since April 2030? who did what? is main green?")
    assert (found["kind"], found["says"][0]["text"]) == (
        "closest",
        "Not answered: who did what? is main green? Ask one question at a time.",
    )


def test_who_changed_something_names_the_commits_of_its_lines_too(rental):
    rental.write("src/limits.py", "LATE_FEE = 50\n")
    save(rental, "Charge a late fee")
    rental.write("src/limits.py", "LATE_FEE = 75\n")
    save(rental, "Ask for more")
    text = said(rental.ask("who changed the late fee?"))
    assert "Charge a late fee" in text
    assert "Ask for more" in text


def save(rental, message):
    rental.git("add", "--all")
    rental.git("commit", "--quiet", f"--message={message}")


@pytest.mark.parametrize("question", ["is the reminder done?", "are reminders finished?"])
def test_whether_something_is_done_is_no_question_for_gaps_and_not_answered_by_a_plan_for_it(rental, question):
    rental.write("docs/roadmap.md", "# December\n\n- Send reminders a day before the due day.\n")
    rental.write("pact/atoms/remind.toml", '[IA-REMIND1]\nintent = "A reminder is sent."\nstatus = "draft"\n')
    rental.write("ci/state.json", '{"status": "success", "finished": "2030-01-01T00:00:00Z"}\n')
    found = rental.ask(question)
    assert found["verb"] == "explore"
    assert found["kind"] in {"closest", "cannot_tell"}
    assert "IA-REMIND1 (draft): A reminder is sent. No test is linked to it." in said(found)
    rental.write("CHANGELOG.md", "# Changes\n\n- Reminders are done and finished.\n")
    assert rental.ask(question)["kind"] == "answer"


def test_a_word_two_slips_from_one_that_people_ask_with_is_the_subject(rental):
    found = rental.ask("what is left of the reminders?")
    assert (found["kind"], said(found).splitlines()[0]) == ("closest", "Nothing that was found has: reminders.")


@pytest.mark.parametrize("span", ["today", "this week", "this month", "last week", "last month"])
def test_what_changed_in_any_span_of_the_calendar_is_the_commits_of_it(rental, span):
    days = {"last week": 7, "last month": datetime.now().astimezone().day}.get(span, 0)
    committed(rental, "Lend for a week", days=days, by="Bob Dev")
    committed(rental, "Older", days=70, by="Bob Dev")
    found = rental.ask(f"what changed {span}?")
    assert (found["kind"], ": Lend for a week" in said(found), ": Older" in said(found)) == ("answer", True, False)
