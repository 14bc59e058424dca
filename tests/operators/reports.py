"""Small reports about the shop's tests."""

from tests.operators.conftest import FILE


def junit(*cases, suite="pytest"):
    """JUnit XML; a case is a name or a pair of name and outcome element."""
    module = FILE.removesuffix(".py").replace("/", ".")
    parts = [(case, "") if isinstance(case, str) else case for case in cases]
    body = "".join(
        f'<testcase classname="{module}" name="{name}" time="0.1">{f"<{kind} message={chr(34)}why{chr(34)}/>" if kind else ""}</testcase>'
        for name, kind in parts
    )
    return f'<testsuites><testsuite name="{suite}">{body}</testsuite></testsuites>'
