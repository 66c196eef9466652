import pytest

from sparring.callers.conduct.thinking_aloud import thinks_aloud


@pytest.mark.parametrize(
    "text",
    [
        "Okay, the user wants me to book a table for two.",
        "The assistant is asking for the time.",
        "I should now give my phone number.",
        "Let me think: the agent asked for a name, so I should say Jamie.",
        "The assistant asked for my name. I should provide Jamie Lee.",
        "The user wants a table. I should respond as Jamie.",
        "We need to respond as the caller. The assistant asked for a name.",
        "We have developer instructions to stay in character.",
        "Hi, do you have a table for two?\nThe assistant greeted me. I need to stay in character.",
        "I need to stay in character as the caller.",
        'The user asked for a time. I’ll answer: "At six, please."',
        "As an AI language model, I cannot book.",
        "I'm just an AI, so no.",
        "According to my persona, I am Jamie.",
        "The assistant has asked how it can help. I will say I want a table.",
        "We are the caller. We need to ask for a table.",
        "User wants to book. Let me respond.",
        'Okay, here is my response: "A table, please."',
        "Sure, the caller would say: a table, please.",
        "Okay, let me start the conversation as Jamie.",
        "Thought: say six.",
        "At six.\n**Analysis:** they want a time.",
        "思考：用户想要订位",
    ],
)
def test_plans(text: str):
    assert thinks_aloud(text, "Jamie Lee books a table.")


@pytest.mark.parametrize(
    "text",
    [
        "I'm calling because the user is locked out.",
        "The user needs a new password. His name is Sam Hill.",
        "The system prompt keeps asking for a password.",
        "This simulation is crashing, and the persona I made is gone.",
        "My persona in the game lost its level.",
        "The assistant asked me for my PIN yesterday.",
        "The agent told me last week that I should provide a receipt.",
        "The agent said I'd get a refund, so I need to ask you about it.",
        "The assistant said my order shipped. I want to ask about a refund.",
        'Your app says "the user wants me to respond in character".',
        "I should say that I'm allergic to nuts.",
        "I should now have two bookings, right?",
        "Let me think... Tuesday?",
        "Let me think: Tuesday works.",
        "I'm an AI engineer.",
        "As an AI startup, we need two seats.",
        "As the customer, I expect better.",
        "I'm the user of that account.",
        "Let me start with my name.",
        "I would say six. Or seven.",
        "We must respond to the court by Friday.",
        "My instructions from the doctor were to come today.",
    ],
)
def test_talk_of_callers_whose_business_it_is(text: str):
    assert not thinks_aloud(text, "Jamie Lee books a table.")


@pytest.mark.parametrize(
    ("text", "brief"),
    [
        ("The user wants me to reset the password.", "Sam runs a help desk and calls for a user."),
        ("I'm an AI assistant, I call for Maya.", "An AI assistant that calls on behalf of Maya."),
    ],
)
def test_what_the_brief_speaks_of_the_caller_may(text: str, brief: str):
    assert thinks_aloud(text, "Jamie Lee books a table.")
    assert not thinks_aloud(text, brief)
