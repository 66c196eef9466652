"""Faults that a model's own validators find, worded for people and placed in the file."""

from collections.abc import Sequence

from pydantic_core import PydanticCustomError

FAULT = "fault"
"""The error type by which the explainer knows that the message is ours already."""


def fault(message: str, *place: str | int) -> PydanticCustomError:
    """An error to raise from a validator.

    Args:
        message: What is wrong, as a person would say it.
        place: Steps from the model that raises it to the value at fault.
    """
    steps: Sequence[str | int] = place
    # The template language of the library would read braces in the message as its own.
    return PydanticCustomError(FAULT, "{message}", {"message": message, "place": list(steps)})
