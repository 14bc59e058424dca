"""The pages of the pact: its atoms to search, one atom with its history, and molecules as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final, cast, get_args

from starlette.requests import Request
from starlette.responses import Response

from pactkeeper.doors.web.page.desk import Desk
from pactkeeper.doors.web.page.rendering import page
from pactkeeper.intent.atoms import CATEGORIES, Status, atoms_within
from pactkeeper.intent.listing import AtomFilter
from pactkeeper.intent.pact import Pact
from pactkeeper.operators.atoms import AtomPage, AtomQuery, list_atoms
from pactkeeper.operators.explain import explain_atom
from pactkeeper.operators.molecules import list_molecules
from pactkeeper.reconcile.molecules import Grouping
from pactkeeper.workspace import Workspace

SECTION: Final = "/pact"
PER_PAGE: Final = 50
MOST_GROUPS: Final = 80
DOTS: Final = 12  # atoms in a row of the picture
STATUSES: Final[tuple[str, ...]] = get_args(Status)


async def listed(desk: Desk, request: Request) -> Response:
    """Atoms, searched and filtered, a page at a time."""
    asked = request.query_params
    words, status, category = asked.get("words", ""), asked.get("status", ""), asked.get("category", "")
    number = asked.get("part", "1")
    wanted = AtomFilter(
        (cast("Status", status),) if status in STATUSES else (),
        (category,) if category in CATEGORIES else (),
        text=words,
    )
    part = int(number) if number.isdecimal() and len(number) <= len(str(PER_PAGE**2)) else 1
    query = AtomQuery(wanted, page=max(1, part), limit=PER_PAGE)
    found: AtomPage = await desk.look(request, lambda workspace: list_atoms(workspace, query))
    chosen = {"words": words, "status": status, "category": category}
    return page(request, "pact.html", SECTION, found=found, chosen=chosen, statuses=STATUSES, categories=CATEGORIES)


async def shown(desk: Desk, request: Request) -> Response:
    """Everything that is known of one atom."""
    name = request.path_params["atom"]
    found = await desk.look(request, lambda workspace: explain_atom(workspace, name))
    return page(request, "atom.html", SECTION, found=found)


@dataclass(frozen=True, slots=True)
class Dot:
    """One atom of the picture, where it is drawn and how it stands."""

    atom: str
    intent: str
    status: str
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class MoleculeBox:
    """One molecule of the picture: its box, and its atoms as dots."""

    name: str
    stored: bool
    dots: tuple[Dot, ...]

    @property
    def height(self) -> int:
        """How tall its dots stand."""
        return 20 * ceil(len(self.dots) / DOTS) + 4


async def molecules(desk: Desk, request: Request) -> Response:
    """Molecules, stored ones first, each atom a dot that leads to it."""
    by: Grouping = "concept" if request.query_params.get("by") == "concept" else "path"

    def work(workspace: Workspace) -> tuple[Sequence[MoleculeBox], int]:
        found = list_molecules(workspace, by)
        pact = found.pact
        stored = [(one.name, True, tuple(atoms_within(one.id, pact.molecules))) for one in found.stored]
        computed = [(one.name, False, one.atoms) for one in found.computed]
        groups = [_group(name, atoms, pact, stored=kept) for name, kept, atoms in (*stored, *computed)]
        return groups[:MOST_GROUPS], max(0, len(groups) - MOST_GROUPS)

    groups, more = await desk.look(request, work)
    return page(request, "molecules.html", SECTION, groups=groups, more=more, by=by)


def _group(name: str, atoms: Sequence[str], pact: Pact, *, stored: bool) -> MoleculeBox:
    known = [one for one in dict.fromkeys(atoms) if one in pact.atoms]
    dots = tuple(_dot(one, place, pact) for place, one in enumerate(known))
    return MoleculeBox(name, stored, dots)


def _dot(name: str, place: int, pact: Pact) -> Dot:
    x, y = place % DOTS * 20 + 12, place // DOTS * 20 + 12
    return Dot(name, pact.atoms[name].intent, str(pact.status_of(name)), x, y)
