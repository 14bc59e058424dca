"""Command groups: members are imported on use, a bare noun runs its default verb, and typos get suggestions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import click

HELP: Final = frozenset({"-h", "--help"})


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """Where a command is and its summary for `--help`: `module`, for its `command`, or `module:name`."""

    module: str
    summary: str
    section: str = ""


class CommandGroup(click.Group):
    """A group that knows the names of members before importing them; its bare name runs the verb `default`."""

    def __init__(
        self,
        name: str | None = None,
        *,
        default: str = "",
        entries: Mapping[str, CommandEntry] | None = None,
        **options: Any,  # noqa: ANN401 - passed on to click
    ) -> None:
        super().__init__(name, **options)
        self.default = default
        self.entries = entries or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names: in the order of the table, or alphabetically once any are imported."""
        lazy = [name for name in self.entries if " " not in name]
        return sorted({*self.commands, *lazy}) if self.commands else lazy

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module if needed; None for an unknown name."""
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        if " " in cmd_name or cmd_name not in self.entries:
            return None
        module, _, name = self.entries[cmd_name].module.partition(":")
        found = getattr(import_module(f"pactkeeper.doors.cli.{module}"), name or "command")
        if isinstance(found, CommandGroup):
            found.entries = _below(self.entries, cmd_name)
        if not isinstance(found, click.Command):
            raise TypeError(f"{cmd_name!r} is not a command")
        return found

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; `pk findings --json` means `pk findings list --json`."""
        if self.default and not (args and (args[0] in HELP or not args[0].startswith("-"))):
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names; for an unknown one, suggest similar names."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-") and not ctx.resilient_parsing:
            _fail(ctx, name, [*self.list_commands(ctx), *self.entries])
        return super().resolve_command(ctx, args)

    def summaries(self, ctx: click.Context) -> list[tuple[str, str]]:
        """Every name with its summary, without importing anything."""
        return [(name, self._summary(name)) for name in self.list_commands(ctx)]

    def _summary(self, name: str) -> str:
        if name in self.entries:
            return self.entries[name].summary
        words = self.commands[name].get_short_help_str(1_000)
        return f"{words} (default)" if name == self.default else words

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the summaries, so that help imports no command."""
        with formatter.section("Commands"):
            formatter.write_dl(self.summaries(ctx))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Offer names from the table, so that completion imports no command."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only needed for completion

        begun = [one for one in self.summaries(ctx) if one[0].startswith(incomplete)]
        names = [CompletionItem(name, help=summary) for name, summary in begun]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]


def _below(entries: Mapping[str, CommandEntry], name: str) -> dict[str, CommandEntry]:
    start = f"{name} "
    return {key.removeprefix(start): entry for key, entry in entries.items() if key.startswith(start)}


def _fail(ctx: click.Context, name: str, known: list[str]) -> None:
    """Report an unknown command, suggesting similar names."""
    from difflib import get_close_matches  # noqa: PLC0415 - only needed for a typo

    elsewhere = [one for one in known if one.endswith(f" {name}")]
    near = elsewhere or get_close_matches(name, dict.fromkeys(known), n=2, cutoff=0.7)
    hint = f" Did you mean {' or '.join(f'`{ctx.command_path} {one}`' for one in near)}?" if near else ""
    raise click.UsageError(f"{ctx.command_path} has no command {name!r}.{hint}", ctx)
