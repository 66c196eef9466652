import pytest

from sparring.errors import ModelError
from sparring.models.addresses import client_options, is_here, ollama_host, place


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("box", "http://box:11434"),
        ("box:5", "http://box:5"),
        (":5", "http://127.0.0.1:5"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("http://0.0.0.0:5/", "http://127.0.0.1:5"),
        ("[::]", "http://[::1]:11434"),
        ("[fe80::1]:5", "http://[fe80::1]:5"),
        ("1.2.3.4", "http://1.2.3.4:11434"),
        ("http://box", "http://box:80"),
        ("https://box/ollama/", "https://box:443/ollama"),
        ("box/ollama", "http://box:11434/ollama"),
        ("me:pw@box", "http://me:pw@box:11434"),
    ],
)
def test_ollama_host(host: str, url: str):
    assert ollama_host(host) == url


@pytest.mark.parametrize("host", ["box:port", "ftp://box", "[::1"])
def test_an_ollama_host_that_is_none(host: str):
    with pytest.raises(ModelError, match="OLLAMA_HOST"):
        ollama_host(host)


@pytest.mark.parametrize("host", ["localhost", "a.localhost", "127.0.0.2", "[::1]", "0.0.0.0"])
def test_this_machine(host: str):
    assert is_here(f"http://{host}:5/v1")
    assert place(f"http://{host}:5/v1") == ("localhost", 5)
    assert client_options(f"http://{host}:5") == {"trust_env": False}


@pytest.mark.parametrize("host", ["localhost.example.com", "10.0.0.1", "[fe80::1]"])
def test_other_machines(host: str):
    assert not is_here(f"https://{host}/v1")
    assert place(f"https://{host}/v1")[1] == 443
    assert client_options(f"https://{host}") == {"trust_env": True}
