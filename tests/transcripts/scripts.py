"""Conversations written as scripts, and the real formats made of them.

    format claude-code
    file main.jsonl
    user | Ship it.
    call Bash c1 | git push
    result c1 | Everything up-to-date
    expect
    event | push no_change: git push

Lines that begin with four spaces go on with the text above. `error` is a result that failed, `summary` what a compaction
wrote, `meta` what the program said in the person's name, `side` and `sideuser` what a subagent and its task said;
`replay FILE` copies all records of an earlier file as a fork does; `raw` writes a line as it stands.
"""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

BEGIN = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


@dataclass
class Line:
    word: str
    name: str
    text: str


@dataclass
class Script:
    format: str = "claude-code"
    files: dict = field(default_factory=dict)
    expected: list = field(default_factory=list)


def read_script(text: str) -> Script:
    script, expecting = Script(), False
    current: Line | None = None
    for row in text.splitlines():
        if current and (row.startswith("    ") or not row.strip()):
            current.text += "\n" + row[4:]
            continue
        word, _, rest = row.partition(" ")
        if word == "expect":
            expecting, current = True, None
        elif expecting:
            script.expected.append(row)
        elif word == "format":
            script.format = rest
        elif word == "file":
            script.files[rest] = []
        elif row.strip() and not row.startswith("#"):
            name, _, said = row.partition(" | ")
            current = Line(word, name[len(word) :].strip(), said)
            list(script.files.values())[-1].append(current)
    for lines in script.files.values():
        for line in lines:
            line.text = line.text.rstrip("\n")
    script.expected = [row for row in script.expected if row.strip()]
    return script


def write_script(script: Script, folder: Path, *, after: int = 0) -> list[Path]:
    """Write every file of a script in its format and return their paths; ids and times go on `after` that many records."""
    clock = Clock(after)
    written: dict[str, list[str]] = {}
    for name, lines in script.files.items():
        rows: list[str] = []
        for line in lines:
            rows += written[line.name] if line.word == "replay" else [render(script.format, name, line, clock)]
        written[name] = rows
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return [folder / name for name in script.files]


class Clock:
    def __init__(self, number):
        self.number = number

    def tick(self):
        self.number += 1
        return (BEGIN + timedelta(minutes=self.number)).isoformat().replace("+00:00", "Z")


def render(format_, name, line, clock):
    if line.word == "raw":
        return line.text
    return {"claude-code": claude, "codex": codex, "generic": generic, "markdown": markdown}[format_](name, line, clock)


def arguments(line):
    """A call's tool, id and arguments: JSON where the text is an object, else a command."""
    tool, call = line.name.split()
    return tool, call, json.loads(line.text) if line.text.startswith("{") else {"command": line.text}


def claude(name, line, clock):
    at = clock.tick()
    kind = {"assistant": "assistant", "side": "assistant", "thinking": "assistant", "call": "assistant"}.get(
        line.word, "user"
    )
    record = {
        "parentUuid": None,
        "isSidechain": line.word in {"side", "sideuser"},
        "userType": "external",
        "cwd": "/home/ada/shop",
        "sessionId": "11111111-2222-4333-8444-555555555555",
        "version": "2.0.1",
        "gitBranch": "main",
        "type": kind,
        "uuid": f"00000000-0000-4000-8000-{clock.number:012d}",
        "timestamp": at,
    }
    if line.word == "system":
        return json.dumps(record | {"type": "system", "subtype": line.name, "content": line.text}, ensure_ascii=False)
    flags = {"summary": {"isCompactSummary": True}, "meta": {"isMeta": True}}.get(line.word, {})
    message = {"role": kind, "content": claude_content(line)}
    if kind == "assistant":
        message |= {"id": f"msg_{clock.number // 3}", "model": "claude-sonnet-5", "usage": {"input_tokens": 1}}
    return json.dumps(record | flags | {"message": message}, ensure_ascii=False)


def claude_content(line):
    match line.word:
        case "assistant" | "side":
            return [{"type": "text", "text": line.text}]
        case "thinking":
            return [{"type": "thinking", "thinking": line.text, "signature": "x"}]
        case "call":
            tool, call, given = arguments(line)
            return [{"type": "tool_use", "id": call, "name": tool, "input": given}]
        case "result" | "error":
            failed = line.word == "error"
            return [{"type": "tool_result", "tool_use_id": line.name, "content": line.text, "is_error": failed}]
        case _:
            return line.text


def codex(name, line, clock):
    at = clock.tick()
    said: dict[str, object] = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": line.text}],
    }
    match line.word:
        case "assistant":
            said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": line.text}]}
        case "thinking":
            said = {
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": line.text}],
                "encrypted_content": "x",
            }
        case "system":
            said["role"] = "developer"
        case "call":
            tool, call, given = arguments(line)
            if "command" in given and tool == "shell":
                given = {"command": ["bash", "-lc", given["command"]], "timeout_ms": 1000}
            said = {"type": "function_call", "name": tool, "arguments": json.dumps(given), "call_id": call}
        case "result" | "error":
            code = 1 if line.word == "error" else 0
            output = json.dumps({"output": line.text, "metadata": {"exit_code": code, "duration_seconds": 0.1}})
            said = {"type": "function_call_output", "call_id": line.name, "output": output}
        case "meta":
            said["content"] = f"<environment_context>{line.text}</environment_context>"
        case "summary":
            return json.dumps({"timestamp": at, "type": "compacted", "payload": {"message": line.text}})
    return json.dumps({"timestamp": at, "type": "response_item", "payload": said}, ensure_ascii=False)


def generic(name, line, clock):
    record = {"role": line.word, "content": line.text, "at": clock.tick(), "session": "g1", "cwd": "/home/ada/shop"}
    match line.word:
        case "call":
            tool, call, given = arguments(line)
            record |= {"role": "assistant", "content": "", "call": {"id": call, "tool": tool, "arguments": given}}
        case "result" | "error":
            failed = line.word == "error"
            result = {"id": line.name, "content": line.text, "failed": failed}
            record |= {"role": "tool", "content": "", "result": result}
    return json.dumps(record, ensure_ascii=False)


def markdown(name, line, clock):
    speaker = {"user": "User", "assistant": "Claude"}[line.word]
    return f"## {speaker} ({clock.tick()})\n\n{line.text}\n"
