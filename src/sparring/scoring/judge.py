"""Asking a judge: one request, and at most two more about what it left open."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sparring.errors import ModelError
from sparring.models import Answer, ChatModel, Message, Request, complete
from sparring.models.chat import ContextOverflow
from sparring.models.prompt_floor import fewest_tokens
from sparring.records import Kind
from sparring.records.json_text import json_of
from sparring.records.judgement import JudgeIdentity, Judgement
from sparring.scoring.question import PROMPT_VERSION, ShownCall, ask_about
from sparring.scoring.reading import read
from sparring.scoring.verdicts import Verdicts, missing

TRIES = 3


@dataclass(frozen=True)
class JudgeFailure:
    """A judge that did not decide all it was asked; never the agent's fault, and never a pass."""

    kind: Kind
    reason: str
    verdicts: Verdicts | None = None
    """What it decided all the same, and no other judge's; None if it was never heard."""


class Prompt(Protocol):
    """What a judge is asked in one request."""

    @property
    def system(self) -> str:
        """How it is to judge."""
        ...

    @property
    def text(self) -> str:
        """What, and the shape of the answer."""
        ...

    @property
    def schema(self) -> Mapping[str, Any]:
        """The shape of the answer, as a JSON Schema."""
        ...

    @property
    def max_tokens(self) -> int:
        """How long the answer may be."""
        ...


def judge_identity(model: ChatModel, prompt_version: str = PROMPT_VERSION) -> JudgeIdentity:
    """Who judges, as stored with its verdicts: without secrets, so that the same judge is known."""
    identity = model.identity
    plain = JudgeIdentity(
        service=identity.service,
        model=identity.model,
        params=dict(identity.params),
        prompt_version=prompt_version,
    )
    return JudgeIdentity.model_validate_json(json_of(plain))


async def judge(
    model: ChatModel,
    call: ShownCall,
    success: str | None,
    criteria: Sequence[str],
    note: Callable[[str], None] = lambda _: None,
) -> tuple[Judgement, JudgeFailure | None]:
    """Ask a judge about a call.

    An answer that leaves something open is kept for what it holds; the next try asks about the goal
    only if that is open, and about the criteria that are.

    Args:
        model: Who judges.
        call: What it is shown.
        success: The success criterion; None to ask only about the criteria.
        criteria: What every agent turn is held against.
        note: Told, in words, of every try that failed and every wait.

    Returns:
        What was decided, with all that was spent on it; and why that is not everything, if it is
        not.
    """
    known, failure = Verdicts(), None
    answers: list[Answer] = []
    requests = 0
    while requests < TRIES:
        wanted = None if known.goal is not None else success
        question = ask_about(call, wanted, [text for text in criteria if known.lacks(text)])
        requests += 1
        answer, failure = await ask_once(model, question, note)
        answers += [answer] if answer is not None else []
        if answer is None or failure is not None:
            break
        reading = read(answer.text, question)
        known = known.filled(reading.verdicts)
        open = missing(known, success, criteria)
        if not open:
            failure = None
            break
        problem = why_unread(answer, reading.problem or f"it holds no verdict on {open}")
        note(f"the judge's answer leaves something open ({problem}), try {requests} of {TRIES}")
        told = f"the judge gave no verdict on {open} in {requests} tries: {problem}"
        failure = JudgeFailure(Kind.JUDGE_NO_VERDICT, told)
    judgement = Judgement(
        call=call.hash,
        judge=judge_identity(model),
        goal=known.goal,
        criteria={text: list(verdicts) for text, verdicts in known.criteria.items()},
        requests=requests,
        prompt_tokens=total([answer.usage.prompt_tokens for answer in answers]),
        completion_tokens=total([answer.usage.completion_tokens for answer in answers]),
    )
    return judgement, failure


async def ask_once(
    model: ChatModel, prompt: Prompt, note: Callable[[str], None]
) -> tuple[Answer | None, JudgeFailure | None]:
    """Make one request of a judge.

    Returns:
        The answer, if one came; and why it is none, or cannot be one about the whole prompt.
    """
    request = Request(
        [Message("system", prompt.system), Message("user", prompt.text)],
        schema=prompt.schema,
        max_tokens=prompt.max_tokens,
    )
    try:
        answer = await complete(model, request, note)
    except ContextOverflow as error:
        return None, JudgeFailure(Kind.JUDGE_CONTEXT, str(error))
    except ModelError as error:
        told = f"the judge could not be asked: {error}"
        return None, JudgeFailure(Kind.JUDGE_UNAVAILABLE, told)
    cut = _cut(answer, prompt)
    return answer, JudgeFailure(Kind.JUDGE_CONTEXT, cut) if cut is not None else None


def _cut(answer: Answer, prompt: Prompt) -> str | None:
    """Why the judge cannot have read the whole prompt; None if it may have.

    Only a count that is of the whole prompt tells: one that leaves out what the server had in its
    cache is small for another reason, and 0 is what some servers say for not knowing.
    """
    tokens = answer.usage.prompt_tokens
    least = fewest_tokens(prompt.system) + fewest_tokens(prompt.text)
    if not answer.usage.whole_prompt or not tokens or tokens >= least:
        return None
    return (
        f"the judge read only {tokens} tokens of a prompt of at least {least}: the server cut it; "
        "give the model a larger context"
    )


def why_unread(answer: Answer, problem: str) -> str:
    """Why an answer holds no verdict; ``problem`` is what its reader says."""
    if answer.cut_off:
        where = "while it was still reasoning" if answer.thinking and not answer.text else ""
        return f"it was cut off by its length {where}".rstrip()
    return problem if answer.text.strip() else "it is empty"


def total(counts: Sequence[int | None]) -> int | None:
    """The sum; None if there is an answer without a count."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
