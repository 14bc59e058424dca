"""Take a picture of every page at two widths, light and dark, from the sample repository, and look for what axe finds.

Needs Chromium and the Python package playwright. `--axe FILE` names axe.min.js of the npm package axe-core; `--keep`
names another folder for the pictures than docs/images/page. Exit code 1 where axe finds something.
"""

from __future__ import annotations

import argparse
import base64
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import scripts.first_run as sample
from playwright.sync_api import Page, sync_playwright

CHROMIUM = "/usr/bin/chromium"
WIDTHS = (1360, 420)
SCHEMES = ("light", "dark")
AUTHOR = ("Parcel Team", "team@parcels.example")
TALK = (
    "Title: Weigh parcels twice\nParcels above 20 kilos come back from customs. Sara saw nine of them in May.\n"
    "We could weigh again at the gate. It should take less than two seconds."
)
HEAVY = "tests/test_rates.py::TestPrice::test_heavy_parcel_pays_the_surcharge"  # the drift changes it
SAID = {
    "tests/test_rates.py::TestPrice::test_unknown_zone_is_refused": "A parcel to an unknown zone is refused.",
    "tests/test_rates.py::TestPrice::test_parcel_over_the_limit_is_refused": "A parcel over the limit is refused.",
    "web/test/basket.test.ts::Basket::is empty at first": "A new basket is empty.",
}
# Chromium itself makes a small file of a picture.
SMALL = """async png => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob())
  const canvas = Object.assign(document.createElement('canvas'), {width: image.width, height: image.height})
  canvas.getContext('2d').drawImage(image, 0, 0)
  return canvas.toDataURL('image/webp', 0.6).split(',')[1]
}"""
AXE = "async () => (await axe.run()).violations.map(v => [v.id, v.help, v.nodes.map(n => n.html.slice(0, 160))])"


def prepare(folder: Path) -> None:
    """The sample with an adopted pact, drift, and a second run that waits for review."""
    sample.TARGET = folder
    sample.generate()
    sample.git("config", "user.name", AUTHOR[0])
    sample.git("config", "user.email", AUTHOR[1])
    for command in (("init",), ("reconcile", "--all"), ("apply", "--all")):
        sample.pk(*command, folder=folder)
    for test, intent in {HEAVY: "A heavy parcel pays the surcharge.", **SAID}.items():
        sample.pk("accept", test, "--intent", intent, folder=folder)
    sample.commit("Adopt the pact")
    sample.overlay("drift")
    sample.pk("reconcile", folder=folder)
    sample.pk("thread", "new", TALK, folder=folder)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address that `pk serve` tells a person to open."""
    command = [sys.executable, "-m", "pactkeeper", "serve", "--listen", "0"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        told = (re.search(r"open (http://\S+)", line) for line in server.stderr)
        yield next(found[1] for found in told if found)
        server.terminate()


def places(page: Page) -> dict[str, str]:
    """Every page by the name of its picture."""
    base = page.url
    page.goto(f"{base}/review")
    review = page.url
    page.goto(f"{base}/pact")
    atom = page.locator(".atoms a", has_text="unknown zone").first.get_attribute("href") or ""
    name = atom.rpartition("/")[2]
    page.goto(f"{base}/threads")
    thread = page.locator(".list a").first.get_attribute("href") or ""
    listed = ("words", "questions", "pact", "molecules", "runs", "commit", "threads", "health")
    found = {one: f"{base}/{one}" for one in listed}
    return {
        "overview": base,
        "review": review,
        "found": f"{review}?show=found",
        "diff": f"{review}/diff",
        **found,
        "atom": f"{base}/pact/{name}",
        "thread": f"{base}/threads/{thread.rpartition('/')[2]}",
        "ceremony": f"{base}/commit?atom={name}",
        "ask": f"{base}/ask?question=which+tests+cover+parcels%2Frates.py%3F",
        "nothing": f"{base}/pact/IA-GONE",
    }


def look(page: Page, name: str, keep: Path, axe: Path | None) -> list[Any]:
    """Take the picture of an open page; what axe finds on it, by rule."""
    taken = base64.b64encode(page.screenshot()).decode()
    (keep / f"{name}.webp").write_bytes(base64.b64decode(page.evaluate(SMALL, taken)))
    if axe is None:
        return []
    page.evaluate(axe.read_text(encoding="utf-8"))
    found: list[Any] = page.evaluate(AXE)
    return found


def main() -> int:
    """Take all pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--axe", type=Path)
    parser.add_argument("--keep", type=Path, default=Path("docs/images/page"))
    given = parser.parse_args()
    given.keep.mkdir(parents=True, exist_ok=True)
    found = 0
    with tempfile.TemporaryDirectory() as place, sync_playwright() as started:
        os.environ["XDG_DATA_HOME"] = os.environ["XDG_CONFIG_HOME"] = place
        prepare(Path(place) / "parcels")
        with served(Path(place) / "parcels") as address:
            browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(bypass_csp=True)
            page.goto(address)
            page.wait_for_url("**/page")
            found_places = places(page)
            page.goto(found_places["review"])
            page.keyboard.press("a")
            page.locator(".card.accepted").first.wait_for()
            for name, url in found_places.items():
                page.goto(url)
                for width in WIDTHS:
                    for scheme in SCHEMES:
                        page.set_viewport_size({"width": width, "height": 860})
                        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # of these two
                        for rule, words, nodes in look(page, f"{name}-{width}-{scheme}", given.keep, given.axe):
                            found += 1
                            print(f"{name} {width} {scheme}: {rule}: {words}", *nodes[:3], sep="\n  ")
            browser.close()
        shutil.rmtree(Path(place) / "parcels", ignore_errors=True)
    print(f"{len(list(given.keep.glob('*.webp')))} pictures in {given.keep}; axe found {found} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
