"""How much context a request needs, and whether the model has it.

Nobody but the server can count tokens, so there are two estimates. The *least* is what no tokenizer
goes below (``prompt_floor``); only if that does not fit is a request refused, so a prompt that
would have fitted never is. The *roomy* one is what hardly any text goes
above: a token for 2.5 bytes of UTF-8; that much is asked for, so that nothing is cut. What lies
between the two is sent with all the context there is, and the count of tokens that the server read
tells whether it was cut.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from sparring.models.chat import ContextOverflow, Request
from sparring.models.prompt_floor import fewest_tokens

CONTEXT_STEP = 2048
DEFAULT_ANSWER_TOKENS = 1024
_LEAST_BYTES_PER_TOKEN = 2.5
_OVERFLOWS = re.compile(r"context.?(length|size|window)", re.IGNORECASE)


@dataclass(frozen=True)
class Need:
    """What a request needs, in tokens."""

    least_prompt: int
    roomy_prompt: int
    answer: int

    @property
    def least(self) -> int:
        """Less is too little for sure."""
        return self.least_prompt + self.answer

    @property
    def roomy(self) -> int:
        """As much is enough, and never just so."""
        return CONTEXT_STEP * ((self.roomy_prompt + self.answer) // CONTEXT_STEP + 1)


def need_of(request: Request, answer_cap: int | None = None) -> Need:
    """The need of a request.

    Args:
        request: The request.
        answer_cap: A further cap on the answer, in tokens, from the scenario.
    """
    texts = [message.content for message in request.messages]
    # A schema may never become part of the prompt, and tools are written anew by every model.
    besides: list[Any] = [
        dict(request.schema or {}),
        [tool.as_function() for tool in request.tools],
    ]
    size = sum(len(text.encode()) for text in [*texts, json.dumps(besides)])
    answer = request.max_tokens or DEFAULT_ANSWER_TOKENS
    return Need(
        sum(fewest_tokens(text) for text in texts),
        int(size / _LEAST_BYTES_PER_TOKEN),
        min(answer, answer_cap) if answer_cap is not None and answer_cap > 0 else answer,
    )


def size_context(need: Need, model: str, has: int | None, asked: int | None) -> int:
    """The context to ask the server for, in tokens: never more than the model has.

    Args:
        need: What the request needs.
        model: The model's name.
        has: The length of the model's context; None if it is not known.
        asked: The ``num_ctx`` that the scenario sets, if it does.

    Raises:
        ContextOverflow: If the request does not fit.
    """
    needs = (
        f"the request needs a context of {need.least} tokens or more ({need.least_prompt} of "
        f"prompt, {need.answer} of answer)"
    )
    if has is not None and need.least > has:
        raise ContextOverflow(f"{needs}, and {model} has {has}: choose a model with a longer one")
    if asked is not None and need.least > asked:
        raise ContextOverflow(
            f"{needs}, and `num_ctx` is {asked}: raise it in `extra`, or leave it out"
        )
    context = need.roomy if asked is None else asked
    return context if has is None else min(context, has)


def see_that_all_was_read(need: Need, context: int, read: int | None) -> None:
    """Compare what the server read with what it was sent.

    Args:
        need: What the request needs.
        context: The context it was sent with.
        read: Tokens of prompt that the server counted; None or 0 if it did not.

    Raises:
        ContextOverflow: If the prompt was cut.
    """
    if not read or context >= need.roomy_prompt + need.answer:
        return
    if read < need.least_prompt or read >= context:
        raise ContextOverflow(
            f"the prompt was cut: {read} tokens of it were read, it has {need.least_prompt} or "
            f"more, and the context is {context}: choose a model with a longer one, or raise "
            "`num_ctx`"
        )


def overflows(cause: str) -> bool:
    """Whether a server's words on a bad request are that it does not fit its context."""
    return _OVERFLOWS.search(cause) is not None
