"""`pk completion`: the script that completes commands, options and their values with the Tab key."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    r"""Print the completion script for SHELL.

    \b
    bash  pk completion bash > ~/.local/share/bash-completion/completions/pk
    zsh   pk completion zsh > "${fpath[1]}/_pk"
    fish  pk completion fish > ~/.config/fish/completions/pk.fish
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"click knows no completion for {shell!r}")
    click.echo(kind(ctx.find_root().command, {}, "pk", "_PK_COMPLETE").source(), nl=False)
