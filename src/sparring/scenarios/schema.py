"""The JSON Schema of scenario files, for editors: completion and errors while one types."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from sparring.scenarios.script import Script
from sparring.scenarios.simulation import Simulation


def json_schema() -> dict[str, Any]:
    """The schema of a scenario file in all its shapes (JSON Schema, draft 2020-12).

    A file is one simulation, one script, or a ``scenarios:`` list whose other top-level keys are
    defaults.
    """
    simulation, script = map(_schema, (Simulation, Script))
    definitions: dict[str, Any] = {**simulation.pop("$defs"), **script.pop("$defs")}
    keys: dict[str, Any] = {**simulation["properties"], **script["properties"]}
    apart = {
        "turns": _without(simulation["properties"], script["properties"]),
        "persona": _without(script["properties"], simulation["properties"]),
    }
    definitions["Scenario"] = {
        "type": "object",
        "description": "One scenario of the file; its keys replace the file's defaults.",
        "properties": keys,
        "required": ["name"],
        "additionalProperties": False,
        "dependentSchemas": apart,
    }
    scenarios: dict[str, Any] = {
        "type": "array",
        "minItems": 1,
        "items": {"$ref": "#/$defs/Scenario"},
        "description": "Several scenarios; every other key of the file is their default.",
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "scenario.schema.json",
        "title": "sparring scenario file",
        "description": "A simulation, a script, or a list of them with defaults.",
        "type": "object",
        "properties": {**keys, "scenarios": scenarios},
        "additionalProperties": False,
        "anyOf": [
            {"required": simulation["required"]},
            {"required": script["required"]},
            {"required": ["name", "scenarios"]},
        ],
        "dependentSchemas": apart,
        "$defs": definitions,
    }


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema(schema_generator=_Untitled)


def _without(keys: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """What forbids the keys that only the other kind of scenario has."""
    return {"properties": {key: False for key in keys if key not in own}}


class _Untitled(GenerateJsonSchema):
    """Without a title for every field: a key's name and its description say more."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False
