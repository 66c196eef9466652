import pytest

from sparring.callers.conduct.markup import (
    has_markup,
    speaks_for_agent,
    without_labels,
    without_markup,
    without_reasoning,
)

BRIEF = "Jamie Lee. Book a table."


@pytest.mark.parametrize(
    "text",
    [
        "<think>who am I</think>At six.",
        "<THINKING>x</THINKING> At six.",
        "<analysis>x</analysis>At six.",
        "<think>a<think>b</think>c</think>At six.",
        "leaked</think>At six.",
        "At six.<think>never closed",
        "<|channel>thought\nhm<channel|>At six.",
        "<|channel|>analysis<|message|>hm<|end|><|start|>assistant"
        "<|channel|>final<|message|>At six.<|return|>",
        "<|im_start|>assistant\nAt six.<|im_end|>\n<|im_start|>user\nGreat!",
        "At six.<end_of_turn>\n<start_of_turn>user",
        "At six.</s>",
    ],
)
def test_reasoning_and_marks_of_templates_are_taken_off(text: str):
    assert without_reasoning(text) == "At six."


@pytest.mark.parametrize("text", ["<think>never closed", "<|channel|>analysis<|message|>hm"])
def test_reasoning_may_be_all_there_is(text: str):
    assert without_reasoning(text) == ""


@pytest.mark.parametrize(
    "label",
    [
        "Caller:",
        "**User:**",
        "customer:",
        "Caller (Jamie):",
        "[Caller]:",
        "用户：",
        "Kundin:",
        "Me:",
    ],
)
def test_labels_are_taken_off(label: str):
    assert without_labels(f"{label} At six.", BRIEF) == "At six."
    assert without_labels(f"Hello.\n{label} At six.", BRIEF) == "Hello.\nAt six."


@pytest.mark.parametrize("label", ["Jamie:", "Jamie Lee:", "**Jamie:**"])
def test_the_callers_own_name_is_a_label(label: str):
    assert without_labels(f"{label} At six.", BRIEF) == "At six."
    assert without_labels(f"{label} At six.", "Maya.") == f"{label} At six."


@pytest.mark.parametrize("text", ["Name: Jamie Lee", "My number: 5", "I told the user: no."])
def test_no_labels(text: str):
    assert without_labels(text, BRIEF) == text


@pytest.mark.parametrize(
    "text",
    [
        "At six.\nAssistant: Great!\nCaller: Thanks.",
        "At six. Agent: Great!",
        "**Bot:** Hello!",
        "客服：好的",
        "Asistente: ¡Hola!",
    ],
)
def test_lines_of_the_agent(text: str):
    assert speaks_for_agent(text)


@pytest.mark.parametrize("text", ["I asked the bot: is it free?", "My agent: a Mr. Hill."])
def test_no_lines_of_the_agent(text: str):
    assert not speaks_for_agent(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("*sighs* Okay, at six.", "Okay, at six."),
        ("(pauses) At six.", "At six."),
        ("At six. (pauses)", "At six."),
        ("*Jamie waits* At six.", "At six."),
        ("[Jamie]: At six.", "At six."),
        ("[clears throat] At six. *smiling warmly*", "At six."),
        ("(I should now give the time) At six.", "At six."),
        ("（笑）六時です。", "六時です。"),
        ("I *really* need it, **now**.", "I really need it, now."),
        ("*Yes*, please.", "Yes, please."),
        ('"At six, please."', "At six, please."),
        ("“At six, please.”", "At six, please."),
        ("<answer>At six.</answer>", "At six."),
    ],
)
def test_what_is_around_the_words_is_taken_off(text: str, words: str):
    assert without_markup(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "(555) 0142 is my number.",
        "A room (facing the sea), please.",
        "Tomorrow. (Or the day after works.)",
        '"Six," he said, "or seven."',
        "It is 5*4*3.",
        "my_old_name at mail",
        "Thanks <3",
    ],
)
def test_words_stay_as_they_are(text: str):
    assert without_markup(text) == text
    assert not has_markup(text)


@pytest.mark.parametrize(
    "text",
    [
        "My name is [Name].",
        '{"name": "book_table"}',
        "# Plan\nAt six.",
        "<sigh> At six.",
        "```\nAt six.\n```",
    ],
)
def test_other_markup_is_found(text: str):
    assert has_markup(without_markup(text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The name is **James Ellis**.", "The name is James Ellis."),
        ("**Two guests**, please.", "Two guests, please."),
        ("**It's** Jamie.", "It's Jamie."),
        ("Make it **Thursdays** then.", "Make it Thursdays then."),
        ("The name is *James Ellis*.", "The name is James Ellis."),
        ("(It's for my mother), a table for two.", "(It's for my mother), a table for two."),
        ("*sighs* Fine.", "Fine."),
        ("*Jamie waits* Fine.", "Fine."),
    ],
)
def test_emphasis_keeps_its_words(text: str, words: str):
    assert without_markup(text) == words
