from sparring.records import Conversation, Side
from sparring.records import events as ev
from support.records import bot, tool, user


def test_an_agent_turn_is_all_it_said_between_two_caller_turns():
    conversation = Conversation(
        [
            *bot(0.1, "Let me check."),
            *tool(0.3, "check", {"day": 1}),
            *bot(0.5, "It is free."),
            user(1, 1),
            *bot(1.1, "Booked."),
        ]
    )
    assert [turn.text for turn in conversation.spoken_turns] == [
        "Let me check. It is free.",
        "Yes.",
        "Booked.",
    ]
    assert conversation.transcript() == [
        {"role": "tool_call", "name": "check", "arguments": {"day": 1}, "cancelled": False},
        {"role": "assistant", "content": "Let me check. It is free."},
        {"role": "user", "content": "Yes."},
        {"role": "assistant", "content": "Booked."},
    ]


def test_a_response_without_words_is_no_turn():
    conversation = Conversation([user(1, 1), ev.LLMStarted(at=1.1), ev.LLMStopped(at=1.2)])
    assert conversation.agent_turns == []


def test_what_trickles_in_after_the_caller_spoke_stays_with_its_own_turn():
    conversation = Conversation(
        [
            ev.LLMStarted(at=0.1),
            ev.LLMText(at=0.2, text="Our specials are"),
            user(0.3, 1),
            ev.BotInterrupted(at=0.31),
            ev.LLMText(at=0.32, text=" lobster"),
            *bot(0.4, "Sure."),
        ]
    )
    first, _, answer = conversation.turns
    assert (first.text, first.interrupted) == ("Our specials are lobster", True)
    assert (answer.text, answer.interrupted) == ("Sure.", False)
    assert answer.answered_at is not None and answer.answered_at > 0.4


def test_a_response_begun_before_the_caller_spoke_does_not_answer_it():
    conversation = Conversation(
        [
            ev.LLMStarted(at=0.1),
            ev.LLMText(at=0.1, text="One more thing:"),
            user(0.2, 1),
            ev.LLMText(at=0.3, text=" we close at ten."),
            ev.LLMStopped(at=0.4),
        ]
    )
    assert [turn.side for turn in conversation.turns] == [Side.AGENT, Side.CALLER]
    assert conversation.turns[0].text == "One more thing: we close at ten."


def test_tokens_without_a_start_are_one_response_that_ends_as_they_come():
    conversation = Conversation([ev.LLMText(at=0.1, text="Hel"), ev.LLMText(at=0.2, text="lo")])
    assert [(r.text, r.ended_at) for r in conversation.turns[0].responses] == [("Hello", 0.2)]
    assert not conversation.responding


def test_tokens_after_the_stop_belong_to_the_response_they_follow():
    conversation = Conversation([*bot(0.1, "Hello"), ev.LLMText(at=0.5, text=", Jamie.")])
    assert [(r.text, r.ended_at) for r in conversation.turns[0].responses] == [
        ("Hello, Jamie.", 0.5)
    ]


def test_tokens_without_a_start_after_the_caller_spoke_are_the_next_turn():
    conversation = Conversation([*bot(0.1, "Hello."), user(1, 1), ev.LLMText(at=1.5, text="Yes.")])
    assert [turn.text for turn in conversation.turns] == ["Hello.", "Yes.", "Yes."]
    assert conversation.turns[0].responses[0].ended_at == 0.2


def test_a_line_spoken_without_the_llm_counts():
    conversation = Conversation(
        [
            ev.TTSStarted(at=5),
            ev.TTSText(at=5.1, text="Are you"),
            ev.TTSText(at=5.2, text="still there?"),
            ev.TTSStopped(at=5.3),
        ]
    )
    assert conversation.agent_turns[0].text == "Are you still there?"


def test_a_spoken_line_that_repeats_the_llm_counts_once():
    conversation = Conversation(
        [*bot(0.1, "Hello, how are you?"), ev.TTSText(at=0.5, text="Hello, how are you?")]
    )
    assert conversation.agent_turns[0].text == "Hello, how are you?"


def test_the_same_greeting_twice_is_two_responses():
    conversation = Conversation([*bot(0.1, "Hello!"), *bot(0.5, "Hello!")])
    assert [response.text for response in conversation.turns[0].responses] == ["Hello!", "Hello!"]
    assert conversation.turns[0].text == "Hello! Hello!"


def test_tool_calls_know_how_they_ended():
    events = [
        *tool(1, "a", {}, id="1", result={"ok": True}),
        *tool(2, "b", {}, id="2", cancelled=True),
        ev.FunctionCall(at=3, id="3", name="c", args={}),
        ev.FunctionCallStopped(at=4, id="4", name="d"),
        ev.FunctionCallStopped(at=5, id="1", name="a", cancelled=True),
    ]
    calls = Conversation(events).tool_calls
    assert [(call.name, call.state) for call in calls] == [
        ("a", "completed"),
        ("b", "cancelled"),
        ("c", "running"),
        ("d", "completed"),
    ]


def test_messages_are_the_callers_and_the_agents():
    conversation = Conversation([user(0.1, 1, "Hi."), *bot(0.2, "Hello.")])
    assert conversation.messages() == [
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "Hello."},
    ]


def test_a_greeting_that_crosses_the_callers_first_words_goes_before_them():
    conversation = Conversation(
        [
            user(0.15, 1, "A table, please."),
            *bot(0.16, "Hello, how can I help?", took=0.02),
            ev.BotInterrupted(at=0.2),
            *bot(0.25, "For how many?"),
        ]
    )
    assert [turn.text for turn in conversation.turns] == [
        "Hello, how can I help?",
        "A table, please.",
        "For how many?",
    ]


def test_an_interruption_later_in_the_answer_leaves_it_where_it_is():
    conversation = Conversation(
        [
            *bot(0.1, "Hello."),
            user(0.5, 1),
            ev.BotInterrupted(at=0.55),
            ev.LLMStarted(at=0.6),
            ev.LLMText(at=0.7, text="We have"),
            ev.BotInterrupted(at=0.8),
        ]
    )
    assert [turn.text for turn in conversation.turns] == ["Hello.", "Yes.", "We have"]
