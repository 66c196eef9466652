import pytest

from sparring.callers.conduct.farewells import is_goodbye, outstays_goodbye


@pytest.mark.parametrize(
    "text",
    [
        "Goodbye!",
        "Thanks, bye.",
        "okay thanks bye",
        "Take care!",
        "Have a nice day!",
        "Thank you so much, have a wonderful evening!",
        "I’ll talk to you later.",
        "See you at six.",
        "I'll see you then. Thanks!",
        "Do you take cards? Never mind. Goodbye.",
        "Adiós.",
        "Gracias, hasta luego.",
        "Até logo!",
        "Arrivederci!",
        "Merci, au revoir !",
        "Vielen Dank, tschüss!",
        "Auf Wiederhören",
        "Schönen Tag noch!",
        "Tot ziens.",
        "До свидания!",
        "さようなら",
        "失礼します。",
        "好的，再见",
        "감사합니다. 안녕히 계세요.",
    ],
)
def test_goodbyes(text: str):
    assert is_goodbye(text)


@pytest.mark.parametrize(
    "text",
    [
        "Have a good table by the window?",
        "Can I have a good table by the window?",
        "Do you have a nice day for a party?",
        "I want to have a nice evening with my wife.",
        "I said goodbye to him already.",
        "I'll take care of it.",
        "Take care of the deposit, please.",
        "Goodbye! Oh, do you have parking?",
        "Good evening, a table for two.",
        "Ciao, vorrei prenotare.",
        "I'd like to see you at six.",
        "",
    ],
)
def test_no_goodbyes(text: str):
    assert not is_goodbye(text)


@pytest.mark.parametrize(
    ("said", "reply", "outstays"),
    [
        ([], "Goodbye!", False),
        (["Goodbye!"], "Goodbye!", True),
        (["Goodbye!", "Wait, can I pay by card?"], "Great, bye!", True),
        (["Goodbye!", "You too."], "Thanks!", False),
        (["Goodbye!", "You too.", "Thanks!"], "It was a pleasure.", True),
        (["Goodbye!", "Wait, can I pay by card?", "Yes."], "Jamie Lee.", False),
        (["Goodbye!", "It's 555-0142.", "Yes."], "Jamie Lee.", False),
        (["Hello.", "Jamie Lee.", "Yes."], "Thanks.", False),
    ],
)
def test_a_caller_that_goes_on_after_a_goodbye(said: list[str], reply: str, outstays: bool):
    assert outstays_goodbye(reply, said) is outstays
