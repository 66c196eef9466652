"""Scripts in files: what loads, and how every fault is told."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.scenarios import Script, ScriptTurn, Simulation, load
from support.records import SIMULATION

SCRIPT = "name: n\nturns:\n"


def loaded(tmp_path: Path, text: str) -> Script:
    (tmp_path / "a.yaml").write_text(text, "utf-8")
    made = load([tmp_path / "a.yaml"])
    assert list(map(str, made.problems)) == []
    definition = made.scenarios[0].definition
    assert isinstance(definition, Script)
    return definition


def problems(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "a.yaml"
    path.write_text(text, "utf-8")
    return [str(problem).removeprefix(f"{path}:") for problem in load([path]).problems]


def turn(tmp_path: Path, text: str) -> ScriptTurn:
    return loaded(tmp_path, f"name: n\nturns:\n- {text}\n- expect: [{{event: image}}]").turns[0]


def test_a_script_beside_a_simulation(tmp_path: Path):
    (tmp_path / "cat.jpg").write_bytes(b"jpeg")
    text = """
name: both
tags: [x]
scenarios:
- name: script
  stop_on_failure: false
  seed: 7
  turns:
  - expect: [{event: response}]
  - user: Hi.
    image: cat.jpg
    send_after: {event: llm_started, delay_ms: 20}
    expect:
    - {event: function_call, calls: [a, {name: b, args: {n: 2}}, {args: {m: 1}}], within_ms: 2000}
    - {event: llm_marker, marker: short, marker_first: true, markers: 1, text_after: false}
    - {event: response, text_contains: a, text_excludes: b, eval: c, check_from: turn_start}
    - {event: image, absent: true}
- {name: simulation, persona: p, goal: g, success: s}
"""
    (tmp_path / "a.yaml").write_text(text)
    made = load([tmp_path / "a.yaml"])
    assert made.problems == []
    script, simulation = (scenario.definition for scenario in made.scenarios)
    assert isinstance(script, Script) and isinstance(simulation, Simulation)
    assert (script.tags, script.seed, script.stop_on_failure) == (["x"], 7, False)
    first, second = script.turns
    assert first.is_observing and not second.is_observing
    assert second.send_after is not None and second.send_after.delay_ms == 20
    calls, marker, reply, image = second.expect
    assert [(p.name, p.args) for p in calls.patterns] == [
        ("a", {}),
        ("b", {"n": 2}),
        (None, {"m": 1}),
    ]
    assert (calls.within_ms, marker.marker, reply.eval, image.absent) == (2000, "short", "c", True)


@pytest.mark.parametrize(
    ("text", "said", "pressed"),
    [
        ("user: Hello there.", "Hello there.", None),
        ("user: [Hello, there.]", "Hello there.", None),
        ("dtmf: 12", "", "12"),
        ("dtmf: 012", "", "012"),
        ("dtmf: '*#0'", "", "*#0"),
        ("dtmf: 5551234567#", "", "5551234567#"),
    ],
)
def test_what_a_turn_sends(tmp_path: Path, text: str, said: str, pressed: str | None):
    made = turn(tmp_path, text)
    assert (made.text, made.dtmf) == (said, pressed)


def test_a_script_survives_the_way_through_json(tmp_path: Path):
    made = loaded(
        tmp_path,
        "name: n\nuser: {modality: audio, speech: {service: kokoro, voice: a}}\nturns:\n"
        "- user: [a, {pause_ms: 5}, b]\n"
        "  expect: [{event: function_call, name: f, args: {x: !any , y: [!gte 2.5], z: null}}]",
    )
    text = json.dumps(made.model_dump(mode="json"))
    assert Script.model_validate(json.loads(text)) == made
    assert made.turns[0].expect[0].args == {"x": {"!any": True}, "y": [{"!gte": 2.5}], "z": None}


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("!any", {"!any": True}),
        ("!gte 2", {"!gte": 2}),
        ("!lt -1.5", {"!lt": -1.5}),
        ("!approx [3.5, 0.1]", {"!approx": [3.5, 0.1]}),
        ('!regex "^1"', {"!regex": "^1"}),
        ("!regex 18", {"!regex": "18"}),
        ("!one_of [a, 2, !regex b]", {"!one_of": ["a", 2, {"!regex": "b"}]}),
    ],
)
def test_matchers(tmp_path: Path, written: str, plain: Any):
    text = SCRIPT + f"- expect:\n  - event: function_call\n    args:\n      x: {written}\n"
    assert loaded(tmp_path, text).turns[0].expect[0].args == {"x": plain}


def test_matchers_in_the_metrics_of_a_simulation(tmp_path: Path):
    metric = {"measure": "function_calls", "calls": [{"name": "f", "args": {"x": "MATCHER"}}]}
    text = yaml.safe_dump({**SIMULATION, "metrics": [metric]}).replace("MATCHER", "!gt 3")
    (tmp_path / "a.yaml").write_text(text)
    assert load([tmp_path / "a.yaml"]).problems == []


EXPECT = "- expect: [{event: response}]\n"
ONE = f"turns:\n{EXPECT}"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        # Turns
        ("turns: []", "2:8: turns must not be empty"),
        ("turns: x", '2:8: turns must be a list, not the text "x"'),
        ("turns: [x]", '2:9: turns[0] must be a mapping, not the text "x"'),
        ("turns: [{user: Hi.}]", "2:8: no turn has an `expect`: nothing would be checked"),
        ("turns: [{expect: []}]", "2:8: no turn has an `expect`: nothing would be checked"),
        ("turns: [{expects: [{event: response}]}]", "2:10: unknown key 'expects'. Did you mean "
                                                    "'expect'?"),
        ("turns:\n- expect:", "3:10: turns[0].expect must be a list, not nothing"),
        ("turns:\n- user: ''\n  expect: [{event: image}]", "3:9: turns[0].user must not be "
                                                            "empty"),
        (f"{ONE}- user: [{{pause_ms: 5}}]", "4:9: user must say something: there are "
                                                       "only pauses"),
        (f"{ONE}- user: []", "4:9: user must not be empty"),
        (f"{ONE}- user: 5", "4:9: user must be text, or a list of texts and pauses, not "
                                       "5: quote it"),
        (f"{ONE}- user: [a, {{pause: 5}}]", "4:13: a part is text, or a pause such as "
                                                       "{pause_ms: 500}, not a mapping"),
        (f"{ONE}- user: [a, {{pause_ms: 0}}]", "4:13: a part is text, or a pause such as "
                                                          "{pause_ms: 500}, not a mapping"),
        (f"{ONE}- user: [a, {{pause_ms: 5}}]", "4:3: pauses need `user: {modality: "
                                                          "audio}`"),
        (f"{ONE}- user: a\n  audio: b.wav", "5:3: `audio` needs `user: {modality: "
                                                       "audio}`"),
        (f"{ONE}- audio: b.wav", "4:3: `audio` needs `user`: the words of the recording"),
        (f"{ONE}- user: a\n  dtmf: 1", "5:3: a turn has `user` or `dtmf`, not both"),
        (f"{ONE}- dtmf: 0x10", "4:9: dtmf takes the keys 0 to 9, * and #, not '0x10'"),
        (f"{ONE}- dtmf: 12:30", "4:9: dtmf takes the keys 0 to 9, * and #, not '12:30'"),
        (f"{ONE}- dtmf: 1e3", "4:9: dtmf takes the keys 0 to 9, * and #, not '1e3'"),
        (f"{ONE}- dtmf: -1", "4:9: dtmf takes the keys 0 to 9, * and #, not '-1'"),
        (f"{ONE}- dtmf: on", "4:9: dtmf must be keys, not the boolean true: quote it"),
        (f"{ONE}- dtmf: 1.5", "4:9: dtmf must be keys, not 1.5: quote it"),
        (f"{ONE}- dtmf: ''", "4:9: dtmf takes the keys 0 to 9, * and #, not ''"),
        (f"{ONE}- send_after: {{delay_ms: 5}}", "4:3: `send_after` needs `user` or "
                                                           "`dtmf`: a turn to send"),
        (f"{ONE}- {{user: a, send_after: {{}}}}", "4:25: send_after needs an `event`, or "
                                                             "a `delay_ms` above 0"),
        (f"{ONE}- {{user: a, send_after: {{delay: 5}}}}", "4:26: unknown key 'delay'. "
                                                                     "Did you mean 'delay_ms'?"),
        (f"{ONE}- {{user: a, send_after: {{delay_ms: -5}}}}",
         "4:36: turns[1].send_after.delay_ms must be at least 0, not -5"),
        (f"{ONE}- {{user: a, send_after: {{delay_ms: true}}}}",
         "4:36: turns[1].send_after.delay_ms must be a whole number, not the boolean true"),
        (f"{ONE}- image: no.jpg", "4:10: there is no file DIR/no.jpg"),
        # The whole
        (f"goal: g\n{ONE}", "2:1: 'goal' is for simulations (`persona:`)"),
        (f"stop_on_failur: true\n{ONE}", "2:1: unknown key 'stop_on_failur'. Did you "
                                                    "mean 'stop_on_failure'?"),
        (f"persona: p\n{ONE}", "3:1: a scenario has a `persona:` or `turns:`, not both"),
        (f"context: [{{}}]\n{ONE}", "2:11: a message of the context needs a `role`"),
        (f"user: {{modality: audio}}\nturns:\n{EXPECT}- user: a",
         "2:7: `modality: audio` needs a `speech:` block with a service and a voice, or an "
         "`audio:` file in every turn that speaks; turn 1 has none"),
        ("persona: p\ngoal: g\nsuccess: s\nstop_on_failure: true",
         "5:1: 'stop_on_failure' is for scripts (`turns:`)"),
    ],
)  # fmt: skip
def test_faults_of_turns(tmp_path: Path, text: str, told: str):
    (problem,) = problems(tmp_path, f"name: n\n{text}\n")
    assert problem.replace(str(tmp_path), "DIR") == told


@pytest.mark.parametrize(
    ("expectation", "told"),
    [
        ("{}", "3:12: the key 'event' is missing"),
        ("{events: response}", "3:13: unknown key 'events'. Did you mean 'event'?"),
        ("{event: llm_stoped}", "3:20: turns[0].expect[0].event must be one of response, "),
        ("{event: response, within_ms: 2s}", "3:41: turns[0].expect[0].within_ms must be a number, "
                                             'not the text "2s"'),
        ("{event: response, within_ms: 0}", "3:41: turns[0].expect[0].within_ms must be more than "
                                            "0, not 0"),
        ("{event: response, within_ms: true}", "3:41: turns[0].expect[0].within_ms must be a "
                                               "number, not the boolean true"),
        ("{event: response, text_contains: 5}", "3:45: turns[0].expect[0].text_contains must be "
                                                "text, not 5: quote it"),
        ("{event: response, text_contain: a}", "3:30: unknown key 'text_contain'. Did you mean "
                                               "'text_contains'?"),
        ("{event: image, text_contains: a}", "3:27: 'text_contains' is for response, llm_response, "
                                             "tts_response, user_transcription, user_backchannel, "
                                             "bot_backchannel, llm_marker, not image"),
        ("{event: function_call_stopped, eval: a}", "3:43: 'eval' is for response, "),
        ("{event: response, name: a}", "3:30: 'name' is for function_call, function_call_stopped, "
                                       "not response"),
        ("{event: function_call, calls: []}", "3:42: turns[0].expect[0].calls must not be empty"),
        ("{event: function_call, calls: [{nam: x}]}", "3:44: unknown key 'nam'. Did you mean "
                                                      "'name'?"),
        ("{event: function_call, calls: [5]}", "3:43: a call is a name, or a mapping with a "
                                               "`name`, not 5: quote it"),
        ("{event: function_call, calls: [{}]}", "3:43: a call needs a `name` or `args`; leave "
                                                "`calls` out for any call"),
        ("{event: function_call, calls: [a], name: b}", "3:47: 'name' is short for one call: put "
                                                        "it into `calls`"),
        ("{event: function_call, args: [a]}", "3:41: turns[0].expect[0].args must be a mapping, "
                                              "not a list"),
        ("{event: llm_marker, marker: done}", "3:40: turns[0].expect[0].marker must be one of "
                                              "complete, short, long, incomplete, "),
        ("{event: response, marker: short}", "3:30: 'marker' is for llm_marker, not response"),
        ("{event: llm_marker, markers: true}", "3:41: turns[0].expect[0].markers must be a whole "
                                               "number, not the boolean true"),
        ("{event: response, check_from: start}", "3:42: turns[0].expect[0].check_from must be one "
                                                 "of previous, turn_start, "),
        ("{event: response, absent: yes, text_contains: a}", "3:43: what is `absent` cannot have "
                                                             "'text_contains': no such event may "
                                                             "come"),
        ("{event: response, absent: 1}", "3:38: turns[0].expect[0].absent must be true or false, "
                                         "not 1"),
        ("{event: response, absent: true, check_from: turn_start}",
         "3:44: what is `absent` cannot have 'check_from': no such event may come"),
        ("{event: tts_response}", "3:20: tts_response needs `judge: {modality: audio}`; in text "
                                  "there is response"),
        # Matchers
        ("{event: function_call, args: {a: !gte x}}", "3:45: !gte takes a number, not the text"),
        ("{event: function_call, args: {a: !gte true}}", "3:45: !gte takes a number, not the "
                                                         "boolean true"),
        ('{event: function_call, args: {a: [!regex "("]}}', "3:46: !regex takes a regular "
                                                            "expression, and this is no good one: "
                                                            "missing ), unterminated subpattern "
                                                            "at position 0"),
        ("{event: function_call, args: {a: !one_of []}}", "3:45: !one_of takes a list of values, "
                                                          "not an empty one"),
        ("{event: function_call, args: {a: !one_of [!lt x]}}", '3:54: !lt takes a number, not the '
                                                               'text "x"'),
        ("{event: function_call, args: {a: !any x}}", '3:45: !any takes nothing, not the text "x"'),
        ("{event: function_call, args: {a: !approx [1]}}", "3:45: !approx takes a number, or a "
                                                           "list of a number and a distance, not "
                                                           "a list"),
        ("{event: function_call, args: {a: !gtee 2}}", "3:45: the tag !gtee is not known here. Did "
                                                       "you mean '!gte'?"),
        ("{event: function_call, args: {a: !any}}", "3:49: after a tag such as !any there must be "
                                                    "a space"),
        ("{event: response, text_contains: !any }", "3:45: !any stands only within the `args` of a "
                                                    "call"),
        ("{event: function_call, args: !any }", "3:41: !any stands only within the `args` of a "
                                                "call"),
    ],
)  # fmt: skip
def test_faults_of_expectations(tmp_path: Path, expectation: str, told: str):
    (problem,) = problems(tmp_path, f"name: n\nturns:\n- expect: [{expectation}]\n")
    assert problem.startswith(told)


def test_many_faults_are_told_at_once(tmp_path: Path):
    text = "name: n\ngoal: g\nturns:\n- {usr: a}\n- expect: [{event: x, evl: y}, {event: image}]\n"
    assert [problem.split(":")[0] for problem in problems(tmp_path, text)] == ["2", "4", "5", "5"]


def test_files_of_turns_in_an_included_list_are_found_beside_the_top_level_file(tmp_path: Path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "cat.jpg").write_bytes(b"jpeg")
    turns = "- image: cat.jpg\n  expect: [{event: image}]\n- image: dog.jpg\n"
    (tmp_path / "parts" / "turns.yaml").write_text(turns)
    (tmp_path / "a.yaml").write_text("name: n\nturns: !include parts/turns.yaml\n")
    (problem,) = load([tmp_path / "a.yaml"]).problems
    assert str(problem) == f"{tmp_path}/parts/turns.yaml:3:10: there is no file {tmp_path}/dog.jpg"


def test_the_hash_is_of_the_content(tmp_path: Path):
    texts = {
        "a": SCRIPT + EXPECT,
        "b": SCRIPT + "- {user: , expect: [{within_ms: , event: response}]}\n",
        "c": SCRIPT + "- expect: [{event: llm_response}]\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.yaml").write_text(
            text.replace("user: , ", "").replace("within_ms: , ", "")
        )
    a, b, c = (scenario.hash for scenario in load([tmp_path]).scenarios)
    assert a == b != c
