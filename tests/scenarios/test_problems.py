"""Every fault of a scenario file is one line that says where, what, and the way out."""

from pathlib import Path

import pytest

from sparring.scenarios import load

BOMB = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{last}'] * 10)}]\n"
    for last, name in zip("abcdef", "bcdefg", strict=True)
)
BASE = "name: n\npersona: p\ngoal: g\nsuccess: s\n"


def problems(tmp_path: Path, text: str | bytes) -> list[str]:
    path = tmp_path / "a.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    loaded = load([path])
    assert bool(loaded.problems) != bool(loaded.scenarios)
    return [str(problem).removeprefix(f"{tmp_path}/") for problem in loaded.problems]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        # Keys
        ("max_turn: 3", "5:1: unknown key 'max_turn'. Did you mean 'max_turns'?"),
        ("zzz: 3", "5:1: unknown key 'zzz'"),
        ("user: {modalty: text}", "5:8: unknown key 'modalty'. Did you mean 'modality'?"),
        ("judge: {eval: {servce: x}}", "5:16: unknown key 'servce'. Did you mean 'service'?"),
        (
            "metrics:\n- {name: a, criterion: b, minscore: 1}",
            "6:27: unknown key 'minscore'. Did you mean 'min_score'?",
        ),
        (
            "metrics:\n- measure: words\n  max_valu: 3",
            "7:3: unknown key 'max_valu'. Did you mean 'max_value'?",
        ),
        (
            "metrics:\n- measure: function_calls\n  calls: [{nam: x}]",
            "7:12: unknown key 'nam'. Did you mean 'name'?",
        ),
        (
            "agenda: [{id: a, say: b, hears: c}]",
            "5:26: unknown key 'hears'. Did you mean 'hear'?",
        ),
        ("simulator: {modle: x}", "5:13: unknown key 'modle'. Did you mean 'model'?"),
        ("behavior: {}", "5:1: unknown key 'behavior'"),
        # Types
        ('max_turns: "5"', '5:12: max_turns must be a whole number, not the text "5"'),
        ("max_turns: true", "5:12: max_turns must be a whole number, not the boolean true"),
        ("max_turns: 1.5", "5:12: max_turns must be a whole number, not 1.5"),
        ("max_turns: 012", '5:12: max_turns must be a whole number, not the text "012"'),
        ("runs: null", "5:7: runs must be a whole number, not nothing"),
        ("opening: 5", "5:10: opening must be text, not 5: quote it"),
        ("opening: yes", "5:10: opening must be text, not the boolean true: quote it"),
        ("opening: [a]", "5:10: opening must be text, not a list"),
        ("opening: 2026-01-01", "5:10: 2026-01-01 would be read as a date: quote it"),
        ("tags: a", '5:7: tags must be a list, not the text "a"'),
        ("tags: [1]", "5:8: tags[0] must be text, not 1: quote it"),
        ("user: text", '5:7: user must be a mapping, not the text "text"'),
        ("simulator: gpt", '5:12: simulator must be a mapping, not the text "gpt"'),
        ("judge: {eval: true}", "5:15: judge.eval must be a mapping, not the boolean true"),
        ("facts: {a: [1]}", "5:12: a fact is text, a number, true or false"),
        ("facts: {a: null}", "5:12: a fact is text, a number, true or false"),
        ("facts: {1: a}", "5:9: a key must be text: quote it, as in '1':"),
        ("metrics: [words]", "5:11: a metric must be a mapping with a `criterion` or a `measure`"),
        ("trigger_disconnect: 1", "5:21: trigger_disconnect must be true or false, not 1"),
        # Bounds and choices
        ("runs: 0", "5:7: runs must be at least 1, not 0"),
        ("max_duration_s: 0", "5:17: max_duration_s must be more than 0, not 0"),
        ("max_silence_s: .inf", "5:16: max_silence_s must be a finite number"),
        ("max_silence_s: .nan", "5:16: max_silence_s must be a finite number"),
        (
            "first_speaker: agnt",
            '5:16: first_speaker must be one of agent, caller, not the text "agnt". '
            "Did you mean 'agent'?",
        ),
        (
            "metrics:\n- measure: latnecy",
            "6:3: measure must be one of turns, duration, words, latency, function_calls, "
            "not the text \"latnecy\". Did you mean 'latency'?",
        ),
        ("opening: ''", "5:10: opening must not be empty"),
        ("opening: '  '", "5:10: opening must not be empty"),
        # Metrics
        (
            "metrics:\n- {name: a, criterion: b, max_value: 1}",
            "6:27: 'max_value' is for measures",
        ),
        (
            "metrics:\n- {measure: words, min_score: 1}",
            "6:20: 'min_score' is for judged metrics, those with a `criterion`",
        ),
        (
            "metrics:\n- {measure: words, calls: []}",
            "6:20: 'calls' is for `measure: function_calls`",
        ),
        (
            "metrics:\n- {name: a, criterion: b, measure: words}",
            "6:13: 'criterion' is for judged metrics; a metric has a `criterion` or a `measure`, "
            "not both",
        ),
        ("metrics:\n- {name: a}", "6:3: a metric needs a `criterion` (judged) or a `measure`"),
        ("metrics:\n- {criterion: b}", "6:3: the key 'name' is missing"),
        ("metrics:\n- {measure: function_calls}", "6:3: the key 'calls' is missing"),
        (
            "metrics:\n- {measure: words, min_value: 3, max_value: 2}",
            "6:20: min_value 3 is greater than max_value 2",
        ),
        (
            "metrics:\n- measure: words\n- measure: words",
            "7:3: a metric named 'words' is there already: give this one a `name`",
        ),
        (
            "metrics:\n- {name: a, criterion: b, min_score: 1.5}",
            "6:38: metrics[0].min_score must be at most 1, not 1.5",
        ),
        (
            "metrics:\n- {measure: function_calls, calls: [{name: a, times: 0}]}",
            '6:47: times must be a number from 1 or a text like "1+", not 0',
        ),
        (
            "metrics:\n- {measure: function_calls, calls: [5]}",
            "6:37: metrics[0].calls[0] must be a mapping, not 5",
        ),
        # Blocks
        (
            "simulator: {service: agenda, model: m}",
            "5:30: `service: agenda` uses no LLM, so it takes no model",
        ),
        ("simulator: {service: openai}", "5:12: `service: openai` needs a `model`"),
        (
            "simulator: {service: olama}",
            '5:22: simulator.service must be one of ollama, openai, agenda, not the text "olama". '
            "Did you mean 'ollama'?",
        ),
        (
            "simulator: {factory: nodots}",
            '5:22: simulator.factory must be a dotted path such as my_module.judge, not the text '
            '"nodots"',
        ),
        (
            "user: {modality: audio}",
            "5:7: `modality: audio` needs a `speech:` block with a service and a voice",
        ),
        ("judge: {modality: audio}", "5:8: `modality: audio` needs a `transcription:` block"),
        ("user: {speech: {service: kokoro}}", "5:16: the key 'voice' is missing"),
        # The agenda
        ("agenda: [{say: b}]", "5:10: the key 'id' is missing"),
        ("agenda: [{id: a}]", "5:10: agenda item 'a' needs a `say` or a `do`"),
        (
            "agenda: [{id: a, say: b}, {id: a, say: c}]",
            "5:28: agenda item 'a' is there twice",
        ),
        (
            "agenda: [{id: a, say: b, facts: [x]}]",
            "5:34: agenda item 'a' needs the fact 'x', which is not among `facts` (none)",
        ),
        (
            "agenda: [{id: a, say: b, after: [x]}]",
            "5:34: agenda item 'a' comes after 'x', which is no item",
        ),
        (
            "agenda: [{id: a, say: b, after: [c]}, {id: c, say: d, after: [a]}]",
            "5:26: agenda item 'a' comes after itself",
        ),
        (
            "agenda: [{id: a, say: b, hear: ['/(/']}]",
            "5:33: '/(/' is no regular expression: missing ), unterminated subpattern at "
            "position 0",
        ),
        (
            "agenda: [{id: a, say: b, action: interrupt}]",
            "5:34: action 'interrupt' needs spoken calls, which are not here yet",
        ),
        (
            "agenda: [{id: a, action: wait}]",
            "5:10: agenda item 'a' waits, so it needs a `hear`: what to wait after",
        ),
        ("context: [{content: a}]", "5:11: a message of the context needs a `role`"),
    ],
)  # fmt: skip
def test_one_fault_is_one_line(tmp_path: Path, more: str, problem: str):
    assert problems(tmp_path, BASE + more) == [f"a.yaml:{problem}"]


def test_missing_keys_are_named_at_the_scenario(tmp_path: Path):
    assert problems(tmp_path, "name: n\npersona: p\n") == [
        "a.yaml:1:1: the key 'goal' is missing",
        "a.yaml:1:1: the key 'success' is missing",
    ]


def test_all_faults_of_a_file_are_told(tmp_path: Path):
    assert len(problems(tmp_path, BASE + "a: 1\nb: 2\nruns: 0\n")) == 3


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("name: [", "a.yaml:2:1: not YAML:"),
        ("name: n\n\tpersona: p", "a.yaml:2:1: not YAML:"),
        ("name: a\nname: b\n", "a.yaml:2:1: 'name' is given twice, first on line 1"),
        ("name: a\n---\nname: b\n", "a.yaml:2:1: not YAML: but found another document"),
        ("", "a.yaml:1:1: a scenario file is a mapping with a `name`, not empty"),
        ("# nothing\n", "a.yaml:1:1: a scenario file is a mapping"),
        ("- a\n", "a.yaml:1:1: a scenario file is a mapping"),
        ("name: !!python/object:os.system x", "a.yaml:1:7: the tag !!python/object:os.system"),
        ("name: !foo x", "a.yaml:1:7: the tag !foo is not known here; !include is"),
        ("name: !!binary aGk=", "a.yaml:1:7: the tag !!binary"),
        ("name: !!set {a, b}", "a.yaml:1:7: the tag !!set"),
        ("[a, b]: c", "a.yaml:1:1: a key must be text"),
        ("name: a\x07", "a.yaml:"),
        (b"name: a\nx: \xff", "a.yaml:2:4: not UTF-8: byte 0xff at offset 11"),
        ("name: n\npersona: p".encode("utf-16"), "a.yaml:1:1: not UTF-8"),
        ("name: " + "[" * 5000, "a.yaml:"),
        ("name: " + "9" * 10_000, "a.yaml:1:7:"),
        ("a: &a [*a]", "a.yaml:"),
        (BOMB, "a.yaml:"),
        ("name: !include [a]", "a.yaml:1:7: !include takes one path"),
        ("name: !include nowhere.yaml", "a.yaml:1:7: !include nowhere.yaml: there is no such file"),
        ("name: !include .", "a.yaml:1:7: !include .: there is no such file"),
        ("name: !include a.yaml", "a.yaml:1:7: !include goes in a circle: a.yaml → a.yaml"),
        ("name: n\ngoal: g\n", "a.yaml:1:1: a scenario needs a `persona:` (a simulation) or "),
        ("name: n\nturns: []\n", "a.yaml:2:1: scripts (`turns:`) cannot be played yet"),
        ("name: n\npersona: p\nturns: []\n", "a.yaml:3:1: a scenario has a `persona:` or `turns:`"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_one_line(tmp_path: Path, text: str | bytes, start: str):
    (problem,) = problems(tmp_path, text)
    assert problem.startswith(start)


def test_a_byte_order_mark_is_no_fault(tmp_path: Path):
    assert problems(tmp_path, b"\xef\xbb\xbf" + BASE.encode()) == []


def test_half_a_surrogate_pair_in_an_escape_is_no_crash(tmp_path: Path):
    assert len(problems(tmp_path, BASE + 'opening: "\\ud800"\n')) <= 1
