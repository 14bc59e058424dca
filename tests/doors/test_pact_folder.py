"""A repository whose `pact/` belongs to contract tests: the whole of the work, with ours in another folder."""

import pytest

from tests.doors.committing import ADA, Quick, atom, declare, sign
from tests.doors.projects import new_project
from tests.repo.keys import line

CONTRACT = '{"consumer": "web", "provider": "shop", "interactions": []}\n'
CONTRACT_TEST = 'def test_both_sides():\n    assert read("shop.json")["consumer"] == "web"\n'
BASKET = "tests/test_basket.py"
TOTAL = f"{BASKET}::test_total_adds_prices"
NAMED = "quality/intent/"


@pytest.fixture(scope="module")
def contracts(tmp_path_factory):
    """A project that no pact was begun in yet."""
    project = Quick(new_project(tmp_path_factory.mktemp("contracts") / "project").root)
    project.write("pact/web-shop.json", CONTRACT)
    project.write("pact/verify/test_shop.py", CONTRACT_TEST)
    project.commit("Contracts")
    return project


@pytest.fixture(scope="module", params=[".pactkeeper/", NAMED])
def first_kept(request, contracts, tmp_path_factory):
    """The project with every test accepted and committed, and the folder that holds the pact."""
    project = Quick(contracts.copy(tmp_path_factory.mktemp("kept") / "project").root)
    project.pk("init", *(["--folder", NAMED] if request.param == NAMED else []))
    project.pk("reconcile", "--all")
    project.pk("apply", "--all")
    project.commit("Adopt the pact")
    return project, request.param


@pytest.fixture
def kept(first_kept, tmp_path):
    project, folder = first_kept
    return Quick(project.copy(tmp_path / "project").root), folder


@pytest.fixture
def fresh(contracts, tmp_path):
    return Quick(contracts.copy(tmp_path / "project").root)


def changed(project, base="HEAD"):
    project.git("add", "--all")
    return set(project.git("diff", "--cached", "--name-only", base).splitlines())


def test_contracts_block_nothing_that_needs_no_pact(fresh):
    assert len(fresh.pk("scan", "--json").document["tests"]) == 5
    fresh.replace(BASKET, "basket.total == 10", "basket.total")
    assert "test_total_adds_prices" in fresh.pk("delta", "--since", "HEAD").out
    assert "test_total_adds_prices" in fresh.pk("guard", "--since", "HEAD", code=1).out
    fresh.pk("structure", code=None)
    said = fresh.pk("check", code=1).out.splitlines()
    assert said[0] == "there is no pact in the working tree, so no atom says what its 5 tests are for"
    assert "pk init" in said[1]
    assert [line for line in said if "PK101" in line] == []


def test_init_leaves_contracts_alone_and_says_where_the_pact_is(fresh):
    said = fresh.pk("init").out
    assert ".pactkeeper/debt.txt lists 5 tests" in said
    assert all(path.startswith(".pactkeeper/") for path in changed(fresh))
    assert "already" in fresh.pk("init", code=2).err


def test_an_apply_begins_a_pact_beside_contracts(fresh):
    fresh.pk("accept", TOTAL, "--intent", "The total adds up what the boxes cost.")
    assert all(path.startswith((".pactkeeper/", "tests/")) for path in changed(fresh))
    assert ".pactkeeper/pact.toml" in changed(fresh)


def test_a_named_folder_is_found_by_the_files_alone(fresh):
    said = fresh.pk("init", "--folder", "quality/intent").out
    assert f"commit the folder {NAMED} and the file .pactkeeper.toml" in said
    assert fresh.read(".pactkeeper.toml") == 'folder = "quality/intent"\n'
    fresh.commit()
    assert "in agreement" in fresh.pk("check", "--at", "HEAD").out


@pytest.mark.parametrize("name", ["../other", "/tmp", ".git", "a//b", "", "pact"])
def test_a_folder_that_cannot_hold_a_pact_is_refused(fresh, name):
    assert fresh.pk("init", "--folder", name, code=2).err
    assert changed(fresh) == set()


def test_every_state_reads_the_pact_where_it_is(kept):
    project, folder = kept
    for state in ([], ["--staged"], ["--at", "HEAD"]):
        assert "4 unratified" in project.pk("check", *state).out
    project.replace(BASKET, "total == 10", "total")
    assert project.codes() == ["PK115"]
    assert project.codes("--staged") == project.codes("--at", "HEAD") == []
    project.git("rm", "--quiet", "--cached", f"{folder}links/{BASKET}.toml")
    assert "PK101" in project.codes("--staged")


def test_an_apply_and_its_undo_write_there(kept):
    project, folder = kept
    project.write(BASKET, project.read(BASKET) + "\n\ndef test_a_full_basket_refuses_more():\n    assert full()\n")
    project.pk("accept", f"{BASKET}::test_a_full_basket_refuses_more", "--intent", "A full basket refuses more.")
    assert changed(project) == {BASKET, f"{folder}atoms/{BASKET}.toml", f"{folder}links/{BASKET}.toml"}
    project.pk("undo")
    assert changed(project) <= {BASKET}


def test_what_a_person_declares_is_written_there(kept):
    project, folder = kept
    project.pk("atom", "create", "A basket holds ten boxes.", "--outcome", "The eleventh box is refused.", code=None)
    project.pk("invariant", "disable", "INV-002", code=None)
    written = changed(project)
    assert written
    assert all(path.startswith(folder) for path in written)


def test_a_broken_file_is_named_where_it_is(kept):
    project, folder = kept
    project.write(f"{folder}molecules.toml", "x = \n")
    assert f"{folder}molecules.toml:1" in project.pk("check", code=2).err


def test_lost_settings_do_not_make_the_pact_disappear(kept):
    project, folder = kept
    (project.root / folder / "pact.toml").unlink()
    assert "restore" in project.pk("check", code=2).err


def test_two_pacts_are_an_error_that_names_both(kept):
    project, folder = kept
    project.write("pact/pact.toml", "[pact]\nformat = 1\n")
    error = project.pk("check", code=2).err
    assert repr(folder) in error
    assert "'pact/'" in error


def test_a_merge_is_settled_there(kept):
    project, folder = kept
    path = f"{folder}atoms/{BASKET}.toml"
    first = next(line for line in project.read(path).splitlines() if ".intent = " in line)
    project.git("switch", "--quiet", "--create", "left")
    key = first.partition(" = ")[0]
    project.replace(path, first, f'{key} = "Left."')
    project.commit()
    project.git("switch", "--quiet", "main")
    project.replace(path, first, f'{key} = "Right."')
    project.commit()
    with pytest.raises(Exception, match="merge"):
        project.git("merge", "--quiet", "left")
    assert "PK15" in project.pk("check", code=1).out
    project.pk("resolve", "--ours")
    assert f'{key} = "Right."' in project.read(path)
    assert "in agreement" in project.pk("check").out


def test_approvals_of_the_guard_are_no_part_of_the_pact(fresh):
    fresh.pk("init")
    fresh.write(".pactkeeper/approvals.toml", "")
    assert "in agreement" in fresh.pk("check").out


def test_annotations_are_adopted_there(fresh):
    fresh.replace(BASKET, "def test_total", "# @atom IA-OLD1\ndef test_total")
    assert "adopted 1 atom" in fresh.pk("init", "--adopt").out
    assert f".pactkeeper/atoms/{BASKET}.toml" in changed(fresh)


def frozen(project, folder):
    """A signed commitment of one atom, in git."""
    project.write(f"{folder}allowed_signers", line(ADA, "ada"))
    declare(project, atom(1), path=f"{folder}atoms/basket.toml")
    project.git("config", "user.email", ADA)
    project.commit("Declare")
    name = sign(project, "IA-0000001")
    project.commit("Freeze")
    return f"{folder}commitments/{name}.toml"


def test_a_commitment_is_written_signed_and_guarded_there(kept):
    project, folder = kept
    path = frozen(project, folder)
    assert project.pk("check", "--at", "HEAD", "--json").document["summary"]["commitments"] == {"signed": 1}
    assert "committed" in project.pk("atom", "edit", "IA-0000001", "--intent", "Something else.", code=2).err
    project.git("rm", "--quiet", path)
    assert "PK409" in project.codes()
    project.commit("Thaw")
    assert "PK409" in project.codes("--since", "HEAD~1", "--at", "HEAD")


def test_a_pact_that_moves_keeps_its_commitments(kept):
    project, folder = kept
    path = frozen(project, folder)
    project.pk("check")
    project.git("mv", "pact", "contracts")
    project.git("mv", folder, "pact")
    (project.root / ".pactkeeper.toml").unlink(missing_ok=True)
    project.commit("Move")
    assert project.codes("--since", "HEAD~1", "--at", "HEAD") == []
    project.git("rm", "--quiet", path.replace(folder, "pact/"))
    project.commit("Thaw")
    assert "PK409" in project.codes("--since", "HEAD~2", "--at", "HEAD")


def test_links_move_between_comments_and_the_folder(kept):
    project, folder = kept
    project.pk("annotate", "--to", "comment")
    assert BASKET in changed(project)
    assert "4 unratified" in project.pk("check").out
    project.pk("annotate", "--to", "sidecar")
    assert changed(project) <= {f"{folder}links/{BASKET}.toml", f"{folder}links/web/slug.test.ts.toml"}


def test_a_guard_approval_counts_beside_the_pact(kept):
    project, folder = kept
    project.replace(BASKET, "basket.total == 10", "basket.total")
    (change,) = project.pk("guard", "--since", "HEAD", "--json", code=1).document["findings"]
    project.pk("guard", "accept", change["fingerprint"], "--why", "Prices are free now.")
    assert ".pactkeeper/approvals.toml" in changed(project)
    assert "PK115" in project.codes()
    assert folder
