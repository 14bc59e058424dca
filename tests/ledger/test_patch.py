from dataclasses import replace

import pytest

from pactkeeper.ledger.finding import Finding
from pactkeeper.ledger.health import COMPLETE
from pactkeeper.ledger.patch import Patch, in_order
from pactkeeper.ledger.question import Question
from tests.ledger.strategies import attach, create

CREATE = create("atom:IA-1", "x")
ATTACH = replace(attach("test:x", None, "IA-1"), depends_on=(CREATE.id,))
FOUND = Finding("PK101", "test:x", "error", "no atom")
ASKED = Question("confirm", "test:q", {})


def test_a_patch_is_named_by_its_content():
    patch = Patch("v1:base", (CREATE, ATTACH), (FOUND,), (ASKED,), {"tests": COMPLETE}, {"tests": 2})
    same = Patch("v1:base", (CREATE, ATTACH), (FOUND,), (ASKED,), {"tests": COMPLETE}, {"tests": 2})
    assert (patch.hash, patch.id) == (same.hash, "pa-" + same.hash[3:15])
    assert replace(patch, summary={"tests": 3}).hash != patch.hash


@pytest.mark.parametrize(
    ("parts", "law"),
    [
        ({"ops": (ATTACH, CREATE)}, f"depends on {CREATE.id}, which does not precede it"),
        ({"ops": (ATTACH,)}, f"depends on {CREATE.id}"),
        ({"ops": (create("atom:IA-2", "z"), ATTACH, CREATE)}, f"depends on {CREATE.id}, which does not precede it"),
        ({"ops": (CREATE, CREATE)}, f"op {CREATE.id} is there 2 times"),
        ({"ops": (CREATE, create("atom:IA-1", "y"))}, "creation of atom:IA-1 is there 2 times"),
        ({"findings": (FOUND, replace(FOUND, message="again"))}, f"finding {FOUND.fingerprint} is there 2 times"),
        ({"questions": (ASKED, ASKED)}, f"question {ASKED.id} is there 2 times"),
        ({"ops": (CREATE,), "questions": (replace(ASKED, subject="atom:IA-1"),)}, "both proposed and asked about"),
    ],
)
def test_a_patch_that_breaks_a_law_cannot_be_made(parts, law: str):
    with pytest.raises(ValueError, match=law):
        Patch("v1:base", **parts)


def test_ops_follow_what_they_depend_on_and_otherwise_stay_in_order():
    other = create("atom:IA-2", "z")
    assert in_order([ATTACH, other, CREATE]) == (other, CREATE, ATTACH)
    assert in_order([other, CREATE, ATTACH]) == (other, CREATE, ATTACH)


def test_ops_that_wait_for_each_other_have_no_order():
    one = replace(CREATE, depends_on=(ATTACH.id,))
    with pytest.raises(ValueError, match="depend on each other in a cycle"):
        in_order([one, ATTACH])


def test_a_patch_without_content_is_empty():
    assert Patch("v1:base", summary={"tests": 9}).empty
    assert not Patch("v1:base", findings=(FOUND,)).empty
