"""The JSON Schema of scenario files, for editors: completion and errors while one types."""

from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from sparring.scenarios.simulation import Simulation


def json_schema() -> dict[str, Any]:
    """The schema of a scenario file in both its shapes (JSON Schema, draft 2020-12).

    A file is one simulation, or a ``scenarios:`` list whose other top-level keys are defaults.
    """
    simulation = Simulation.model_json_schema(schema_generator=_Untitled)
    definitions: dict[str, Any] = simulation.pop("$defs")
    properties: dict[str, Any] = simulation["properties"]
    required: list[str] = simulation["required"]
    definitions["Scenario"] = {
        "type": "object",
        "description": "One scenario of the file; its keys replace the file's defaults.",
        "properties": properties,
        "required": ["name"],
        "additionalProperties": False,
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
        "description": "A simulation, or a list of them with defaults.",
        "type": "object",
        "properties": {**properties, "scenarios": scenarios},
        "additionalProperties": False,
        "anyOf": [{"required": required}, {"required": ["name", "scenarios"]}],
        "$defs": definitions,
    }


class _Untitled(GenerateJsonSchema):
    """Without a title for every field: a key's name and its description say more."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False
