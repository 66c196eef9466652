from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.records import ToolCall
from sparring.scenarios import CallExpectation
from sparring.scoring import check_calls
from sparring.scoring.function_calls import contains


def want(name: str, times: int | str | None = None, **args: Any) -> CallExpectation:
    return CallExpectation.model_validate({"name": name, "args": args, "times": times})


def made(name: str, state: str = "completed", **args: Any) -> ToolCall:
    stopped = None if state == "running" else 1.0
    return ToolCall("id", name, args, 0.0, stopped, cancelled=state == "cancelled")


def failure(expected: list[CallExpectation], calls: list[ToolCall]) -> str | None:
    verdict = check_calls(expected, calls)
    return None if verdict.passed else verdict.reason


def test_every_entry_needs_a_call_of_its_own():
    twice = [want("check"), want("check")]
    assert failure(twice, [made("check", day=1), made("check", day=2)]) is None
    reason = failure(twice, [made("check", day=1)])
    assert reason == "check() was completed 1 of 2 times"


def test_the_order_of_entries_does_not_matter():
    expected = [want("book"), want("book", party=2)]
    assert failure(expected, [made("book", party=2), made("book", party=3)]) is None


def test_a_further_call_that_matches_is_fine_unless_it_is_the_same_again():
    expected = [want("book")]
    assert failure(expected, [made("book", party=3), made("book", party=2)]) is None
    reason = failure(expected, [made("book", party=3), made("book", party=3)])
    assert reason is not None and reason.startswith("book(party=3) was called again")


def test_a_corrected_call_is_an_unlisted_one_if_the_entry_fixes_its_arguments():
    reason = failure([want("book", party=2)], [made("book", party=3), made("book", party=2)])
    assert reason == "book(party=3) was not asked for"


def test_an_unlisted_call_fails():
    reason = failure([], [made("transfer", to="me")])
    assert reason == 'transfer(to="me") was not asked for'
    assert failure([], []) is None


def test_a_cancelled_call_did_not_happen():
    assert failure([], [made("book", "cancelled")]) is None
    reason = failure([want("book")], [made("book", "cancelled")])
    assert reason == "book() was not called"


def test_a_running_call_has_not_completed_but_was_made():
    reason = failure([want("book")], [made("book", "running")])
    assert reason is not None and "had not completed when the call ended" in reason
    assert failure([], [made("transfer", "running")]) is not None


@pytest.mark.parametrize(
    ("times", "count", "passes"),
    [(1, 1, True), (1, 2, False), (2, 1, False), (2, 2, True), ("1+", 3, True), ("2+", 1, False)],
)
def test_times(times: int | str, count: int, passes: bool):
    verdict = check_calls([want("ring", times)], [made("ring") for _ in range(count)])
    assert verdict.passed is passes


@pytest.mark.parametrize(
    ("actual", "wanted", "same"),
    [
        (2, 2.0, True),
        ("2", 2, False),
        (2, "2", False),
        (1, True, False),
        (True, 1, False),
        (True, True, True),
        (None, None, True),
        ("2 ", "2", False),
        ("e\u0301", "\u00e9", True),
        ([1, 2], [1, 2.0], True),
        ([1, 2], [1], False),
        ([1, [True]], [1, [1]], False),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, True),
        ({"a": {}}, {"a": {"b": None}}, False),
    ],
)
def test_values(actual: Any, wanted: Any, same: bool):
    assert contains(actual, wanted) is same


def test_null_is_not_the_same_as_missing():
    assert failure([want("book", note=None)], [made("book")]) is not None
    assert failure([want("book", note=None)], [made("book", note=None)]) is None


def test_a_call_that_missed_its_entry_is_one_fault_and_says_how():
    reason = failure([want("book", party=2, day=1)], [made("book", party=4)])
    assert reason == "book was called with party=4, wanted 2; no day, wanted 1"


def test_the_reason_says_if_the_types_differ():
    reason = failure([want("book", party=2)], [made("book", party="2")])
    assert reason == 'book was called with party="2" (text), wanted 2 (a number)'


def test_what_was_made_is_listed():
    calls = [made("book", party=2), made("book", "cancelled")]
    assert check_calls([], calls).made == ["book(party=2)"]


names = st.sampled_from(["a", "b"])
args = st.dictionaries(st.sampled_from(["x", "y"]), st.integers(0, 1), max_size=2)


@given(st.lists(st.tuples(names, args), max_size=5), st.randoms())
def test_exactly_what_was_asked_for_passes_in_any_order(
    calls: list[tuple[str, dict[str, int]]], random: Any
):
    shuffled = list(calls)
    random.shuffle(shuffled)
    expected = [want(name, None, **values) for name, values in calls]
    assert check_calls(expected, [made(name, **values) for name, values in shuffled]).passed


@given(st.lists(st.tuples(names, args), min_size=1, max_size=5))
def test_one_call_too_few_fails(calls: list[tuple[str, dict[str, int]]]):
    expected = [want(name, None, **values) for name, values in calls]
    assert not check_calls(expected, [made(name, **values) for name, values in calls[1:]]).passed
