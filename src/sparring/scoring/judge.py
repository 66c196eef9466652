"""Asking a judge: one request, and at most two more if its answer cannot be read."""

from collections.abc import Callable
from dataclasses import dataclass

from sparring.errors import ModelError
from sparring.models import Answer, ChatModel, Message, Request, complete
from sparring.models.chat import ContextOverflow
from sparring.records import Kind
from sparring.records.judgement import JudgeIdentity, Judgement
from sparring.scoring.question import PROMPT_VERSION, Question
from sparring.scoring.verdicts import Reading, read

TRIES = 3
_CHARACTERS_PER_TOKEN = 8
"""More than any prompt has on average: fewer tokens than that were read, so some were dropped."""


@dataclass(frozen=True)
class JudgeFailure:
    """A judge that gave no verdict; never the agent's fault, and never a pass."""

    kind: Kind
    reason: str


def judge_identity(model: ChatModel) -> JudgeIdentity:
    """Who judges, as stored with its verdicts."""
    identity = model.identity
    return JudgeIdentity(
        service=identity.service,
        model=identity.model,
        params=dict(identity.params),
        prompt_version=PROMPT_VERSION,
    )


async def judge(
    model: ChatModel, question: Question, note: Callable[[str], None] = lambda _: None
) -> Judgement | JudgeFailure:
    """Ask a judge.

    Args:
        model: Who judges.
        question: What it is asked.
        note: Told, in words, of every try that failed and every wait.
    """
    request = Request(
        [Message("system", question.system), Message("user", question.text)],
        schema=question.schema,
        max_tokens=question.max_tokens,
    )
    best: Reading | None = None
    usage: list[Answer] = []
    problem = ""
    for number in range(1, TRIES + 1):
        try:
            answer = await complete(model, request, note)
        except ContextOverflow as error:
            return JudgeFailure(Kind.JUDGE_CONTEXT, str(error))
        except ModelError as error:
            return JudgeFailure(Kind.JUDGE_UNAVAILABLE, f"the judge could not be asked: {error}")
        usage.append(answer)
        tokens = answer.usage.prompt_tokens
        if tokens is not None and tokens < request.characters / _CHARACTERS_PER_TOKEN:
            return JudgeFailure(
                Kind.JUDGE_CONTEXT,
                f"the judge read only {tokens} tokens of a prompt of {request.characters} "
                "characters: its context is too small",
            )
        reading = read(answer.text, question)
        if reading.problem is None:
            best = reading
            break
        problem = _why(answer, reading.problem)
        note(f"the judge's answer cannot be read ({problem}), try {number} of {TRIES}")
        if _decided(reading, question) and (best is None or _undecided(reading) < _undecided(best)):
            best = reading  # The fullest of the incomplete ones.
    if best is None:
        return JudgeFailure(
            Kind.JUDGE_NO_VERDICT, f"the judge gave no verdict in {TRIES} tries: {problem}"
        )
    return Judgement(
        call=question.call,
        judge=judge_identity(model),
        goal=best.goal,
        criteria=dict(best.criteria),
        requests=len(usage),
        prompt_tokens=_total([answer.usage.prompt_tokens for answer in usage]),
        completion_tokens=_total([answer.usage.completion_tokens for answer in usage]),
    )


def _decided(reading: Reading, question: Question) -> bool:
    """Whether something was read: the goal, if it was asked about, or else some criterion."""
    if question.success is not None:
        return reading.goal is not None
    verdicts = [v.verdict for turns in reading.criteria.values() for v in turns]
    return any(verdict != "none" for verdict in verdicts)


def _undecided(reading: Reading) -> int:
    return sum(v.verdict == "none" for turns in reading.criteria.values() for v in turns)


def _why(answer: Answer, problem: str) -> str:
    if answer.cut_off:
        where = "while it was still reasoning" if answer.thinking and not answer.text else ""
        return f"it was cut off by its length {where}".rstrip()
    return problem if answer.text.strip() else "it is empty"


def _total(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
