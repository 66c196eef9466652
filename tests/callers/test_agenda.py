from typing import Any

import pytest

from sparring.callers import AgendaCaller, HangUp, Thought, Wait, Words, unplayable
from sparring.errors import UsageError
from sparring.records import Conversation, Turn
from sparring.records import events as ev
from sparring.scenarios import Simulation
from support.records import SIMULATION

AGENDA = [
    {"id": "name", "hear": ["name"], "say": "It's Maya."},
    {
        "id": "date",
        "hear": ["august 7", "/what (day|date)/"],
        "say": "August 8.",
        "after": ["name"],
    },
    {"id": "hurry", "hear": ["one moment"], "say": "Take your time.", "required": False},
    {"id": "thanks", "hear": ["all set"], "say": "Thank you!", "action": "finish"},
]
FACTS = {"phone_number": "555-0142", "party size": 2}


def simulation(**keys: Any) -> Simulation:
    return Simulation.model_validate(
        {**SIMULATION, "opening": "A table, please.", "agenda": AGENDA, "facts": FACTS, **keys}
    )


class Talk:
    """Plays an agenda against agent lines, keeping the conversation as a call would."""

    def __init__(self, **keys: Any):
        self.caller = AgendaCaller(simulation(**keys))
        self.conversation = Conversation()
        self.number = 0

    def bot(self, *responses: str) -> None:
        for text in responses:
            for event in (ev.LLMStarted(at=0), ev.LLMText(at=0, text=text), ev.LLMStopped(at=0)):
                self.conversation.fold(event)

    async def moves(self) -> list[Words | HangUp | Wait]:
        turns: list[Turn] = self.conversation.spoken_turns
        return [move async for move in self.caller.answer(turns) if not isinstance(move, Thought)]

    async def hears(self, *responses: str) -> str:
        """What the caller says next; its hang-up shows as (end)."""
        self.bot(*responses)
        return await self.speaks()

    async def speaks(self) -> str:
        moves = await self.moves()
        words = "".join(move.text for move in moves if isinstance(move, Words))
        if words:
            self.number += 1
            self.conversation.fold(ev.CallerSaid(at=0, turn=self.number, text=words))
        return words + " (end)" * any(isinstance(move, HangUp) for move in moves)


async def test_the_opening_comes_first_whatever_the_agent_said():
    assert await Talk().hears("Hello, what name is it?") == "A table, please."


async def test_a_whole_call():
    talk = Talk()
    assert await talk.hears("Hello!") == "A table, please."
    assert await talk.hears("What NAME is it under?") == "It's Maya."
    assert await talk.hears("Is that for August 7?") == "August 8."
    assert await talk.hears("And your phone number, please?") == "555-0142"
    assert await talk.hears("You're all set.") == "Thank you! (end)"


async def test_the_same_words_get_the_same_answers():
    talk = Talk()
    await talk.hears("Hello!")
    talk.bot("What name?")
    assert await talk.moves() == await talk.moves() == [Words("It's Maya.")]


async def test_what_the_agent_adds_is_thought_over_with_the_rest():
    talk = Talk()
    await talk.hears("Hello!")
    talk.bot("Let me see.")
    assert await talk.moves() == [Words("It's Maya.")]
    assert await talk.hears("One moment.") == "Take your time."


async def test_an_item_waits_for_those_it_comes_after():
    talk = Talk()
    await talk.hears("Hello!")
    assert await talk.hears("What day?") == "It's Maya."
    assert await talk.hears("What day?") == "August 8."


async def test_a_finish_item_waits_for_those_it_comes_after():
    thanks = {"id": "thanks", "say": "Thank you!", "action": "finish", "after": ["hurry"]}
    talk = Talk(agenda=[AGENDA[2], thanks])
    await talk.hears("Hello!")
    assert await talk.hears("You're all set.") == "Okay."
    assert await talk.hears("One moment.") == "Take your time."
    assert await talk.hears("You're all set.") == "Thank you! (end)"


async def test_what_comes_after_a_wait_is_said_once_it_has_waited():
    wait = {"id": "checking", "hear": ["let me check"], "action": "wait"}
    talk = Talk(agenda=[wait, {"id": "well", "say": "And?", "after": ["checking"]}])
    await talk.hears("Hello!")
    assert await talk.hears("Hm.") == "Okay."
    talk.bot("Let me check.")
    assert [type(move) for move in await talk.moves()] == [Wait]
    assert await talk.hears("Found it.") == "And?"


async def test_a_wait_item_waits_for_those_it_comes_after():
    wait = {"id": "checking", "hear": ["let me check"], "action": "wait", "after": ["name"]}
    talk = Talk(agenda=[AGENDA[0], wait])
    await talk.hears("Hello!")
    assert await talk.hears("Let me check. What name?") == "It's Maya."
    talk.bot("Let me check.")
    assert [type(move) for move in await talk.moves()] == [Wait]


@pytest.mark.parametrize("fact", ["e-mail", "e_mail", "E Mail", "e.mail"])
@pytest.mark.parametrize("asked", ["What's your e-mail?", "Your email, please.", "E mail?"])
async def test_a_fact_is_known_however_its_name_is_joined(fact: str, asked: str):
    talk = Talk(facts={fact: "m@x.example"})
    await talk.hears("Hello!")
    assert await talk.hears(asked) == "m@x.example"


async def test_the_next_required_item_is_said_if_nothing_calls_for_one():
    talk = Talk()
    await talk.hears("Hello!")
    assert await talk.hears("Hm.") == "It's Maya."
    assert await talk.hears("Hm.") == "August 8."


async def test_each_item_is_said_once():
    talk = Talk()
    await talk.hears("Hello!")
    assert await talk.hears("Your name?") == "It's Maya."
    assert await talk.hears("Your name?") == "August 8."


async def test_a_fact_is_given_when_asked_for_by_name_as_often_as_asked():
    talk = Talk()
    await talk.hears("Hello!")
    for _ in range(2):
        assert await talk.hears("What is the party size?") == "2"
    assert await talk.hears("The party size is noted.") == "It's Maya."


async def test_without_a_finish_item_any_reply_to_the_last_item_will_do():
    talk = Talk(agenda=AGENDA[:1])
    await talk.hears("Hello!")
    assert await talk.hears("Name?") == "It's Maya."
    assert await talk.hears("Lovely.") == " (end)"


async def test_confirmation_counts_only_once_everything_was_said():
    talk = Talk()
    await talk.hears("Hello!")
    assert await talk.hears("You're all set.") == "It's Maya."


async def test_it_hangs_up_when_the_agent_says_goodbye_and_says_what_was_left():
    talk = Talk()
    await talk.hears("Hello!")
    talk.bot("Goodbye!")
    assert await talk.moves() == [
        HangUp(False, "the agent said goodbye before this was said: name, date")
    ]


async def test_it_gives_up_on_an_agent_that_never_confirms():
    talk = Talk(agenda=[AGENDA[0], AGENDA[3]])
    await talk.hears("Hello!")
    await talk.hears("Name?")
    assert [await talk.hears("Hm.") for _ in range(3)] == ["Okay.", "Okay.", " (end)"]


async def test_it_waits_while_a_wait_item_hears_the_last_thing_said():
    wait = {"id": "hold", "hear": ["one moment"], "action": "wait"}
    talk = Talk(agenda=[wait, *AGENDA[:1]])
    await talk.hears("Hello!")
    talk.bot("One moment.")
    assert await talk.moves() == [Wait("item 'hold': the agent is not done")]
    assert await talk.hears("Name?") == "It's Maya."


async def test_the_caller_may_begin():
    assert await Talk().speaks() == "A table, please."
    assert await Talk(opening=None).speaks() == "It's Maya."


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"opening": None, "agenda": []}, "it has nothing to say"),
        ({"agenda": [{"id": "a", "do": "Give the name."}]}, "agenda item 'a' has no `say:`"),
        ({"opening": None, "agenda": [AGENDA[3]]}, "it has nothing to say"),
    ],
)
def test_what_cannot_be_played_without_an_llm(keys: dict[str, Any], problem: str):
    with pytest.raises(UsageError, match=problem):
        AgendaCaller(simulation(**keys))


def test_what_can():
    assert unplayable(simulation(agenda=[])) is None
    assert unplayable(simulation(opening=None)) is None
