"""What there is to say of a script's result, as lines of text: its turns, its failures."""

from collections.abc import Iterator

from rich.text import Text

from sparring.records import ExpectationScore, ScriptResult, TurnScore
from sparring.reports.plain import clean

_SIGNS = {True: ("✓", "green"), False: ("✗", "red"), None: ("–", "yellow")}
_LONGEST = 120
_STATUSES = {"not_run": " (not run)", "undecided": " (undecided)"}


def turns_passed(result: ScriptResult) -> str:
    """How far a script came: ``2/3 turns``."""
    passed = sum(turn.status == "passed" for turn in result.turns)
    return f"{passed}/{len(result.turns)} turns"


def script_doubt(result: ScriptResult) -> str:
    """What should not go unseen though a script passed."""
    open = sum(one.passed is None for turn in result.turns for one in turn.expectations)
    return f" · {open} expectation(s) were not judged" if result.passed and open else ""


def script_details(result: ScriptResult) -> Iterator[Text]:
    """Every turn, and under it what became of its expectations."""
    for turn in result.turns:
        yield Text.assemble((_heading(turn), "bold"), (_STATUSES.get(turn.status, ""), "yellow"))
        for expectation in turn.expectations:
            yield _expectation(expectation)


def script_failures(result: ScriptResult) -> Iterator[Text]:
    """Everything that failed, a line each; what broke the run if nothing in it did."""
    if not result.failures:
        yield Text.assemble(f"    • {clean(result.reason)} ", (f"[{result.kind}]", "dim"))
    for failure in result.failures:
        turn = f"turn {failure.turn_index + 1} " if failure.turn_index >= 0 else ""
        yield Text(f"    • {turn}{failure.event_name} {failure.kind} — {clean(failure.reason)}")


def _heading(turn: TurnScore) -> str:
    said = f'"{clean(turn.sent)}"' if turn.sent else "(listening)"
    return f"turn {turn.turn_index + 1} → {said}"


def _expectation(expectation: ExpectationScore) -> Text:
    told = expectation.matched if expectation.passed is not False else expectation.reason
    told = clean(told or expectation.reason)
    told = told if len(told) <= _LONGEST or expectation.passed is False else f"{told[:_LONGEST]}…"
    verdict = expectation.verdict
    judged = f" (judge: {verdict.verdict})" if verdict is not None else ""
    open = " (not judged)" if expectation.passed is None else ""
    sign, style = _SIGNS[expectation.passed]
    return Text.assemble(
        "  ", (sign, style), f" {expectation.event_name} — {told}", (judged + open, "dim")
    )
