"""A month of work in one repository: what `pk next` recommends ends, ends in agreement, and leaves nothing to propose."""

import os
import re
import shlex
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from pactkeeper.doors.cli.main import cli
from pactkeeper.errors import UsageError
from pactkeeper.operators.apply import undo_apply
from pactkeeper.operators.backlog import BacklogFilter, find_gaps, next_task
from pactkeeper.operators.check import check_repo
from pactkeeper.operators.molecules import Change, change_molecule
from pactkeeper.operators.observe import discover_delta
from pactkeeper.operators.recommendations import trace_origin
from pactkeeper.operators.view import StateView
from tests.operators.atoms import run
from tests.operators.conftest import Shop

pytestmark = pytest.mark.slow

FILE, OTHER, MOVED = "tests/test_basket.py", "tests/test_login.py", "tests/unit/test_cart.py"
BASKET = """\
def test_total_adds_all_prices():
    assert total([1, 2]) == 3


def test_empty_basket_is_free():
    assert total([]) == 0


class TestDiscount:
    def test_discount_is_half_of_the_price(self):
        assert discount(10) == 5

    def test_discount_is_never_negative(self):
        assert discount(0) == 0
"""
LOGIN = """\
def test_expired_token_is_refused():
    assert login("old").status_code == 401
"""
ROUNDS = 25
GOLDEN = Path(__file__).parents[1] / "golden/month"


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    shop = Shop(tmp_path_factory.mktemp("template"))
    shop.git("init", "--quiet", "--initial-branch=main")
    shop.git("config", "user.name", "Ada")
    shop.git("config", "user.email", "ada@example.org")
    shop.write(FILE, BASKET)
    shop.write("src.py", "def total(prices):\n    return sum(prices)\n")
    save(shop, "Code")
    pk(shop, "init")
    pk(shop, "reconcile --all")
    pk(shop, "apply --all")
    save(shop, "Pact")
    return shop


@pytest.fixture
def shop(template, tmp_path):
    shutil.copytree(template.root, tmp_path / "clone", symlinks=True)
    return Shop(tmp_path / "clone")


def pk(shop, line):
    return cli.main(["-C", str(shop.root), *shlex.split(line)], standalone_mode=False)


def save(shop, message):
    shop.git("add", "--all")
    shop.git("commit", "--quiet", "--allow-empty", f"--message={message}")


def follow(shop):
    """Do what `pk next` says until it says nothing; gives the commands."""
    done: list[str] = []
    for _ in range(ROUNDS):
        task = run(shop, next_task, BacklogFilter())
        if task is None:
            return done
        assert task.command.startswith("pk "), task
        assert task.command not in done, task
        done.append(task.command)
        command = task.command.removeprefix("pk ")
        word = " --ours" if command.startswith("resolve ") else ""  # what a person would be asked
        try:
            pk(shop, command + word)
        except UsageError as error:
            if "--weaker" not in str(error):
                raise
            pk(shop, f"{command} --weaker")  # likewise: that less is meant
        if task.command.startswith("pk reconcile"):
            pk(shop, "apply --all")
    raise AssertionError(f"it never ends: {done}")


def try_git(shop, *arguments):
    subprocess.run(["git", *arguments], cwd=shop.root, check=False, capture_output=True)


def codes(shop):
    return sorted({row.code for row in run(shop, check_repo, StateView()).findings})


def delta(shop):
    found = run(shop, discover_delta, StateView(), since=None).delta
    kinds = ("added", "modified", "moved", "renamed", "deleted")
    return ", ".join(f"{len(getattr(found, kind))} {kind}" for kind in kinds if getattr(found, kind)) or "nothing"


def nothing(_):
    pass


def add(shop):
    shop.write(OTHER, LOGIN)


def edit(shop):
    shop.replace(FILE, "total([1, 2]) == 3", "total([2, 2]) == 4")


def rename(shop):
    shop.replace(FILE, "test_empty_basket_is_free", "test_nothing_is_free")


def rename_suite(shop):
    shop.replace(FILE, "TestDiscount", "TestReduction")


def move(shop):
    (shop.root / "tests/unit").mkdir()
    shop.git("mv", FILE, MOVED)


def move_and_edit(shop):
    move(shop)
    shop.replace(MOVED, "total([1, 2]) == 3", "total([2, 2]) == 4")


def revert(shop):
    edit(shop)
    pk(shop, f"accept {FILE}")
    save(shop, "Edit")
    shop.git("revert", "--no-edit", "HEAD")


def login_on_a_branch(shop):
    """Leave a branch `side` with an accepted test, and be on main."""
    shop.git("checkout", "--quiet", "-b", "side")
    add(shop)
    pk(shop, f"accept {OTHER}")
    save(shop, "Login")
    shop.git("checkout", "--quiet", "main")


def cherry_pick(shop):
    login_on_a_branch(shop)
    shop.git("cherry-pick", "side")


def rebase(shop):
    login_on_a_branch(shop)
    edit(shop)
    pk(shop, f"accept {FILE}")
    save(shop, "Edit")
    shop.git("checkout", "--quiet", "side")
    shop.git("rebase", "--quiet", "main")


def squash(shop):
    shop.git("checkout", "--quiet", "-b", "side")
    for step in (add, edit):
        step(shop)
        save(shop, step.__name__)
    shop.git("checkout", "--quiet", "main")
    shop.git("merge", "--quiet", "--squash", "side")


def format_again(shop):
    shop.replace(FILE, "total([1, 2]) == 3", "total( [ 1,2 ] )==3")


def comment(shop):
    shop.replace(FILE, "    assert total([]) == 0", "    # nothing inside\n    assert total([]) == 0")


def lose_the_history(shop):
    shutil.rmtree(shop.root / ".git/pact")
    edit(shop)


def undo(shop):
    edit(shop)
    pk(shop, f"accept {FILE}")
    run(shop, undo_apply)


def reject(shop):
    add(shop)
    pk(shop, f"reconcile {OTHER}")
    pk(shop, "recommendations reject --all --reason 'not ours'")
    pk(shop, "apply")


def group_by_hand(shop):
    run(shop, change_molecule, Change(new="Shop", add=sorted(shop.world().pact.atoms)))


def delete_test(shop):
    shop.replace(FILE, "\n\ndef test_empty_basket_is_free():\n    assert total([]) == 0\n", "")


def delete_file(shop):
    add(shop)
    pk(shop, f"accept {OTHER}")
    save(shop, "Login")
    shop.git("rm", "--quiet", OTHER)


def delete_and_bring_back(shop):
    shop.git("rm", "--quiet", FILE)
    save(shop, "Gone")
    shop.git("revert", "--no-edit", "HEAD")


def split_file(shop):
    first, suite = BASKET.split("class ")
    shop.write(FILE, first)
    shop.write("tests/test_discount.py", f"class {suite}")


def copy_test(shop):
    shop.write(FILE, BASKET + "\n\ndef test_total_is_added_again():\n    assert total([1, 2]) == 3\n")


def swap_names(shop):
    for old, new in (("total_adds_all_prices", "x"), ("empty_basket_is_free", "total_adds_all_prices")):
        shop.replace(FILE, f"test_{old}", f"test_{new}")
    shop.replace(FILE, "test_x", "test_empty_basket_is_free")


def parametrize(shop):
    case = '@pytest.mark.parametrize("prices", [[1, 2], [2, 1]])\ndef test_total_adds_all_prices(prices):'
    shop.replace(FILE, "def test_total_adds_all_prices():", f"import pytest\n\n\n{case}")
    shop.replace(FILE, "total([1, 2]) == 3", "total(prices) == 3")


def gut(shop):
    shop.replace(FILE, "    assert total([1, 2]) == 3", "    total([1, 2])")


def tighten(shop):
    shop.replace(FILE, "    assert total([1, 2]) == 3", "    assert total([1, 2]) == 3\n    assert total([3]) == 3")


def annotate_by_hand(shop):
    atom = min(shop.world().pact.atoms)
    add(shop)
    shop.replace(OTHER, "def ", f"# @atom {atom}\ndef ")


def link_in_comments_and_lose_them(shop):
    pk(shop, "annotate --to comment")
    save(shop, "Comments")
    lines = shop.read(FILE).splitlines(keepends=True)
    shop.write(FILE, "".join(line for line in lines if "@atom" not in line))


def debt(shop):
    add(shop)
    pk(shop, f"debt add {OTHER} --reason later")
    save(shop, "Debt")
    shop.replace(OTHER, "401", "403")


def two_reviewers(shop):
    login_on_a_branch(shop)
    edit(shop)
    pk(shop, f"accept {FILE}")
    save(shop, "Edit")
    shop.git("merge", "--quiet", "--no-edit", "side")


def two_reviewers_of_one_test(shop):
    for branch, new in (("side", "total([1, 2]) == 3.0"), ("main", "total([1, 1, 1]) == 3")):
        shop.git("checkout", "--quiet", "-B", branch, "main")
        shop.replace(FILE, "total([1, 2]) == 3", new)
        pk(shop, f"accept {FILE}")
        save(shop, branch)
    try_git(shop, "merge", "--quiet", "--no-edit", "side")
    shop.git("checkout", "--quiet", "--ours", FILE)
    shop.git("add", FILE)


def revert_a_merge(shop):
    two_reviewers(shop)
    shop.git("revert", "--no-edit", "--mainline=1", "HEAD")


def reset(shop):
    add(shop)
    pk(shop, f"accept {OTHER}")
    save(shop, "Login")
    shop.git("reset", "--quiet", "--hard", "HEAD~1")
    add(shop)


def amend(shop):
    add(shop)
    pk(shop, f"accept {OTHER}")
    save(shop, "Login")
    shop.replace(OTHER, "401", "403")
    shop.git("commit", "--quiet", "--all", "--amend", "--no-edit")


def stash(shop):
    edit(shop)
    pk(shop, f"accept {FILE}")
    shop.git("stash", "--quiet")
    add(shop)
    save(shop, "Login")
    shop.git("stash", "pop", "--quiet")


def another_worktree(shop):
    shop.git("worktree", "add", "--quiet", "-b", "side", "../side")
    side = Shop(shop.root.parent / "side")
    add(side)
    pk(side, f"accept {OTHER}")
    save(side, "Login")
    shop.git("merge", "--quiet", "side")


def another_clone(shop):
    shop.git("clone", "--quiet", ".", "../other")
    other = Shop(shop.root.parent / "other")
    for key, value in (("user.name", "Grace"), ("user.email", "grace@example.org")):
        other.git("config", key, value)
    add(other)
    pk(other, f"accept {OTHER}")
    save(other, "Login")
    shop.git("pull", "--quiet", "../other", "main")


def stale_patch(shop):
    add(shop)
    pk(shop, f"reconcile {OTHER}")
    shop.replace(OTHER, "401", "403")


def break_and_mend(shop):
    shop.replace(FILE, "def test_total", "def (test_total")
    pk(shop, "reconcile --all")
    shop.replace(FILE, "def (test_total", "def test_total")


def abandon(shop):
    atom = next(one.id for one in shop.world().pact.atoms.values() if "free" in str(one.origin))
    pk(shop, f"atom abandon {atom} --reason 'not ours'")


def older_release(shop):
    """The history of a release whose rules worded the same tests differently."""
    with sqlite3.connect(shop.root / ".git/pact/history.db") as history:
        history.execute("update test_records set inference = replace(inference, '\"wording\":', '\"wording\":-')")
    add(shop)


def older_format(shop):
    """What an older release left: a merge driver that joined lines, and words that nobody writes any more."""
    shop.write("pact/.gitattributes", "debt.txt merge=union\nlinks/**/*.toml merge=union\n")
    save(shop, "Old")
    two_reviewers(shop)


MONTH = (
    nothing,
    add,
    edit,
    rename,
    rename_suite,
    move,
    move_and_edit,
    revert,
    cherry_pick,
    rebase,
    squash,
    format_again,
    comment,
    lose_the_history,
    undo,
    reject,
    group_by_hand,
    delete_test,
    delete_file,
    delete_and_bring_back,
    split_file,
    copy_test,
    swap_names,
    parametrize,
    gut,
    tighten,
    annotate_by_hand,
    link_in_comments_and_lose_them,
    debt,
    two_reviewers,
    two_reviewers_of_one_test,
    revert_a_merge,
    reset,
    amend,
    stash,
    another_worktree,
    another_clone,
    stale_patch,
    break_and_mend,
    abandon,
    older_release,
    older_format,
)


@pytest.mark.parametrize("work", MONTH)
def test_following_next_until_it_is_empty_ends_in_agreement(shop, work):
    """What is said on the way stands in tests/golden/month; `UPDATE_GOLDEN=1` writes it anew."""
    work(shop)
    told = [f"delta: {delta(shop)}", f"check: {' '.join(codes(shop)) or 'in agreement'}"]
    told += [re.sub("M-[0-9A-Z]+", "M-…", f"next: {command}") for command in follow(shop)]
    assert codes(shop) == []
    assert shop.reconcile().patch.ops == ()
    golden = GOLDEN / f"{work.__name__}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text("\n".join(told) + "\n")
    assert golden.read_text().splitlines() == told


def test_a_stale_op_is_followed_by_a_new_patch(shop):
    edit(shop)
    first = shop.reconcile().patch
    shop.replace(FILE, "total([2, 2]) == 4", "total([3, 2]) == 5")
    second = shop.reconcile(FILE).patch
    assert second.ops
    assert {op.id for op in first.ops} & {op.id for op in second.ops} == set()


def test_a_recommended_molecule_is_accepted_traced_and_gone_from_the_gaps(shop):
    (task,) = run(shop, find_gaps, BacklogFilter(kinds=("molecule",))).tasks
    name = task.command.split()[-1]
    pk(shop, task.command.removeprefix("pk "))
    assert name in shop.world().pact.molecules
    (traced,) = run(shop, trace_origin, name)
    assert (traced.status, traced.run[:4]) == ("applied", "REC-")
    assert run(shop, find_gaps, BacklogFilter(kinds=("molecule",))).tasks == ()


def test_foreign_annotations_are_adopted_and_check_passes_after_init(tmp_path):
    shop = Shop(tmp_path)
    shop.git("init", "--quiet", "--initial-branch=main")
    shop.git("config", "user.name", "Ada")
    shop.git("config", "user.email", "ada@example.org")
    shop.write(
        OTHER, f"# @atom IA-100 An old token is refused\n{LOGIN}\n\n# @atom REQ-7\ndef test_other():\n    assert 1\n"
    )
    save(shop, "Code")
    pk(shop, "init")
    assert run(shop, check_repo, StateView()).agrees
    pk(shop, "init --adopt")
    assert shop.world().pact.atoms["IA-100"].intent == "An old token is refused."
    assert run(shop, check_repo, StateView()).agrees


def test_an_annotation_of_a_suite_is_one_finding_however_many_tests_it_covers(shop):
    shop.replace(FILE, "class TestDiscount", "# @atom IA-404\nclass TestDiscount")
    found = [row for row in run(shop, check_repo, StateView()).findings if row.code == "PK102"]
    assert len(found) == 1
