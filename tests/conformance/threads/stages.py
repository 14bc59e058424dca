"""The stages, and what each cannot do with the reason why."""

import pytest

from tests.conformance.threads.folder import FolderStage
from tests.conformance.threads.slack import SlackStage
from tests.conformance.threads.stage import Ability, Stage
from tests.conformance.threads.terminal import TerminalStage

STAGES = {"terminal": TerminalStage, "files": FolderStage, "slack": SlackStage}
CANNOT: dict[tuple[str, Ability], str] = {
    ("terminal", "redelivery"): "every command is an event of its own",
    ("terminal", "disorder"): "commands come in the order in which they are given",
    ("terminal", "replacing"): "what was printed stays",
    ("slack", "wordless"): "the form of a wish is not sent off empty",
    ("files", "waiting"): "whoever has files read wants them read, so nothing waits",
}


def needs(stage: Stage, *abilities: Ability):
    """Leave a scenario out where the channel cannot play it."""
    for ability in abilities:
        if (stage.name, ability) in CANNOT:
            pytest.skip(f"{stage.name}: {CANNOT[stage.name, ability]}")
