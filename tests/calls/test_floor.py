from sparring.calls.floor import HOLD_S, QUIET_S, Floor
from sparring.records import Conversation, Event, Side
from sparring.records import events as ev
from support.records import bot, user


def floor(*events: Event, first: Side = Side.AGENT) -> Floor:
    conversation = Conversation()
    made = Floor(conversation, first)
    made.begun = True
    for event in events:
        conversation.fold(event)
        made.fold(event)
    return made


def test_the_turn_is_over_after_some_quiet():
    after = floor(*bot(1.0, "Hello.", took=0.2))
    assert after.wants_caller(1.2)
    assert after.over_at == 1.2 + QUIET_S
    assert after.owed_by(1.25) is Side.AGENT
    assert after.owed_by(1.4) is Side.CALLER


def test_while_the_agent_writes_it_has_the_floor():
    writing = floor(ev.LLMStarted(at=1), ev.LLMText(at=1.1, text="Hel"))
    assert not writing.wants_caller(1.1 + HOLD_S - 0.1)
    assert writing.owed_by(1.1 + HOLD_S - 0.1) is Side.AGENT


def test_a_response_that_never_stops_does_not_mute_the_caller():
    tokens = [ev.LLMText(at=at, text="so ") for at in range(2, 30)]
    stuck = floor(ev.LLMStarted(at=1), *tokens)
    assert not stuck.wants_caller(30)
    assert stuck.wants_caller(29 + HOLD_S)
    assert stuck.owed_by(29 + HOLD_S) is Side.CALLER


def test_tokens_outside_any_response_keep_nobody_waiting():
    late = floor(*bot(1, "Hello."), ev.LLMText(at=1.3, text=" How are you?"))
    assert late.over_at == 1.3 + QUIET_S
    assert floor(ev.LLMText(at=1, text="Hello.")).wants_caller(1.2)


def test_an_open_tool_call_holds_the_caller_back_but_not_for_ever():
    checking = floor(*bot(1, "Let me check."), ev.FunctionCall(at=1.2, id="1", name="check"))
    assert not checking.wants_caller(2)
    assert checking.free_at == 1.2 + HOLD_S
    assert checking.wants_caller(1.2 + HOLD_S)
    assert checking.owed_by(1.2 + HOLD_S) is Side.CALLER


def test_an_announced_call_holds_too_until_it_runs_and_stops():
    announced = [
        ev.LLMStarted(at=1),
        ev.LLMText(at=1.1, text="One moment."),
        ev.FunctionCallAnnounced(at=1.2, name="check"),
        ev.LLMStopped(at=1.2),
    ]
    assert floor(*announced).free_at == 1.2 + HOLD_S
    stopped = [
        ev.FunctionCall(at=1.3, id="1", name="check"),
        ev.FunctionCallStopped(at=1.5, id="1", name="check"),
    ]
    assert floor(*announced, *stopped).over_at == 1.5 + QUIET_S


def test_a_response_without_words_leaves_the_move_with_the_agent():
    tool_only = floor(user(1, 1), ev.LLMStarted(at=1.1), ev.LLMStopped(at=1.2))
    assert not tool_only.wants_caller(50)
    assert tool_only.owed_by(50) is Side.AGENT


def test_words_answered_are_not_answered_again():
    assert not floor(*bot(1, "Hello."), user(2, 1)).wants_caller(3)


def test_a_caller_that_waits_is_asked_again_once_the_agent_says_more():
    waited = [*bot(1, "One moment."), ev.CallerWaited(at=1.5, reason="")]
    assert not floor(*waited).wants_caller(5)
    assert floor(*waited).owed_by(5) is Side.AGENT
    assert floor(*waited, *bot(6, "Done.")).wants_caller(7)


def test_nobody_has_spoken():
    assert floor().owed_by(1) is Side.AGENT
    assert floor(first=Side.CALLER).owed_by(1) is Side.CALLER
    assert floor(first=Side.CALLER).wants_caller(0)
    assert not floor().wants_caller(100)


def test_the_caller_is_cued_once():
    after = floor(*bot(1, "Hello."))
    after.give_cue(1.5)
    assert not after.wants_caller(5)


def test_a_cue_is_taken_back_if_the_agent_goes_on_after_it():
    after = floor(*bot(1, "Hello."))
    number = after.give_cue(1.5)
    assert not after.takes_back(ev.LLMText(at=1.5, text="a token seen late"))
    assert not after.takes_back(ev.Metrics(at=1.6))
    assert after.cue == number
    assert after.takes_back(ev.LLMStarted(at=1.6))
    assert after.cue is None
    assert after.give_cue(1.7) != number


def test_a_spoken_line_without_the_llm_is_answered():
    spoken = [ev.TTSText(at=1, text="Are you there?"), ev.TTSStopped(at=1.2)]
    assert not floor(spoken[0]).wants_caller(1.1)
    assert floor(*spoken).wants_caller(1.2)


def test_after_the_hang_up_nobody_is_cued():
    hung_up = floor(
        *bot(1, "Done."),
        user(2, 1, hanging_up=True),
        ev.EndCall(at=2, success=True, reason=""),
        *bot(2.1, "Bye."),
    )
    assert not hung_up.wants_caller(5)
