"""Turns ops and rejections into new file contents: pure, all of one apply at once, parsing each file once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pactkeeper.advice import BOARDS
from pactkeeper.catalog import schema
from pactkeeper.catalog.document import Document
from pactkeeper.catalog.render import atom_fields, link_fields, molecule_fields
from pactkeeper.catalog.write import ATTRIBUTES, new_settings, put_debt, remove_clarifications, remove_debt
from pactkeeper.errors import InputError
from pactkeeper.intent.atoms import Atom, Molecule
from pactkeeper.intent.ids import hashed_id
from pactkeeper.intent.pact import LinkRecord, Proved
from pactkeeper.intent.tests import Test, file_of
from pactkeeper.ledger.canonical import by_key
from pactkeeper.ledger.op import Op
from pactkeeper.reconcile.world import World

TOPIC: Final = "authored"  # file of atoms that name neither a test nor a topic
Read = Callable[[str], bytes | None]


@dataclass(frozen=True, slots=True)
class Rejection:
    """A person's rejection of what was proposed for one test; it applies while the test's body is the same."""

    test: str
    fingerprint: str
    by: str
    reason: str
    at: str


@dataclass(frozen=True, slots=True)
class CommentEdit:
    """Atoms to add to and remove from the comment above a test."""

    test: Test
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """New file contents by path (None removes the file), and the tests whose comment could not be changed, with why.

    Atoms that could not be added to a comment are linked in the sidecar; those that could not be removed stay. Of
    the `renewed` tests only the review was recorded anew, and it changed.
    """

    files: Mapping[str, bytes | None]
    refused: tuple[tuple[str, str], ...]
    renewed: tuple[str, ...] = ()


# Writes comments into one file; returns the new content and the tests it could not write for, with the reason.
Annotate = Callable[[str, bytes, Sequence[CommentEdit]], tuple[bytes, Mapping[str, str]]]


@dataclass(slots=True)
class FileDraft:
    """The changes of an apply, collected entry by entry before any file content is made.

    `proves` holds what each newly linked test proves, as a review records it, and what reviewed tests next to one prove
    that may be recorded anew; `marked` are lines of debt recording the strength of tests that had none recorded.
    """

    world: World
    atoms: dict[str, Atom | None] = field(default_factory=dict)
    molecules: dict[str, Molecule] = field(default_factory=dict)
    records: dict[str, LinkRecord | None] = field(default_factory=dict)
    comments: dict[str, CommentEdit] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)
    confirmed: dict[str, set[str]] = field(default_factory=dict)
    proves: Mapping[str, Proved] = field(default_factory=dict)
    marked: Mapping[str, str] = field(default_factory=dict)

    def take(self, op: Op, *, worded: bool = False) -> None:
        """Add one op's changes, in a person's wording if `worded`; ops come in the patch's order."""
        match op.verb:
            case "createAtom":
                self._create_atom(op, worded=worded)
            case "updateAtom":
                self._update_atom(op, worded=worded)
            case "removeAtom":
                self.atoms[str(op.payload["atomId"])] = None
            case "markAtomSuperseded":
                new = str(op.payload["newAtomId"])
                self.atoms[new] = replace(self._atom(new), supersedes=str(op.payload["oldAtomId"]))
            case "attachTestToAtom":
                self._attach(op)
            case "detachTest":
                self.records[str(op.payload["testId"])] = None
            case "createMolecule":
                self._create_molecule(op)
            case unknown:
                raise InputError(f"{unknown!r} changes no pact; for what waits for a board: " + BOARDS())

    def reject(self, rejection: Rejection) -> None:
        """Record a rejection next to the test's links."""
        entry = self.world.by_id.get(rejection.test)
        known = self._record(rejection.test)
        if (entry is None and rejection.test not in self.world.pact.links) or known.rejected == rejection.fingerprint:
            return
        reviewed = entry is None or known.atoms or known.annotated
        self.records[rejection.test] = replace(
            known,
            body=known.body if reviewed or entry is None else entry.test.body_hash,
            helpers=known.helpers if reviewed or entry is None else entry.test.helpers or None,
            rejected=rejection.fingerprint,
            by=rejection.by,
            reason=rejection.reason or None,
            at=rejection.at,
        )

    def _atom(self, name: str) -> Atom:
        return self.atoms.get(name) or self.world.pact.atoms[name]

    def _record(self, test: str) -> LinkRecord:
        known = self.records.get(test) or self.world.record_of(test)
        return LinkRecord(test, path=self._links_path(test)) if known is None else replace(known, test=test)

    def _links_path(self, test: str) -> str:
        return self.world.pact.folder.path(schema.links_path(file_of(test)))

    def _create_atom(self, op: Op, *, worded: bool) -> None:
        said = op.payload
        name = str(said.get("atomId") or op.target.partition(":")[2])
        place, origin = _origin(op)
        self.atoms[name] = Atom(
            id=name,
            intent=str(said["description"]),
            category=said["category"],  # type: ignore[arg-type]  # the op's shape allows only categories
            outcomes=_texts(said["observableOutcomes"]),
            falsified_by=_texts(said.get("falsifiedBy", ())),
            status=said.get("status", "draft"),  # type: ignore[arg-type]  # likewise
            origin=origin,
            source="person" if worded else said.get("source", "reconciliation"),  # type: ignore[arg-type]  # likewise
            recommendation=None if said.get("source") == "person" else op.id,
            tags=_texts(said.get("tags", ())),
            path=self.world.pact.folder.path(schema.atoms_path(place)),
        )

    def _update_atom(self, op: Op, *, worded: bool) -> None:
        said = op.payload
        atom = self._atom(str(said["atomId"]))
        status = said.get("status", atom.status)
        self.atoms[atom.id] = replace(
            atom,
            intent=str(said.get("description", atom.intent)),
            category=said.get("category", atom.category),  # type: ignore[arg-type]  # likewise
            outcomes=_texts(said["observableOutcomes"]) if "observableOutcomes" in said else atom.outcomes,
            falsified_by=_texts(said["falsifiedBy"]) if "falsifiedBy" in said else atom.falsified_by,
            tags=_texts(said["tags"]) if "tags" in said else atom.tags,
            status=status,  # type: ignore[arg-type]  # likewise
            reason=(str(said.get("reason", atom.reason or "")) or None) if status == "abandoned" else None,
            supersedes=None if "supersedes" in said else atom.supersedes,
            source="person" if worded else atom.source,
        )

    def _attach(self, op: Op) -> None:
        said = op.payload
        test, atom = str(said["testId"]), str(said["atomId"])
        record = self._record(test)
        old = str(said.get("replacesAtomId", ""))
        atoms = {*record.atoms} - {old}
        annotated = {*record.annotated}.intersection(self._written(test)) - {old}
        in_comment = old != "" and self._stands_in_comment(test, old)
        carrier = said.get("carrier", "sidecar")
        if carrier == "sidecar" and not in_comment:
            atoms |= {atom} - annotated
        else:
            annotated.add(atom)
            atoms.discard(atom)
            if carrier == "comment" or in_comment:
                self.comment(test, add=(atom,), remove=(old,) if in_comment else ())
        body = str(said["bodyHash"])
        helpers = self.world.by_id[test].test.helpers or None
        proved = self.proves.get(test, Proved())
        self.records[test] = LinkRecord(
            test,
            tuple(sorted(atoms)),
            tuple(sorted(annotated)),
            body,
            helpers=helpers,
            asserts=proved.asserts,
            rests=proved.rests,
            left=self._left(record, str(said.get("replacesTestId", "")), {*atoms, *annotated}),
            path=record.path,
        )
        self.confirmed.setdefault(test, set()).update({atom, old})
        self.settled.add(test)
        if "replacesTestId" in said:
            self.records[str(said["replacesTestId"])] = None
            self.settled.add(str(said["replacesTestId"]))

    def _left(self, record: LinkRecord, replaced: str, linked: set[str]) -> tuple[str, ...]:
        """Return what a test, and the one it replaces, proved of committed atoms that no link of it names any more."""
        pact = self.world.pact

        def unproven(atom: str) -> bool:
            return atom not in linked and pact.status_of(atom) == "committed"

        both = (record, pact.links[replaced]) if replaced in pact.links else (record,)
        lines = dict.fromkeys(line for one in both for line in one.leaving(filter(unproven, one.named)))
        return tuple(line for line in lines if unproven(line.split(" ")[0]))

    def _written(self, test: str) -> set[str]:
        """Return the atoms named in the code for a test, including those that this apply adds there."""
        here = {link.atom for link in self.world.by_id[test].links if link.carrier != "sidecar"}
        asked = self.comments.get(test)
        return here if asked is None else {*here, *asked.add}

    def _keep_unconfirmed(self) -> None:
        """Keep the reviewed body of a record if one of its suspect links was not confirmed.

        A record has one body for all its links: updating it would mark a link as reviewed that nobody has looked at.
        """
        for test, confirmed in self.confirmed.items():
            known, record = self.world.record_of(test), self.records.get(test)
            suspect = {*self.world.by_id[test].atoms({"suspect"})}
            if known is not None and record is not None and suspect - confirmed:
                reviewed = {key: getattr(known, key) for key in ("body", "helpers", "asserts", "rests")}
                self.records[test] = replace(record, **reviewed)

    def _renumber(self) -> None:
        """Renumber the records of tests, in every file whose records change anyway."""
        touched = {file_of(name) for name in self.records}
        shifted = [
            (entry.test.id, entry.record)
            for entry in self.world.linked
            if entry.test.file in touched and entry.record is not None and entry.record.test != entry.test.id
        ]
        for test, record in shifted:
            self.records.setdefault(test, replace(record, test=test))
        for _, record in shifted:
            self.records.setdefault(record.test, None)

    def _stands_in_comment(self, test: str, atom: str) -> bool:
        links = self.world.by_id[test].links
        return any(link.atom == atom and link.carrier == "comment" and link.scope == "test" for link in links)

    def comment(self, test: str, *, add: tuple[str, ...] = (), remove: tuple[str, ...] = ()) -> None:
        """Request a change of the comment above a test, in addition to earlier requests."""
        known = self.comments.get(test) or CommentEdit(self.world.by_id[test].test)
        self.comments[test] = CommentEdit(
            known.test, tuple(dict.fromkeys((*known.add, *add))), tuple(dict.fromkeys((*known.remove, *remove)))
        )

    def _create_molecule(self, op: Op) -> None:
        said = op.payload
        members = _texts(said.get("atomIds", ()))
        name = str(said.get("moleculeId") or hashed_id("M", str(said["name"]), *members))
        self.molecules[name] = Molecule(name, str(said["name"]), members, str(said["description"]))

    def outcome(self, read: Read, annotate: Annotate, digits: Callable[[bytes], str]) -> Outcome:
        """Make the new content of all files that change.

        `read` returns current content, `annotate` writes comments, and `digits` are what a review records of a content.
        """
        self._keep_unconfirmed()
        again = {
            test: replace(self._record(test), asserts=proved.asserts, rests=proved.rests)
            for test, proved in self.proves.items()
            if test not in self.records
        }
        self.records.update(again)
        self._renumber()
        folder = self.world.pact.folder
        files: dict[str, bytes | None] = {}
        refused = self._write_comments(files, read, annotate)
        commented = {f"{path} {digits(read(path) or b'')}": f"{path} {digits(files[path] or b'')}" for path in files}
        self._rest_on(commented)
        self._write_atoms(files, read)
        self._write_links(files, read)
        if self.molecules:
            _put(files, read, folder.path(schema.MOLECULES_FILE), [(one.id, one) for one in self.molecules.values()])
        self._drop_clarifications(files, read)
        debt = read(folder.path(schema.DEBT_FILE))
        if debt is not None and self.settled:
            marked = [(test, line) for test, line in self.marked.items() if test not in self.settled]
            files[folder.path(schema.DEBT_FILE)] = put_debt(remove_debt(debt, self.settled), marked)
        if read(folder.path(schema.SETTINGS_FILE)) is None and files:
            files[folder.path(schema.SETTINGS_FILE)] = new_settings()
            files[folder.path(schema.ATTRIBUTES_FILE)] = ATTRIBUTES.encode()
        changed = {path: data for path, data in files.items() if data != read(path)}
        renewed = sorted(test for test in again if self.records[test] != self.world.record_of(test))
        return Outcome(dict(sorted(changed.items())), tuple(refused), tuple(renewed))

    def _write_comments(self, files: dict[str, bytes | None], read: Read, annotate: Annotate) -> list[tuple[str, str]]:
        by_file = by_key((comment.test.file, comment) for comment in self.comments.values())
        found: list[tuple[str, str]] = []
        for path, comments in sorted(by_file.items()):
            source = read(path)
            if source is None:
                refused: Mapping[str, str] = {one.test.id: "the file cannot be read" for one in comments}
            else:
                files[path], refused = annotate(path, source, comments)
            for name, reason in refused.items():
                self._refuse(name)
                found.append((name, reason))
        return found

    def _rest_on(self, rewritten: Mapping[str, str]) -> None:
        """Let reviews of files as they are rest on those files with their comments: that is what will be committed."""
        for name, record in self.records.items():
            if record is not None and rewritten:
                self.records[name] = replace(record, rests=tuple(rewritten.get(line, line) for line in record.rests))

    def _refuse(self, name: str) -> None:
        """Adjust the record of a test whose comment stays as it is."""
        record, comment = self._record(name), self.comments[name]
        annotated = {*record.annotated, *comment.remove}.difference(comment.add)
        atoms = {*record.atoms, *comment.add}.difference(comment.remove)
        self.records[name] = replace(record, atoms=tuple(sorted(atoms)), annotated=tuple(sorted(annotated)))

    def _write_atoms(self, files: dict[str, bytes | None], read: Read) -> None:
        known = self.world.pact.atoms
        placed = ((known[name].path if atom is None else atom.path, (name, atom)) for name, atom in self.atoms.items())
        for path, entries in by_key(placed).items():
            _put(files, read, path, entries)

    def _drop_clarifications(self, files: dict[str, bytes | None], read: Read) -> None:
        """Remove clarifications of removed atoms."""
        said = self.world.pact.clarifications.values()
        gone = [one.id for one in said if one.atom in self.atoms and self.atoms[one.atom] is None]
        place = self.world.pact.folder.path(schema.CLARIFICATIONS_FILE)
        source = read(place)
        if gone and source is not None:
            data = remove_clarifications(source, gone)
            files[place] = data if data.strip() else None

    def _write_links(self, files: dict[str, bytes | None], read: Read) -> None:
        placed = ((self._links_path(name), (name, record)) for name, record in self.records.items())
        for path, entries in by_key(placed).items():
            document = Document(path, read(path))
            for name, record in sorted(entries):
                if record is None:
                    document.remove(name)
                else:
                    document.put_fields(name, link_fields(record))
            data = bytes(document)
            files[path] = data if data.strip() else None


def _put(
    files: dict[str, bytes | None], read: Read, path: str, entries: Iterable[tuple[str, Atom | Molecule | None]]
) -> None:
    document = Document(path, read(path))
    for name, value in sorted(entries, key=lambda entry: entry[0]):
        if value is None:
            document.remove(name)
        else:
            document.put_fields(name, atom_fields(value) if isinstance(value, Atom) else molecule_fields(value))
    data = bytes(document)
    files[path] = data if data.strip() else None


def _origin(op: Op) -> tuple[str, str | None]:
    """Return the test file or topic that groups a new atom, and its origin."""
    said = op.payload
    source = said.get("sourceTest")
    if isinstance(source, Mapping):
        return str(source["filePath"]), str(source["testId"]) if "testId" in source else None
    span = said.get("sourceSpan")
    if isinstance(span, Mapping):
        return str(said.get("topic", span["filePath"])), f"{span['filePath']}:{_lines(span)}"
    return str(said.get("topic", TOPIC)), str(said["origin"]) if "origin" in said else None


def _lines(span: Mapping[str, object]) -> str:
    return str(span["line"]) if span["line"] == span["endLine"] else f"{span['line']}-{span['endLine']}"


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(one) for one in value) if isinstance(value, list | tuple) else ()
