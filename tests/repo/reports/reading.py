"""Sample reports, as real runs of the tools wrote them or as their documentation shows them."""

from pathlib import Path

from pactkeeper.repo.reports import Report

SAMPLES = Path(__file__).parent / "samples"


def sample(name):
    return Report(name, (SAMPLES / name).read_bytes())


def report(text, name="report"):
    return Report(name, text if isinstance(text, bytes) else text.encode())
