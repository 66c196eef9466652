import pytest

from sparring.errors import CallerError
from sparring.scenarios import AgendaItem


@pytest.mark.parametrize(
    ("hear", "text", "heard"),
    [
        ("August 7", "So AUGUST 7 it is.", True),
        (["name", "phone"], "Your phone?", True),
        (["name", "phone"], "Anything else?", False),
        ("a.c", "abc", False),  # Plain text is no expression.
        (r"/\bname\b/", "Your NAME, please", True),
        (r"/\bname\b/", "Your username", False),
        ("/", "and/or", True),
        ([], "anything", False),
    ],
)
def test_what_an_item_hears(hear: str | list[str], text: str, heard: bool):
    item = AgendaItem.model_validate({"id": "a", "say": "b", "hear": hear})
    assert item.hears(text) is heard


def test_defaults():
    item = AgendaItem(id="a", say="b")
    assert (item.action, item.required, item.hear, item.after) == ("answer", True, [], [])


def test_an_expression_that_would_match_for_ever_is_given_up():
    item = AgendaItem(id="a", say="b", hear=["/(a|aa)+$/"])
    with pytest.raises(CallerError, match=r"'/\(a\|aa\)\+\$/' takes more than 0.5 s"):
        item.hears("a" * 60 + "!")
