"""Small worlds for tests: a few tests, a few atoms, put together by hand."""

from dataclasses import replace

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.commitments import new_commitment
from pactkeeper.intent.pact import Debt, LinkRecord, Pact, Settings
from pactkeeper.intent.tests import Annotation, Gap, Scan, Test

FILE = "tests/test_login.py"


def a_test(name="test_login", *, body="b1:one", file=FILE, suite=(), annotations=(), line=10):
    return Test(
        id="::".join((file, *suite, name)),
        file=file,
        suite=tuple(suite),
        name=name,
        line=line,
        name_line=line,
        end_line=line + 5,
        language="python",
        framework="pytest",
        body_hash=body,
        annotations=tuple(annotations),
    )


def note(*atoms, scope="test", carrier="comment", malformed=(), line=9):
    return Annotation(tuple(atoms), carrier, scope, line, tuple(malformed))


def an_atom(name="IA-1", intent="A login works.", **fields):
    words = {"outcomes": ("The start page is shown.",), "falsified_by": ("The start page is not shown.",)}
    return Atom(name, intent, path="pact/atoms/tests/test_login.py.toml", line=1, **{**words, **fields})


def a_record(name="test_login", *, atoms=(), annotated=(), body="b1:one", rejected=None):
    return LinkRecord(
        f"{FILE}::{name}", tuple(atoms), tuple(annotated), body, rejected, path=f"pact/links/{FILE}.toml", line=1
    )


def a_commitment(*atoms, by="Ada <ada@example.org>", at="2026-01-01T00:00:00+00:00", after=None, **fields):
    made = new_commitment(atoms, by=by, at=at, assurance="terminal", overrides={}, after=after or {})
    return replace(made, path=f"pact/commitments/{made.id}.toml", line=1, **fields)


def an_abandonment(*atoms, why, by="Ada <ada@example.org>", at="2026-01-01T00:00:00+00:00"):
    made = new_commitment(atoms, by=by, at=at, assurance="terminal", overrides={}, after={}, abandons=why)
    return replace(made, path=f"pact/commitments/{made.id}.toml", line=1)


def a_pact(*atoms, records=(), debt=None, committed=(), waivers=(), **settings):
    by_id = {atom.id: atom for atom in atoms}
    made = [a_commitment(*(by_id[name] for name in committed))] if committed else []
    return Pact(
        settings=Settings(**settings),
        atoms=by_id,
        links={record.test: record for record in records},
        commitments={one.id: one for one in made},
        waivers=tuple(waivers),
        debt=Debt.of(debt or {}),
    )


def a_scan(*tests, gaps=()):
    by_file: dict[str, list[Test]] = {}
    for test in tests:
        by_file.setdefault(test.file, []).append(test)
    return Scan(by_file, tuple(gaps), len(by_file))


def a_gap(file=FILE, reason="it cannot be parsed"):
    return Gap(file, reason, 3)
