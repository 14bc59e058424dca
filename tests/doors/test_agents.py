"""`pk agents` in a real repository."""

import shutil

import pytest

from tests.doors.terminals import seen_at_a_terminal


def contents(project):
    """Every file outside of git's folder, with its bytes."""
    return {
        path.relative_to(project.root).as_posix(): path.read_bytes()
        for path in sorted(project.root.rglob("*"))
        if path.is_file() and ".git" not in path.parts
    }


@pytest.fixture
def furnished(project):
    """A project in which somebody uses several agents already."""
    project.write("AGENTS.md", "# For agents\n\n- Be kind.")
    project.write(".cursor/mcp.json", '{"mcpServers": {}}')
    project.write(".vscode/mcp.json", "{}")
    project.write(".codex/config.toml", "")
    project.write("opencode.json", '{\n\t"theme": "x"\n}\n')
    return project


def test_install_then_remove_leaves_the_same_files(furnished):
    before = contents(furnished)
    furnished.pk("agents", "install", "--yes")
    assert contents(furnished) != before
    furnished.pk("agents", "remove", "--yes")
    assert contents(furnished) == before


def test_second_install_has_nothing_to_do(furnished):
    furnished.pk("agents", "install", "--yes")
    after = contents(furnished)
    assert furnished.pk("agents", "install", "--yes").out == "nothing to do\n"
    assert contents(furnished) == after


def test_install_is_taken_back_by_undo(furnished):
    before = contents(furnished)
    furnished.pk("agents", "install", "--yes")
    furnished.pk("undo")
    assert contents(furnished) == before


def test_without_a_terminal_the_diff_is_shown_and_nothing_written(furnished):
    before = contents(furnished)
    shown = furnished.pk("agents", "install", code=1)
    assert "+++ b/.mcp.json" in shown.out
    assert shown.out.endswith("nothing was written; use --yes to write it\n")
    assert contents(furnished) == before


@pytest.mark.parametrize(("typed", "code", "there"), [(b"y\n", 0, True), (b"\n", 1, False)])
def test_person_at_a_terminal_is_asked(project, typed, code, there):
    seen, ended = seen_at_a_terminal(project, "agents", "install", "--agent", "claude", typed=typed)
    assert ended == code, seen
    assert (project.root / ".mcp.json").exists() == there


def test_only_named_agents_are_written(project):
    project.pk("agents", "install", "--yes", "--agent", "codex", "--agent", "gemini")
    assert project.status().split() == ["??", ".codex/config.toml", "??", ".gemini/settings.json"]


def test_link_in_the_way_is_refused_and_nothing_is_written(project, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (project.root / ".cursor").symlink_to(tmp_path / "elsewhere")
    before = contents(project)
    refused = project.pk("agents", "install", "--yes", code=2)
    assert "symbolic link" in refused.err
    assert "'.cursor/mcp.json'" in refused.err
    assert contents(project) == before
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_broken_file_stops_the_whole_install(project):
    project.write(".gemini/settings.json", '{\n "a": \n}')
    before = contents(project)
    assert ".gemini/settings.json:3:" in project.pk("agents", "install", "--yes", code=2).err
    assert contents(project) == before


def test_entry_of_a_person_is_left_and_named(project):
    project.write(".mcp.json", '{"mcpServers": {"pactkeeper": {"command": "/opt/pk"}}}')
    done = project.pk("agents", "install", "--yes")
    assert ".mcp.json: somebody wrote 'pactkeeper' there" in done.err
    assert "/opt/pk" in project.read(".mcp.json")


def test_show_says_how_every_agent_stands(project):
    project.pk("agents", "install", "--yes", "--agent", "codex")
    rows = {one["name"]: one["standing"] for one in project.pk("agents", "list", "--json").document["agents"]}
    assert rows["codex"] == "installed"
    assert rows["gemini"] == "absent"


def test_check_says_the_same_with_and_without_agents(adopted):
    adopted.pk("agents", "install", "--yes")
    assert adopted.codes() == []


def test_claude_code_is_pointed_to_the_section(project):
    project.pk("agents", "install", "--yes")
    assert "\n@AGENTS.md\n" in (project.root / "CLAUDE.md").read_text()
    assert project.pk("agents", "install", "--yes").out == "nothing to do\n"
    project.pk("agents", "remove", "--yes")
    assert not (project.root / "CLAUDE.md").exists()


def test_a_claude_file_that_leads_to_the_section_already_stays(project):
    (project.root / "CLAUDE.md").write_text("See @AGENTS.md for all.\n")
    project.pk("agents", "install", "--yes")
    assert (project.root / "CLAUDE.md").read_text() == "See @AGENTS.md for all.\n"


def test_a_claude_file_that_is_the_section_itself_is_left_alone(project):
    (project.root / "AGENTS.md").write_text("# Agents\n")
    (project.root / "CLAUDE.md").symlink_to("AGENTS.md")
    project.pk("agents", "install", "--yes")
    assert (project.root / "CLAUDE.md").is_symlink()


def test_a_command_that_no_client_finds_is_told(project, tmp_path):
    (tmp_path / "git").symlink_to(shutil.which("git"))
    told = project.pk("agents", "install", "--yes", env={"PATH": str(tmp_path)}).err
    assert "'pk' is not on your PATH" in told
