"""Which coding agents are known, one row each: the file they read, and what stands there of Pactkeeper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.errors import UsageError
from pactkeeper.ledger.canonical import JsonValue

Form = Literal["section", "pointer", "skill", "json", "toml"]
NAME: Final = "pactkeeper"
_HERE: Final = ("mcp",)
_OPENED: Final = ("-C", "${workspaceFolder}", "mcp")  # an editor starts servers wherever it was started itself


@dataclass(frozen=True, slots=True)
class Agent:
    """One file that agents read; `signs` are the paths that tell that somebody uses the agent here.

    In a JSON file `container` leads to an object, and `entry` is ours in it under the name `member`.
    """

    name: str
    title: str
    path: str
    form: Form
    signs: tuple[str, ...] = ()
    container: str = ""
    entry: JsonValue = None
    member: str = NAME
    always: bool = False


def _server(arguments: Sequence[str], **more: JsonValue) -> dict[str, JsonValue]:
    return {**more, "command": "pk", "args": [*arguments]}


_SKILL: Final = f"skills/{NAME}/SKILL.md"
AGENTS: Final[tuple[Agent, ...]] = (
    Agent("agents-md", "every agent that reads AGENTS.md", "AGENTS.md", "section", always=True),
    Agent("claude-md", "Claude Code", "CLAUDE.md", "pointer", always=True),
    Agent("skill", "agents that read .agents/skills", f".agents/{_SKILL}", "skill", always=True),
    Agent("claude-skill", "Claude Code", f".claude/{_SKILL}", "skill", always=True),
    Agent(
        "claude",
        "Claude Code",
        ".mcp.json",
        "json",
        container="mcpServers",
        entry=_server(_HERE),
        always=True,
    ),
    Agent(
        "claude-hook",
        "Claude Code",
        ".claude/settings.json",
        "json",
        always=True,
        container="hooks",
        member="Stop",
        entry=[{"hooks": [{"type": "command", "command": "pk guard --hook"}]}],
    ),
    Agent(
        "cursor",
        "Cursor",
        ".cursor/mcp.json",
        "json",
        signs=(".cursor", ".cursorrules"),
        container="mcpServers",
        entry=_server(_OPENED),
    ),
    Agent(
        "vscode",
        "VS Code",
        ".vscode/mcp.json",
        "json",
        signs=(".vscode",),
        container="servers",
        entry=_server(_OPENED, type="stdio"),
    ),
    Agent(
        "codex",
        "Codex",
        ".codex/config.toml",
        "toml",
        signs=(".codex",),
        container="mcp_servers",
        entry=_server(_HERE),
    ),
    Agent(
        "opencode",
        "OpenCode",
        "opencode.json",
        "json",
        signs=(".opencode",),
        container="mcp",
        entry={"type": "local", "command": ["pk", *_HERE], "enabled": True},
    ),
    Agent(
        "gemini",
        "Gemini CLI",
        ".gemini/settings.json",
        "json",
        signs=(".gemini", "GEMINI.md"),
        container="mcpServers",
        entry=_server(_HERE),
    ),
)
_BY_NAME: Final = {one.name: one for one in AGENTS}


def chosen(names: Sequence[str], is_there: Callable[[str], bool]) -> tuple[Agent, ...]:
    """The named rows, by default those that are always meant and those with a sign in the repository.

    Raises UsageError naming every unknown name.
    """
    unknown = [name for name in names if name not in _BY_NAME]
    if unknown:
        raise UsageError(f"no such agent: {', '.join(map(repr, unknown))}; known are {', '.join(_BY_NAME)}")
    if names:
        return tuple(one for one in AGENTS if one.name in names)
    return tuple(one for one in AGENTS if one.always or is_there(one.path) or any(map(is_there, one.signs)))
