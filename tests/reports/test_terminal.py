import io
from pathlib import Path

from sparring.records import Ending, Event, Kind, Record, Side, make_result
from sparring.records import events as ev
from sparring.reports import TerminalReport
from sparring.reports.terminal import Output
from sparring.scenarios import Scenario, Simulation
from sparring.scoring import score
from sparring.suites import Run
from sparring.suites.agents import RunningAgent
from support.records import bot, record, tool, user


def shown(made: Record, verbose: bool = True) -> str:
    file = io.StringIO()
    report = TerminalReport(Output(file), verbose)
    simulation = Simulation.model_validate(made.scenario.definition)
    run = Run(Scenario("book", Path("book.yaml"), simulation), RunningAgent("ws://x/ws"), 1, 1)
    report.run_started(run)
    for event in made.events:
        report.event(run, event)
    result = make_result(made, score(made))
    report.run_ended(run, result)
    report.summary([result], 1.44, Path("eval-runs/a"))
    return file.getvalue()


GOOD: list[Event] = [
    ev.Ready(at=0.05),
    *bot(0.1, "Hello, how can I help?"),
    user(0.4, 1, "A table for two tonight at six, please, somewhere by the window if you can."),
    *tool(0.5, "book_table", {"party_size": 2, "time": "18:00"}, result={"ref": "R-1"}),
    *bot(0.7, "All set."),
    user(1, 2, "Thanks!", hanging_up=True),
    ev.EndCall(at=1, success=True, reason="the agent confirmed"),
    ev.LLMStarted(at=1.1),
    ev.LLMText(at=1.15, text="You are"),
    ev.BotInterrupted(at=1.2),
    ev.Ended(at=1.423, ending=Ending.END_CALL),
]
METRICS = [{"measure": "words", "max_value": 60}, {"measure": "turns"}]


def test_a_call_that_passes():
    assert shown(record(*GOOD, metrics=METRICS)) == (
        "bot: Hello, how can I help?\n"
        "user: A table for two tonight at six, please, somewhere by the window if you can.\n"
        '     ↳ book_table(party_size=2, time="18:00") → {"ref": "R-1"}\n'
        "bot: All set.\n"
        "user: Thanks!\n"
        "bot: You are —\n"
        "ended by end_call after 2 persona turn(s)\n"
        "caller: succeeded: the agent confirmed\n"
        "metrics:\n"
        "  words: 1.00 | longest reply 5 words, at most 60\n"
        "  turns: – | 2 caller turn(s)\n"
        "✓ agent book end_call (1423ms)\n"
        "1/1 passed · 1.4s\n"
        "records and logs: eval-runs/a\n"
    )


def test_a_call_that_fails_says_why_first():
    end = ev.Ended(
        at=31,
        ending=Ending.SILENCE,
        kind=Kind.SILENCE,
        reason="nothing happened for 30 s, and it was the agent's move",
        owed_by=Side.AGENT,
    )
    made = record(ev.Ready(at=0.1), user(1, 1), end, metrics=METRICS)
    assert shown(made, verbose=False) == (
        "✗ agent book silence (31000ms)\n"
        "\n"
        "Failures (1 of 1):\n"
        "  ✗ agent book\n"
        "    • nothing happened for 30 s, and it was the agent's move [silence]\n"
        "0/1 passed, 1 failed · 1.4s\n"
        "records and logs: eval-runs/a\n"
    )


def test_words_that_were_not_sent_are_shown_as_such():
    end = ev.Ended(at=2, ending=Ending.MAX_TURNS, kind=Kind.MAX_TURNS, reason="used up")
    made = record(*GOOD[:5], ev.CallerUnsent(at=2, text="And wine?"), end, metrics=METRICS)
    assert "not sent: And wine?\n" in shown(made)


def test_what_the_agent_says_cannot_move_the_cursor():
    text = "a\x1b[2J\rb\u202e[red]c\nd"
    made = record(ev.Ready(at=0.1), *bot(0.2, text), GOOD[-1], metrics=METRICS)
    assert "bot: a [2J b [red]c d\n" in shown(made)


def test_a_large_result_is_cut():
    big = tool(0.5, "dump", {}, result="x" * 10_000)
    made = record(ev.Ready(at=0.1), *big, GOOD[-1], metrics=METRICS)
    assert "… (10002 characters)" in shown(made)


def test_a_line_spoken_twice_shows_once():
    made = record(
        ev.Ready(at=0.1), *bot(0.2, "Hello there."), ev.TTSText(at=0.5, text="Hello there."),
        ev.TTSStopped(at=0.6), GOOD[-1], metrics=METRICS,
    )  # fmt: skip
    assert shown(made).count("Hello there.") == 1
