"""What is read from outputs of real tools, compared with files that read well in a diff.

Those of Gradle, Surefire and JUnit and `maven/compile.txt` are written from the documentation of these tools, all others
by runs. `UPDATE_GOLDEN=1` writes what is read anew; look at the difference before keeping it.
"""

import os
from pathlib import Path

import pytest

from pactkeeper.health.parsers import PARSERS, parse
from pactkeeper.health.parsers.seen import CheckOutput
from pactkeeper.intent.health import HealthCheck

OUTPUTS = Path(__file__).parent / "outputs"
SAMPLES = sorted(
    str(path.relative_to(OUTPUTS)) for path in OUTPUTS.rglob("*.*") if path.suffix in {".txt", ".json", ".xml"}
)


def seen(path: Path) -> CheckOutput:
    data = path.read_bytes()
    listed = path.parent / "files"
    files = frozenset(listed.read_text("utf-8").split("\n")) - {""} if listed.exists() else frozenset()
    report = data if path.suffix == ".xml" else None
    return CheckOutput("" if report else data.decode(), report, ("/project",), files)


def render(sample: str) -> str:
    parser = sample.partition("/")[0]
    found = parse(parser, HealthCheck(parser, ("run",), "test"), seen(OUTPUTS / sample))
    lines = [f"tests: {'not said' if found.tests_seen is None else found.tests_seen}"]
    if found.verdict_hint:
        lines.append(f"{found.verdict_hint.verdict}: {found.verdict_hint.reason}")
    for one in found.diagnostics:
        lines += ["", f"{one.file or '-'}:{one.line}:{one.column} {one.severity} {one.rule}".rstrip()]
        lines += [f"  test    {one.test}"] if one.test else []
        lines += [f"  symbol  {one.symbol}"] if one.symbol else []
        lines += [f"  related {', '.join(one.related)}"] if one.related else []
        lines += [f"  | {line}".rstrip() for line in one.message.split("\n")]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("sample", SAMPLES)
def test_sample_output_is_read_as_expected(sample):
    expected = OUTPUTS / f"{sample}.expected"
    if os.environ.get("UPDATE_GOLDEN"):
        expected.write_text(render(sample), encoding="utf-8")
    assert render(sample) == expected.read_text("utf-8")


def test_every_tool_has_a_sample_output():
    assert {sample.partition("/")[0] for sample in SAMPLES} == set(PARSERS) - {"auto", "plain", "regex"}
