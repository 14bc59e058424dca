"""Codex, the generic format and Markdown, and which format a file has."""

import json
from pathlib import Path

import pytest

from pactkeeper.intent.conversation import ConversationEntry
from pactkeeper.transcripts.sources import codex, generic, markdown, source_of
from pactkeeper.transcripts.sources.records import BEGINNING, LONGEST, RawLine, UnknownRecord, opened

META = {"type": "session_meta", "timestamp": "T", "payload": {"id": "s1", "cwd": "/shop", "git": {"branch": "main"}}}


def codex_entry(payload, kind="response_item", *, session="s1", source="cli"):
    meta = META | {"payload": {"id": session, "cwd": "/shop", "source": source}}
    chat = codex.describe(Path("/c/rollout-1.jsonl"), json.dumps(meta).encode())
    data = json.dumps({"timestamp": "T", "type": kind, "payload": payload}).encode()
    return codex.decode(RawLine(0, len(data), data), chat)


def block(payload):
    found = codex_entry(payload)
    assert isinstance(found, ConversationEntry)
    return found.blocks[0]


def test_a_rollout_has_session_folder_and_branch_from_its_first_record():
    chat = codex.describe(Path("/c/rollout-1.jsonl"), json.dumps(META).encode())
    assert (chat.session, chat.cwd, chat.branch, chat.kind) == ("s1", "/shop", "main", "main")


def test_what_events_repeat_is_read_once():
    assert codex_entry({"type": "user_message", "message": "hello"}, "event_msg") is None
    assert codex_entry({"cwd": "/x", "model": "m"}, "turn_context") is None


@pytest.mark.parametrize("steps", [1, 3])
def test_a_plan_of_codex_is_a_list_of_things_to_do(steps):
    plan = [{"step": "Measure", "status": "completed"}, *[{"step": "Mend", "status": "pending"}] * (steps - 1)]
    call = {"type": "function_call", "name": "update_plan", "arguments": json.dumps({"plan": plan}), "call_id": "c1"}
    (block,) = codex_entry(call).blocks
    assert block.text.splitlines() == ["- [x] Measure", *["- [ ] Mend"] * (steps - 1)]


def test_a_codex_record_of_an_unknown_type_is_named():
    assert codex_entry({"type": "hologram"}) == UnknownRecord("response_item/hologram")
    assert codex_entry({}, "session_end") == UnknownRecord("session_end")


@pytest.mark.parametrize(
    "given", [{"command": ["bash", "-lc", "git push"]}, {"command": "git push"}, {"cmd": "git push"}]
)
def test_a_codex_call_shows_the_script_that_its_shell_runs(given):
    call = {"type": "function_call", "name": "shell", "arguments": json.dumps(given), "call_id": "c1"}
    assert (block(call).text, block(call).call) == ("git push", "c1")


@pytest.mark.parametrize(
    ("output", "failed", "text"),
    [
        ('{"output":"no","metadata":{"exit_code":2}}', True, "no"),
        ('{"output":"yes","metadata":{"exit_code":0}}', False, "yes"),
        ("Exit code: 1\nWall time: 0.1 seconds\nOutput:\nno", True, "no"),
        ("Chunk ID: a1\nProcess exited with code 0\nOutput:\nyes", False, "yes"),
        ({"content": "no", "success": False}, True, "no"),
        ([{"type": "input_text", "text": "seen"}], None, "seen"),
        ("just text", None, "just text"),
        ('{"a": 1}', None, '{"a": 1}'),
    ],
)
def test_a_codex_result_says_how_it_ended(output, failed, text):
    found = block({"type": "function_call_output", "call_id": "c1", "output": output})
    assert (found.failed, found.text) == (failed, text)


@pytest.mark.parametrize("text", ["<environment_context>x</environment_context>", "# AGENTS.md instructions for /shop"])
def test_what_codex_tells_the_model_in_the_users_name_is_meta(text):
    found = codex_entry({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})
    assert isinstance(found, ConversationEntry)
    assert found.role == "meta"


def test_a_codex_session_of_a_subagent_has_no_person():
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Do it"}]}
    found = codex_entry(said, source={"subagent": {"thread_spawn": {}}})
    assert isinstance(found, ConversationEntry)
    assert not found.by_person


def test_the_same_codex_record_in_another_file_is_the_same_entry():
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Do it"}]}
    one, other = codex_entry(said), codex_entry(said, session="s2")
    assert isinstance(one, ConversationEntry)
    assert isinstance(other, ConversationEntry)
    assert one.uuid == other.uuid


def generic_entry(record, start=0):
    data = json.dumps(record).encode()
    return generic.decode(RawLine(start, start + len(data), data), generic.describe(Path("/c/chat.jsonl"), data))


def test_a_generic_record_of_an_unknown_role_is_a_gap_that_names_the_known_ones():
    assert "known are user, assistant" in str(generic_entry({"role": "oracle", "content": "x"}))


def test_a_generic_record_without_an_id_is_told_by_its_place_and_bytes():
    first, again, later = (generic_entry({"role": "user", "content": "yes"}, start) for start in (0, 0, 90))
    assert isinstance(first, ConversationEntry)
    assert isinstance(again, ConversationEntry)
    assert isinstance(later, ConversationEntry)
    assert first.uuid == again.uuid != later.uuid


def turns(tmp_path, text):
    path = tmp_path / "chat.md"
    path.write_text(text, encoding="utf-8")
    with opened(path) as file:
        chat = markdown.describe(path, b"")
        found = [markdown.decode(line, chat) for line in markdown.split(file, 0) if isinstance(line, RawLine)]
    return [(one.role, one.blocks[0].text) for one in found if isinstance(one, ConversationEntry)]


def test_markdown_is_cut_at_lines_that_name_who_speaks(tmp_path):
    text = "# My chat\n\n## User\n\nhello\n\n**Assistant:**\nhi\n\n### 👤 You (2026-03-01)\nbye\n"
    assert turns(tmp_path, text) == [("user", "hello"), ("assistant", "hi"), ("user", "bye")]


def test_names_in_bold_before_the_words_begin_turns(tmp_path):
    text = "**User:** Ship it.\nToday.\n\n**Claude**: Done.\n\n**User**: Thanks.\n**Assistant (2026-03-01):** Gladly.\n"
    assert turns(tmp_path, text) == [
        ("user", "Ship it.\nToday."),
        ("assistant", "Done."),
        ("user", "Thanks."),
        ("assistant", "Gladly."),
    ]


def test_a_bold_name_before_words_is_text_where_lines_of_their_own_name_both_sides(tmp_path):
    text = "## User\n\nhello\n\n## Assistant\n\n**User:** sees a form\n"
    assert turns(tmp_path, text)[1:] == [("assistant", "**User:** sees a form")]


def test_headings_that_only_begin_like_a_speaker_are_text(tmp_path):
    text = "## User\n\nhello\n\n## Assistant\n\n## User interviews\n\nthree of them\n"
    assert turns(tmp_path, text)[1] == ("assistant", "## User interviews\n\nthree of them")


def test_speakers_inside_a_fence_are_text(tmp_path):
    text = "## User\n\n```\n## Assistant\n```\n\n## Assistant\n\nhi\n"
    assert turns(tmp_path, text) == [("user", "```\n## Assistant\n```"), ("assistant", "hi")]


def test_what_tools_and_programs_said_under_a_persons_name_is_not_theirs(tmp_path):
    said = [
        "<details><summary>Tool output</summary>\nWe decided\n</details>",
        "<command-name>/init</command-name>",
        "Hi",
    ]
    text = "".join(f"### Human\n\n{one}\n\n" for one in said)
    assert [role for role, _ in turns(tmp_path, text)] == ["tool", "meta", "user"]


@pytest.mark.parametrize(
    ("name", "text", "source"),
    [
        ("a.jsonl", json.dumps(META), "codex"),
        ("a.jsonl", '{"type":"user","sessionId":"s"}', "claude-code"),
        ("a.jsonl", '{"role":"user","content":"x"}', "generic"),
        ("a.md", "## User\n\nx\n\n## Claude\n\ny\n", "markdown"),
        ("a.md", "**User:** x\n\n**Claude:** y\n", "markdown"),
        ("a.md", "**User:** x\n\n**Assistant:**\n\ny\n", "markdown"),
        ("a.md", "# Notes\n\nnothing said\n", None),
        ("a.md", "# Format\n\n```\n**User:** x\n**Claude:** y\n```\n", None),
        ("a.md", "**User:** a name\n\n**Response:** 200\n", None),
        ("a.jsonl", '{"level":"info"}', None),
        ("a.jsonl", "", None),
        ("a.txt", '{"role":"user","content":"x"}', None),
    ],
)
def test_a_file_has_the_format_that_it_begins_like(tmp_path, name, text, source):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with opened(path) as file:
        found = source_of(file)
    assert (found.name if found else None) == source


SAID = '{"type":"user","uuid":"u1","sessionId":"s1","cwd":"/work/shop","message":{"content":"We ship on 4 May."}}\n'
STRANGE = '{"type":"mode","value":"plan"}\n' * 3


@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", STRANGE.encode(), b"\xef\xbb\xbf" + STRANGE.encode()])
def test_a_session_is_known_by_its_first_known_record_whatever_stands_before(tmp_path, read, history, before):
    path = tmp_path / "s1.jsonl"
    path.write_bytes(before + SAID.encode())
    (found,) = read(path)
    assert (found.outcome, found.source, found.entries, found.gaps) == ("read", "claude-code", 1, 0)
    assert found.unknown == ({"mode": 3} if b"mode" in before else {})


@pytest.mark.parametrize(("size", "outcome"), [(BEGINNING, "read"), (1_100_000, "read"), (LONGEST, "foreign")])
def test_a_first_record_is_known_however_long_a_record_may_be(tmp_path, read, size, outcome):
    path = tmp_path / "s1.jsonl"
    first, *more = [json.dumps({"role": "user", "content": text}) for text in ("x" * size, "Ship it.")]
    path.write_text("\n".join([first, *more]))
    assert [one.outcome for one in read(path)] == [outcome]


def test_a_file_of_unknown_records_alone_is_no_transcript(tmp_path, read):
    path = tmp_path / "x.jsonl"
    path.write_text(STRANGE)
    assert [one.outcome for one in read(path)] == ["foreign"]
