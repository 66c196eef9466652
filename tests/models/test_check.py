"""What is found before the first call."""

import json
from typing import Any

import pytest
from aiohttp import web

from sparring.errors import ModelError
from sparring.models.opening import Models
from sparring.scenarios import SimulatorModel
from support.fake_llm import Chat, FakeLLM, Reply
from support.models import ask, check


def refuse(chat: Chat) -> Reply:
    return Reply(status=500, error="nothing is asked before the call")


async def test_a_model_that_ollama_has():
    async with FakeLLM(refuse, models=("other:latest",)) as llm:
        await check(endpoint=llm.endpoint)
        await check(endpoint=llm.url, model="other")
    assert llm.chats == []


async def test_a_model_that_ollama_lacks():
    async with FakeLLM(refuse) as llm:
        with pytest.raises(
            ModelError,
            match=r"no model gemma4:12 \(the nearest it has is gemma4:12b\): pull it with `ollama ",
        ):
            await check(endpoint=llm.endpoint, model="gemma4:12")


@pytest.mark.parametrize("service", ["openai", "ollama"])
async def test_a_model_that_another_server_has(service: str):
    async with FakeLLM(refuse, ollama=False, models=("models/gemini-9",)) as llm:
        await check(service=service, endpoint=llm.endpoint, model="gemma4:12b")
        await check(service=service, endpoint=llm.endpoint, model="gemini-9")
    assert llm.chats == []


@pytest.mark.parametrize(
    ("model", "hint"),
    [
        ("gpt-9-mimi", "the nearest it has is gpt-9-mini"),
        ("qqq", "it has gemma4:12b, gpt-9-mini"),
    ],
)
async def test_a_model_that_another_server_lacks(model: str, hint: str):
    async with FakeLLM(refuse, ollama=False, models=("gpt-9-mini",)) as llm:
        with pytest.raises(ModelError, match=rf"has no model {model} \({hint}\): see `model`"):
            await check(service="openai", endpoint=llm.endpoint, model=model)
    assert llm.chats == []


async def test_a_model_that_is_served_without_being_listed():
    async with FakeLLM(lambda chat: "hi", ollama=False, unlisted=("vendor/m:free",)) as llm:
        await check(service="openai", endpoint=llm.endpoint, model="vendor/m:free")
    assert len(llm.chats) == 1 and llm.chats[0].body["max_tokens"] == 16


@pytest.mark.parametrize("status", [429, 503])
async def test_a_server_that_lists_nothing_and_is_busy_is_given_its_chance(status: int):
    busy = Reply(status=status, error="busy")
    async with FakeLLM(lambda chat: busy, ollama=False, lists=False) as llm:
        await check(service="openai", endpoint=llm.endpoint, model="gemma4:12b")
    assert len(llm.chats) == 1


@pytest.mark.parametrize("status", [400, 401, 403])
async def test_a_server_that_lists_nothing_and_refuses(status: int):
    refusal = Reply(status=status, error="not you")
    async with FakeLLM(lambda chat: refusal, ollama=False, lists=False) as llm:
        with pytest.raises(ModelError, match=rf"refused: not you \(HTTP {status}\): "):
            await check(service="openai", endpoint=llm.endpoint, model="gemma4:12b")


async def test_a_server_that_lists_nothing_and_lacks_the_model():
    async with FakeLLM(refuse, ollama=False, lists=False) as llm:
        with pytest.raises(ModelError, match=r"The model `m` does not exist \(HTTP 404\): see `mo"):
            await check(service="openai", endpoint=llm.endpoint, model="m")


@pytest.mark.parametrize("service", ["openai", "ollama"])
@pytest.mark.parametrize("path", ["", "/", "/v1/chat/completions"])
async def test_an_endpoint_that_is_not_the_base_url(service: str, path: str):
    async with FakeLLM(refuse, ollama=False) as llm:
        with pytest.raises(ModelError, match=f"try `endpoint: {llm.url}/v1`"):
            await check(service=service, endpoint=llm.url + path, model="gemma4:12b")


async def test_a_server_that_answers_every_path_with_its_front_page():
    async def page(request: web.Request) -> web.Response:
        return web.Response(text="<html><title>Welcome</title></html>", content_type="text/html")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", page)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    with pytest.raises(ModelError, match=r"refused: Welcome \(HTTP 200\): see `endpoint`"):
        await check(service="openai", endpoint=f"http://{host}:{port}", model="m")
    await runner.cleanup()


@pytest.mark.parametrize("service", ["openai", "ollama"])
async def test_nobody_there(service: str):
    endpoint = "http://jamie:secret@127.0.0.1:9/v1"
    with pytest.raises(ModelError, match=r"http://127\.0\.0\.1:9.*another `endpoint:`") as raised:
        await check(service=service, endpoint=endpoint, model="m")
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("service", ["openai", "ollama"])
@pytest.mark.parametrize(
    ("endpoint", "problem"),
    [
        ("localhost:8000/v1", "has no http:// or https:// before it: try `http://localhost:8000/v"),
        ("ws://localhost", "has no http:// or https:// before it"),
        ("http://", "names no server"),
        ("http://localhost:port/v1", "is no URL"),
        ("http://me:pw@[::1/v1", "`endpoint: http://\\[::1/v1` is no URL"),
    ],
)
async def test_an_endpoint_that_is_none(service: str, endpoint: str, problem: str):
    with pytest.raises(ModelError, match=problem) as raised:
        await check(service=service, endpoint=endpoint, model="m")
    assert "pw" not in str(raised.value)


async def test_a_key_that_is_missing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ModelError, match="needs OPENAI_API_KEY"):
        await Models().open(SimulatorModel(service="openai", model="m"))


async def test_openai_base_url_is_where_openai_is(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    async with FakeLLM(lambda chat: "ok", ollama=False) as llm:
        monkeypatch.setenv("OPENAI_BASE_URL", llm.endpoint + "/")
        await check(service="openai", model="gemma4:12b")
        assert (await ask(llm, endpoint=None, service="openai", model="gemma4:12b")).text == "ok"


async def test_ollama_host_is_where_ollama_is(monkeypatch: pytest.MonkeyPatch):
    async with FakeLLM(lambda chat: "ok") as llm:
        monkeypatch.setenv("OLLAMA_HOST", llm.url.removeprefix("http://").replace("127", "0", 1))
        monkeypatch.setenv("OLLAMA_HOST", f"0.0.0.0:{llm.url.rpartition(':')[2]}")
        await check()
        assert (await ask(llm, endpoint=None)).text == "ok"


@pytest.mark.parametrize("ollama", [True, False])
async def test_no_proxy_stands_before_this_machine(ollama: bool, monkeypatch: pytest.MonkeyPatch):
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    async with FakeLLM(lambda chat: "ok", ollama=ollama) as llm:
        await check(endpoint=llm.endpoint)
        assert (await ask(llm)).text == "ok"


@pytest.mark.parametrize("ollama", [True, False])
async def test_credentials_in_the_endpoint_are_sent(ollama: bool):
    async with FakeLLM(lambda chat: "ok", ollama=ollama) as llm:
        endpoint = llm.endpoint.replace("//", "//jamie:p%40ss@")
        assert (await ask(llm, endpoint=endpoint)).text == "ok"
    assert llm.chats[0].headers["Authorization"] == "Basic amFtaWU6cEBzcw=="


@pytest.mark.parametrize("body", ["[]", '"503"', "{", "<html></html>", '{"models": 1}'])
async def test_what_answers_and_is_no_ollama(body: str):
    async def odd(request: web.Request) -> web.Response:
        if request.path == "/api/version":
            return web.json_response({"version": "0"})
        return web.Response(text=body, content_type="text/html")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", odd)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    block: dict[str, Any] = {"endpoint": f"http://{host}:{port}"}
    with pytest.raises(ModelError, match="not as Ollama does: see `endpoint`"):
        await check(**block)
    await runner.cleanup()


@pytest.mark.parametrize("ollama", [True, False])
@pytest.mark.parametrize(
    "page", [json.dumps(["busy"]), "<html><title>Bad\n gateway</title><p>pages of it</html>"]
)
async def test_pages_of_a_proxy_are_told_in_a_line(ollama: bool, page: str):
    reply = Reply(status=403, body=page)
    async with FakeLLM(lambda chat: reply, ollama=ollama) as llm:
        with pytest.raises(ModelError, match=r"refused: .*(busy|Bad gateway).* \(HTTP 403\)"):
            await ask(llm)
