"""Draw docs/images/session.svg from what `pk` prints in the sample: `make reconcile` first, then `make picture`."""

from __future__ import annotations

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

ROOT: Final = Path(__file__).resolve().parents[1]
SAMPLE: Final = ROOT / "build" / "sample"
PICTURE: Final = ROOT / "docs" / "images" / "session.svg"
COLUMNS: Final = 96


def printed(*arguments: str) -> str:
    """What a terminal is given by a `pk` command in the sample, colours included."""
    ours, theirs = os.openpty()
    surroundings = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    surroundings |= {"COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    command = [str(Path(sys.executable).with_name("pk")), *arguments]
    with subprocess.Popen(command, cwd=SAMPLE, env=surroundings, stdout=theirs, stderr=subprocess.DEVNULL):
        os.close(theirs)
        return b"".join(iter(lambda: _piece(ours), b"")).decode().replace("\r\n", "\n").rstrip()


def _piece(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # the other side has closed it
        return b""


def without_remote_fonts(picture: str) -> str:
    """The drawing with the reader's own monospace font, so that nothing is fetched to show it."""
    while "@font-face" in picture:
        before, _, rest = picture.partition("@font-face")
        picture = before.rstrip() + rest.partition("}")[2]
    return picture.replace("Fira Code", "ui-monospace, Menlo, Consolas")


def main() -> int:
    """Write the picture of one `pk check` that found drift."""
    if not SAMPLE.is_dir():
        sys.exit("picture: there is no sample yet; run `make reconcile`")
    console = Console(record=True, width=COLUMNS, file=StringIO())
    console.print(Text("$ pk check", style="bold"))
    console.print(Text.from_ansi(printed("check")))
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(without_remote_fonts(console.export_svg(title="pk check")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
