"""Every fault of a scenario file is one line that says where, what, and the way out."""

from pathlib import Path

import pytest
import yaml

from sparring.scenarios import load, yaml_dialect

BOMB = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{last}'] * 10)}]\n"
    for last, name in zip("abcdef", "bcdefg", strict=True)
)
NESTED_MERGES = "&a {x: 1}"
for last, name in zip("abcdefgh", "bcdefghi", strict=True):
    NESTED_MERGES = f"&{name} {{<<: [{NESTED_MERGES}{f', *{last}' * 9}]}}"
NESTED_MERGES = f"r: {{<<: {NESTED_MERGES}}}"
BASE = "name: n\npersona: p\ngoal: g\nsuccess: s\n"


def problems(tmp_path: Path, text: str | bytes, may_both: bool = False) -> list[str]:
    path = tmp_path / "a.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    loaded = load([path])
    assert may_both or bool(loaded.problems) != bool(loaded.scenarios)
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
        (
            "judge: {eval: {explainer: {servce: ollama}}}",
            "5:28: unknown key 'servce'. Did you mean 'service'?",
        ),
        (
            "simulator: {service: openai, modle: x}",
            "5:30: unknown key 'modle'. Did you mean 'model'?",
        ),
        (
            "user: {modality: audio, speach: {}}",
            "5:25: unknown key 'speach'. Did you mean 'speech'?",
        ),
        # A key of another variant is no suggestion.
        (
            "metrics:\n- {name: a, criterion: b, max_valu: 1}",
            "6:27: unknown key 'max_valu'",
        ),
        ("metrics: [{mesure: words}]", "5:12: unknown key 'mesure'. Did you mean 'measure'?"),
        (
            "metrics: [{name: a, criteron: b}]",
            "5:21: unknown key 'criteron'. Did you mean 'criterion'?",
        ),
        # No more is a key that is there already, nor a text that would be no better in quotes.
        ("persona2: x", "5:1: unknown key 'persona2'"),
        ("simulator: {service: ollama, services: x}", "5:30: unknown key 'services'"),
        (
            "first_speaker: 5",
            "5:16: first_speaker must be one of agent, caller, not 5",
        ),
        ("metrics: [{measure: yes}]", "5:21: measure must be one of turns, duration, words, "
                                      "latency, function_calls, not the boolean true"),
        (
            "simulator: {service: 5}",
            "5:22: simulator.service must be one of ollama, openai, agenda, not 5; for any other "
            "there is `factory: module.function`",
        ),
        # An older name shares a word with the right one.
        (
            "metrics:\n- {name: a, criterion: b, min_quality: 1}",
            "6:27: unknown key 'min_quality'. Did you mean 'min_score'?",
        ),
        (
            "metrics:\n- {measure: words, max: 1}",
            "6:20: unknown key 'max'. Did you mean 'max_value'?",
        ),
        (
            "metrics:\n- {measure: words, max_score: 1}",
            "6:20: unknown key 'max_score'. Did you mean 'max_value'?",
        ),
        ("max: 1", "5:1: unknown key 'max'"),
        # A misspelt factory does not make faults of the keys that are meant for it.
        (
            "simulator: {factry: a.b, temperature: 0}",
            "5:13: unknown key 'factry'. Did you mean 'factory'?",
        ),
        (
            "user: {speech: {Factory: a.b}}",
            "5:17: unknown key 'Factory'. Did you mean 'factory'?",
        ),
        (
            "judge: {transcription: {factory_: a.b}}",
            "5:25: unknown key 'factory_'. Did you mean 'factory'?",
        ),
        (
            "judge: {eval: {explainer: {fatcory: a.b, mine: 1}}}",
            "5:28: unknown key 'fatcory'. Did you mean 'factory'?",
        ),
        # What names a variant inside may be a key of the file.
        ("simulator: {'#service': {}, model: x}", "5:13: unknown key '#service'. Did you mean "
                                                  "'service'?"),
        ("'#service': 1", "5:1: unknown key '#service'"),
        (f"{'k' * 300}: 1", f"5:1: unknown key '{'k' * 40}…'"),
        ('"a\\nb": 1', "5:1: unknown key 'a\\nb'"),
        ('"{y}": 1', "5:1: unknown key '{y}'"),
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
        ("simulator:", "5:11: simulator must be a mapping, not nothing"),
        ("simulator: no", "5:12: simulator must be a mapping, not the boolean false"),
        ("user: {speech: false}", "5:16: user.speech must be a mapping, not the boolean false"),
        ("context: [hi]", '5:11: context[0] must be a mapping, not the text "hi"'),
        ("facts: {a: .nan}", "5:12: a fact that is a number must be finite"),
        (
            "agenda: [{id: a, say: b, hear: 7}]",
            "5:32: hear must be a phrase or a list of phrases, not 7: quote it",
        ),
        (
            f"max_duration_s: {10**400}",
            f"5:17: max_duration_s must be a number, not 1{'0' * 39}…",
        ),
        (f"seed: !!int 0x{'f' * 6000}", f"5:7: '0x{'f' * 38}…' is too long for a whole number"),
        ("opening: !!bool foo", "5:10: 'foo' cannot be read as true or false"),
        ("runs: !!int ''", "5:7: '' cannot be read as a whole number"),
        ("runs: !!float ''", "5:7: '' cannot be read as a number"),
        ("? !!int ''\n: 1", "5:3: '' cannot be read as a whole number"),
        ("facts: !!map x", "5:8: the tag !!map does not fit what stands here"),
        ("opening: !!str [a]", "5:10: the tag !!str does not fit what stands here"),
        ("facts: {2026-01-01: a}", "5:9: a key must be text: quote it, as in '2026-01-01':"),
        ("on: a", "5:1: a key must be text: quote it, as in 'on':"),
        ("tags: a", '5:7: tags must be a list, not the text "a"'),
        ("tags: [1]", "5:8: tags[0] must be text, not 1: quote it"),
        ("user: text", '5:7: user must be a mapping, not the text "text"'),
        ("simulator: gpt", '5:12: simulator must be a mapping, not the text "gpt"'),
        ("judge: {eval: true}", "5:15: judge.eval must be a mapping, not the boolean true"),
        ("facts: {a: [1]}", "5:12: a fact is text, a number, true or false, not a list"),
        ("facts: {a: null}", "5:12: a fact is text, a number, true or false, not nothing"),
        ("facts: {1: a}", "5:9: a key must be text: quote it, as in '1':"),
        (
            "metrics: [words]",
            "5:11: a metric must be a mapping with a `criterion` or a `measure`, "
            'not the text "words"',
        ),
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
            "6:12: measure must be one of turns, duration, words, latency, function_calls, "
            "not the text \"latnecy\". Did you mean 'latency'?",
        ),
        (
            "metrics:\n- measure: respons_rate",
            "6:12: measure must be one of turns, duration, words, latency, function_calls, "
            "not the text \"respons_rate\". Did you mean 'response_rate'?",
        ),
        (
            "metrics:\n- measure: loudness",
            "6:12: measure must be one of turns, duration, words, latency, function_calls, "
            'not the text "loudness"; a spoken call has more, see docs/audio-metrics.md',
        ),
        (
            "metrics:\n- {measure: response_rate, min_value: 1}",
            "6:13: response_rate is measured in the sound of a call: its bound needs "
            "`modality: audio` in both `user:` and `judge:`",
        ),
        ("response_deadline_ms: 0", "5:23: response_deadline_ms must be more than 0, not 0"),
        ("opening: ''", "5:10: opening must not be empty"),
        ("opening: '  '", "5:10: opening must not be empty"),
        # Metrics
        (
            "metrics:\n- {name: a, criterion: b, max_value: 1}",
            "6:27: 'max_value' is for measures that come to a number, so not for function_calls",
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
        (
            "metrics:\n- {name: a, criterion: b, calls: []}",
            "6:27: 'calls' is for `measure: function_calls`",
        ),
        (
            "metrics:\n- {measure: words, max_value: .nan}",
            "6:31: metrics[0].max_value must be a finite number",
        ),
        (
            "metrics:\n- {name: a, criterion: b, min_score: yes}",
            "6:38: metrics[0].min_score must be a number, not the boolean true",
        ),
        ("metrics:\n- {measure: words, name: 5}", "6:26: metrics[0].name must be text, not 5: "
                                                  "quote it"),
        ("metrics:\n- {measure: [words]}", "6:13: measure must be one of turns, duration, words, "
                                           "latency, function_calls, not a list"),
        ("metrics: {measure: words}", "5:10: metrics must be a list, not a mapping"),
        (
            "metrics:\n- {measure: function_calls, calls: [on]}",
            "6:37: a call is a name, or a mapping with a `name`, not the boolean true: quote it",
        ),
        ("metrics:\n- {measure: function_calls}", "6:3: the key 'calls' is missing"),
        (
            "metrics:\n- {measure: words, min_value: 3, max_value: 2}",
            "6:31: min_value 3 is greater than max_value 2",
        ),
        (
            "metrics:\n- measure: words\n- measure: words",
            "7:3: a metric named 'words' is there already: give this one a `name` of its own",
        ),
        (
            "metrics:\n- {name: a, criterion: b, min_score: 1.5}",
            "6:38: metrics[0].min_score must be at most 1, not 1.5",
        ),
        (
            "metrics:\n- {measure: function_calls, calls: [{name: a, times: 0}]}",
            '6:54: times must be a whole number from 1, or text like "1+", not 0',
        ),
        (
            "metrics:\n- {measure: function_calls, calls: [5]}",
            "6:37: a call is a name, or a mapping with a `name`, not 5: quote it",
        ),
        (
            "metrics:\n- {measure: function_calls, calls: [{name: a, times: lots}]}",
            '6:54: times must be a whole number from 1, or text like "1+", not the text "lots"',
        ),
        (
            "metrics:\n- {measure: function_calls, calls: [{name: a, times: yes}]}",
            '6:54: times must be a whole number from 1, or text like "1+", not the boolean true',
        ),
        (
            "metrics:\n- {measure: function_calls, calls: [], max_value: 1}",
            "6:40: 'max_value' is for measures that come to a number, so not for function_calls",
        ),
        # Blocks
        (
            "simulator: {service: agenda, model: m}",
            "5:30: `service: agenda` uses no LLM, so it takes no `model`",
        ),
        (
            "judge: {eval: {service: gpt}}",
            '5:25: judge.eval.service must be one of ollama, openai, not the text "gpt"; for any '
            "other there is `factory: module.function`",
        ),
        ("simulator: {service: openai}", "5:12: `service: openai` needs a `model`"),
        (
            "simulator: {service: olama}",
            '5:22: simulator.service must be one of ollama, openai, agenda, not the text "olama". '
            "Did you mean 'ollama'?",
        ),
        (
            "simulator: {factory: '1.2'}",
            '5:22: simulator.factory must be a dotted path such as my_module.judge, not the text '
            '"1.2"',
        ),
        ("simulator: {factory: 1.2}", "5:22: simulator.factory must be text, not 1.2: quote it"),
        ("simulator: {factory: }", "5:22: simulator.factory must be text, not nothing"),
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
            "5:32: agenda item 'a' is there twice",
        ),
        (
            "agenda: [{id: a, say: b, facts: [x]}]",
            "5:34: agenda item 'a' needs the fact 'x', not among `facts` (none)",
        ),
        (
            "agenda: [{id: a, say: b, after: [x]}]",
            "5:34: agenda item 'a' comes after 'x', which is no item",
        ),
        (
            "agenda: [{id: a, say: b, after: [c]}, {id: c, say: d, after: [a]}]",
            "5:33: agenda item 'a' comes after itself: a after c after a",
        ),
        (
            "agenda: [{id: a, say: b, hear: ['/(/']}]",
            "5:33: '/(/' is no good regular expression: missing ), unterminated subpattern at "
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
        (
            "agenda: [{id: a, action: wait, hear: x, say: b}]",
            "5:41: agenda item 'a' waits, so it has nothing to `say`: leave it out, or make it "
            "another action",
        ),
        (
            "agenda: [{id: a, say: b, action: finish}, {id: c, say: d, after: [a]}]",
            "5:67: agenda item 'c' comes after 'a', with which the caller hangs up",
        ),
        (
            "agenda: [{id: a, say: b, hear: ['//']}]",
            "5:33: '//' is no good regular expression: it is empty, so it would hear everything",
        ),
        ('opening: "a\\0b"', "5:10: text cannot hold the control character U+0000"),
        (
            "metrics: [{measure: turns, min_value: 21}]",
            "5:39: no call could meet min_value 21: max_turns is 20",
        ),
        (
            "metrics: [{measure: duration, min_value: 400}]",
            "5:42: no call could meet min_value 400: max_duration_s is 300",
        ),
        (
            "metrics: [{measure: latency, max_value: -1}]",
            "5:41: no call could meet max_value -1: it is negative",
        ),
        (
            "context: [{role: asistant, content: a}]",
            "5:18: a message's role must be one of system, developer, user, assistant, tool, "
            "function, not the text \"asistant\". Did you mean 'assistant'?",
        ),
        (
            "agenda: [{id: a, say: b, hear: ['/[[a]/']}]",
            "5:33: '/[[a]/' is no good regular expression: Possible nested set at position 1",
        ),
        (
            "agenda: [{id: a, say: b, hear: ['/a{99999999999}/']}]",
            "5:33: '/a{99999999999}/' is no good regular expression: the repetition number is too "
            "large",
        ),
        (
            f"agenda: [{{id: a, say: b, hear: ['/{'(' * 3000}{')' * 3000}/']}}]",
            f"5:33: '/{'(' * 39}…' is no good regular expression: nested too deeply",
        ),
        ("context: [{content: a}]", "5:11: a message of the context needs a `role`"),
        ("context: [{role: 5}]", "5:18: a message's role must be text, not 5: quote it"),
        ("context: [{role: a, content: [.inf]}]", "5:31: only finite numbers can be sent"),
        ("simulator: {extra: {top_p: .nan}}", "5:28: only finite numbers can be sent"),
        (
            "metrics: [{measure: function_calls, calls: [{name: a, args: {b: -.inf}}]}]",
            "5:65: only finite numbers can be sent",
        ),
        ("facts: {'': x}", "5:9: a fact needs a name"),
        ("facts: {' ': x}", "5:9: a fact needs a name"),
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


def test_all_faults_between_keys_are_told(tmp_path: Path):
    more = "agenda:\n- {id: a, say: b, after: [x], facts: [y], hear: ['/(/', '/[/']}\n- {id: b}\n"
    assert [line.split(": ")[0] for line in problems(tmp_path, BASE + more)] == [
        "a.yaml:6:50",
        "a.yaml:6:57",
        "a.yaml:7:3",
    ]
    more = (
        "facts: {name: x}\n"
        "agenda:\n"
        "- {id: first, say: b, after: [frist], facts: [nam]}\n"
        "- {id: first, say: c}\n"
        "context: [{}]\n"
        "metrics: [{measure: words}, {measure: words}]\n"
    )
    assert problems(tmp_path, BASE + more) == [
        "a.yaml:7:31: agenda item 'first' comes after 'frist', which is no item. "
        "Did you mean 'first'?",
        "a.yaml:7:47: agenda item 'first' needs the fact 'nam', not among `facts`. "
        "Did you mean 'name'?",
        "a.yaml:8:8: agenda item 'first' is there twice",
        "a.yaml:9:11: a message of the context needs a `role`",
        "a.yaml:10:29: a metric named 'words' is there already: give this one a `name` of its own",
    ]


def test_a_circle_is_told_once(tmp_path: Path):
    more = (
        "agenda:\n- {id: a, say: x, after: [b]}\n- {id: b, say: x, after: [c, d]}\n"
        "- {id: c, say: x, after: [a]}\n- {id: d, say: x, after: [d]}\n"
    )
    assert problems(tmp_path, BASE + more) == [
        "a.yaml:6:26: agenda item 'a' comes after itself: a after b after c after a",
        "a.yaml:9:26: agenda item 'd' comes after itself: d after d",
    ]


def test_all_that_an_agenda_caller_cannot_use_is_told(tmp_path: Path):
    more = "simulator: {service: agenda, endpoint: x, extra: {}}"
    assert problems(tmp_path, BASE + more) == [
        "a.yaml:5:30: `service: agenda` uses no LLM, so it takes no `endpoint`",
        "a.yaml:5:43: `service: agenda` uses no LLM, so it takes no `extra`",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name: n\npersonna: p\ngoal: g\nsuccess: s", "2:1: unknown key 'personna'. Did you mean "
                                                      "'persona'?"),
        ("name: n\nturn: []", "2:1: unknown key 'turn'. Did you mean 'turns'?"),
        ("name: n\nscenario: []", "2:1: unknown key 'scenario'. Did you mean 'scenarios'?"),
        ("nam: n\npersona: p\ngoal: g\nsuccess: s", "1:1: unknown key 'nam'. Did you mean 'name'?"),
    ],
)  # fmt: skip
def test_a_misspelt_key_that_decides_what_the_file_is(tmp_path: Path, text: str, problem: str):
    assert problems(tmp_path, text) == [f"a.yaml:{problem}"]


def test_all_that_yaml_can_tell_is_told_at_once(tmp_path: Path):
    text = BASE + "seed: 2026-01-01\nfacts: {a: 1, a: 2, 5: x}\nuser: !foo x\njudge: !include x\n"
    assert [line.split(": ")[0] for line in problems(tmp_path, text)] == [
        "a.yaml:5:7",
        "a.yaml:6:15",
        "a.yaml:6:21",
        "a.yaml:7:7",
        "a.yaml:8:8",
    ]


def test_a_message_is_one_line_whatever_it_quotes(tmp_path: Path):
    (problem,) = problems(tmp_path, BASE + 'judge: !include "a\\nb\\0"')
    assert problem.startswith("a.yaml:5:8: !include a\\nb\\x00: there is no such file")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name: a\nname: b\n", "a.yaml:2:1: 'name' is given twice, first on line 1"),
        ("name: a\n---\nname: b\n", "a.yaml:2:1: a second document begins here; a file holds one"),
        ("", "a.yaml:1:1: a scenario file is a mapping with a `name`, not empty"),
        ("# nothing\n", "a.yaml:1:1: a scenario file is a mapping with a `name`, not empty"),
        ("- a\n", "a.yaml:1:1: a scenario file is a mapping with a `name`, not a list"),
        ("name: !!python/object:a.b x", "a.yaml:1:7: the tag !!python/object:a.b is not known "
                                        "here; !include is"),
        ("name: !foo x", "a.yaml:1:7: the tag !foo is not known here; !include is"),
        ("name: !!binary aGk=", "a.yaml:1:7: the tag !!binary is not known here; !include is"),
        ("name: !!set {a, b}", "a.yaml:1:7: the tag !!set is not known here; !include is"),
        (f"name: !{'x' * 99} a", f"a.yaml:1:7: the tag !{'x' * 39}… is not known here; "
                                 "!include is"),
        ("[a, b]: c", "a.yaml:1:1: a key must be text"),
        ("name: *x", "a.yaml:1:7: there is no anchor of this name before it"),
        ("a: &x 1\nb: &x 2", "a.yaml:2:4: there is an anchor of this name already"),
        ("<<: 5", "a.yaml:1:1: << merges a mapping, or a list of mappings"),
        ("<<: [5]", "a.yaml:1:1: << merges a mapping, or a list of mappings"),
        ("a: &a {x: 1}\nb: {<<: *a, <<: *a}", "a.yaml:2:13: '<<' is given twice, first on line 2"),
        ("a: &a {<<: *a}", "a.yaml:1:8: nested more than 100 deep; does an anchor contain itself?"),
        (NESTED_MERGES, "a.yaml:1:85: the file unfolds into more than 100000 values"),
        ("name: !include " + "x" * 5000, f"a.yaml:1:7: !include {'x' * 40}…: cannot be read: "
                                            "File name too long"),
        ("name: a\x07", "a.yaml:1:8: not YAML: the character #x0007 is not allowed"),
        (b"name: a\nx: \xff", "a.yaml:2:4: not UTF-8: byte 0xff at offset 11; save it as UTF-8"),
        ("n: n".encode("utf-16"), "a.yaml:1:1: not UTF-8: byte 0xff at offset 0; save it as UTF-8"),
        ("name: " + "9" * 10_000, f"a.yaml:1:7: '{'9' * 40}…' is too long for a whole number"),
        ("a: &a [*a]", "a.yaml:1:4: nested more than 100 deep; does an anchor contain itself?"),
        (BOMB, "a.yaml:1:14: the file unfolds into more than 100000 values"),
        ("name: !include [a]", "a.yaml:1:7: !include takes one path"),
        ("name: !include nowhere.yaml", "a.yaml:1:7: !include nowhere.yaml: there is no such file "
                                        "(paths are relative to DIR, the top-level file's "
                                        "directory)"),
        ("name: !include .", "a.yaml:1:7: !include .: a directory cannot be included"),
        ("name: !include a.yaml", "a.yaml:1:7: !include goes in a circle: a.yaml → a.yaml"),
        ("name: n\ngoal: g\n", "a.yaml:1:1: a scenario needs a `persona:` (a simulation) or "
                                "`turns:` (a script)"),
        ("name: n\nturns: []\n", "a.yaml:2:8: turns must not be empty"),
        ("name: n\npersona: p\nturns: []\n", "a.yaml:3:1: a scenario has a `persona:` or `turns:`, "
                                             "not both"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_one_line(tmp_path: Path, text: str | bytes, problem: str):
    (told,) = problems(tmp_path, text)
    assert told.replace(str(tmp_path), "DIR") == problem


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("name: [", "1:8"),  # The end of the file, not the line after it.
        ("name: [\n", "2:1"),
        ("name: n\n\tpersona: p", "2:1"),
        ("name: n\npersona: a: b\n", "2:11"),
        ("name: n\npersona: @p\n", "2:10"),
        ('name: n\npersona: "a\\q"\n', "2:12"),
        ("%YAML 9.9\n---\nname: a", "1:1"),
    ],
)
def test_what_is_not_yaml_is_told_in_its_librarys_words(tmp_path: Path, text: str, place: str):
    (problem,) = problems(tmp_path, text)
    assert problem.startswith(f"a.yaml:{place}: not YAML: ")


def test_a_long_name_does_not_make_a_long_line(tmp_path: Path):
    long = "x" * 5000
    facts = ", ".join(f"fact_{number}: 1" for number in range(1000))
    for more in (
        f"agenda: [{{id: {long}}}]",
        f"agenda: [{{id: {long}, say: a, after: [{long}]}}]",
        f"agenda: [{{id: {long}, say: a}}, {{id: {long}, say: a}}]",
        f"facts: {{{facts}}}\nagenda: [{{id: a, say: a, facts: [zzz]}}]",
        f"metrics: [{{name: {long}, criterion: a}}, {{name: {long}, criterion: a}}]",
        f"? {long}\n: 1\n? {long}\n: 1",
        f"scenarios: [{{name: {long}}}, {{name: {long}}}]",
    ):
        (problem,) = problems(tmp_path, BASE + more, may_both=True)
        assert len(problem) < 250


def test_a_long_circle_is_told_in_short(tmp_path: Path):
    items = "".join(f"- {{id: i{n}, say: x, after: [i{(n + 1) % 500}]}}\n" for n in range(500))
    assert problems(tmp_path, f"{BASE}agenda:\n{items}") == [
        "a.yaml:6:27: agenda item 'i0' comes after itself: "
        "i0 after i1 after i2 after i3 after i4 after i5 after i6 after i7 after …"
    ]


def test_lines_are_those_that_editors_count(tmp_path: Path):
    """YAML ends lines at U+0085, U+2028 and U+2029 too, and at a carriage return alone."""
    text = BASE + '# a\u2028# b\nopening: "\u2029a\x85b"\nmax_turn: 1\n'
    assert problems(tmp_path, text) == [
        "a.yaml:7:1: unknown key 'max_turn'. Did you mean 'max_turns'?"
    ]
    assert problems(tmp_path, BASE.replace("\n", "\r") + "max_turn: 1\r") == [
        "a.yaml:5:1: unknown key 'max_turn'. Did you mean 'max_turns'?"
    ]
    assert problems(tmp_path, BASE + '"\u2028": 1\nopening: "\u2028\x07"') == [
        "a.yaml:6:12: not YAML: the character #x0007 is not allowed"
    ]


def test_what_a_tag_inside_is_called_does_not_move_a_fault(tmp_path: Path):
    assert problems(tmp_path, BASE + "simulator: {'#service': {model: x}, model: 5}") == [
        "a.yaml:5:13: unknown key '#service'. Did you mean 'service'?",
        "a.yaml:5:44: simulator.model must be text, not 5: quote it",
    ]


# Each took minutes once, or grew with the square of what is there.
@pytest.mark.parametrize(
    ("more", "count"),
    [
        ("a: 1\n" * 10_000, 9_999),
        ("facts:\n" + "".join(f"  {n}: x\n" for n in range(5_000)), 5_000),
        ("agenda:\n" + "".join(f"- {{id: i{n}, say: x, after: [i{n + 1}]}}\n"
                               for n in range(1000)), 1),
        ("".join(f"max_turn{n}: 1\n" for n in range(100)) + "scenarios:\n"
         + "".join(f"- name: s{n}\n" for n in range(100)), 100),
    ],
    ids=["keys", "numbers", "agenda", "defaults"],
)  # fmt: skip
def test_much_is_read_in_good_time(tmp_path: Path, more: str, count: int):
    assert len(problems(tmp_path, BASE + more)) == count


def test_a_byte_order_mark_is_no_fault(tmp_path: Path):
    assert problems(tmp_path, b"\xef\xbb\xbf" + BASE.encode()) == []


@pytest.mark.parametrize(
    "more",
    [
        'opening: "\\ud800"',
        '"\\ud800": 1',
        'facts: {"\\ud800": 1}',
        'metrics: [{measure: "\\udfff"}]',
        'simulator: {extra: {a: "\\ud83d\\ude00"}}',
        'simulator: {factory: a.b, c: ["\\ud800"]}',
    ],
)
@pytest.mark.parametrize("base", [yaml.SafeLoader, yaml_dialect._Base], ids=["python", "c"])
def test_half_a_surrogate_pair_in_an_escape_is_one_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: str, base: type[yaml.SafeLoader]
):
    monkeypatch.setattr(yaml_dialect, "_Loader", yaml_dialect._dialect(base))
    (problem,) = problems(tmp_path, BASE + more)
    assert problem.startswith("a.yaml:5:")
