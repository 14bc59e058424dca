"""Pairs of branches in which both sides touch the same test, atom, debt line, molecule or commitment.

After each merge every reading command works, and `pk resolve` settles all of it.
"""

import itertools
import shlex
import shutil
import subprocess
from dataclasses import dataclass

import pytest

from pactkeeper.errors import CatalogError, UsageError
from pactkeeper.operators.accept import AcceptedWords, accept_tests
from pactkeeper.operators.adopt import change_debt, start_pact
from pactkeeper.operators.authored import delete_atom, supersede_atom
from pactkeeper.operators.check import check_repo
from pactkeeper.operators.molecules import Change, change_molecule
from pactkeeper.operators.resolve import install_merge_driver, resolve_merge
from pactkeeper.operators.view import StateView
from pactkeeper.reconcile.authored import AtomChange
from tests.doors.forking import SERVER
from tests.matrix import some_stay
from tests.operators.atoms import accept, change, commit, declare, run
from tests.operators.conftest import ADDS, FILE, REFUSED, Shop

TESTS = """\
def test_adds_two_numbers():
    one = 1
    two = 2

    total = add(one, two)

    assert total == 3


def test_expired_token_is_refused():
    assert login("old").status_code == 401
"""
OLD = "tests/test_old.py"
LEGACY = "\n\n".join(f"def test_legacy_{name}():\n    assert run({name!r}) == 0\n" for name in "abcdef")
LEFT_OPEN = {"PK150", "PK151", "PK152"}
BASKET, TOKEN = "A basket holds ten items.", "A token lasts an hour."
UNION = "debt.txt merge=union\nmolecules.toml merge=union\natoms/**/*.toml merge=union\nlinks/**/*.toml merge=union\n"


@dataclass(frozen=True)
class Team(Shop):
    """A clone in which people work on branches."""

    def on_branch(self, name, *work):
        self.git("checkout", "--quiet", "-B", name, "main")
        for step in work:
            step(self)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", f"--message={name}")

    def merge(self, left, right):
        self.on_branch("left", *left)
        self.on_branch("right", *right)
        command = ["git", "merge", "--quiet", "--no-edit", "left"]
        return subprocess.run(command, cwd=self.root, capture_output=True, check=False).returncode == 0

    def findings(self, *codes):
        report = run(self, check_repo, StateView())
        return [row for row in report.findings if not codes or row.code in codes]

    def resolve(self, side=None, *names):
        return run(self, resolve_merge, names, ask=lambda _: side)

    def atom(self, intent):
        return next(one.id for one in self.world().pact.atoms.values() if one.intent == intent)


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """Two accepted tests, two atoms that a person declared, a molecule and six lines of debt."""
    team = Team(tmp_path_factory.mktemp("template"))
    team.git("init", "--quiet", "--initial-branch=main")
    team.git("config", "user.name", "Ada")
    team.git("config", "user.email", "ada@example.org")
    team.write(OLD, LEGACY)
    run(team, start_pact)
    team.write("pact/pact.toml", '[pact]\nformat = 1\n\n[links]\nwrite = "sidecar"\n')
    team.write(FILE, TESTS)
    accept(team, ADDS, REFUSED)
    first = declare(team, BASKET)
    declare(team, TOKEN)
    run(team, change_molecule, Change(new="Shop", add=(first,)))
    team.save("Start")
    return team


@pytest.fixture
def team(template, tmp_path):
    shutil.copytree(template.root, tmp_path / "clone", symlinks=True)
    return Team(tmp_path / "clone")


def swap(old, new, path=FILE):
    return lambda team: team.replace(path, old, new)


def confirm(*tests):
    return lambda team: accept(team, *tests)


def word(test, intent):
    return lambda team: run(team, accept_tests, (test,), AcceptedWords(intent=intent))


def edit(named, **fields):
    return lambda team: change(team, team.atom(named), **fields)


def edit_linked(**fields):
    return lambda team: change(team, team.world().pact.links[ADDS].atoms[0], **fields)


def delete(intent):
    return lambda team: run(team, delete_atom, team.atom(intent))


def freeze(*intents):
    return lambda team: commit(team, *(team.atom(intent) for intent in intents))


def replaced(intent, new):
    return lambda team: run(team, supersede_atom, team.atom(intent), AtomChange(intent=new))


def group(**fields):
    def step(team):
        named = {key: [team.atom(one) for one in fields.pop(key, ())] for key in ("add", "remove")}
        run(team, change_molecule, Change(**{"molecule": "Shop"} | named | fields))

    return step


def group_new(intent, intents=()):
    return lambda team: run(team, change_molecule, Change(new=intent, add=[team.atom(one) for one in intents]))


def debt(action, *tests):
    return lambda team: run(team, change_debt, action, tests, reason="later")


def legacy(name):
    return f"{OLD}::test_legacy_{name}"


def gone(name):
    return swap(f"def test_legacy_{name}():\n    assert run({name!r}) == 0\n", "", OLD)


TOP, BOTTOM = swap("one = 1", "one = int(1)"), swap("assert total == 3", "assert total == 3.0")
RENAMED = swap("test_adds_two_numbers", "test_sums_two_numbers")
SUMS = f"{FILE}::test_sums_two_numbers"
PAIRS = {
    # one test
    "both edit one test at two places": ([TOP, confirm(ADDS)], [BOTTOM, confirm(ADDS)]),
    "both make the same edit of a test": ([TOP, confirm(ADDS)], [TOP, confirm(ADDS)]),
    "one edits a test and one confirms nothing": ([TOP, confirm(ADDS)], [BOTTOM]),
    "one edits and one renames a test": ([BOTTOM, confirm(ADDS)], [RENAMED, confirm(SUMS)]),
    "one edits and one deletes a test": ([BOTTOM, confirm(ADDS)], [swap(TESTS.split("\n\n\n", maxsplit=1)[0], "")]),
    "both rename one test alike": ([RENAMED, confirm(SUMS)], [RENAMED, confirm(SUMS)]),
    "one moves the file and one edits it": ([lambda t: t.git("mv", FILE, "tests/test_new.py")], [TOP, confirm(ADDS)]),
    "both edit neighbouring tests": ([TOP, confirm(ADDS)], [swap("401", "403"), confirm(REFUSED)]),
    "both add a test": (
        [
            swap("def test_exp", "def test_left_gives_one():\n    assert 1 == left()\n\n\ndef test_exp"),
            confirm(FILE + "::test_left_gives_one"),
        ],
        [
            swap("401\n", "401\n\n\ndef test_right_gives_one():\n    assert 1 == right()\n"),
            confirm(FILE + "::test_right_gives_one"),
        ],
    ),
    # one atom
    "both reword one atom": ([edit(BASKET, intent="It holds nine.")], [edit(BASKET, intent="It holds eight.")]),
    "one rewords, one sets outcomes": ([edit(BASKET, intent="It holds nine.")], [edit(BASKET, outcomes=["Ten."])]),
    "both tag one atom": ([edit(BASKET, tags=["left"])], [edit(BASKET, tags=["right"])]),
    "one tags, one rewords": ([edit(BASKET, tags=["left"])], [edit(BASKET, intent="It holds nine.")]),
    "both abandon one atom": (
        [edit(BASKET, status="abandoned", reason="left")],
        [edit(BASKET, status="abandoned", reason="right")],
    ),
    "one abandons, one rewords": (
        [edit(BASKET, status="abandoned", reason="left")],
        [edit(BASKET, intent="It holds nine.")],
    ),
    "one deletes, one rewords": ([delete(TOKEN)], [edit(TOKEN, intent="It lasts a day.")]),
    "one deletes, one rewords the neighbour": ([delete(TOKEN)], [edit(BASKET, intent="It holds nine.")]),
    "one deletes, one groups": ([delete(TOKEN)], [group(add=[TOKEN])]),
    "one deletes, one replaces": ([delete(TOKEN)], [replaced(TOKEN, "It lasts a day.")]),
    "both replace one atom": ([replaced(TOKEN, "It lasts a day.")], [replaced(TOKEN, "It lasts a week.")]),
    "both declare the same atom": (
        [lambda t: declare(t, "It is fast.", tags=("a",))],
        [lambda t: declare(t, "It is fast.", tags=("b",))],
    ),
    "both declare it in other files": (
        [lambda t: declare(t, "It is fast.", topic="left")],
        [lambda t: declare(t, "It is fast.", topic="right", tags=("b",))],
    ),
    "both declare other atoms": ([lambda t: declare(t, "It is fast.")], [lambda t: declare(t, "It is small.")]),
    "both reword the atom of a test": ([edit_linked(intent="It adds.")], [edit_linked(intent="It sums.")]),
    "each replaces the other's atom": (
        [
            lambda t: t.replace(
                "pact/atoms/authored.toml",
                f'intent = "{BASKET}"\n',
                f'intent = "{BASKET}"\n{t.atom(BASKET)}.supersedes = "{t.atom(TOKEN)}"\n',
            )
        ],
        [
            lambda t: t.replace(
                "pact/atoms/authored.toml",
                f'intent = "{TOKEN}"\n',
                f'intent = "{TOKEN}"\n{t.atom(TOKEN)}.supersedes = "{t.atom(BASKET)}"\n',
            )
        ],
    ),
    # one line of debt
    "both word the same debt alike": ([word(legacy("a"), "It runs at a.")], [word(legacy("a"), "It runs at a.")]),
    "both word the same debt": ([word(legacy("a"), "It runs at a.")], [word(legacy("a"), "A is a success.")]),
    "each words neighbouring debt": (
        [word(legacy(one), f"It runs at {one}.") for one in "abc"],
        [word(legacy(one), f"It runs at {one}.") for one in "cde"],
    ),
    "one words, one deletes a debt test": ([word(legacy("a"), "It runs at a.")], [gone("a"), debt("prune")]),
    "each prunes other debt": ([gone("a"), gone("b"), debt("prune")], [gone("e"), gone("f"), debt("prune")]),
    "both add debt": (
        [swap("assert run('a') == 0", "assert run('a') == 1", OLD), debt("add", legacy("a"))],
        [swap("assert run('a') == 0", "assert run('a') == 1", OLD), debt("add", legacy("a"))],
    ),
    "both change a debt test and add it again": (
        [swap("def test_legacy_a():\n", "def test_legacy_a():\n    up()\n", OLD), debt("add", legacy("a"))],
        [swap("run('a') == 0", "run('a') == 1", OLD), debt("add", legacy("a"))],
    ),
    # one molecule
    "both rename one molecule": ([group(name="Left")], [group(name="Right")]),
    "both add to one molecule": (
        [group(add=[TOKEN])],
        [lambda t: run(t, change_molecule, Change(molecule="Shop", add=t.world().pact.links[ADDS].atoms))],
    ),
    "one empties, one adds": ([group(remove=[BASKET])], [group(add=[TOKEN])]),
    "one deletes, one renames the molecule": ([group(delete=True)], [group(name="Right")]),
    "both create the same molecule": ([group_new("New", [BASKET])], [group_new("New", [TOKEN])]),
    "each nests the other's molecule": (
        [group_new("A"), group(nest=("A",))],
        [group_new("A"), lambda t: run(t, change_molecule, Change(molecule="A", nest=("Shop",)))],
    ),
    # one commitment
    "both commit one atom": ([freeze(BASKET)], [freeze(BASKET)]),
    "one commits, one rewords": ([freeze(BASKET)], [edit(BASKET, intent="It holds nine.")]),
    "both reword and both commit": (
        [edit(BASKET, intent="It holds nine."), freeze("It holds nine.")],
        [edit(BASKET, intent="It holds eight."), freeze("It holds eight.")],
    ),
    "one commits, one abandons": ([freeze(BASKET)], [edit(BASKET, status="abandoned", reason="right")]),
    "one commits, one deletes": ([freeze(TOKEN)], [delete(TOKEN)]),
}


@pytest.mark.parametrize(
    ("name", "side"), some_stay(zip(PAIRS, itertools.cycle(["ours", "theirs"]), strict=False), each=8)
)
def test_after_any_merge_check_works_and_resolve_settles_all(team, name, side):
    team.merge(*PAIRS[name])
    team.findings()
    assert team.resolve(side).left == ()
    assert team.findings(*LEFT_OPEN) == []
    assert "<<<<<<<" not in "".join(path.read_text() for path in team.root.glob("pact/**/*") if path.is_file())
    assert team.resolve().files == ()


def test_of_two_reviews_the_one_of_the_test_as_it_is_counts(team):
    assert not team.merge([TOP, BOTTOM, confirm(ADDS)], [TOP, confirm(ADDS), swap("= 2", "= 2  # two")])
    team.git("checkout", "left", "--", FILE)
    assert team.resolve().settled == {ADDS: "the test as it is now"}
    assert team.findings("PK106") == []


MOVED = "tests/test_moved.py"


def move(team):
    body, rest = TESTS.split("\n\n\n")
    team.write(MOVED, f"{body}\n")
    team.write(FILE, rest)
    run(team, accept_tests, (), AcceptedWords(moved=True))


def add_a_case(team):
    swap("    assert total == 3", "    assert total == 3\n    assert add(2, 2) == 4")(team)
    run(team, accept_tests, (ADDS,), AcceptedWords(atom=team.world().pact.links[ADDS].atoms[0]))


@pytest.mark.parametrize("flip", [False, True], ids=["moved by theirs", "moved by ours"])
def test_the_record_of_a_moved_test_goes_once_the_moved_one_proves_as_much(team, flip):
    sides = [[move], [add_a_case]]
    assert not team.merge(*(sides[::-1] if flip else sides))
    team.write(FILE, TESTS.split("\n\n\n")[1])
    team.git("add", FILE)
    (left,) = team.resolve().left
    assert sorted(bool(version.fields) for version in left.versions) == [False, True]

    team.write(MOVED, team.read(MOVED) + "    assert add(2, 2) == 4\n")
    assert team.resolve().settled == {ADDS: "its test is gone, and another proves as much"}
    assert team.findings("PK106", "PK111", "PK115") == []


def rename(team):
    RENAMED(team)
    run(team, accept_tests, (), AcceptedWords(moved=True))


@pytest.mark.parametrize("flip", [False, True], ids=["renamed by theirs", "renamed by ours"])
def test_what_one_side_reviewed_of_a_test_that_the_other_renamed_stays_reviewed(team, flip):
    sides = [[rename], [add_a_case]]
    assert not team.merge(*(sides[::-1] if flip else sides))
    assert team.resolve().settled == {ADDS: "its test is gone, and another proves as much"}
    assert any("2, 2" in line for line in team.world().pact.links[SUMS].asserts)
    assert team.findings("PK106", "PK111", "PK115") == []

    swap("\n    assert add(2, 2) == 4", "")(team)
    assert team.findings("PK106", "PK115") != []


def test_the_record_of_a_renamed_test_stays_open_while_something_else_is(team):
    basket = team.atom(BASKET)
    sides = ([rename, edit(BASKET, intent="It holds nine.")], [add_a_case, edit(BASKET, intent="It holds eight.")])
    assert not team.merge(*sides)
    assert {one.name for one in team.resolve().left} == {ADDS, basket}
    team.resolve("ours", basket)
    assert team.resolve().settled == {ADDS: "its test is gone, and another proves as much"}
    assert any("2, 2" in line for line in team.world().pact.links[SUMS].asserts)


def test_what_only_one_side_changed_needs_no_person(team):
    team.merge(
        [word(legacy("a"), "It runs at a."), delete(TOKEN)],
        [word(legacy("b"), "It runs at b."), edit(BASKET, tags=["x"])],
    )
    assert team.resolve().left == ()
    pact = team.world().pact
    assert not {legacy("a"), legacy("b")} & pact.debt.by_test.keys()
    assert TOKEN not in {atom.intent for atom in pact.atoms.values()}


def test_a_contested_entry_names_both_values_and_both_commits(team):
    team.merge(*PAIRS["both reword one atom"])
    (found,) = team.findings("PK150")
    heads = [run_git(team, "rev-parse", name)[:12] for name in ("right", "left")]
    assert found.message == f"two branches differ in intent: HEAD ({heads[0]}) and left ({heads[1]})"
    assert [line.split(": ", 1)[1] for line in found.detail] == [
        'intent = "It holds eight."',
        'intent = "It holds nine."',
    ]


def test_an_older_pact_that_git_merged_by_union_is_read_and_settled(team):
    team.git("checkout", "--quiet", "main")
    team.write("pact/.gitattributes", UNION)
    team.git("commit", "--quiet", "--all", "--message=Older")
    assert team.merge(*PAIRS["both reword one atom"])
    (found,) = team.findings("PK150")
    heads = [run_git(team, "rev-parse", name)[:12] for name in ("HEAD^1", "left")]
    assert all(head in found.message for head in heads)
    assert team.resolve("theirs").files == ("pact/.gitattributes", "pact/atoms/authored.toml")
    assert team.atom("It holds nine.")
    assert "debt.txt merge=union" not in team.read("pact/.gitattributes")


def test_what_a_union_merge_mixed_is_settled_by_the_base_of_the_merge(team):
    team.git("checkout", "--quiet", "main")
    team.write("pact/.gitattributes", UNION)
    team.git("commit", "--quiet", "--all", "--message=Older")
    assert team.merge([edit(BASKET, intent="It holds nine.")], [edit(BASKET, category="security")])
    assert team.findings("PK150")
    assert team.resolve("theirs").left == ()


def test_nothing_is_written_over_what_is_contested(team):
    team.merge(*PAIRS["both reword one atom"])
    with pytest.raises(CatalogError, match="resolve it first: pk resolve"):
        edit("It holds eight.", tags=["late"])(team)


def test_one_entry_is_settled_by_its_name_and_the_other_stays_open(team):
    team.merge(
        [edit(BASKET, intent="It holds nine."), group(name="Left")],
        [edit(BASKET, intent="It holds eight."), group(name="Right")],
    )
    name = team.atom("It holds eight.")
    assert team.resolve("ours", name).settled == {name: "ours"}
    assert {row.code for row in team.findings(*LEFT_OPEN)} == {"PK150", "PK151"}
    with pytest.raises(UsageError, match="is not contested"):
        team.resolve("ours", name)


def test_of_two_entries_of_one_file_only_the_one_named_is_settled(team):
    team.merge(
        [edit(BASKET, intent="It holds nine."), edit(TOKEN, intent="It lasts a day.")],
        [edit(BASKET, intent="It holds eight."), edit(TOKEN, intent="It lasts a week.")],
    )
    basket, token = team.atom("It holds eight."), team.atom("It lasts a week.")
    done = team.resolve("ours", token)
    assert (done.settled, [one.name for one in done.left]) == ({token: "ours"}, [basket])
    (found,) = team.findings("PK150")
    assert [line.split(": ", 1)[1] for line in found.detail] == [
        'intent = "It holds eight."',
        'intent = "It holds nine."',
    ]
    assert team.resolve("theirs", basket).left == ()
    assert team.atom("It holds nine.")
    assert team.atom("It lasts a week.")
    assert team.findings(*LEFT_OPEN) == []


def test_what_one_side_deleted_is_settled_by_its_name(team):
    team.merge(
        [delete(TOKEN), edit(BASKET, intent="It holds nine.")],
        [edit(TOKEN, intent="It lasts a week."), edit(BASKET, intent="It holds eight.")],
    )
    basket, token = team.atom("It holds eight."), team.atom("It lasts a week.")
    assert [one.name for one in team.resolve("theirs", basket).left] == [token]
    assert team.resolve("theirs", token).left == ()
    assert {basket} == {basket, token} & team.world().pact.atoms.keys()


def test_both_joins_lists_and_refuses_two_sentences(team):
    team.merge([edit(BASKET, outcomes=["Nine fit."])], [edit(BASKET, outcomes=["Eight fit."])])
    team.resolve("both")
    assert team.world().pact.atoms[team.atom(BASKET)].outcomes == ("Eight fit.", "Nine fit.")


def test_a_text_that_only_one_can_have_is_not_joined(team):
    team.merge(*PAIRS["both reword one atom"])
    with pytest.raises(UsageError, match="choose --ours or --theirs"):
        team.resolve("both")


def run_git(team, *arguments):
    done = subprocess.run(["git", *arguments], cwd=team.root, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_clone_with_the_driver_merges_without_a_stop(team):
    run(team, install_merge_driver)
    program = shlex.join(SERVER.program("resolve", "--driver"))
    team.git("config", "merge.pact.driver", f"{program} %O %A %B %P")
    assert team.merge(
        [word(legacy("a"), "It runs at a."), edit(BASKET, tags=["left"])],
        [word(legacy("b"), "It runs at b."), edit(TOKEN, tags=["right"])],
    )
    assert team.findings(*LEFT_OPEN) == []
    assert team.resolve().files == ()


def test_a_clone_with_the_driver_stops_for_what_is_contested(team):
    program = shlex.join(SERVER.program("resolve", "--driver"))
    team.git("config", "merge.pact.driver", f"{program} %O %A %B %P")
    assert not team.merge(*PAIRS["both reword one atom"])
    assert {row.code for row in team.findings(*LEFT_OPEN)} == {"PK150", "PK151"}
    assert team.resolve("theirs").left == ()
    assert team.atom("It holds nine.")
