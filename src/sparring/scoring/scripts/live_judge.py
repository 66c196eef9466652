"""A judge that is asked while the call goes on, and that nobody waits for."""

import asyncio
from collections.abc import Callable, Sequence

from sparring.models import ChatModel
from sparring.records import ExpectationVerdict, Judgement
from sparring.scoring.judge import JudgeFailure
from sparring.scoring.scripts.judging import ask
from sparring.scoring.scripts.questions import Question

Told = Callable[[Question | None, str], None]
"""Told of every verdict, with its question, and of trouble, without one."""


class LiveJudge:
    """Asks about what is due, one request at a time; what is due meanwhile goes into the next."""

    def __init__(self, model: ChatModel, note: Callable[[str], None] = lambda _: None):
        """Prepare to ask.

        Args:
            model: Who judges.
            note: Told, in words, of tries that failed and of waits.
        """
        self.verdicts: dict[str, ExpectationVerdict] = {}
        """What has been decided, by the hash of the question."""
        self.judgements: list[Judgement] = []
        self.failure: JudgeFailure | None = None
        """Why it is asked no more."""
        self._model = model
        self._note = note
        self._asking: asyncio.Task[None] | None = None

    def ask(self, questions: Sequence[Question], told: Told) -> None:
        """Ask about those questions that have no answer yet, unless a request is under way.

        Args:
            questions: What is due.
            told: Called for every verdict, and if the judge fails.
        """
        open = {q.hash: q for q in questions if q.hash not in self.verdicts}
        is_busy = self._asking is not None and not self._asking.done()
        if open and not is_busy and self.failure is None:
            self._asking = asyncio.create_task(self._ask(list(open.values()), told))

    async def finish(self) -> None:
        """Wait for the request that is under way."""
        if self._asking is not None:
            try:
                await self._asking
            except asyncio.CancelledError:
                self.stop()
                raise

    def stop(self) -> None:
        """Give up the request that is under way."""
        if self._asking is not None:
            self._asking.cancel()

    async def _ask(self, questions: Sequence[Question], told: Told) -> None:
        judgement, self.failure = await ask(self._model, questions, self._note)
        self.judgements.append(judgement)
        self.verdicts |= judgement.expectations
        for question in questions:
            if question.hash in judgement.expectations:
                told(question, judgement.expectations[question.hash].verdict)
        if self.failure is not None:
            told(None, self.failure.reason)
