import pytest

from pactkeeper.catalog.read import read_pact
from pactkeeper.catalog.render import commitment_text
from pactkeeper.catalog.schema import commitment_path
from pactkeeper.intent.commitments import new_commitment


def states(project):
    return [(test["id"], test["body_hash"], test["state"]) for test in project.pk("scan", "--json").document["tests"]]


def test_links_move_into_comments_and_back_without_a_trace(adopted):
    before = states(adopted)
    adopted.pk("annotate", "--to", "comment")
    assert adopted.read("tests/test_basket.py").count("# @atom IA-") == 3
    assert adopted.read("web/slug.test.ts").count("// @atom IA-") == 1
    assert states(adopted) == before
    assert adopted.codes() == []
    adopted.pk("annotate", "--to", "sidecar")
    assert adopted.status() == ""


def test_any_subset_can_be_moved(adopted):
    adopted.pk("annotate", "--to", "comment", "web")
    assert "@atom" in adopted.read("web/slug.test.ts")
    assert "@atom" not in adopted.read("tests/test_basket.py")


def test_dry_run_shows_the_diff_and_writes_nothing(adopted):
    out = adopted.pk("annotate", "--to", "comment", "--dry-run").out
    assert "+    # @atom IA-" in out
    assert adopted.status() == ""


def test_annotation_in_a_docstring_stays_and_is_said_to(adopted):
    adopted.pk("annotate", "--to", "comment", "tests/test_basket.py::test_total_adds_prices")
    atom = adopted.read("tests/test_basket.py").split("# @atom ")[1].split("\n")[0]
    adopted.replace("tests/test_basket.py", f"# @atom {atom}\n", "")
    adopted.replace(
        "tests/test_basket.py",
        "def test_total_adds_prices():\n",
        f'def test_total_adds_prices():\n    """@atom {atom}"""\n',
    )
    assert "moved 0 links" in adopted.pk("annotate", "--to", "sidecar").out
    assert adopted.codes() == []


@pytest.mark.parametrize("write", ["comment", "sidecar"])
def test_carrier_setting_decides_where_new_links_go(project, write):
    project.pk("init")
    project.write("pact/pact.toml", f'[pact]\nformat = 1\n\n[links]\nwrite = "{write}"\n')
    project.pk("reconcile", "--all")
    project.pk("apply", "--all")
    assert ("@atom" in project.read("tests/test_basket.py")) is (write == "comment")
    assert project.codes() == []


def test_successor_replaces_the_committed_atom_in_the_comment(adopted):
    adopted.pk("annotate", "--to", "comment")
    test = "tests/test_basket.py::TestBasket::test_new_basket_is_empty"
    document = adopted.pk("scan", "--json").document
    atom = next(one for one in document["tests"] if one["id"] == test)["links"][0]["atom"]
    commit(adopted, atom)
    adopted.replace("tests/test_basket.py", "count == 0", "count == 1")
    assert adopted.pk("reconcile", "--json", "tests").document["ops"] == []  # it would say the same words again
    adopted.pk("accept", test, "--atom", atom, "--intent", "A new basket has something in it.")
    assert f"@atom {atom}" not in adopted.read("tests/test_basket.py")
    assert adopted.codes() == ["PK110", "PK131"]  # the atom holds until its successor is committed


def commit(project, atom):
    """Freeze an atom as a commitment does."""
    files = {
        str(path.relative_to(project.root)): path.read_bytes()
        for path in (project.root / "pact").rglob("*")
        if path.is_file()
    }
    atoms = [read_pact(files).atoms[atom]]
    made = new_commitment(atoms, by="Ada", at="2026-01-01T00:00:00+00:00", assurance="terminal", overrides={}, after={})
    project.write(commitment_path(made.id), commitment_text(made))
