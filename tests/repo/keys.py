"""Real ssh keys for tests, made once a process, and lists of who may sign."""

import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp


@cache
def key(name: str, passphrase: str = "") -> Path:
    """A private key file; its public half lies beside it."""
    place = Path(mkdtemp(prefix="pk-keys-")) / name
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", name, "-f", place], check=True)
    return place


def public(name: str) -> str:
    return key(name).with_suffix(".pub").read_text().strip()


def line(principals: str, name: str, options: str = "") -> str:
    """One line of a list of allowed signers."""
    return " ".join(part for part in (principals, options, public(name)) if part) + "\n"
