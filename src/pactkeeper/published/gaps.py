"""What could not be looked at, as JSON."""

from __future__ import annotations

from typing import Final

from pactkeeper.intent.tests import Gap
from pactkeeper.published.plain import Codec

GAP: Final = Codec(Gap, "file line reason")
