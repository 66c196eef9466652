"""FakeLLM: an HTTP server that answers chats as told, over Ollama's native routes and OpenAI's.

It is real on the wire: what speaks to it is the real client of either, and it can refuse, stall,
break off, or answer anything at all.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from aiohttp import web


@dataclass
class Chat:
    """A request, as it came."""

    route: str
    """``ollama`` or ``openai``."""
    body: dict[str, Any]
    headers: dict[str, str]
    number: int
    """Counted from 0, over both routes."""

    @property
    def messages(self) -> list[dict[str, str]]:
        """The chat's messages."""
        return self.body["messages"]

    @property
    def system(self) -> str:
        """The system message."""
        return self.messages[0]["content"]

    @property
    def last(self) -> str:
        """The last message."""
        return self.messages[-1]["content"]

    @property
    def prompt_tokens(self) -> int:
        """About how many tokens the messages are."""
        return sum(len(message["content"]) for message in self.messages) // 4

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON Schema that the answer shall follow."""
        if self.route == "ollama":
            return self.body.get("format")
        return (self.body.get("response_format") or {}).get("json_schema", {}).get("schema")

    @property
    def is_judge(self) -> bool:
        """Whether this is the judge's request and not the persona's."""
        return not self.body.get("tools")


@dataclass
class Reply:
    """What the server does with a request."""

    text: str = ""
    tools: list[tuple[str, dict[str, Any]]] = field(
        default_factory=list[tuple[str, dict[str, Any]]]
    )
    thinking: str = ""
    cut_off: bool = False
    status: int = 200
    error: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    hangs: bool = False
    until: asyncio.Event | None = None
    """Answer only when this is set."""
    drops: bool = False
    """Close the connection without a word."""
    breaks_off: bool = False
    """Send the words, and not the message that ends an answer."""
    body: str | None = None
    """Send this page of HTML instead of an answer."""
    prompt_tokens: int | None = None
    """Tokens it says it read; by default what the request holds."""
    completion_tokens: int | None = 20


Answer = Callable[[Chat], Reply | str]
_AGREED = ("yes", "meets", "probability")


def end_call(text: str = "", success: bool = True, reason: str = "done") -> Reply:
    """A reply that hangs up."""
    return Reply(text, tools=[("end_call", {"success": success, "reason": reason})])


def verdicts(chat: Chat, goal: str = "yes", **changes: Any) -> str:
    """A judge's whole answer: this goal, ``meets`` for every turn and criterion.

    Of a script, ``yes`` to every question.

    ``changes`` replace verdicts: ``turn_2={"c1": "fails"}``, ``q1="no"``.
    """
    schema = chat.schema or json.loads(chat.last.rsplit("\n", 1)[1])
    answer: dict[str, Any] = {}
    for key, rule in schema["properties"].items():
        if key == "id":
            answer[key] = rule["enum"][0]
        elif "verdict" in rule["properties"] and key != "goal":  # A script's expectation.
            answer[key] = {"verdict": changes.get(key, "yes"), "reason": "so"}
        elif key == "goal":
            answer[key] = {"verdict": goal, "reason": "" if goal == "yes" else "it was not done"}
        else:
            answer[key] = {
                criterion: {"verdict": changes.get(key, {}).get(criterion, "meets"), "reason": "so"}
                for criterion in rule["properties"]
            }
    return json.dumps(answer)


def agreeing(schema: dict[str, Any], name: str = "") -> Any:
    """An answer of any schema that agrees with everything that can be agreed with."""
    if "enum" in schema:
        return next((value for value in schema["enum"] if value in _AGREED), schema["enum"][0])
    if schema.get("type") == "object":
        return {key: agreeing(rule, key) for key, rule in schema["properties"].items()}
    return float(name in _AGREED) if schema.get("type") == "number" else ""


class FakeLLM:
    """Serves until its ``with`` is left."""

    def __init__(
        self,
        answer: Answer,
        *,
        ollama: bool = True,
        models: tuple[str, ...] = (),
        pullable: tuple[str, ...] = (),
        unlisted: tuple[str, ...] = (),
        lists: bool = True,
    ):
        """Prepare to serve.

        Args:
            answer: What to do with each request.
            ollama: Whether Ollama's own routes are there, besides OpenAI's.
            models: Models it has, besides the default one.
            pullable: Models that it can pull, in place of the default one.
            unlisted: Models it has too, and does not list.
            lists: Whether its OpenAI routes list models at all.
        """
        self._answer = answer
        self._ollama = ollama
        self._pullable = pullable
        self._models = (*(() if pullable else ("gemma4:12b",)), *models)
        self._unlisted = unlisted
        self._lists = lists
        self._leaving = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self.chats: list[Chat] = []
        self.context_length = 131072
        self.end_marks: tuple[str, ...] = ("finish_reason", "[DONE]")
        """What ends an answer over OpenAI's route."""
        self.under_way = 0
        self.most_under_way = 0
        self.url = ""

    @property
    def endpoint(self) -> str:
        """What a scenario's ``endpoint:`` would be."""
        return f"{self.url}/v1"

    @property
    def persona(self) -> list[Chat]:
        """The requests of personas."""
        return [chat for chat in self.chats if not chat.is_judge]

    @property
    def judge(self) -> list[Chat]:
        """The requests of judges."""
        return [chat for chat in self.chats if chat.is_judge]

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 2**20)
        if self._lists:
            app.router.add_get("/v1/models", self._list)
        app.router.add_post("/v1/chat/completions", self._openai_chat)
        if self._ollama:
            app.router.add_get("/api/version", self._version)
            app.router.add_get("/api/tags", self._tags)
            app.router.add_post("/api/show", self._show)
            app.router.add_post("/api/chat", self._ollama_chat)
            app.router.add_post("/api/pull", self._pull)
        self._runner = web.AppRunner(app, shutdown_timeout=1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leaving.set()
        assert self._runner is not None
        await self._runner.cleanup()

    async def _version(self, request: web.Request) -> web.Response:
        return web.json_response({"version": "0.99.0"})

    async def _tags(self, request: web.Request) -> web.Response:
        return web.json_response({"models": [{"model": name} for name in self._models]})

    async def _show(self, request: web.Request) -> web.Response:
        return web.json_response({"model_info": {"fake.context_length": self.context_length}})

    async def _pull(self, request: web.Request) -> web.StreamResponse:
        """Stream a download's progress, as Ollama does; its errors come in the stream as well."""
        name = (await request.json())["model"]
        steps: list[dict[str, Any]] = [{"status": "pulling manifest"}]
        if name in self._pullable:
            layer = {"status": "pulling 8b50", "digest": "sha256:8b50", "total": 4096}
            steps += [{**layer, "completed": done} for done in (0, 2048, 4096)]
            steps += [{"status": "verifying sha256 digest"}, {"status": "success"}]
            self._models = (*self._models, name)
        else:
            steps.append({"error": "pull model manifest: file does not exist"})
        body = "".join(json.dumps(step) + "\n" for step in steps)
        return web.Response(text=body, content_type="application/x-ndjson")

    async def _list(self, request: web.Request) -> web.Response:
        data = [{"id": n, "object": "model", "created": 0, "owned_by": "x"} for n in self._models]
        return web.json_response({"object": "list", "data": data})

    async def _reply(self, route: str, request: web.Request) -> Reply:
        chat = Chat(route, await request.json(), dict(request.headers), len(self.chats))
        self.chats.append(chat)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            reply = self._answer(chat)
            reply = Reply(reply) if isinstance(reply, str) else reply
            if reply.prompt_tokens is None:
                reply.prompt_tokens = chat.prompt_tokens
            if reply.hangs:
                await self._leaving.wait()
            if reply.until is not None:
                await reply.until.wait()
            if reply.drops:
                assert request.transport is not None
                request.transport.close()
            await asyncio.sleep(0)
            return reply
        finally:
            self.under_way -= 1

    async def _ollama_chat(self, request: web.Request) -> web.StreamResponse:
        reply = await self._reply("ollama", request)
        if reply.body is not None:
            return web.Response(text=reply.body, content_type="text/html", status=reply.status)
        if reply.status != 200:
            return web.json_response(
                {"error": reply.error}, status=reply.status, headers=reply.headers
            )
        parts: list[dict[str, Any]] = []
        if reply.thinking:
            parts.append(
                {"message": {"role": "assistant", "content": "", "thinking": reply.thinking}}
            )
        for piece in _pieces(reply.text):
            parts.append({"message": {"role": "assistant", "content": piece}})
        if reply.tools:
            calls = [{"function": {"name": n, "arguments": args}} for n, args in reply.tools]
            parts.append({"message": {"role": "assistant", "content": "", "tool_calls": calls}})
        parts.append(
            {
                "message": {"role": "assistant", "content": ""},
                "done": True,
                "done_reason": "length" if reply.cut_off else "stop",
                "prompt_eval_count": reply.prompt_tokens,
                "eval_count": reply.completion_tokens,
            }
        )
        if reply.breaks_off:
            parts.pop()
        body = "".join(json.dumps({"model": "m", **part}) + "\n" for part in parts)
        return web.Response(text=body, content_type="application/x-ndjson")

    async def _openai_chat(self, request: web.Request) -> web.StreamResponse:
        model = (await request.json())["model"]
        if model not in (*self._models, *self._unlisted):
            error = {"message": f"The model `{model}` does not exist", "code": "model_not_found"}
            return web.json_response({"error": error}, status=404)
        reply = await self._reply("openai", request)
        if reply.body is not None:
            return web.Response(text=reply.body, content_type="text/html", status=reply.status)
        if reply.status != 200:
            body = {"error": {"message": reply.error, "type": "x", "code": None}}
            return web.json_response(body, status=reply.status, headers=reply.headers)
        if not (await request.json()).get("stream"):
            return web.json_response(_whole(reply))
        deltas: list[dict[str, Any]] = [{"content": piece} for piece in _pieces(reply.text)]
        if reply.thinking:
            deltas.insert(0, {"reasoning_content": reply.thinking})
        for index, (name, arguments) in enumerate(reply.tools):
            function = {"name": name, "arguments": json.dumps(arguments)}
            call = {"index": index, "id": f"c{index}", "type": "function", "function": function}
            deltas.append({"tool_calls": [call]})
        chunks = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
        reason = "length" if reply.cut_off else "tool_calls" if reply.tools else "stop"
        if "finish_reason" in self.end_marks:
            chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
        tokens = {
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.completion_tokens or 0,
            "total_tokens": 0,
        }
        chunks.append({"choices": [], "usage": tokens})
        base = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m"}
        lines = [f"data: {json.dumps({**base, **chunk})}\n\n" for chunk in chunks]
        if reply.breaks_off:
            lines = lines[: len(deltas)]
        elif "[DONE]" in self.end_marks:
            lines.append("data: [DONE]\n\n")
        return web.Response(text="".join(lines), content_type="text/event-stream")


def _pieces(text: str) -> list[str]:
    return [text[i : i + 7] for i in range(0, len(text), 7)]


def _whole(reply: Reply) -> dict[str, Any]:
    """An answer of OpenAI's that is not streamed."""
    message = {"role": "assistant", "content": reply.text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    tokens = {
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "total_tokens": 0,
    }
    base = {"id": "x", "object": "chat.completion", "created": 0, "model": "m"}
    return {**base, "choices": [choice], "usage": tokens}
