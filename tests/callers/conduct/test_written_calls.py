import pytest

from sparring.callers import HangUp
from sparring.callers.conduct.written_calls import take_hang_up

BOOKED = HangUp(True, "booked")
FULL = HangUp(False, "full")
HALF = HangUp(False, "not said")


@pytest.mark.parametrize(
    ("text", "words", "hang_up"),
    [
        ('Thanks! end_call(success=true, reason="booked") Bye!', "Thanks!  Bye!", BOOKED),
        ("end_call(success=False, reason='full')", "", FULL),
        (
            'end_call(success=true, reason="table 4 (by the window), at six")',
            "",
            HangUp(True, "table 4 (by the window), at six"),
        ),
        ("end_call(reason='it\\'s full', success=no)", "", HangUp(False, "it's full")),
        ("end_call(success=true, reason='it's done')", "", HangUp(True, "it's done")),
        ('end_call(False, "full")', "", FULL),
        ('end_call("booked", true)', "", BOOKED),
        ("EndCall(success: true, reason: booked)", "", BOOKED),
        ('functions.end_call({"success": true, "reason": "booked"})', "", BOOKED),
        ('end_call: true, "booked"', "", BOOKED),
        ("end_call\nsuccess: true\nreason: booked", "", BOOKED),
    ],
)
def test_function_calls(text: str, words: str, hang_up: HangUp):
    assert take_hang_up(text) == (hang_up, words)


@pytest.mark.parametrize(
    ("text", "hang_up"),
    [
        ('{"name": "end_call", "arguments": {"success": true, "reason": "booked"}}', BOOKED),
        ('{"name": "end_call", "parameters": {"success": "false", "reason": "full"}}', FULL),
        ('{"tool": "end_call", "success": true, "reason": "booked"}', BOOKED),
        ('{"end_call": {"success": true, "reason": "booked"}}', BOOKED),
        ('[{"name": "end_call", "arguments": {"success": true, "reason": "booked"}}]', BOOKED),
        (r'{"name": "end_call", "arguments": "{\"success\": false, \"reason\": \"full\"}"}', FULL),
        ("{'name': 'end_call', 'arguments': {'success': True, 'reason': 'booked'}}", BOOKED),
        ('{"success": true, "reason": "booked"}', BOOKED),
        (
            r'{"name": "end_call", "args": {"reason": "\"success\": true}", "success": false}}',
            HangUp(False, '"success": true}'),
        ),
        (
            '{"name": "end_call", "args": {"success": true, "reason": "two\nlines, caf\\u00e9"}}',
            HangUp(True, "two\nlines, café"),
        ),
    ],
)
@pytest.mark.parametrize(
    "around", ["{}", "```json\n{}\n```", "```\n{}", "<tool_call>{}</tool_call>"]
)
def test_objects_bare_fenced_and_tagged(text: str, hang_up: HangUp, around: str):
    written = around.replace("{}", text)
    assert take_hang_up(f"Thanks!\n{written}") == (hang_up, "Thanks!")


@pytest.mark.parametrize(
    "text",
    [
        "<function=end_call><parameter=success>true</parameter>"
        "<parameter=reason>booked</parameter></function>",
        '<invoke name="end_call"><parameter name="success">true</parameter>'
        '<parameter name="reason">booked</parameter></invoke>',
        "<end_call><success>true</success><reason>booked</reason></end_call>",
        '<end_call success="true" reason="booked"/>',
        '<|tool_call>call:end_call{success:true,reason:<|"|>booked<|"|>}<tool_call|>',
        '[TOOL_CALLS]end_call[ARGS]{"success": true, "reason": "booked"}',
        "```tool_code\nprint(default_api.end_call(success=True, reason='booked'))\n```",
        'to=functions.end_call {"success": true, "reason": "booked"}',
        'Action: end_call\nAction Input: {"success": true, "reason": "booked"}',
        "Tool call:\nend_call(success=true, reason='booked')",
        "I will now call end_call(success=true, reason='booked')",
        "hang_up(success=true, reason='booked')",
    ],
)
def test_syntaxes_of_models(text: str):
    assert take_hang_up(text) == (BOOKED, "")


@pytest.mark.parametrize(
    "text",
    [
        "[end_call]",
        "end_call",
        "`end_call`",
        "**end_call**",
        "[END CALL]",
        "*hangs up*",
        "end_call()",
    ],
)
def test_a_name_alone_is_a_hang_up_that_claims_no_success(text: str):
    assert take_hang_up(text) == (HALF, "")
    assert take_hang_up(f"Thank you, bye! {text}") == (HALF, "Thank you, bye!")


@pytest.mark.parametrize(
    "text",
    [
        'Bye. {"name": "end_call", "arguments": {"succ',
        "Bye. end_call(success=",
        "Bye. end_call(success=maybe)",
        'Bye. {"name": "end_call", "arguments": {"success": {"type": "boolean"}}}',
        'Bye. {"name": "end_call", "arguments": {"success": null}}',
    ],
)
def test_what_is_not_understood_is_no_success(text: str):
    assert take_hang_up(text) == (HALF, "Bye.")


@pytest.mark.parametrize("text", ["end call", "Hang up.", "[call ended]", "(Jamie hangs up)"])
def test_words_alone_are_a_hang_up(text: str):
    assert take_hang_up(text) == (HALF, "")


def test_of_two_calls_all_must_claim_success():
    both = 'end_call(success=true, reason="booked")\nend_call(success={}, reason="x")'
    assert take_hang_up(both.replace("{}", "true")) == (BOOKED, "")
    assert take_hang_up(both.replace("{}", "false")) == (HangUp(False, "booked"), "")


def test_words_and_other_objects_around_a_call_are_left():
    call = '{"name": "end_call", "arguments": {"success": true, "reason": "booked"}}'
    assert take_hang_up(f'Hi {{"a": 1}} there. {call} So long.') == (
        BOOKED,
        'Hi {"a": 1} there.  So long.',
    )


@pytest.mark.parametrize(
    "text",
    [
        "I'll hang up now if you can't help me.",
        "Please don't end the call.",
        "I have end call waiting on my line (the old kind).",
        "My success rate is high, for some reason.",
        "The end_call function in your SDK fails.",
        "Is it (hanging by a thread) still on?",
    ],
)
def test_talk_is_no_call(text: str):
    assert take_hang_up(text) == (None, text)
