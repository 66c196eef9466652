"""Asking a judge about a script's expectations: many questions in one request.

The conversation enters as data that cannot break out of its fence, and the answer must carry an id
that is a hash of the whole prompt, as in the judging of calls (``scoring.question``).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from sparring.models import Answer, ChatModel
from sparring.records import (
    Ending,
    ExpectationVerdict,
    JudgeIdentity,
    Judgement,
    Kind,
    Record,
)
from sparring.records.json_text import json_of_data
from sparring.records.kinds import AGENTS_FAULT
from sparring.scenarios import Script
from sparring.scoring.judge import (
    TRIES,
    JudgeFailure,
    ask_once,
    judge_identity,
    total,
    why_unread,
)
from sparring.scoring.question import digest, object_schema
from sparring.scoring.reading import read_object, verdict_in
from sparring.scoring.scripts.questions import Question, instructions
from sparring.scoring.scripts.settling import DEFAULT_TIMEOUT_S, settle
from sparring.scoring.scripts.sightings import Sightings
from sparring.scoring.scripts.turns import TurnState

PROMPT_VERSION = "expectations-1"
_ANSWER_TOKENS = 200
_TOKENS_PER_VERDICT = 80
_VERDICTS: tuple[str, ...] = get_args(ExpectationVerdict.model_fields["verdict"].annotation)


@dataclass(frozen=True)
class _Prompt:
    """Questions, as one request."""

    system: str
    text: str
    schema: Mapping[str, Any]
    max_tokens: int
    id: str


def identity(model: ChatModel) -> JudgeIdentity:
    """Who judges, as stored with its verdicts."""
    return judge_identity(model, PROMPT_VERSION)


async def ask(
    model: ChatModel,
    questions: Sequence[Question],
    note: Callable[[str], None] = lambda _: None,
) -> tuple[Judgement, JudgeFailure | None]:
    """Ask a judge; the next try asks only about what an answer left open.

    Args:
        model: Who judges.
        questions: What it is asked.
        note: Told, in words, of every try that failed and every wait.

    Returns:
        What was decided, with all that was spent on it; and why that is not everything, if it is
        not.
    """
    decided: dict[str, ExpectationVerdict] = {}
    answers: list[Answer] = []
    failure: JudgeFailure | None = None
    requests = 0
    while (open := [q for q in questions if q.hash not in decided]) and requests < TRIES:
        prompt = _prompt(open)
        requests += 1
        answer, failure = await ask_once(model, prompt, note)
        answers += [answer] if answer is not None else []
        if answer is None or failure is not None:
            break
        verdicts, problem = _read(answer.text, prompt, open)
        decided |= verdicts
        if problem is not None:
            problem = why_unread(answer, problem)
            note(f"the judge's answer leaves something open ({problem}), try {requests} of {TRIES}")
            told = f"the judge gave no verdict in {requests} tries: {problem}"
            failure = JudgeFailure(Kind.JUDGE_NO_VERDICT, told)
    judgement = Judgement(
        call=digest(questions[-1].conversation)[:32],
        judge=identity(model),
        expectations=decided,
        requests=requests,
        prompt_tokens=total([answer.usage.prompt_tokens for answer in answers]),
        completion_tokens=total([answer.usage.completion_tokens for answer in answers]),
    )
    return judgement, failure


def known_verdicts(
    record: Record, judge: JudgeIdentity | None = None
) -> dict[str, ExpectationVerdict]:
    """The verdicts a record has, by the hash of their questions; of each, the newest.

    Args:
        record: The record.
        judge: Count only this judge's; None for anybody's.
    """
    known: dict[str, ExpectationVerdict] = {}
    for judgement in record.judgements:
        if judge in (None, judgement.judge):
            known |= judgement.expectations
    return known


def settled(
    record: Record, script: Script, verdicts: Mapping[str, ExpectationVerdict]
) -> list[TurnState]:
    """Where a record's script stands at its end; where it was broken off, if it was."""
    ended = record.ended
    is_whole = ended is not None and (
        ended.ending in (Ending.BOT, Ending.END_CALL) or ended.kind in AGENTS_FAULT
    )
    end = math.inf if is_whole else max((event.at for event in record.events), default=0.0)
    timeout_s = float(record.caller.params.get("timeout_s", DEFAULT_TIMEOUT_S))
    return settle(script, Sightings(record.events), end, verdicts, timeout_s, judged=False)


async def judge_script(
    record: Record,
    script: Script,
    model: ChatModel,
    fresh: bool = False,
    note: Callable[[str], None] = lambda _: None,
) -> tuple[Record, JudgeFailure | None]:
    """A record with this judge's verdicts on every ``eval`` of its script.

    What is open is asked about in one request; a ``not_yet`` may lead to more of a reply, which is
    asked about then.

    Args:
        record: The record.
        script: What was played.
        model: Who judges.
        fresh: Ask about everything again.
        note: Told, in words, of tries that failed and of waits.

    Returns:
        The record; and why the judge did not decide everything, if it did not.
    """
    known = {} if fresh else known_verdicts(record, identity(model))
    judgements = list(record.judgements)
    failure: JudgeFailure | None = None
    while failure is None:
        turns = settled(record, script, known)
        open = {q.hash: q for turn in turns for q in turn.questions}
        if not open:
            break
        made, failure = await ask(model, list(open.values()), note)
        judgements.append(made)
        known |= made.expectations
    return record.model_copy(update={"judgements": judgements}), failure


def is_decided(record: Record, script: Script) -> bool:
    """Whether a record has somebody's verdict on every ``eval`` of its script."""
    turns = settled(record, script, known_verdicts(record))
    return not any(turn.questions for turn in turns)


def _prompt(questions: Sequence[Question]) -> _Prompt:
    conversation = max((q.conversation for q in questions), key=len)
    named = {f"q{number}": question for number, question in enumerate(questions, 1)}
    subjects = "\n".join(json_of_data({"question": n, **q.subject}) for n, q in named.items())
    criteria = "\n".join(
        f"{name}: {json_of_data(question.criterion)} ({', '.join(_choices(question))})"
        for name, question in named.items()
    )
    id = digest(conversation, subjects, criteria)[:12]
    marker = f"===== {id} ====="
    keys = {name: _verdict(question) for name, question in named.items()}
    schema = object_schema({"id": {"type": "string", "enum": [id]}, **keys})
    text = (
        f"The call so far:\n{marker}\n{conversation}\n{subjects}\n{marker}\n\n"
        f"Criteria, and the verdicts there are to choose from:\n{criteria}\n\n"
        f"The id: {id}\n\n"
        f"Answer with one JSON object that follows this JSON Schema:\n{json_of_data(schema)}"
    )
    max_tokens = _ANSWER_TOKENS + _TOKENS_PER_VERDICT * len(questions)
    return _Prompt(instructions(), text, schema, max_tokens, id)


def _choices(question: Question) -> list[str]:
    return [v for v in _VERDICTS if v != "not_yet" or question.may_continue]


def _verdict(question: Question) -> dict[str, Any]:
    choice = {"type": "string", "enum": _choices(question)}
    return object_schema({"verdict": choice, "reason": {"type": "string"}})


def _read(
    text: str, prompt: _Prompt, questions: Sequence[Question]
) -> tuple[dict[str, ExpectationVerdict], str | None]:
    """The verdicts that an answer holds, and why they are not all, if they are not."""
    found = read_object(text, prompt.id, prompt.schema)
    if isinstance(found, str):
        return {}, found
    decided: dict[str, ExpectationVerdict] = {}
    missing: list[str] = []
    for number, question in enumerate(questions, 1):
        verdict, reason = verdict_in(found.get(f"q{number}"))
        if verdict in _choices(question):
            decided[question.hash] = ExpectationVerdict(
                criterion=question.criterion, verdict=verdict, reason=reason
            )
        else:
            missing.append(f"q{number}")
    return decided, f"it holds no verdict on {', '.join(missing)}" if missing else None
