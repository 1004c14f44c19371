"""The command line: one file a command, each of which is imported when it is called.

The first line of a command's module names the command, its group, and what it does: ``cranfield --help`` is made of
these lines.
"""

from __future__ import annotations

import os
import pkgutil
import re
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

import click

from cranfield import __version__
from cranfield.cli._ending import one_line, prepare, remember
from cranfield.plumbing import threads
from cranfield.plumbing.limits import require_threads
from cranfield.plumbing.memory import MEMORY_VARIABLE as MEMORY
from cranfield.plumbing.memory import allowed
from cranfield.plumbing.wording import did_you_mean

COMMAND_GROUPS: Final = ("Evaluate", "Compare", "Look", "Judge", "Study measures", "Convert and make")
"""What commands are for, in the order of the help."""
STEM: Final = 4
"""Words that begin with the same letters may mean the same: *scores*, *scoring*."""


class Commands(click.Group):
    """The commands are the modules of this package that hold a ``command``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name all commands."""
        return sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command that is called."""
        if not _is_command(cmd_name):
            return None
        command: click.Command = import_module(f"{__name__}.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Say what each command does, group by group, in the words of its module, which is not imported for that."""
        purposes = {name: purpose(name) for name in self.list_commands(ctx)}
        width = max(map(len, purposes))
        for group in COMMAND_GROUPS:
            with formatter.section(group):
                formatter.write_dl([(f"{name:{width}}", says) for name, (of, says) in purposes.items() if of == group])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Say which command was meant when one is not found: one that is spelled like it, or that does what it says."""
        if args and not _is_command(args[0]) and not args[0].startswith("-"):
            known = self.list_commands(ctx)
            below, doing = self._below(ctx, args[0]), _doing(args[0], known)
            hint = (not below and did_you_mean(args[0], known, "cranfield ")) or _suggested([*doing, *below])
            hint = hint or f"; choose from {', '.join(known)}"
            raise click.UsageError(f"there is no command {args[0]!r}{hint}", ctx)
        remember(ctx, args)
        if not ctx.resilient_parsing and not {*args} & {*ctx.help_option_names}:
            # Nearly every command needs it. Further down, where Python's stack is about to need one more of its
            # pieces, loading it asks the system for that piece, and gives it back, 1,400 times.
            import_module("numpy")
        return super().resolve_command(ctx, args)

    def _below(self, ctx: click.Context, word: str) -> list[str]:
        """Find commands of that name below other commands, such as `experiment`, which was left out."""
        each = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        return [f"{name} {word}" for name, at in each if isinstance(at, click.Group) and word in at.list_commands(ctx)]

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Read the options, and refuse wrong ones as everything else is refused."""
        with one_line():
            prepare()
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> object:
        """Do what the command does, and end as commands end."""
        with one_line():
            if (jobs := ctx.params["jobs"]) is not None:
                os.environ[threads.THREADS_VARIABLE] = str(jobs)
            _check_environment()
            done = super().invoke(ctx)
            sys.stdout.flush()  # what cannot be written is said, too
            return done


def _is_command(name: str) -> bool:
    """Say whether there is a command of that name, without a look at all the others."""
    return name.isidentifier() and not name.startswith("_") and find_spec(f"{__name__}.{name}") is not None


def purpose(command: str) -> tuple[str, str]:
    """Read a command's group and purpose in the first line of its module, where Python keeps what it has compiled."""
    spec = find_spec(f"{__name__}.{command}")
    code = spec and getattr(spec.loader, "get_code", lambda name: None)(spec.name)
    says = code.co_consts[0] if code else None
    line = re.match(r"``cranfield [a-z_]+`` \((.+?)\): (.+)", says) if isinstance(says, str) else None
    return (line[1].capitalize(), line[2][:1].upper() + line[2][1:]) if line else ("", "")


def _doing(word: str, commands: list[str]) -> list[str]:
    """Find commands whose description has the word, or one that begins like it."""
    stem = re.compile(rf"\b{re.escape(word.casefold()[:STEM])}")
    return [name for name in commands if len(word) >= STEM and stem.search(purpose(name)[1].casefold())]


def _suggested(found: list[str]) -> str:
    return f"; did you mean {' or '.join(f'`cranfield {name}`' for name in found)}?" if found else ""


_OTHERS: Final = 8  # How many threads more are started when tables are read and written


def _check_environment() -> None:
    """Refuse what would make a library panic when it is imported, and what no command could make sense of."""
    if MEMORY in os.environ:
        allowed()
    threads.settle()
    if "polars" not in sys.modules:  # where it was imported, its threads run already
        advice = f"allow more, or set {threads.THREADS_VARIABLE}=1 in the environment"
        require_threads(threads.started() + _OTHERS, "this", advice)


def _version(ctx: click.Context, option: click.Parameter, asked: bool) -> None:
    """Say which version this is, and whether files are read by the native road."""
    if asked:
        from cranfield.formats.native import state

        click.echo(f"cranfield, version {__version__} (native road: {state()})")
        ctx.exit()


@click.group(
    "cranfield", cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version and exit."
)
@click.option("--debug", is_flag=True, help="Show Python's traceback of a bug; give it before the command.")
@click.option(
    "--jobs", type=click.IntRange(1), metavar="N",
    help=f"Number of threads; give it before the command. [default: one a processor, or {threads.THREADS_VARIABLE} in "
    "the environment]",
)  # fmt: skip
def main(debug: bool, jobs: int | None) -> None:
    """Evaluate ranked retrieval: scores, their uncertainty, and what they mean."""
    del debug, jobs  # they are looked up where a bug is met, and where a command begins
