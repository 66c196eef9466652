"""The words that faults are told in."""

import pytest

from sparring.scenarios.faults import listed, nearest, nearest_spelling, quoted, shown


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("max_turn", ["max_turns", "runs"], "max_turns"),
        ("Max-Turns", ["max_turns", "runs"], "max_turns"),
        ("min_quality", ["min_score", "name"], "min_score"),
        ("max", ["max_turns", "max_silence_s"], None),  # Either could be meant.
        ("duration_s", ["max_duration_s", "max_silence_s"], "max_duration_s"),
        ("first_s", ["other_s"], None),  # One letter is no word.
        ("zzz", ["max_turns"], None),
        ("zzz", [], None),
        ("", ["a"], None),
    ],
)
def test_what_was_probably_meant(word: str, known: list[str], meant: str | None):
    assert nearest(word, known) == meant


def test_a_shared_word_is_no_spelling():
    assert nearest_spelling("min_quality", ["min_score"]) is None
    assert nearest_spelling("min_scor", ["min_score"]) == "min_score"


def test_of_very_many_names_only_some_are_compared():
    assert nearest("name_1", [*map(str, range(1000)), "name_2"]) is None


def test_long_texts_are_told_in_short():
    assert quoted("x" * 40) == f"'{'x' * 40}'"
    assert quoted("x" * 41) == f"'{'x' * 40}…'"
    assert listed("abcdefgh") == "a, b, c, d, e, f, g, h"
    assert listed("abcdefghi", "-") == "a-b-c-d-e-f-g-h-…"
    assert listed([]) == ""


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "nothing"),
        (False, "the boolean false"),
        ('a"b\n', 'the text "a\\"b\\n"'),
        ([1], "a list"),
        ({}, "a mapping"),
        (1.5, "1.5"),
        (10**50, "1" + "0" * 39 + "…"),
    ],
)
def test_values_are_told_with_their_type(value: object, told: str):
    assert shown(value) == told
