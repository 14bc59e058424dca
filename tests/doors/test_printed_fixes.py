"""Each command that `pk check` prints as a fix is run as it is printed, in the situation that prints it.

A command with a placeholder in it is run with the placeholder: a sentence of two words is one. What a person does at a
terminal is done with a signature here, and what a run proposes is accepted.
"""

import re
import shlex

import pytest

from pactkeeper.reconcile.codes import CODES
from tests.doors.committing import ADA, Quick, commitment_file, sign
from tests.repo.keys import key, line

FILE = "tests/test_shop.py"
ATOMS = f"pact/atoms/{FILE}.toml"
SHOP = """\
def total(prices):
    return sum(prices)


def greet(name):
    return f"Hello, {name}!"
"""
TESTS = """\
import shop


def test_total_sums_prices():
    assert shop.total([1, 2]) == 3


def test_greet_uses_the_name():
    assert shop.greet("Ada") == "Hello, Ada!"


def test_total_of_nothing():
    assert shop.total([]) == 0


class TestMany:
    def test_total_of_many():
        assert shop.total([1] * 9) == 9
"""
TOTAL, GREET, OWED = (
    f"{FILE}::test_{name}" for name in ("total_sums_prices", "greet_uses_the_name", "total_of_nothing")
)
MANY = f"{FILE}::TestMany::test_total_of_many"
FEW = '\n\ndef test_of_few():\n    """The total of few prices is their sum."""\n    assert shop.total([4]) == 4\n'
BARE = "\n\ndef test_few():\n    assert shop.total([4]) == 4\n"


SAME = '\n\ndef test_all():\n    """Every price counts."""\n    assert shop.total([4, 5]) == 9\n'


def sentence_of_an_atom(project):
    project.pk("atom", "new", "Every price counts.", "--outcome", "`shop.total([4, 5]) == 9`")
    project.write(FILE, project.read(FILE) + SAME)


@pytest.fixture(scope="session")
def first_kept(tmp_path_factory):
    """A shop whose greeting is promised, whose total is a draft, and whose other tests are debt."""
    project = Quick(tmp_path_factory.mktemp("kept") / "project")
    project.root.mkdir()
    project.git("init", "--quiet", "--initial-branch=main")
    project.git("config", "user.name", "Ada")
    project.git("config", "user.email", ADA)
    project.write("shop.py", SHOP)
    project.write(FILE, TESTS)
    project.commit("Start")
    project.pk("init")
    project.write("pact/pact.toml", project.read("pact/pact.toml") + '\n[links]\nwrite = "sidecar"\n')
    project.write("pact/allowed_signers", line(ADA, "ada"))
    project.pk("accept", TOTAL, "--intent", "The total of prices is their sum.")
    project.pk("accept", GREET, "--intent", "A greeting names who is greeted.")
    sign(project, atom_of(project, GREET))
    project.commit("Promise the greeting")
    assert project.codes() == []
    return project


@pytest.fixture
def kept(first_kept, tmp_path):
    return Quick(first_kept.copy(tmp_path / "project").root)


def atom_of(project, test):
    (atom,) = re.findall(r"^(IA-\w+)\.origin = \"" + re.escape(test), project.read(ATOMS), re.MULTILINE)
    return atom


def added(project, text):
    project.write(FILE, project.read(FILE) + text)


def annotated(project, note, above="test_of_few"):
    added(project, FEW)
    project.replace(FILE, f"def {above}", f"# {note}\ndef {above}")


def removed(project, test):
    """Remove a test from its file."""
    name = test.rpartition("::")[2]
    project.write(FILE, re.sub(rf"def {name}\(.*?\n\n\n", "", project.read(FILE), flags=re.DOTALL))


def superseded(project, test, *words):
    project.pk("atom", "supersede", atom_of(project, test), *words)


def settings(project, text):
    project.write("pact/pact.toml", project.read("pact/pact.toml") + text)


def greeted_otherwise(project):
    project.replace("shop.py", "Hello", "Hi")
    project.replace(FILE, "Hello", "Hi")


def renamed_and_greeted_otherwise(project):
    greeted_otherwise(project)
    project.replace(FILE, "test_greet_uses_the_name", "test_greet_is_short")


def asked_otherwise(project):
    """A test of the same function under another name, of which no assertion has the place of the earlier one."""
    project.replace(FILE, "def test_greet_uses_the_name", "def test_greet_is_polite")
    project.replace(FILE, 'assert shop.greet("Ada") == "Hello, Ada!"', 'assert len(shop.greet("Bob")) == 11')


def replaced(project):
    greeted_otherwise(project)
    superseded(project, GREET, "--intent", "A greeting is short.")


def renamed_and_replaced(project):
    renamed_and_greeted_otherwise(project)
    superseded(project, GREET, "--intent", "A greeting is short.")


def moved_and_changed(project):
    project.git("mv", FILE, "tests/test_sums.py")
    project.replace(
        "tests/test_sums.py", 'assert shop.greet("Ada") == "Hello, Ada!"', 'assert "Ada" in shop.greet("Ada")'
    )


def split(project):
    project.replace(FILE, "    assert shop.greet", "    assert shop.total([7]) == 7\n    assert shop.greet")
    project.pk("accept", GREET)
    project.commit("Two assertions")
    project.replace(FILE, "    assert shop.total([7]) == 7\n", "")
    added(project, "\n\ndef test_seven():\n    assert shop.total([7]) == 7\n")


def old_review(project):
    """A record of before reviews remembered what a test asserts."""
    place = f"pact/links/{FILE}.toml"
    project.write(place, re.sub(r".*\.(asserts|rests) = .*\n", "", project.read(place)))
    project.replace(FILE, "[1, 2]) == 3", "[1, 3]) == 4")


def two_of_one(project):
    added(project, BARE)
    project.pk("accept", f"{FILE}::test_few", "--atom", atom_of(project, TOTAL))
    project.write(FILE, project.read(FILE).replace(BARE, ""))


def annotation_gone(project):
    added(project, FEW)
    project.replace("pact/pact.toml", 'write = "sidecar"', 'write = "comment"')
    project.pk("accept", f"{FILE}::test_of_few", "--intent", "The total of four is four.")
    project.replace("pact/pact.toml", 'write = "comment"', 'write = "sidecar"')
    project.pk("accept", f"{FILE}::test_of_few", "--atom", atom_of(project, TOTAL))
    project.write(FILE, re.sub(r"# @atom .*\n", "", project.read(FILE)))


def two_successors(project):
    for sentence in ("A total is a sum.", "A total is an amount."):
        project.pk("atom", "new", sentence)
    place = "pact/atoms/authored.toml"
    one, other = re.findall(r"^(IA-\w+)\.intent", project.read(place), re.MULTILINE)
    more = "".join(f'{name}.supersedes = "{atom_of(project, GREET)}"\n' for name in (one, other))
    project.write(place, "".join(sorted((project.read(place) + more).splitlines(keepends=True))))


def merged(project):
    project.git("switch", "--quiet", "--create=other")
    for branch, sentence in (("other", "The total adds prices."), ("main", "The total is what prices sum up to.")):
        project.git("switch", "--quiet", branch)
        project.pk("atom", "edit", atom_of(project, TOTAL), "--intent", sentence)
        project.commit(branch)
    merging = ("merge", "--quiet", "other")
    with pytest.raises(Exception, match="exit status"):
        project.git(*merging)


def nameless_member(project):
    project.write("pact/molecules.toml", f'[M-SUMS]\nname = "Sums"\natoms = ["{atom_of(project, TOTAL)}"]\n')
    place = ATOMS
    project.write(place, re.sub(rf"^{atom_of(project, TOTAL)}\..*\n", "", project.read(place), flags=re.MULTILINE))


def claimed(project):
    old, place = atom_of(project, GREET), ATOMS
    sign(project, atom_of(project, TOTAL))
    new = atom_of(project, TOTAL)
    project.replace(place, f"{new}.source", f'{new}.supersedes = "{old}"\n{new}.source')


def without_signature(project):
    place = commitment_file(project)
    place.write_text(re.sub(r"signature = .*\n", "", place.read_text()).replace('"signed"', '"terminal"'))
    settings(project, "\n[commitments]\nrequire_signed = true\n")


SITUATIONS = {
    "PK101 with a docstring": lambda p: added(p, FEW),
    "PK101 without words": lambda p: added(p, BARE),
    "PK101 in place of a promise": renamed_and_greeted_otherwise,
    "PK101 about the same function": asked_otherwise,
    "PK101 while a successor waits": renamed_and_replaced,
    "PK101 under another name": lambda p: p.replace(FILE, "test_greet_uses_the_name():\n", "test_greet_is():\n    who = 'Ada'\n"),
    "PK101 moved and changed": moved_and_changed,
    "PK101 of an atom's sentence": sentence_of_an_atom,
    "PK102": lambda p: annotated(p, "@atom IA-9999999"),
    "PK103": lambda p: annotated(p, "@atom ia-1"),
    "PK104": lambda p: superseded(p, TOTAL, "--intent", "The total adds prices."),
    "PK105": lambda p: p.pk("atom", "abandon", atom_of(p, TOTAL), "--reason", "Why."),
    "PK106": old_review,
    "PK107": lambda p: p.replace(FILE, "[]) == 0", "[0]) == 0"),
    "PK108": lambda p: p.replace(FILE, "class TestMany", f"# @atom {atom_of(p, TOTAL)}\nclass TestMany"),
    "PK109": lambda p: settings(p, "require_committed = true\n"),
    "PK110 of a draft": lambda p: removed(p, TOTAL),
    "PK110 of a promise": lambda p: removed(p, GREET),
    "PK110 of a promise with another result": renamed_and_greeted_otherwise,
    "PK110 while a successor waits": renamed_and_replaced,
    "PK110 unreadable": lambda p: p.write(FILE, "\xff".encode("latin-1")),
    "PK110 left out": lambda p: p.write("pytest.ini", "[pytest]\naddopts = -k total\n"),
    "PK111": two_of_one,
    "PK113": annotation_gone,
    "PK114": lambda p: p.replace(FILE, "test_total_sums", "test_totals_sum"),
    "PK114 another file": lambda p: p.git("mv", FILE, "tests/test_sums.py"),
    "PK115 another result": greeted_otherwise,
    "PK115 while a successor waits": replaced,
    "PK115 nothing left": lambda p: p.replace(FILE, "assert shop.greet", "shop.greet"),
    "PK115 skipped": lambda p: p.replace(FILE, "def test_greet", "@pytest.mark.skip\ndef test_greet"),
    "PK115 split": split,
    "PK115 of a draft": lambda p: p.replace(FILE, "[1, 2]) == 3", "[1, 2]) > 0"),
    "PK115 of a draft with another result": lambda p: p.replace(FILE, "[1, 2]) == 3", "[1, 2]) == 4"),
    "PK116": lambda p: p.replace(FILE, "assert shop.total([])", "shop.total([])"),
    "PK130": two_successors,
    "PK131 without outcomes": lambda p: superseded(p, GREET, "--intent", "A greeting is short."),
    "PK131 with outcomes": lambda p: superseded(p, GREET, "--intent", "A greeting is short.", "--outcome", 'It is "Hi".'),
    "PK150": merged,
    "PK151": merged,
    "PK152": nameless_member,
    "PK201": lambda p: p.replace(ATOMS, "A greeting names", "A greeting calls"),
    "PK202": lambda p: p.write(ATOMS, re.sub(rf"^{atom_of(p, GREET)}\..*\n", "", p.read(ATOMS), flags=re.MULTILINE)),
    "PK203": lambda p: removed(p, OWED),
    "PK301": lambda p: p.replace(ATOMS, f"{atom_of(p, GREET)}.source", f'{atom_of(p, GREET)}.status = "abandoned"\n{atom_of(p, GREET)}.source'),
    "PK310": lambda p: p.pk("invariant", "disable", "INV-003"),
    "PK401": lambda p: p.replace(commitment_file(p).relative_to(p.root), f"Ada <{ADA}>", f"Ada  <{ADA}>"),
    "PK404": lambda p: p.write("pact/allowed_signers", line("bob@example.org", "bob")),
    "PK407": without_signature,
    "PK411": lambda p: p.write("pact/allowed_signers", line(ADA, "ada") + line("bob@example.org", "bob")),
    "PK412": claimed,
}  # fmt: skip


ASKED = {"PK150": "--ours, --theirs or --both", "PK151": "--ours, --theirs or --both", "PK411": "bob"}
"""Findings that only a person ends, with what the printed command shows them."""

BY_HAND = {
    "PK301": lambda p: p.write(ATOMS, p.read(ATOMS).replace(f'{atom_of(p, GREET)}.status = "abandoned"\n', "")),
    "PK401": lambda p: commitment_file(p).unlink(),
    "PK412": lambda p: p.write(ATOMS, re.sub(r".*supersedes.*\n", "", p.read(ATOMS))),
}  # fmt: skip
"""What the text before a command says to do first."""

ELSEWHERE = {
    "without a fix": {"PK120", "PK204"},
    "printed by another command": {"PK140", "PK141", "PK142", "PK143"},
    "of runs and of what they record": {"PK306", "PK307", "PK308", "PK311", "PK312", "PK313", "PK314", "PK315"},
    "of words, which an editor opens": {"PK302", "PK303", "PK305", "PK309"},
    "of files that nothing of ours writes": {"PK402", "PK403", "PK405", "PK406", "PK408", "PK409", "PK410", "PK413"},
}
ONLY_TEXT = {"PK103", "PK201", "PK202", "PK404"}
FILLED = {"One sentence.": "A greeting by name is short.", "KEY": str(key("ada"))}
MOST_STEPS = 3  # commands that a person follows one after the other: words or a link, outcomes, a commitment
COMMAND = re.compile(r"\b(?:pk|git) .+?(?=, or pk|, because|;|$)")


def the_finding(project, code, subject=None):
    """The first finding with this code, about the same subject if there was one before; None if it is gone."""
    found = project.pk("check", "--json", code=None).document["findings"]
    return next((one for one in found if one["code"] == code and subject in {None, one["subject"]}), None)


def commands(fix):
    """The alternative commands in a fix, each as the words of a shell."""
    return [shlex.split(text) for text in COMMAND.findall(fix)]


def follow(project, command):
    """Run a printed command, accept what it proposes, and return what it shows."""
    program, *words = [FILLED.get(word, word) for word in command]
    if program == "git":
        return project.git(*words)
    committed = words[:2] == ["atom", "abandon"] and words[2] in commitment_file(project).read_text()
    asking = (words[0] == "commit" or committed) and "--sign" not in words
    done = project.pk(*words, *(("--sign", FILLED["KEY"]) if asking else ()), code=None)
    assert done.code == 0 or (words[0] == "resolve" and done.code == 1), f"{command}: {done.out}{done.err}"
    if words[0] == "reconcile":
        project.pk("apply", "--all")
    return done.out + done.err


def left_over(project, found, steps):
    """Follow every alternative of a finding's fix, and what is printed next; return where that doesn't end it."""
    left = []
    for number, command in enumerate(commands(found["fix"])):
        copy = Quick(project.copy(project.root.parent / f"{project.root.name}{number}").root)
        follow(copy, command)
        after = the_finding(copy, found["code"], found["subject"])
        if after is None:
            continue
        if steps == 1 or after["fix"] == found["fix"]:
            left.append((" ".join(command), after["fix"]))
        else:
            left += left_over(copy, after, steps - 1)
    return left


def test_every_finding_of_a_check_has_a_situation_here_or_a_reason_for_none():
    of_check = {code for code in CODES if code < "PK600"}
    assert of_check == {one.split()[0] for one in SITUATIONS}.union(*ELSEWHERE.values())


@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_printed_fix_ends_its_finding_or_asks_a_person(kept, situation, monkeypatch):
    monkeypatch.delenv("PACTKEEPER_THRESHOLD")
    SITUATIONS[situation](kept)
    code = situation.split()[0]
    found = the_finding(kept, code)
    assert found is not None
    assert (commands(found["fix"]) == []) == (code in ONLY_TEXT)
    BY_HAND.get(code, str)(kept)
    if code in ASKED:
        assert ASKED[code] in follow(kept, commands(found["fix"])[0])
    else:
        assert left_over(kept, found, MOST_STEPS) == []
