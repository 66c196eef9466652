"""What the agent makes of a caller's sentence."""

from dataclasses import asdict

import pytest

from sparring.demo.understanding import understand


def details(text, asked=None):
    """The details a sentence gives, without what it is up to."""
    wanted = ("date", "time", "party_size", "name", "phone", "reference", "choice")
    heard = asdict(understand(text, asked))
    return {key: heard[key] for key in wanted if heard[key] is not None}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Hi, I'd like to book a table for two tonight at 6 PM.",
            {"date": "tonight", "time": "18:00", "party_size": 2},
        ),
        (
            "I want to book for 2 at 7 on may 3rd",
            {"date": "May 3", "time": "19:00", "party_size": 2},
        ),
        (
            "A table for 3 on Friday at half past seven",
            {"date": "Friday", "time": "19:30", "party_size": 3},
        ),
        ("Tomorrow for 4, 2026-08-08", {"date": "August 8", "party_size": 4}),
        ("On the 8th of August, twelve of us", {"date": "August 8", "party_size": 12}),
        ("We'll be 5, at 6.30 p.m.", {"time": "18:30", "party_size": 5}),
        ("A table for 7 pm", {"time": "19:00"}),
        ("at six forty-five", {"time": "18:45"}),
        ("make it noon", {"time": "12:00"}),
        ("at 9 AM", {"time": "09:00"}),
        ("at 25", {}),
        ("just me", {"party_size": 1}),
        ("with my wife", {"party_size": 2}),
        ("It's my birthday and I have a couple of questions", {}),
        ("I need about 10 minutes", {}),
    ],
)
def test_tables(text, expected):
    assert details(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Actually, make that August 8, under Maya.", {"date": "August 8", "name": "Maya"}),
        ("not August 7, August 8", {"date": "August 8"}),
        ("August 8, not August 7", {"date": "August 8"}),
        ("tomorrow instead of tonight", {"date": "tomorrow"}),
        ("change it from 6 PM to 7 PM", {"time": "19:00"}),
        ("move it to 9", {"time": "21:00"}),
        ("Actually, make it four", {"party_size": 4}),
        ("No, I said three", {"party_size": 3}),
        ("No, it's Jamie Li, not Jamie Lee", {"name": "Jamie Li"}),
    ],
)
def test_corrections(text, expected):
    assert details(text) == expected


@pytest.mark.parametrize(
    ("asked", "text", "expected"),
    [
        ("time", "7", {"time": "19:00"}),
        ("time", "18:30", {"time": "18:30"}),
        ("time", "for 7", {"time": "19:00"}),
        ("time", "two people at 7", {"time": "19:00", "party_size": 2}),
        ("time", "6 pm for three", {"time": "18:00", "party_size": 3}),
        ("party_size", "7", {"party_size": 7}),
        ("party_size", "A party of six at 9", {"time": "21:00", "party_size": 6}),
        ("offer", "six works", {"time": "18:00"}),
        ("offer", "the later one", {"choice": "last"}),
        ("offer", "the first one", {"choice": "first"}),
        ("offer", "hold on a second", {}),
        ("phone", "555-0142.", {"phone": "555-0142"}),
        ("phone", "it's +1 (415) 555-0142", {"phone": "+1 (415) 555-0142"}),
        ("phone", "five five five oh one four two", {"phone": "5550142"}),
        ("reference", "It is R-12", {"reference": "R-12"}),
    ],
)
def test_bare_answers(asked, text, expected):
    assert details(text, asked) == expected


@pytest.mark.parametrize(
    ("asked", "text", "name"),
    [
        ("name", "Jamie Lee", "Jamie Lee"),
        ("name", "jamie lee", "Jamie Lee"),
        ("name", "Sure, it's José Núñez-O'Neil.", "José Núñez-O'Neil"),
        ("name", "Under Maya Patel, please", "Maya Patel"),
        ("name", "my name is jamie lee and my number is 555 0142", "Jamie Lee"),
        ("name", "Jamie Lee, 555-0142", "Jamie Lee"),
        ("name", "Perfect, thank you!", None),
        ("name", "Why do you need that?", None),
        ("name", "Could you hold on", None),
        ("name", "hm", None),
        (None, "It’s Jamie", "Jamie"),
        (None, "it's late", None),
        (None, "I'm Jamie, a table for Maya", "Maya"),
        (None, "Jamie Lee", None),
    ],
)
def test_names(asked, text, name):
    assert understand(text, asked).name == name


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("Yes, that works", {"yes"}),
        ("No, thank you. Goodbye.", {"no", "thanks", "goodbye"}),
        ("Perfect, thank you!", {"yes", "thanks"}),
        ("Please cancel it", {"cancel"}),
        ("Don't cancel it", set()),
        ("never mind", {"cancel"}),
        ("What's the weather like?", {"question"}),
        ("That's all, thanks", {"goodbye", "thanks"}),
        ("Hello", set()),
    ],
)
def test_intents(text, intents):
    heard = asdict(understand(text))
    assert {key for key, value in heard.items() if value is True} == intents
