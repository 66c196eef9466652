"""``pipecat eval``, answered by sparring.

Pipecat mounts what is registered as ``eval`` under ``pipecat_cli.extensions`` in place of its own
command. What we have no command for goes to pipecat's own, as does everything if the environment
says ``SPARRING_PIPECAT_EVAL=0``. Every ``pipecat`` command loads this module, so it imports only
typer.
"""

import os
from functools import cache
from typing import Any

import typer

from sparring.cli.judge import judge
from sparring.cli.process import Commands, load_environment, take_over
from sparring.cli.run import run
from sparring.cli.suite import suite

ENVIRONMENT_VARIABLE = "SPARRING_PIPECAT_EVAL"
_OPT_OUT = f"{ENVIRONMENT_VARIABLE}=0 for pipecat's own"


class _Eval(Commands):
    """Our commands, and pipecat's own where we have none."""

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        """Begin; or let pipecat's own command do it, if that is wanted."""
        load_environment()
        if os.environ.get(ENVIRONMENT_VARIABLE) == "0":
            return _pipecats_own().make_context(info_name, args, parent, **extra)
        return super().make_context(info_name, args, parent, **extra)

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands, ours first."""
        return list(dict.fromkeys([*self.commands, *_pipecats_own().list_commands(ctx)]))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by its name."""
        return self.commands.get(cmd_name) or _pipecats_own().get_command(ctx, cmd_name)


app = typer.Typer(
    cls=_Eval,
    help=f"Test voice agents with simulated callers: sparring answers ({_OPT_OUT}).",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command()(run)
app.command()(suite)
app.command()(judge)


@app.callback()
def who_answers(ctx: typer.Context) -> None:
    """Say who answers, and how to have it otherwise."""
    if ctx.invoked_subcommand in ("run", "suite", "judge"):
        take_over()
        typer.secho(f"sparring answers `pipecat eval`; {_OPT_OUT}", err=True, dim=True)


@cache
def _pipecats_own() -> Any:
    from pipecat.cli.commands.eval import eval_app

    return typer.main.get_command(eval_app)
