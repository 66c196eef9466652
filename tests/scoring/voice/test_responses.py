"""The acceptance values of RUN metrics contract 2.0 that concern answers, and the boundaries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.scoring.voice.intervals import Interval, join
from sparring.scoring.voice.responses import responses
from sparring.scoring.voice.speech import Action, Speech, SpokenTurn


def call(
    *turns: tuple[float, float] | tuple[float, float, Action],
    agent: list[tuple[float, float]] | None = None,
    end: float = 90_000,
    gap: float = 0,
) -> Speech:
    """A call of caller turns, each one voiced throughout, and the agent's voiced intervals."""
    made = [
        SpokenTurn(number, turn[0], turn[1], turn[2] if len(turn) == 3 else "speak")
        for number, turn in enumerate(turns, 1)
    ]
    return Speech(join((t.start, t.end) for t in made), join(agent or []), made, end=end, gap=gap)


def statuses(speech: Speech, deadline_ms: float = 5000) -> list[tuple[str, str, float | None]]:
    made = responses(speech, deadline_ms).opportunities
    return [(one.status, one.reason, one.latency_ms) for one in made]


def test_one_answered_and_a_last_one_followed_by_silence_is_a_half():
    speech = call((0, 500), (2000, 2500), agent=[(800, 1500)], end=2500 + 89_000)
    assert responses(speech).rate == 0.5


def test_with_a_short_tail_the_last_one_is_censored():
    speech = call((0, 500), (2000, 2500), agent=[(800, 1500)], end=2520)
    made = responses(speech)
    assert made.rate == 1.0
    assert made.counts() == {
        "caller_turns": 2,
        "answered": 1,
        "missed": 0,
        "censored": 1,
        "excluded": 0,
        "late": 0,
        "exclusion_reasons": {},
    }


def test_latency_is_from_the_last_sound_to_the_first():
    assert responses(call((100, 500), agent=[(1320, 2000)])).latencies == [820]


@pytest.mark.parametrize(
    ("start", "status"), [(5499, "answered"), (5500, "answered"), (5501, "missed")]
)
def test_exactly_at_the_deadline_is_in_time(start: float, status: str):
    [made] = responses(call((0, 500), agent=[(start, 9000)])).opportunities
    assert (made.status, made.late) == (status, status == "missed")


def test_a_late_answer_is_kept_and_counts_as_missed():
    made = responses(call((0, 500), agent=[(6500, 9000)]))
    assert statuses(call((0, 500), agent=[(6500, 9000)])) == [("missed", "deadline_expired", 6000)]
    assert (made.rate, made.latencies, made.counts()["late"]) == (0.0, [], 1)


def test_the_next_request_closes_the_one_before():
    speech = call((0, 500), (2000, 2500), agent=[(3000, 4000)])
    assert statuses(speech) == [
        ("missed", "next_eligible_request", None),
        ("answered", "response_received", 500),
    ]


def test_an_answer_at_the_very_start_of_the_next_request_still_answers_this_one():
    speech = call((0, 500), (2000, 2500), agent=[(2000, 2400)])
    assert statuses(speech)[0] == ("answered", "response_received", 1500)


def test_backchannels_and_goodbyes_expect_no_answer():
    speech = call((0, 500, "backchannel"), (1000, 1500, "close"), (3000, 3500))
    assert [why for _, why, _ in statuses(speech)] == [
        "backchannel",
        "caller_closing",
        "deadline_expired",
    ]
    counts = responses(speech).counts()
    assert counts["exclusion_reasons"] == {"backchannel": 1, "caller_closing": 1}


def test_a_backchannel_closes_no_request():
    speech = call((0, 500), (1000, 1200, "backchannel"), agent=[(1400, 2000)])
    assert statuses(speech)[0] == ("answered", "response_received", 900)


@pytest.mark.parametrize(
    ("segment", "excluded"),
    [((499, 900), True), ((100, 500), True), ((100, 499), False), ((500, 900), False)],
)
def test_an_agent_that_speaks_as_the_request_ends_excludes_it(
    segment: tuple[float, float], excluded: bool
):
    [made] = responses(call((0, 500), agent=[segment])).opportunities
    assert (made.reason == "agent_active_at_request_end") is excluded


def test_a_pause_within_the_agents_words_is_no_answer_unless_gaps_count():
    talk = [(0, 1000), (1100, 2000)]
    assert responses(call((900, 1050), agent=talk, gap=200)).counts()["excluded"] == 1
    assert responses(call((900, 1050), agent=talk, gap=0)).latencies == [50]


def test_no_turn_is_no_rate():
    assert responses(call(agent=[(0, 500)])).rate is None


@given(
    st.lists(st.tuples(st.integers(0, 300), st.integers(1, 40)), max_size=6),
    st.lists(st.tuples(st.integers(0, 300), st.integers(1, 40)), max_size=6),
    st.integers(0, 400),
    st.integers(0, 500),
    st.integers(0, 30),
)
def test_counts_add_up_and_nothing_depends_on_when_the_call_began(
    said: list[tuple[int, int]],
    spoken: list[tuple[int, int]],
    end: int,
    shift: int,
    gap: int,
):
    turns = join((start, start + length) for start, length in said)
    agent = join((start, start + length) for start, length in spoken)

    def at(offset: int) -> Speech:
        moved = [Interval(start + offset, stop + offset) for start, stop in agent]
        asked = [(start + offset, stop + offset) for start, stop in turns]
        return call(*asked, agent=list(moved), end=end + offset, gap=gap)

    made = responses(at(0), 50)
    counts = made.counts()
    four = [counts[sort] for sort in ("answered", "missed", "censored", "excluded")]
    assert counts["caller_turns"] == len(turns) == sum(n for n in four if isinstance(n, int))
    assert made.rate is None or 0 <= made.rate <= 1
    assert all(0 <= latency <= 50 for latency in made.latencies)
    assert statuses(at(0), 50) == statuses(at(shift), 50)
