"""What every scenario has, whether a persona or a script plays it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field

from sparring.scenarios.blocks import STRICT, JsonMapping, Judge, Text, User
from sparring.scenarios.faults import Fault, not_among, quote_hint, shown

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")


class Definition(BaseModel):
    """The keys that simulations and scripts share."""

    model_config = STRICT

    name: Text = Field(description="The scenario's name.")
    user: User = Field(default=User(), description="How the caller is heard.")
    judge: Judge = Field(
        default=Judge(), description="How the agent is heard, and who judges the call."
    )
    context: list[JsonMapping] = Field(
        default_factory=list[JsonMapping],
        description="Messages (role, content) that the agent's context starts from.",
    )
    trigger_disconnect: bool = Field(
        default=False,
        description="Close the connection without cancelling the agent first, so that its own "
        "disconnect handler runs.",
    )
    seed: int | None = Field(default=None, description="What an attempt's own seed is made from.")
    tags: list[Text] = Field(default_factory=list[str], description="Words to choose it by.")

    @property
    def is_spoken(self) -> bool:
        """Whether either side is heard and not read."""
        return "audio" in (self.user.modality, self.judge.modality)


def role_faults(context: Sequence[Mapping[str, Any]]) -> Iterator[Fault]:
    """Messages of a context whose role is missing or unknown; within the definition."""
    for index, message in enumerate(context):
        role = message.get("role")
        if "role" not in message:
            yield Fault("a message of the context needs a `role`", ("context", index))
        elif not isinstance(role, str):
            told = f"a message's role must be text, not {shown(role)}{quote_hint(role)}"
            yield Fault(told, ("context", index, "role"))
        elif role not in _ROLES:
            yield Fault(not_among("a message's role", role, _ROLES), ("context", index, "role"))
