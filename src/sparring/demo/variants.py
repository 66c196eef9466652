"""The demo agent and the same agent broken in ways worth catching, each under a name.

A variant changes what a good agent would do, and nothing else. It is chosen with ``--agent NAME``
or the environment variable ``SPARRING_DEMO_AGENT``.
"""

import argparse
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sparring.demo import phrases
from sparring.demo.conversation import Messages
from sparring.demo.rules import Call, Move, Say, Topic, decide

if TYPE_CHECKING:  # So that the list of agents can be read without loading pipecat.
    from pipecat.runner.types import RunnerArguments

ENVIRONMENT_VARIABLE = "SPARRING_DEMO_AGENT"


def _unchanged(move: Move) -> Move | None:
    return move


@dataclass(frozen=True)
class Variant:
    """An agent: a good one, seen through a flaw.

    Attributes:
        name: What it is chosen by.
        summary: What is wrong with it, in a few words.
        flaw: Turns the move of a good agent into its own; ``None`` is to stay silent.
        delay_s: How long it thinks before every reply, in seconds.
    """

    name: str
    summary: str
    flaw: Callable[[Move], Move | None] = _unchanged
    delay_s: float = 0.0

    def decide(self, messages: Messages) -> Move | None:
        """The next move, or ``None`` to say nothing at all."""
        return self.flaw(decide(messages))


def _book_for_four(move: Move) -> Move:
    if isinstance(move, Call) and move.name == "book_table":
        return replace(move, arguments=move.arguments | {"party_size": 4})
    return move


def _only_claim_to_book(move: Move) -> Move:
    if isinstance(move, Call) and move.name == "book_table":
        return Say("booked", phrases.booked(move.arguments, "R-1"))
    return move


_CURT: dict[Topic, str] = {
    "greeting": "What?",
    "party_size": "People?",
    "time": "Time?",
    "name": "Name?",
    "phone": "Number?",
    "reference": "Reference?",
    "booked": "Booked.",
    "cancelled": "Gone.",
    "info": "No.",
    "goodbye": "Bye.",
}


def _be_curt(move: Move) -> Move:
    if isinstance(move, Call):
        return move
    if move.topic == "offer":  # The curt agent is rude, but it does the job: the times stay.
        offer = move.text.partition(". ")[2] or move.text  # What is refused stands before it.
        offered = re.findall(r"\d+(?::\d\d)? [AP]M", offer)
        return replace(move, text=" ".join(["No.", *(f"{time}?" for time in offered)]))
    return replace(move, text=_CURT[move.topic])


def _only_greet(move: Move) -> Move | None:
    return move if isinstance(move, Say) and move.topic == "greeting" else None


def _crash_when_booking(move: Move) -> Move:
    if isinstance(move, Call) and move.name == "book_table":
        print("demo agent: lost the booking system, giving up", file=sys.stderr, flush=True)
        os._exit(3)  # No cleanup, no goodbye: that is the point.
    return move


_RAMBLE = (
    "Before we go on, let me tell you how glad we all are that you called, because the Corner "
    "Table has stood on this corner since my grandmother opened it with four chairs, one pot and "
    "a great deal of courage, and to this day there is nothing we like better than a new voice on "
    "the line, except perhaps the smell of fresh bread in the morning, of which I could tell you "
    "quite a few stories too."
)


def _ramble(move: Move) -> Move:
    if isinstance(move, Say):
        return replace(move, text=f"{_RAMBLE} {move.text}")
    return move


GOOD = Variant("good", "does its job")

VARIANTS = {
    variant.name: variant
    for variant in (
        GOOD,
        Variant("forgetful", "books for four, whatever it was told", _book_for_four),
        Variant("all_talk", "says it is booked, but books nothing", _only_claim_to_book),
        Variant("curt", "does the job in rude single words", _be_curt),
        Variant("mute", "greets, then never answers", _only_greet),
        Variant("crashing", "dies when it should book", _crash_when_booking),
        Variant("rambling", "goes on for more than 60 words", _ramble),
        Variant("slow", "thinks for 1.5 seconds before every reply", delay_s=1.5),
    )
}


def named(name: str) -> Variant:
    """The variant of that name.

    Raises:
        argparse.ArgumentTypeError: There is none; the text lists those there are.
    """
    if name not in VARIANTS:
        raise argparse.ArgumentTypeError(
            f"there is no demo agent {name!r}; choose one of {', '.join(VARIANTS)}"
        )
    return VARIANTS[name]


def argument_parser() -> argparse.ArgumentParser:
    """The dev runner's command line with ``--agent`` on top; the runner adds its own arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m sparring.demo.agent",
        description="The demo agent, on Pipecat's development runner.",
        epilog="Agents: " + "; ".join(f"{v.name} {v.summary}" for v in VARIANTS.values()) + ".",
    )
    parser.add_argument(
        "--agent",
        type=named,
        metavar="NAME",
        default=os.environ.get(ENVIRONMENT_VARIABLE, GOOD.name),
        help=f"which agent answers (default: ${ENVIRONMENT_VARIABLE}, else {GOOD.name})",
    )
    return parser


def chosen(runner_args: "RunnerArguments") -> Variant:
    """The variant this process was asked to be, on its command line or in its environment."""
    if runner_args.cli_args is not None and hasattr(runner_args.cli_args, "agent"):
        return runner_args.cli_args.agent
    return named(os.environ.get(ENVIRONMENT_VARIABLE, GOOD.name))
