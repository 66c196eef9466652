"""The persona: an LLM that plays the caller a scenario describes."""

from collections.abc import AsyncIterator, Sequence
from importlib import resources
from typing import Any

from sparring.callers.caller import (
    Broke,
    Delayed,
    HangUp,
    Mended,
    Move,
    Spent,
    Thought,
    Words,
    Writing,
)
from sparring.callers.conduct import Fault, Reply, examine
from sparring.errors import CallerError, ModelError
from sparring.models import (
    ChatModel,
    Finished,
    Message,
    Request,
    Text,
    Thinking,
    Tool,
    ToolUse,
    Waiting,
)
from sparring.records import CallerIdentity, Side, Turn
from sparring.scenarios import Simulation

PROMPT_VERSION = "persona-2"
MAX_TOKENS = 400
TRIES = 2

END_CALL = Tool(
    "end_call",
    "Hang up. Call it once you have what you called for, or clearly will not get it.",
    {
        "type": "object",
        "properties": {
            "success": {
                "type": "boolean",
                "description": "Whether you got what you called for.",
            },
            "reason": {"type": "string", "description": "Why you hang up, in one sentence."},
        },
        "required": ["success", "reason"],
        "additionalProperties": False,
    },
)
_BEGIN = "(The call is connected. You speak first.)"
_AGAIN = "(That cannot be said: {why}. Write your turn again: only words that the caller says.)"
_WHY = {
    Fault.EMPTY: "there were no words in it",
    Fault.CUT_OFF: "it was too long; a sentence is enough",
    Fault.REASONING: "it spoke about what to say",
    Fault.SPOKE_AS_AGENT: "it was the assistant's part",
    Fault.REPEATED: "you have said it before, word for word; go on, or put it in other words",
    Fault.ECHOED: "it was what the assistant had just said",
    Fault.TOOL_AS_TEXT: "`end_call` is a tool: call it to hang up, and do not write it",
    Fault.MARKUP: "it held markup or a placeholder",
    Fault.HUNG_UP_EARLY: "you cannot hang up before the assistant has said anything",
}
"""What the persona is told of a fault that is not mended."""


class PersonaCaller:
    """A caller played by an LLM, from the persona and goal of a simulation."""

    def __init__(self, simulation: Simulation, model: ChatModel, seed: int):
        self._system = instructions(simulation)
        self._brief = brief(simulation)
        self._model = model
        self._seed = seed
        identity = model.identity
        self.identity = CallerIdentity(
            service=identity.service,
            model=identity.model,
            params=dict(identity.params),
            prompt_version=PROMPT_VERSION,
        )

    async def answer(self, turns: Sequence[Turn]) -> AsyncIterator[Move]:
        """What the persona says after these turns."""
        messages = [Message("system", self._system), *_messages(turns)]
        reply: Reply | None = None
        for number in range(TRIES):
            text: list[str] = []
            hang_up: HangUp | None = None
            finished = Finished()
            request = Request(
                messages, tools=(END_CALL,), max_tokens=MAX_TOKENS, seed=self._seed + number
            )
            try:
                async for piece in self._model.stream(request):
                    match piece:
                        case Text():
                            text.append(piece.text)
                        case ToolUse() if piece.name == END_CALL.name:
                            hang_up = _hang_up(piece)
                        case Finished():
                            finished = piece
                        case Waiting(text=why):
                            yield Delayed(why)
                        case Thinking() | ToolUse():
                            pass
                    yield Writing()
            except ModelError as error:
                raise CallerError(str(error)) from error
            yield Spent(finished.usage.prompt_tokens, finished.usage.completion_tokens)
            reply = examine("".join(text), hang_up, finished.cut_off, turns, self._brief)
            if reply.broken is None:
                break
            yield Thought(f"{reply.broken}: asking again; it wrote {''.join(text)!r}")
            messages = [*messages, Message("user", _AGAIN.format(why=_WHY[reply.broken]))]
        assert reply is not None
        for fault in reply.mended:
            yield Mended(fault)
        if reply.broken is not None:
            yield Broke(reply.broken, reply.text)
            return
        if reply.text:
            yield Words(reply.text)
        if reply.hang_up is not None:
            yield reply.hang_up


def instructions(simulation: Simulation) -> str:
    """The persona's instructions: persona and goal word for word, facts and agenda if given."""
    prompt = resources.files("sparring.callers").joinpath("prompts/persona.md").read_text("utf-8")
    for name, text in _parts(simulation).items():
        before, mark, after = prompt.partition(f"<<{name}>>")
        assert mark, name
        prompt = before + text + after
    return prompt


def brief(simulation: Simulation) -> str:
    """What is the scenario's own in the instructions."""
    return "\n".join(_parts(simulation).values())


def _parts(simulation: Simulation) -> dict[str, str]:
    return {
        "facts": _facts(simulation.facts),
        "agenda": _agenda(simulation),
        "goal": simulation.goal,
        "persona": simulation.persona,
    }


def _messages(turns: Sequence[Turn]) -> list[Message]:
    """The conversation from the persona's side: what it said is its own, the agent is its user."""
    if not turns:
        return [Message("user", _BEGIN)]
    messages = [
        Message("assistant" if turn.side is Side.CALLER else "user", turn.text) for turn in turns
    ]
    return messages if turns[0].side is Side.AGENT else [Message("user", _BEGIN), *messages]


def _facts(facts: dict[str, Any]) -> str:
    if not facts:
        return ""
    lines = "\n".join(f"- {name.replace('_', ' ')}: {value}" for name, value in facts.items())
    return f"\nWhat you know:\n{lines}\n"


def _agenda(simulation: Simulation) -> str:
    lines: list[str] = []
    for item in simulation.agenda:
        act = item.do or (f'say: "{item.say}"' if item.say else "wait and let the assistant go on")
        when = f"when {item.when}: " if item.when else ""
        must = "" if item.required else " (only if it comes to that)"
        lines.append(f"- {when}{act}{must}")
    if not lines:
        return ""
    return "\nWhat you mean to do, in this order where it fits:\n" + "\n".join(lines) + "\n"


def _hang_up(use: ToolUse) -> HangUp:
    reason = str(use.arguments.get("reason") or "no reason given")
    success = use.arguments.get("success")
    return HangUp(str(success).casefold() == "true", reason)  # Small models send text.
