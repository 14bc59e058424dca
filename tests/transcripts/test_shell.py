import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.transcripts.extraction import simple_commands


@pytest.mark.parametrize(
    ("script", "commands"),
    [
        ("git push", ["git push"]),
        ("cd api && git push; ls | wc", ["cd api", "git push", "ls", "wc"]),
        ("a\nb", ["a", "b"]),
        ("git -C /x -c a=b push", ["git push"]),
        ("sudo FOO=1 env BAR=2 timeout 60 git push", ["git push"]),
        ("uv run pytest -q", ["pytest -q"]),
        ("/usr/bin/git push 2>&1 >out.txt", ["git push"]),
        ("bash -lc 'cd x && git push'", ["cd x", "git push"]),
        ("echo 'git push; git push'", ["echo git push; git push"]),
        ("cat <<EOF\ngit push\nEOF\nls", ["cat", "ls"]),
        ("cat <<'EOF' > a && ls\ngit push\nEOF", ["cat", "ls"]),
        ("# git push", []),
        ("git commit -m 'unbalanced", []),
        ("", []),
    ],
)
def test_commands_are_told_apart_as_a_shell_would(script, commands):
    assert [" ".join(words) for words in simple_commands(script)] == commands


@given(st.text(alphabet="git push-mc'\"$()<>|&;\n\\#EOF=", max_size=60))
def test_no_script_breaks_it(script):
    assert all(words for words in simple_commands(script))
