"""Writing atoms: what may change, what may not, and how everything is taken back."""

import pytest

from pactkeeper.errors import RefusedError, UsageError
from pactkeeper.operators.apply import undo_apply
from pactkeeper.operators.atoms import get_atom
from pactkeeper.operators.authored import create_atom, delete_atom, supersede_atom, update_atom
from pactkeeper.reconcile.authored import AtomChange, NewAtom
from tests.operators.atoms import REVOKED, accept, change, commit, declare, run, table
from tests.operators.conftest import REFUSED


def files(shop):
    return {path: path.read_bytes() for path in sorted((shop.root / "pact").rglob("*")) if path.is_file()}


def test_new_atom_says_what_was_said_and_is_a_persons_draft(shop):
    made = table(shop, run(shop, create_atom, REVOKED).atom)
    assert (made.intent, made.category, made.outcomes) == (REVOKED.intent, "security", REVOKED.outcomes)
    assert (made.falsified_by, made.tags, made.source, made.status) == (("It is 200.",), ("login",), "person", "draft")
    assert made.path == "pact/atoms/authored.toml"


def test_new_atom_may_be_a_proposal_kept_under_a_topic(shop):
    made = table(shop, declare(shop, "An invoice is sent.", status="proposed", source="ticket", topic="money/invoices"))
    assert (made.status, made.source, made.path) == ("proposed", "ticket", "pact/atoms/money/invoices.toml")
    assert made.recommendation is not None


def test_topic_outside_of_the_pact_is_refused(shop):
    with pytest.raises(UsageError, match="names no file below pact/atoms"):
        declare(shop, "An invoice is sent.", topic="../../etc/passwd")


@pytest.mark.parametrize("said", ["Refused.", "", "Two\nlines are said."])
def test_what_is_no_sentence_is_refused(shop, said):
    with pytest.raises(UsageError, match="is not a sentence"):
        declare(shop, said)


def test_sentence_that_an_atom_has_already_is_refused_with_its_id_unless_it_is_wanted(shop):
    first = declare(shop, "A revoked token is refused.")
    with pytest.raises(RefusedError, match=first):
        declare(shop, "a revoked  token is refused")
    with pytest.raises(RefusedError, match=f"other outcomes: pk atom edit {first} --outcome"):
        declare(shop, "A revoked token is refused.")
    again = run(shop, create_atom, NewAtom("a revoked  token is refused"), anyway=True).atom
    assert again != first


def test_atoms_that_say_nearly_the_same_are_named(shop):
    first = declare(shop, "A revoked token is refused.")
    declare(shop, "An invoice is sent to the customer.")
    written = run(shop, create_atom, NewAtom("A revoked token is refused now."))
    assert [near.atom.id for near in written.near] == [first]


def test_sequential_ids_go_on_from_the_greatest(shop):
    shop.write("pact/pact.toml", '[pact]\nformat = 1\nid_style = "sequential"\n')
    assert [declare(shop, f"Thing {number} happens.") for number in (1, 2)] == ["IA-001", "IA-002"]


def test_dry_run_writes_nothing(shop):
    written = run(shop, create_atom, REVOKED, dry_run=True)
    assert any("A revoked token is refused." in line for line in written.applied.diff())
    assert not (shop.root / "pact").exists()


def test_every_write_is_taken_back_by_undo(shop):
    atom = declare(shop, "A revoked token is refused.", outcomes=["The status is 401."])
    other = declare(shop, "An invoice is sent.")
    before = files(shop)
    for write in (
        lambda: change(shop, atom, outcomes=["The status is 403."]),
        lambda: change(shop, atom, status="abandoned", reason="No tokens."),
        lambda: run(shop, delete_atom, atom),
        lambda: run(shop, supersede_atom, atom, other),
        lambda: run(shop, supersede_atom, atom, AtomChange(intent="A revoked token is accepted.")),
    ):
        write()
        assert files(shop) != before
        run(shop, undo_apply)
        assert files(shop) == before


def test_edited_words_are_the_persons_and_old_falsifiers_go_with_their_outcomes(shop):
    accept(shop, REFUSED)
    (atom,) = shop.world().pact.atoms
    change(shop, atom, outcomes=["The status is 403."])
    assert (table(shop, atom).source, table(shop, atom).falsified_by) == ("person", ())


def test_edited_tags_leave_the_words_whose_they_were(shop):
    accept(shop, REFUSED)
    (atom,) = shop.world().pact.atoms
    before = table(shop, atom)
    change(shop, atom, tags=["login"])
    assert (table(shop, atom).tags, table(shop, atom).source) == (("login",), before.source)
    assert table(shop, atom).falsified_by == before.falsified_by


def test_edit_that_changes_nothing_writes_nothing(shop):
    atom = declare(shop, "A revoked token is refused.")
    assert change(shop, atom, intent="A revoked token is refused.").applied is None


def test_abandoned_atom_keeps_its_table_with_the_reason_and_fails_its_links(shop):
    accept(shop, REFUSED)
    (atom,) = shop.world().pact.atoms
    written = change(shop, atom, status="abandoned", reason="No tokens any more.")
    assert written.linked == (REFUSED,)
    assert (table(shop, atom).status, table(shop, atom).reason) == ("abandoned", "No tokens any more.")
    assert "PK105" in shop.codes()


def test_abandoned_atom_changes_only_by_coming_back(shop):
    atom = declare(shop, "A revoked token is refused.")
    change(shop, atom, status="abandoned", reason="No tokens any more.")
    with pytest.raises(RefusedError, match="--status draft"):
        change(shop, atom, intent="A revoked token is accepted.")
    change(shop, atom, status="draft")
    assert (table(shop, atom).status, table(shop, atom).reason) == ("draft", None)


def test_committed_atom_is_left_alone_by_every_verb(shop):
    atom, other = declare(shop, "A revoked token is refused."), declare(shop, "An invoice is sent.")
    commit(shop, atom)
    before = files(shop)
    for verb, *arguments in (
        (update_atom, atom, AtomChange(intent="Else is said.")),
        (update_atom, atom, AtomChange(tags=["x"])),
        (update_atom, atom, AtomChange(status="abandoned", reason="x")),
        (delete_atom, atom),
        (supersede_atom, other, atom),
    ):
        with pytest.raises(RefusedError, match=r"committed atom never changes.*pk atom supersede"):
            run(shop, verb, *arguments)
    assert files(shop) == before


def test_superseded_draft_is_left_alone_too(shop):
    atom, other = declare(shop, "A revoked token is refused."), declare(shop, "An invoice is sent.")
    run(shop, supersede_atom, atom, other)
    with pytest.raises(RefusedError, match=f"superseded by {other}"):
        change(shop, atom, tags=["x"])


def test_removal_names_everything_that_names_the_atom(shop):
    accept(shop, REFUSED)
    (atom,) = shop.world().pact.atoms
    shop.write("pact/molecules.toml", f'[M-1]\nname = "Login"\natoms = ["{atom}"]\n')
    other = declare(shop, "An invoice is sent.")
    run(shop, supersede_atom, atom, other)
    change(shop, other, replaces_nothing=True)
    with pytest.raises(RefusedError, match=rf"(?s)cannot be removed.*{REFUSED}.*M-1 'Login'"):
        run(shop, delete_atom, atom)


def test_removed_atom_leaves_no_empty_file(shop):
    atom = declare(shop, "A revoked token is refused.")
    run(shop, delete_atom, atom)
    assert not (shop.root / "pact/atoms/authored.toml").exists()


def test_unknown_atom_is_answered_with_ids_that_look_alike(shop):
    atom = declare(shop, "A revoked token is refused.")
    with pytest.raises(UsageError, match=f"did you mean {atom}"):
        change(shop, atom[:-1], tags=["x"])
    assert run(shop, get_atom, atom.lower()).row.atom.id == atom
