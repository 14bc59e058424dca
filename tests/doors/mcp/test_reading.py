"""Pages, addresses, prompts, progress and cancelling."""

import anyio
import pytest
from mcp.shared.exceptions import MCPError

from pactkeeper.doors.mcp.resources import JOBS
from pactkeeper.errors import UsageError
from pactkeeper.verbs.pages import LASTS, MOST_CURSORS, Pages
from tests.doors.mcp.conftest import GENERATIONS


def pages(now=lambda: 0.0):
    names = iter(range(10_000))
    return Pages(now, lambda: f"c{next(names)}")


def test_pages_give_every_row_once_and_the_same_cursor_the_same_page():
    kept = pages()
    first = kept.first("a", {"rows": list(range(5)), "more": True}, rows="rows", limit=2)
    second = kept.next("a", first["cursor"], rows="rows", limit=2)
    assert kept.next("a", first["cursor"], rows="rows", limit=2)["rows"] == second["rows"]
    third = kept.next("a", second["cursor"], rows="rows", limit=2)
    assert [*first["rows"], *second["rows"], *third["rows"]] == [0, 1, 2, 3, 4]
    assert "cursor" not in third
    assert (third["total"], third["more"]) == (5, True)


def test_a_page_that_was_shortened_goes_on_where_it_ends():
    kept = pages()
    first = kept.first("a", {"rows": list(range(6))}, rows="rows", limit=4)
    page = kept.shortened("a", first, rows="rows", count=1)
    found, sizes = list(page["rows"]), [len(page["rows"])]
    while "cursor" in page:
        page = kept.next("a", page["cursor"], rows="rows", limit=4)
        found += page["rows"]
        sizes.append(len(page["rows"]))
    assert (found, sizes, page["total"]) == ([0, 1, 2, 3, 4, 5], [1, 4, 1], 6)


def test_a_cursor_runs_out_and_says_so():
    clock = iter([0.0, LASTS + 1])
    kept = pages(lambda: next(clock))
    first = kept.first("a", {"rows": [1, 2]}, rows="rows", limit=1)
    with pytest.raises(UsageError, match="expired; call again without it"):
        kept.next("a", first["cursor"], rows="rows", limit=1)


def test_the_oldest_cursor_goes_first():
    kept = pages()
    made = [kept.first("a", {"rows": [1, 2]}, rows="rows", limit=1)["cursor"] for _ in range(MOST_CURSORS + 1)]
    with pytest.raises(UsageError):
        kept.next("a", made[0], rows="rows", limit=1)
    assert kept.next("a", made[1], rows="rows", limit=1)["rows"] == [2]


def test_a_cursor_is_of_no_use_in_another_call(kept):
    async def mix(agent):
        page = await agent.call("list_atoms", limit=1)
        return await agent.refusal("list_atoms", cursor=page["cursor"], status=["draft"])

    assert "belongs to another call" in kept.talk(mix)


def test_all_pages_of_a_list_are_the_list(kept):
    async def walk(agent):
        page = await agent.call("list_atoms", limit=3)
        rest = await agent.call("list_atoms", limit=3, cursor=page["cursor"])
        return [*page["atoms"], *rest["atoms"]], (await agent.call("list_atoms"))["atoms"]

    walked, whole = kept.talk(walk)
    assert walked == whole


@pytest.mark.parametrize("mode", GENERATIONS)
def test_everything_with_an_address_can_be_read_there(kept, mode):
    async def read(agent):
        listed = (await agent.client.list_resources()).resources
        texts = [(await agent.client.read_resource(one.uri)).contents[0].text for one in listed]
        forms = (await agent.client.list_resource_templates()).resource_templates
        return [one.uri.split("/")[2] for one in listed], texts, {one.uri_template for one in forms}

    kept.project.pk("molecule", "keep", "basket")
    kinds, texts, forms = kept.talk(read, mode=mode)
    assert set(kinds) == {"atoms", "molecules", "runs", "patches"}
    assert all(text.startswith("{") for text in texts)
    assert forms == {f"pact://{kind}/{{id}}" for kind in kinds}


@pytest.mark.parametrize("uri", ["pact://atoms/IA-NONE", "pact://secrets/x", "file:///etc/passwd", "pact://atoms/../x"])
def test_an_address_of_nothing_is_an_error_with_words(kept, uri):
    async def read(agent):
        with pytest.raises(MCPError, match=r"no atom|not a known address"):
            await agent.client.read_resource(uri)

    kept.talk(read)


@pytest.mark.parametrize("name", JOBS)
def test_a_prompt_names_only_tools_that_there_are(shop, name):
    async def get(agent):
        about = {JOBS[name].argument: "IA-7F3KQ9T"} if JOBS[name].argument else None
        return (await agent.client.get_prompt(name, about)).messages[0].content.text, await agent.client.list_tools()

    text, tools = shop.talk(get)
    named = {word.strip(".,:()") for word in text.split() if "_" in word}
    assert named - {"answer_schema", "shown_hash", "dry_run", *JOBS} <= {one.name for one in tools.tools}
    assert "{it}" not in text


def test_a_prompt_without_what_it_is_about_is_refused(shop):
    async def get(agent):
        with pytest.raises(MCPError, match="write_test takes atom"):
            await agent.client.get_prompt("write_test")

    shop.talk(get)


@pytest.mark.parametrize("mode", GENERATIONS)
def test_a_long_call_tells_how_far_it_is(shop, mode):
    heard = []

    async def hear(progress, _total, message):
        heard.append((progress, message))

    async def job(agent):
        await agent.client.call_tool("reconcile_repo", {"everything": True}, progress_callback=hear)

    shop.talk(job, mode=mode)
    counts = [count for count, _ in heard]
    assert heard[0][1] == "reconcile_repo begins"
    assert counts == sorted(set(counts))


@pytest.mark.parametrize("mode", GENERATIONS)
def test_a_cancelled_call_ends_its_run_as_cancelled(shop, mode):
    shop.project.write(
        "tests/test_many.py", "\n".join(f"def test_{n}():\n    assert f({n}) == {n}\n" for n in range(1500))
    )

    async def job(agent):
        ended = []

        async def reconcile():
            ended.append(await agent.client.call_tool("reconcile_repo", {"everything": True}))

        async with anyio.create_task_group() as around:
            around.start_soon(reconcile)
            while not (await agent.call("list_runs"))["total"]:
                assert not ended
                await anyio.sleep(0.02)
            around.cancel_scope.cancel()
        while (runs := (await agent.call("list_runs"))["runs"])[0]["state"] == "running":  # noqa: ASYNC110 - likewise
            await anyio.sleep(0.05)
        return runs[0]["state"]

    assert shop.talk(job, mode=mode) == "cancelled"
