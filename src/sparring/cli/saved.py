"""From what is named on the command line to saved records, and the scenario to score them by."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sparring.errors import RecordError, UsageError
from sparring.records import Record, load_record, record_of_conversation
from sparring.scenarios import Scenario, load
from sparring.suites import identity_of

YAML = (".yaml", ".yml")
CONVERSATION = ".conversation.json"
_NO_RECORDS = ("summary.json", "results.jsonl", "judged.jsonl")
"""What stands beside records and is none."""


@dataclass(frozen=True)
class Found:
    """Records on disk."""

    files: Sequence[Path]
    """Each once, in the order they were named."""
    run_directories: int = 0
    """How many run directories were found in directories of them."""


def find_records(paths: Sequence[Path]) -> Found:
    """The records among these paths.

    A run directory gives all of its own, a directory of run directories those of each, and any
    other directory the records that lie in it.
    """
    files: list[Path] = []
    runs = 0
    for path in paths:
        if not path.is_dir():
            files.append(path)
        elif (path / "records").is_dir():
            files += _in(path / "records")
        elif inner := sorted(path.glob("*/records")):
            runs += len(inner)
            files += [file for directory in inner for file in _in(directory)]
        else:
            files += _in(path)
    once: dict[Path, Path] = {}
    for file in files:
        once.setdefault(file.resolve(), file)
    return Found(list(once.values()), runs)


def _in(directory: Path) -> list[Path]:
    """The records in a directory; of one that was completed, not its journal."""
    complete = [path for path in directory.glob("*.json") if path.name not in _NO_RECORDS]
    journals = [
        path
        for path in directory.glob("*.jsonl")
        if path.name not in _NO_RECORDS and path.with_suffix(".json") not in complete
    ]
    return sorted([*complete, *journals])


def find_scenario(files: Sequence[Path], wanted: str | None) -> Scenario | None:
    """The one scenario to score by; None for each record's own.

    Args:
        files: Scenario files.
        wanted: Another such file, or the name of a scenario in one of them.

    Raises:
        UsageError: If the files have problems, or more than one scenario fits, or none.
    """
    name = wanted
    if wanted is not None and Path(wanted).suffix in YAML:
        files, name = [*files, Path(wanted)], None
    if not files:
        if name is not None:
            raise UsageError(f"--scenario {name} needs a scenario file: name it first")
        return None
    loaded = load(files)
    if loaded.problems:
        raise UsageError("\n".join(map(str, loaded.problems)))
    found = [s for s in loaded.scenarios if name in (None, s.name, *s.name.split("/"))]
    if len(found) != 1:
        names = ", ".join(s.name for s in loaded.scenarios) or "there are none"
        lacking = f"no scenario is named {name}: " if name is not None and not found else ""
        raise UsageError(f"{lacking}choose one scenario with --scenario NAME: {names}")
    return found[0]


def load_saved(path: Path, scenario: Scenario | None) -> Record:
    """The record in a file, by the scenario it shall be scored by.

    Raises:
        RecordError: If there is none to be had.
    """
    if path.name.endswith(CONVERSATION):
        if scenario is None:
            raise RecordError(
                f"{path}: a conversation does not say what was asked of the agent: name its "
                "scenario file first"
            )
        return record_of_conversation(path, identity_of(scenario))
    record = load_record(path)
    if scenario is not None:
        record = record.model_copy(update={"scenario": identity_of(scenario)})
    if record.soundtrack is None:
        return record
    from sparring.scoring.voice.remeasure import remeasured  # Needs numpy.

    return remeasured(record, path.parent.parent)
