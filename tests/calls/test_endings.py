import pytest

from sparring.calls.endings import CLOSING_S, Endings, Limits
from sparring.calls.floor import QUIET_S, Floor
from sparring.records import Conversation, Ending, Event, Kind, Side
from sparring.records import events as ev
from support.records import bot, tool, user

READY = ev.Ready(at=1.0)
HANG_UP = ev.EndCall(at=4.0, success=True, reason="done")


def endings(*events: Event) -> Endings:
    conversation = Conversation()
    floor = Floor(conversation, Side.AGENT)
    made = Endings(conversation, floor, Limits(ready_s=10, duration_s=60, silence_s=20))
    for event in events:
        for fold in (conversation.fold, floor.fold, made.fold):
            fold(event)
    return made


def test_nothing_has_ended_yet():
    assert endings(READY, *bot(1.1, "Hello.")).ended(5) is None


def test_an_agent_that_never_gets_ready():
    waiting = endings(ev.Connected(at=0.1, url=""))
    assert waiting.next_deadline(5) == 10
    ended = waiting.ended(10)
    assert ended is not None and ended.kind is Kind.HANDSHAKE_TIMEOUT


def test_a_close_before_ready_keeps_code_and_reason():
    closed = ev.Closed(at=0.2, code=1011, reason="Concurrency limit reached")
    ended = endings(ev.Connected(at=0.1, url=""), closed).ended(0.2)
    assert ended is not None and ended.kind is Kind.CLOSED_BEFORE_READY
    assert "1011" in ended.reason and "Concurrency limit reached" in ended.reason


@pytest.mark.parametrize("code", [1000, 1001, 1005])
def test_an_agent_that_hangs_up_ends_the_call(code: int):
    ended = endings(READY, *bot(1.1, "Bye."), ev.Closed(at=2, code=code)).ended(2)
    assert ended == ev.Ended(at=2, ending=Ending.BOT)


def test_an_agent_whose_connection_breaks_has_crashed():
    trouble = ev.AgentError(at=1.5, error="LLM: 401")
    ended = endings(READY, trouble, ev.Closed(at=2, code=1006)).ended(2)
    assert ended is not None
    assert (ended.ending, ended.kind) == (Ending.ERROR, Kind.AGENT_CRASHED)
    assert "the agent had reported: LLM: 401" in ended.reason


def test_a_fatal_error_ends_the_call_and_others_do_not():
    assert endings(READY, ev.AgentError(at=2, error="hm")).ended(2) is None
    ended = endings(READY, ev.AgentError(at=2, error="boom", fatal=True)).ended(2)
    assert ended is not None and (ended.kind, ended.at) == (Kind.AGENT_ERROR, 2)


def test_garbage_ends_the_call():
    ended = endings(READY, ev.Unreadable(at=2, problem="not JSON", excerpt="\x00")).ended(2)
    assert ended is not None and ended.kind is Kind.PROTOCOL_ERROR


def test_what_happened_first_decides():
    fatal = ev.AgentError(at=2, error="boom", fatal=True)
    ended = endings(READY, fatal, ev.Closed(at=2.1, code=1006)).ended(50)
    assert ended is not None and ended.kind is Kind.AGENT_ERROR


def test_silence_is_counted_from_the_last_move_of_either_side():
    quiet = endings(
        READY, *bot(1.1, "Hello."), user(3, 1), ev.Metrics(at=10), ev.Note(at=11, text="")
    )
    assert quiet.next_deadline(12) == 23
    assert quiet.ended(22.9) is None
    ended = quiet.ended(23)
    assert ended is not None
    assert (ended.ending, ended.kind, ended.owed_by) == (Ending.SILENCE, Kind.SILENCE, Side.AGENT)


@pytest.mark.parametrize(
    "report",
    [
        ev.ServerMessage(at=22, data={"heartbeat": 1}),
        ev.BotOutput(at=22, text="Hello."),
        ev.AgentError(at=22, error="not fatal"),
        ev.VADUserStartedSpeaking(at=22),
        ev.UserInput(at=22, text="Yes."),
        ev.OtherMessage(at=22, message_type="bot-audio-level"),
        ev.BotInterrupted(at=22),
    ],
)
def test_reports_and_heartbeats_do_not_end_a_lull(report: Event):
    ended = endings(READY, *bot(1.1, "Hello."), user(3, 1), report).ended(23)
    assert ended is not None and ended.kind is Kind.SILENCE


def test_a_token_is_not_silence():
    writing = endings(READY, ev.LLMStarted(at=2), ev.LLMText(at=15, text="hm"))
    assert writing.ended(34) is None


def test_silence_names_the_tool_that_is_still_running():
    calling = endings(READY, user(2, 1), ev.FunctionCall(at=3, id="1", name="check"))
    ended = calling.ended(23)
    assert ended is not None and "check still running" in ended.reason


def test_if_the_caller_owes_the_move_it_has_stalled():
    ended = endings(READY, *bot(1.1, "Hello.")).ended(30)
    assert ended is not None
    assert (ended.kind, ended.owed_by) == (Kind.CALLER_STALLED, Side.CALLER)


def test_the_call_takes_too_long():
    events: list[Event] = [READY]
    for second in range(2, 62, 2):
        events += [user(second, second), ev.LLMStarted(at=second + 0.1)]
    ended = endings(*events).ended(61)
    assert ended is not None and ended.ending is Ending.MAX_DURATION


def test_a_hang_up_without_words_ends_at_once():
    ended = endings(READY, *bot(3, "Done."), HANG_UP).ended(4)
    assert ended is not None and ended.ending is Ending.END_CALL


def test_a_hang_up_with_words_waits_for_the_answer_and_its_closing_call():
    said = [READY, *bot(3, "Done."), user(4, 1, "Thanks!", hanging_up=True), HANG_UP]
    assert endings(*said).ended(4.5) is None
    answered = [*said, *bot(4.2, "Bye!", took=0.2)]
    assert endings(*answered).ended(4.4) is None
    assert endings(*answered).ended(4.41 + QUIET_S) is not None
    closing = endings(*answered, *tool(4.45, "end_conversation", {}, took=0.5))
    assert closing.ended(4.95 + QUIET_S / 2) is None
    assert closing.ended(4.96 + QUIET_S) is not None


def test_the_answer_to_a_hang_up_is_not_awaited_for_ever():
    said = endings(READY, *bot(3, "Done."), user(4, 1, "Thanks!", hanging_up=True), HANG_UP)
    assert said.ended(4 + CLOSING_S - 0.1) is None
    ended = said.ended(4 + CLOSING_S)
    assert ended is not None and ended.ending is Ending.END_CALL


def test_an_agent_that_closes_while_the_caller_hangs_up_changes_nothing():
    said = [READY, *bot(3, "Done."), user(4, 1, "Thanks!", hanging_up=True), HANG_UP]
    ended = endings(*said, ev.Closed(at=4.3, code=1006)).ended(4.3)
    assert ended is not None and ended.ending is Ending.END_CALL


def test_words_left_when_the_turns_are_used_up():
    unsent = ev.CallerUnsent(at=5, text="And another thing")
    ended = endings(READY, user(2, 1), *bot(3, "Yes?"), unsent).ended(5)
    assert ended is not None and ended.kind is Kind.MAX_TURNS
    assert "1 turn(s)" in ended.reason


def test_a_hang_up_ends_normally_even_with_words_left():
    unsent = ev.CallerUnsent(at=5, text="Thanks!")
    hang_up = ev.EndCall(at=5, success=True, reason="done")
    ended = endings(READY, user(2, 1), *bot(3, "Done."), hang_up, unsent).ended(5)
    assert ended is not None and ended.ending is Ending.END_CALL


def test_a_caller_that_fails_is_not_the_agents_fault():
    ended = endings(READY, ev.CallerFailed(at=2, error="no model")).ended(2)
    assert ended is not None and ended.kind is Kind.CALLER_ERROR
