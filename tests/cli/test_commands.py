import json
from pathlib import Path

from sparring.scenarios import json_schema
from support.command import sparring

SIMULATIONS = Path(__file__).parents[2] / "simulations"


async def test_check_says_what_is_good(tmp_path: Path):
    ran = await sparring("check", SIMULATIONS, cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert "no problems" in ran.out


async def test_check_lists_every_problem_of_every_file(tmp_path: Path):
    (tmp_path / "a.yaml").write_text("name: a\npersona: p\ngoal: g\nsucces: s\nmax_turn: 3\n")
    (tmp_path / "b.yaml").write_text("name: b\n\tx: 1\n")
    ran = await sparring("check", "a.yaml", "b.yaml", "c.yaml", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    lines = ran.err.splitlines()
    assert "a.yaml:4:1: unknown key 'succes'. Did you mean 'success'?" in lines
    assert "a.yaml:5:1: unknown key 'max_turn'. Did you mean 'max_turns'?" in lines
    assert any(line.startswith("b.yaml:2:") for line in lines)
    assert "c.yaml: there is no such file" in lines
    assert "Traceback" not in ran.err


async def test_schema_prints_the_schema(tmp_path: Path):
    ran = await sparring("schema", cwd=tmp_path)
    assert ran.code == 0
    assert json.loads(ran.out) == json_schema()


async def test_help_teaches(tmp_path: Path):
    ran = await sparring("--help", cwd=tmp_path)
    assert ran.code == 0
    for command in ("run", "check", "schema"):
        assert command in ran.out


async def test_usage_errors_exit_2(tmp_path: Path):
    for args in (["run"], ["nope"], ["run", "--nope"], ["check"]):
        assert (await sparring(*args, cwd=tmp_path)).code == 2


async def test_the_version(tmp_path: Path):
    ran = await sparring("--version", cwd=tmp_path)
    assert ran.code == 0 and ran.out.startswith("sparring ")
