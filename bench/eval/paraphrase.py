"""The same behaviour under another name: words of a test's name replaced by synonyms."""

from __future__ import annotations

import re
from typing import Final

_PAIRS: Final = """
refused rejected; rejects declines; returns gives; missing absent; empty blank; fails breaks; error failure;
kept preserved; keeps preserves; shown displayed; shows displays; same identical; named mentioned; names mentions;
every each; without lacking; old former; new fresh; found discovered; finds discovers; wrong incorrect;
changed modified; changes modifies; removed deleted; removes deletes; added inserted; adds inserts; read loaded;
reads loads; written stored; writes stores; stays remains; stay remain; counted tallied; counts tallies;
left remaining; begins starts; ends finishes; broken damaged; unknown unrecognised; known recognised; nothing none;
only solely; never not-ever; twice two-times; once one-time; whole entire; first leading; last final; big large;
small little; goes travels; comes arrives; takes accepts; asked requested; answers responds; says states; told informed;
stands lies; needs requires; holds contains; allowed permitted; may can; can may; cannot may-not; does-not fails-to;
test case; tests cases; file document; folder directory; line row; sentence phrase; word term; words terms; name label;
"""
_WORDS: Final = {
    old: new.replace("-", "_")
    for pair in _PAIRS.replace("\n", " ").split(";")
    if pair.strip()
    for old, new in [pair.split()]
}
_PARTS: Final = re.compile(r"[A-Za-z]+|[^A-Za-z]+")
_MOST: Final = 3


def paraphrased(name: str) -> str:
    """The name with up to three of its words replaced, its first word apart where that is `test`."""
    parts = _PARTS.findall(name)
    changed = 0
    for at, part in enumerate(parts):
        if at and changed < _MOST and part.lower() in _WORDS:
            parts[at] = _WORDS[part.lower()] if "_" in name else _WORDS[part.lower()].replace("_", " ")
            changed += 1
    return "".join(parts)
