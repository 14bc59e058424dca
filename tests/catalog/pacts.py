"""Small pacts and pieces of pacts that the tests of this room share."""

from pactkeeper.catalog.document import Document
from pactkeeper.catalog.render import link_fields
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.pact import LinkRecord

MARK = b"[pact]\nformat = 1\n"

FULL = {
    "pact/pact.toml": MARK
    + b"""id_style = "sequential"
atom_prefix = "REQ"
[tests]
include = ["tests/**"]
exclude = ["tests/data/**"]
[links]
write = "sidecar"
require_committed = true
[check]
changed_debt = "fail"
inherited = "fail"
[inference]
threshold = 0.8
[review]
batch = 20
[[policy.rule]]
name = "agents-annotate"
permission = "ask"
why = "a person looks first"
risks = ["annotate"]
actors = ["agent"]
cap = 5
""",
    "pact/atoms/tests/test_auth.py.toml": b"""# hand-written
[REQ-001]
intent = "A login with an expired token is refused."
category = "security"
outcomes = ["The response status is 401.", "No session is created."]
falsified_by = ["A login with an expired token succeeds."]
origin = "tests/test_auth.py::TestLogin::test_expired_token"
source = "reconciliation"
recommendation = "op-3f9a"
tags = ["login"]

[REQ-002]
intent = "A login with a revoked token is refused."
supersedes = "REQ-001"
""",
    "pact/atoms/billing.toml": b'REQ-003.intent = "An invoice is sent."\nREQ-003.status = "abandoned"\n',
    "pact/links/tests/test_auth.py.toml": b'"tests/test_auth.py::TestLogin::test_expired_token" = { atoms = ["REQ-001"], annotated = ["REQ-404"], body = "v1:ab" }\n',
    "pact/molecules.toml": b'[M-1]\nname = "Login"\natoms = ["REQ-001", "REQ-002"]\n',
    "pact/invariants.toml": b'[INV-101]\nrule = "Security has two tests."\nevery = "atom"\nwhere = { category = ["security"] }\nneeds = { min_tests = 2 }\ncode = "ACME101"\n[INV-003]\nenabled = false\n',
    "pact/waivers.toml": b'"PK101 tests/test_auth.py::test_x" = { by = "ada", why = "flaky host", until = 2030-12-31 }\n"v1:abc" = { by = "bob", why = "known", until = 2031-01-01 }\n',
    "pact/commitments/COM-1.toml": b'id = "COM-1"\nby = "ada"\nat = "2030-01-01T00:00:00+00:00"\n[frozen]\nREQ-001 = "v1:ff"\n[overrides]\nINV-002 = "says it clearly enough"\n',
    "pact/debt.txt": b"v1:aa tests/test_old.py::test a b\nv1:bb tests/test_old.py::test_c\n",
    "pact/.gitattributes": b"",
    "pact/README.md": b"ours",
    "src/other.py": b"\xff\0",
}


def reconciled(number: int, **changes: object) -> Atom:
    """An atom as reconciliation writes it."""
    values: dict[str, object] = {
        "intent": f"Thing {number} happens.",
        "outcomes": ("The status is 401.",),
        "falsified_by": ("The status is not 401.",),
        "origin": f"tests/test_a.py::test_{number}",
        "source": "reconciliation",
    }
    return Atom(id=f"IA-{number:03d}X", **{**values, **changes})  # type: ignore[arg-type]  # the keys are the fields'


def link(number: int, **changes: object) -> LinkRecord:
    """A reviewed link of a test to the atom of the same number."""
    values: dict[str, object] = {"atoms": (f"IA-{number:03d}X",), "body": "v1:" + f"{number:064d}"}
    return LinkRecord(f"tests/test_a.py::test_{number:03d}", **{**values, **changes})  # type: ignore[arg-type]  # likewise


def put_link(source: bytes | None, record: LinkRecord) -> bytes:
    """Write a link as an apply does; a record that says nothing goes."""
    document = Document("pact/links", source)
    document.put_fields(record.test, link_fields(record))
    return bytes(document)
