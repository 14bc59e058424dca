"""Reads the files of the pact into one `Pact`, or raises one error that lists every problem in every file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, Final, Literal

from pactkeeper.catalog import schema
from pactkeeper.catalog.cache import (
    Cache,
    Contents,
    declared_twice,
    left_open,
    moved,
    restore,
    save,
    sound_atoms,
    sound_molecules,
    unexplained,
)
from pactkeeper.catalog.decode import Findings, table
from pactkeeper.catalog.invariants import rule_problems
from pactkeeper.catalog.toml_text import TomlText, load, load_debt
from pactkeeper.errors import CatalogError, InputError, Problem
from pactkeeper.intent.atoms import Atom, Clarification, Commitment, Molecule
from pactkeeper.intent.folder import Contested, Folder, Merging, Unmerged, is_settings
from pactkeeper.intent.health import HealthCheck, HealthSettings
from pactkeeper.intent.ids import BUILT_IN_RULES, CLARIFICATION_PREFIX, INVARIANT_PREFIX, MOLECULE_PREFIX, is_id
from pactkeeper.intent.pact import Debt, Invariant, LinkRecord, Pact, Settings, Waiver
from pactkeeper.ledger.finding import CODE_PATTERN
from pactkeeper.ledger.policy import Rule

_USUAL: Final = Folder()


def recognise(files: Mapping[str, bytes], folder: Folder = _USUAL) -> Literal["ours", "absent", "foreign"]:
    """Whether the files in the folder are Pactkeeper's; another program may use a folder of the same name."""
    if not any(folder.holds(path) for path in files):
        return "absent"
    return "ours" if is_settings(files.get(folder.path(schema.SETTINGS_FILE), b"")) else "foreign"


def read_pact(files: Mapping[str, bytes], *, folder: Folder = _USUAL, cache: Cache | None = None) -> Pact:
    """Read everything in the pact's folder; keys are paths relative to the repository, others are ignored.

    Raises `InputError` if there is no pact or a foreign one, `CatalogError` with all problems otherwise.
    """
    known = recognise(files, folder)
    if known == "absent":
        raise InputError("this repository has no pact yet; run `pk init`")
    if known == "foreign":
        place = folder.path(schema.SETTINGS_FILE)
        raise InputError(
            f"the folder {folder.root!r} is not a pact: it has no {place!r} with `[pact]` and `format = 1`; "
            "nothing in it"
            f" was changed. If it is your pact, restore that file: git checkout HEAD -- {place}, or start it"
            " with these two lines"
        )
    named = {folder.name(path): data for path, data in files.items() if folder.holds(path)}
    with at_home(folder):
        return moved(_read(named, folder, cache), folder)


@contextmanager
def at_home(folder: Folder) -> Iterator[None]:
    """Translate the paths of problems from names within the pact to paths in the repository."""
    try:
        yield
    except CatalogError as error:
        raise CatalogError(tuple(replace(one, path=folder.path(one.path)) for one in error.problems)) from error


def _read(files: Mapping[str, bytes], folder: Folder, cache: Cache | None) -> Pact:
    """Read files by their names within the pact."""
    problems: list[Problem] = []
    parts = _Parts()
    settings = read_settings(files[schema.SETTINGS_FILE], problems, parts)
    signers = folder.name(settings.allowed_signers)
    if signers.startswith(schema.ROOT) and signers.endswith((".toml", ".txt")):
        problems.append(
            Problem(schema.SETTINGS_FILE, 0, f"{settings.allowed_signers!r} is one of the pact's own files")
        )
    for path in sorted(files):
        if path not in {schema.SETTINGS_FILE, signers}:
            parts.add(_contents(path, files[path], settings.atom_prefix, problems=problems, cache=cache))
    if problems:
        raise CatalogError(tuple(dict.fromkeys(problems)))
    return parts.pact(settings)


def read_commitment(name: str, source: bytes, *, prefix: str) -> Commitment | None:
    """Read a commitment's file by its name; None if it is not valid in a pact."""
    contents, problems = _decode(name, source, prefix)
    return None if problems or not contents.commitments else contents.commitments[0]


def read_settings(source: bytes, problems: list[Problem] | None = None, parts: _Parts | None = None) -> Settings:
    """Read `pact.toml` alone; problems are added to the list if one is given, else raised.

    `parts` receives what a merge left unresolved in it.
    """
    loaded = load(schema.SETTINGS_FILE, source)
    findings = Findings(whole=not loaded.problems)
    fields: dict[str, Any] = {}
    for name, raw in loaded.data.items():
        keys = schema.SETTINGS.get(name)
        if keys is None:
            findings.add((name,), f"[{name}] is not a table of this file; known are {', '.join(schema.SETTINGS)}")
        elif name == "policy":
            fields["policy"] = _policy(raw, findings)
        elif name == "health":
            fields["health"] = _health(raw, findings)
        else:
            fields.update(table(raw, keys, at=(name,), findings=findings))
    fields.pop("format", None)
    _report(loaded, findings)
    if problems is None and loaded.problems:
        raise CatalogError(tuple(loaded.problems))
    if problems is not None:
        problems += loaded.problems
    if parts is not None:
        parts.add(left_open(loaded, Contents()))
    return Settings(**fields)


def _policy(raw: object, findings: Findings) -> tuple[Rule, ...]:
    fields: dict[str, Any] = table(raw, schema.POLICY, at=("policy",), findings=findings)
    decoded: list[Rule] = []
    for number, rule in enumerate(fields.get("rule", ())):
        known: dict[str, Any] = table(rule, schema.POLICY_RULE, at=("policy", "rule", str(number)), findings=findings)
        if _is_complete(known, schema.POLICY_RULE):
            sets = {name: frozenset(value) for name, value in known.items() if isinstance(value, tuple)}
            decoded.append(Rule(**{**known, **sets}))
    return tuple(decoded)


def _health(raw: object, findings: Findings) -> HealthSettings:
    fields: dict[str, Any] = table(raw, schema.HEALTH, at=("health",), findings=findings)
    checks: dict[str, HealthCheck] = {}
    for number, one in enumerate(fields.pop("check", ())):
        at = ("health", "check", str(number))
        known: dict[str, Any] = table(one, schema.HEALTH_CHECK, at=at, findings=findings)
        if not _is_complete(known, schema.HEALTH_CHECK):
            continue
        if known["name"] in checks:
            findings.add((*at, "name"), f"{known['name']!r} is already the name of another check; use unique names")
        if (known.get("parser") == "regex") != ("pattern" in known):
            findings.add(at, f'the check {known["name"]!r} needs both or neither of parser = "regex" and a pattern')
        checks[known["name"]] = HealthCheck(**known)
    if "readable" in fields and fields.get("sandbox", "none") == "none":
        findings.add(
            ("health", "readable"), 'it lists what checks can read inside a sandbox; add sandbox = "bubblewrap"'
        )
    return HealthSettings(checks=tuple(checks.values()), **fields)


def _report(loaded: TomlText, findings: Findings) -> None:
    loaded.problems += [Problem(loaded.path, loaded.line_of(at), message) for at, message in findings.found]


def _contents(path: str, source: bytes, prefix: str, *, problems: list[Problem], cache: Cache | None) -> Contents:
    """Decode one file, from the cache if it knows the same bytes; only files without problems are cached."""
    if cache is not None and (known := restore(cache, path, source, prefix=prefix)) is not None:
        return known
    contents, found = _decode(path, source, prefix)
    problems += found
    if cache is not None and not found:
        save(cache, path, source, prefix=prefix, contents=contents)
    return contents


def _decode(path: str, source: bytes, prefix: str) -> tuple[Contents, list[Problem]]:
    if path == schema.DEBT_FILE:
        return _debt(source)
    name = PurePosixPath(path).name
    if name in {".gitattributes", ".gitignore"} or name.endswith(".md"):
        return Contents(), []
    reader = _reader(path)
    if reader is None:
        return Contents(), [Problem(path, 0, "is not a pact file; move it elsewhere")]
    loaded = load(path, source)
    findings = Findings(prefix, whole=not loaded.problems)
    contents = replace(reader(loaded, findings), whole=findings.whole)
    _report(loaded, findings)
    return left_open(loaded, contents), loaded.problems


def _reader(path: str) -> Any:  # noqa: ANN401 - the four signatures are one: (TomlText, Findings) -> Contents
    if path in _SINGLE:
        return _SINGLE[path]
    for folder, reader in (
        (schema.ATOMS_FOLDER, _atoms),
        (schema.LINKS_FOLDER, _links),
        (schema.COMMITMENTS_FOLDER, _commitment),
    ):
        if path.startswith(folder) and path.endswith(".toml"):
            return reader
    return None


def _entries(
    loaded: TomlText, findings: Findings, keys: tuple[schema.Key, ...], refusal: Callable[[str], str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a file's entries with their fields and place; `refusal` says why a name is wrong, "" if it isn't."""
    lines = loaded.entry_lines()
    for name, raw in loaded.data.items():
        if refused := refusal(name):
            findings.add((name,), f"{name!r} {refused}")
            continue
        fields: dict[str, Any] = table(raw, keys, at=(name,), findings=findings)
        yield name, {**fields, "path": loaded.path, "line": lines.get(name, 0)}


def _is_complete(fields: Mapping[str, Any], keys: tuple[schema.Key, ...]) -> bool:
    return fields.keys() >= {key.name for key in keys if key.required}


def _unlike(prefix: str, what: str, example: str) -> Callable[[str], str]:
    return lambda name: "" if is_id(name, prefix) else f"is not {what} id; ids look like {example}"


def _atoms(loaded: TomlText, findings: Findings) -> Contents:
    refusal = _unlike(findings.prefix, "an atom", f"{findings.prefix}-7F3KQ9T")
    atoms: list[Atom] = []
    for name, fields in _entries(loaded, findings, schema.ATOM, refusal):
        fields.setdefault("intent", "")  # a problem is recorded; references to the atom stay valid
        atoms.append(Atom(id=name, **fields))
    return Contents(atoms=tuple(atoms))


def _links(loaded: TomlText, findings: Findings) -> Contents:
    test_file = loaded.path.removeprefix(schema.LINKS_FOLDER).removesuffix(".toml")
    opening = schema.test_id_opening(test_file)

    def refusal(name: str) -> str:
        return "" if name.startswith(opening) else f"is not a test in {test_file!r}, whose links this file holds"

    found = _entries(loaded, findings, schema.LINK, refusal)
    return Contents(links=tuple(LinkRecord(test=name, **fields) for name, fields in found))


def _molecules(loaded: TomlText, findings: Findings) -> Contents:
    found = _entries(loaded, findings, schema.MOLECULE, _unlike(MOLECULE_PREFIX, "a molecule", "M-7F3KQ9T"))
    whole = (Molecule(id=name, **fields) for name, fields in found if _is_complete(fields, schema.MOLECULE))
    return Contents(molecules=tuple(whole))


def _invariants(loaded: TomlText, findings: Findings) -> Contents:
    unlike = _unlike(INVARIANT_PREFIX, "an invariant", "INV-101, built in are R001 to R005")
    invariants: list[Invariant] = []
    for name, fields in _entries(
        loaded, findings, schema.INVARIANT, lambda name: "" if name in BUILT_IN_RULES else unlike(name)
    ):
        raw = loaded.data[name]
        for key, problem in rule_problems(name, raw) if findings.whole and isinstance(raw, dict) else ():
            findings.add((name, *key), problem)
        invariants.append(Invariant(id=name, **fields))
    return Contents(invariants=tuple(invariants))


def _waivers(loaded: TomlText, findings: Findings) -> Contents:
    def refusal(name: str) -> str:
        code, _, subject = name.partition(" ")
        named = name.strip() and (not subject or re.fullmatch(CODE_PATTERN, code))
        return "" if named else "names no finding; write a fingerprint, or a code, a space and the subject"

    waivers: list[Waiver] = []
    for name, fields in _entries(loaded, findings, schema.WAIVER, refusal):
        code, _, subject = name.partition(" ")
        if _is_complete(fields, schema.WAIVER):
            named: dict[str, Any] = {"code": code, "subject": subject} if subject else {"fingerprint": name}
            waivers.append(Waiver(**fields, **named))
    return Contents(waivers=tuple(waivers))


def _clarifications(loaded: TomlText, findings: Findings) -> Contents:
    unlike = _unlike(CLARIFICATION_PREFIX, "a clarification", "CLA-7F3KQ9T")
    found = _entries(loaded, findings, schema.CLARIFICATION, unlike)
    whole = (Clarification(id=name, **fields) for name, fields in found if _is_complete(fields, schema.CLARIFICATION))
    return Contents(clarifications=tuple(whole))


_SINGLE: dict[str, Any] = {  # fixed file names: (TomlText, Findings) -> Contents
    schema.MOLECULES_FILE: _molecules,
    schema.INVARIANTS_FILE: _invariants,
    schema.WAIVERS_FILE: _waivers,
    schema.CLARIFICATIONS_FILE: _clarifications,
}


def _commitment(loaded: TomlText, findings: Findings) -> Contents:
    fields: dict[str, Any] = table(loaded.data, schema.COMMITMENT, at=(), findings=findings)
    stem = PurePosixPath(loaded.path).stem
    if fields.get("id", stem) != stem or loaded.path != schema.commitment_path(stem):
        findings.add(("id",), f"the id is {fields.get('id')!r}; the file name says {stem!r}")
    if not _is_complete(fields, schema.COMMITMENT):
        return Contents()
    return Contents(commitments=(Commitment(**fields, path=loaded.path, line=1),))


def _debt(source: bytes) -> tuple[Contents, list[Problem]]:
    loaded = load_debt(source)
    debt = {test: str(entry["body"]) for test, entry in loaded.data.items() if isinstance(entry, dict)}
    return left_open(loaded, Contents(debt=debt)), loaded.problems


class _Parts:
    """Accumulates what all files declare."""

    def __init__(self) -> None:
        self.atoms: dict[str, Atom] = {}
        self.links: dict[str, LinkRecord] = {}
        self.molecules: dict[str, Molecule] = {}
        self.invariants: dict[str, Invariant] = {}
        self.waivers: list[Waiver] = []
        self.commitments: dict[str, Commitment] = {}
        self.clarifications: dict[str, Clarification] = {}
        self.debt: Mapping[str, str] = {}
        self.contested: list[Contested] = []
        self.unmerged: list[Unmerged] = []

    def add(self, contents: Contents) -> None:
        for atom in contents.atoms:
            first = self.atoms.setdefault(atom.id, atom)
            if first is not atom:
                self.contested.append(declared_twice(atom, first))
        self.links.update((record.test, record) for record in contents.links)
        self.molecules.update((molecule.id, molecule) for molecule in contents.molecules)
        self.invariants.update((invariant.id, invariant) for invariant in contents.invariants)
        self.waivers += contents.waivers
        self.commitments.update((commitment.id, commitment) for commitment in contents.commitments)
        self.clarifications.update((one.id, one) for one in contents.clarifications)
        self.debt = contents.debt or self.debt
        self.contested += contents.contested
        self.unmerged += contents.unmerged

    def pact(self, settings: Settings) -> Pact:
        atoms, replaced = sound_atoms(self.atoms)
        molecules, grouped = sound_molecules(self.molecules, atoms)
        dangling = (*replaced, *grouped, *unexplained(self.clarifications, atoms))
        return Pact(
            settings=settings,
            atoms=atoms,
            links=self.links,
            molecules=molecules,
            invariants=self.invariants,
            waivers=tuple(self.waivers),
            commitments=self.commitments,
            clarifications=self.clarifications,
            debt=Debt.of(self.debt),
            merging=Merging(tuple(self.contested), tuple(self.unmerged), dangling),
        )
