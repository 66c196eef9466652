import pytest

from sparring.callers.conduct.role import takes_agents_part

BRIEF = "Jamie Lee. Book a table."


@pytest.mark.parametrize(
    "text",
    [
        "How can I help you today?",
        "Sure! How can I help you today?",
        "How may I assist you?",
        "Hello, thank you for calling Bella's! What can I do for you?",
        "Thank you for calling Luigi's, this is Anna.",
        "Is there anything else I can help you with?",
        "Okay. Anything else I can do for you today?",
        "What name should I put the reservation under?",
        "Your booking is confirmed for 6 PM.",
        "Great, your reservation is confirmed.",
        "I’ve booked you a table.",
        "I'm sorry, but I can't assist with that.",
        "¿En qué puedo ayudarle?",
        "Wie kann ich Ihnen helfen?",
        "您好，有什么可以帮您？",
    ],
)
def test_the_agents_lines(text: str):
    assert takes_agents_part(text, BRIEF)


@pytest.mark.parametrize(
    "text",
    [
        "Is there anything else I can help you with to verify me?",
        "Is there anything else I can do?",
        "How can I help you find my account?",
        "What can I do for my son?",
        "Could you help me?",
        "I can't help with that, I only call for my mother.",
        "So my booking is confirmed by email?",
        "Is your table reserved?",
        "So your booking system is down?",
        "The email says your booking is confirmed.",
        "My booking is confirmed.",
        "I've booked you for my wedding.",
        "I've booked with you before.",
        "Thanks for calling me back so quickly.",
        "Thank you for calling back, Anna.",
        "Thanks for calling about my order.",
        'He just said "How can I help you?" and hung up.',
    ],
)
def test_a_callers_lines(text: str):
    assert not takes_agents_part(text, BRIEF)


def test_one_who_answers_the_telephone_may_say_it():
    line = "Thank you for calling Acme Dental, how can I help you?"
    assert takes_agents_part(line, BRIEF)
    assert not takes_agents_part(line, "You are Ann, the receptionist of Acme Dental.")
