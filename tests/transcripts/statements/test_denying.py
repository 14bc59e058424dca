import pytest

from pactkeeper.transcripts.statements.clauses import is_meant, takes_back
from pactkeeper.transcripts.statements.denying import Line, denies
from pactkeeper.transcripts.statements.reading import read
from pactkeeper.transcripts.statements.words import topics, words_of


def why(said, line, over="", key="", value=""):
    words = frozenset((*words_of(over), *words_of(key)))
    lines = [Line(one, topics(over), words, key, value) for one in read(line)]
    return next((found for mine in read(said) for one in lines if (found := denies(mine, one))), "")


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("The fair moves to 4 July", "The fair is on 27 June."),
        ("The fair is on Q3", "The fair is in May 2026."),
        ("We pushed the deadline for the thesis to 2026-09-01", "The deadline for the thesis is 1 August 2026."),
        ("The fair moves to Saturday 4 July", "The fair is on 27 June."),
        ("The lease runs until the end of 2027", "The lease runs until the end of 2026."),
        ("The rent went up to 1,150 €", "The rent is 1,050 €."),
        ("The data team reports to Nadia", "The data team reports to Oliver."),
        ("The deadline is 3 May", "The deadline is 15 July 2026."),
        ("The rehearsal starts at 19:30", "The rehearsal starts at 7 pm."),
        ("The rent is 900 € now", "The rent is 850 €."),
        ("Logs are kept for 14 days", "Logs are kept for 3 months."),
        ("We lowered the fee from 30 € to 25 €", "The fee is 30 €."),
        ("The hall holds 80 people", "The hall holds 120 people."),
        ("Ines now leads the choir", "Karl leads the choir."),
        ("The archive is maintained by Lou", "Mia is responsible for the archive."),
        ("The tool is now called Quill", "The tool is called Feather."),
        ("We renamed Feather to Quill", "Our editor is called Feather."),
        ("We moved invoices from Xero to Lexoffice", "Invoices go through Xero."),
        ("We use Mapbox instead of Google Maps for the route view", "The route view runs on Google Maps."),
        ("We take Hetzner instead of AWS", "We stay with AWS."),
        ("We decided against a loyalty card", "We introduce a loyalty card."),
        ("We no longer accept cheques at the counter", "We accept cheques at the counter."),
        ("Guests may not park in the yard", "Guests may park in the yard."),
        ("We dropped MongoDB in favour of Postgres for the catalogue", "The catalogue is stored in MongoDB."),
        ("We're moving CI off Jenkins", "CI runs on Jenkins."),
        ("We settled on Vue over React for the dashboard", "The dashboard uses React."),
        ("Registration is closed", "Registration is open."),
        ("Passwords are optional for guests", "Passwords are required for guests."),
        ("We stopped selling gift cards", "We sell gift cards."),
        ("Project Falcon is now Project Heron", "The project is called Falcon."),
        ("A session expires after 15 minutes", "A session lasts for one hour."),
        ("Log files are deleted after 30 days", "Log files are kept for at least 90 days."),
        ("Accounting moved to DATEV", "Accounting runs on Lexware."),
        ("Lisa hands the press work to Omar", "Lisa is responsible for the press work."),
        ("There will be no second season", "The second season starts in September."),
        ("Alcohol is banned at the party", "Alcohol is allowed at the party."),
        ("The winner of the tender is Siemens", "The winner of the tender is ABB."),
        ("The bill comes monthly", "The bill comes yearly."),
        ("Max file size: 25 MB", "The file size is 10 MB."),
        ("Das Seminar dauert 3 Tage", "Das Seminar dauert zwei Tage."),
        ("La caution est de 500 €", "La caution est de 400 €."),
        ("El plazo para pagar es de 10 días", "El plazo para pagar es de 30 días."),
    ],
)
def test_two_sayings_that_cannot_both_hold_deny_each_other(said, line):
    assert why(said, line)


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("The fair is on 27 June", "The fair is on 2026-06-27."),
        ("The fair is in June", "The fair is on 27 June."),
        ("Logs are kept for 2 weeks", "Logs are kept for 14 days."),
        ("Logs are kept for a month, 4 weeks", "Logs are kept for 1 month."),
        ("A request takes 80 ms", "A request takes at most 200 ms."),
        ("In Bern the rent is 900 €", "In Basel the rent is 850 €."),
        ("The summer fair is on 4 July", "The fair is on 27 June."),
        ("The fee for members is 20 €", "The fee for guests is 30 €."),
        ("The rent was 800 € when we moved in", "The rent is 850 €."),
        ("Last year the fair was on 20 June", "The fair is on 27 June."),
        ("From 1 May the rent is 850 €", "The rent is 850 €, paid on the 3rd of May."),
        ("Ines leads the choir", "Karl leads the band."),
        ("Ines Roth leads the choir", "Ines leads the choir."),
        ("We renamed Feather to Quill", "Our editor is called Quill."),
        ("We use Redis instead of Kafka for jobs", "We use Redis rather than Kafka for jobs."),
        ("We decided against a loyalty card", "The loyalty card is cancelled."),
        ("We closed 3 tickets on Monday", "5 tickets are open."),
        ("Don't do this when using a proxy", "This is done when using a proxy."),
        ("Today the meeting lasts 2 hours", "The meeting lasts 1 hour."),
        ("The problem is Redis", "The problem is Postgres."),
        ("The response is 404", "The response is 200."),
        ("On a fait deux livraisons samedi", "On fait cinq livraisons le samedi."),
        ("The fair is on Saturday, 27 June", "The fair is on 27 June."),
        ("Phase 2 is about payments", "Phase 3 is about payments."),
        ("Dropped support for Python 3.8", "Added support for Python 3.12."),
        ("Guests who do not pay may park in the yard", "Guests may park in the yard."),
        ("Version 2.3.1 fixes the login", "Version 2.3.2 fixes the login."),
        ("The name is 3", "The name is 4"),
    ],
)
def test_what_can_both_hold_or_is_about_two_things_denies_nothing(said, line):
    assert not why(said, line)


def test_the_heading_over_a_line_is_part_of_what_it_is_about():
    assert why("The trial lasts 30 days", "Length is 14 days", over="Trial", key="Length", value="14 days")
    assert not why("The trial lasts 30 days", "Length is 14 days", over="Password", key="Length", value="14 days")


def test_a_person_in_a_table_of_owners_is_an_owner():
    given = {"key": "Billing", "value": "Marco"}
    assert why("Priya takes over billing", "Billing is Marco", over="Area Owner", **given)
    assert not why("Priya takes over billing", "Billing is Marco", over="Servers", **given)


def test_the_owner_that_is_replaced_is_known_anywhere():
    given = {"key": "Billing", "value": "Marco"}
    assert why("Priya takes over billing from Marco", "Billing is Marco", over="Servers", **given)


@pytest.mark.parametrize(
    "sentence",
    [
        "Is the fair on 4 July?",
        "If the fair moves to July, we lose the band.",
        "We could move the fair to July.",
        "Maybe the fee should be 25 €.",
        "Oh sure, the fair is on 31 December then.",
        "We haven't decided about the fair in July.",
        "Vielleicht ist das Fest im Juli.",
    ],
)
def test_what_is_asked_imagined_or_mocked_is_not_meant(sentence):
    assert not is_meant(sentence)


@pytest.mark.parametrize(
    ("sentence", "back"),
    [
        ("No, wait, forget that.", True),
        ("Scratch that, we stay.", True),
        ("Quatsch, es bleibt dabei.", True),
        ("We wait for the printer.", False),
        ("The correction is 3 €.", False),
    ],
)
def test_words_that_take_back_what_was_said(sentence, back):
    assert takes_back(sentence) is back
