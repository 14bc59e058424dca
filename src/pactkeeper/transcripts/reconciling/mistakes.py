"""What a misused tool suggests: the line that a file for agents should say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pactkeeper.intent.redaction import redacted
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.transcripts.reconciling import Guide, SeenArtifact, TranscriptWorld
from pactkeeper.transcripts.reconciling.proposing import Found, WantedChange, judged, propose


def mistake(seen: SeenArtifact, world: TranscriptWorld) -> Iterator[Found]:
    """Propose a line for an agents' file after a misused tool; a person makes the change."""
    facts = {name: redacted(str(value)) for name, value in seen.artifact.facts.items()}
    payload: dict[str, JsonValue] = {"tool": facts["tool"], "error": facts["error"]}
    payload |= {"wrongUsage": facts["wrong_usage"], "correctUsage": facts["correct_usage"], **_fix(facts, seen, world)}
    target = f"skill/{facts['tool']}/" + digest([facts["wrong_usage"], facts["correct_usage"]])[3:15]
    why = f"{facts['tool']} was called wrongly, then correctly"
    yield judged(seen, seen.artifact.title, "gap", why)
    wanted = WantedChange("proposeSkillFix", target, None, payload, seen.artifact.title, why, machine=True, asked=True)
    yield from propose(seen, wanted, world)


def _fix(facts: Mapping[str, str], seen: SeenArtifact, world: TranscriptWorld) -> dict[str, str]:
    """The file and the change: the line with the wrong call corrected, or a line added where the tool is mentioned.

    Empty if the folder has no file for agents; which one to create is a person's choice.
    """
    wrong, right = (" ".join(facts[name].split()) for name in ("wrong_usage", "correct_usage"))
    guides = world.guides.get(seen.folder, ())
    for guide in guides:
        for number, line in enumerate(guide.text.splitlines(), 1):
            if wrong in line:
                return {"file": f"{guide.path}:{number}", "change": redacted(line.strip().replace(wrong, right))}
    meant = next((one for one in guides if _speaks_of(one, facts["tool"])), next(iter(guides), None))
    if meant is None:
        return {}
    return {"file": meant.path, "change": f"add: call `{right}`, not `{wrong}`, which says: {facts['error']}"}


def _speaks_of(guide: Guide, tool: str) -> bool:
    return f"/{tool}/" in guide.path or tool in guide.text.replace("`", " ").split()
