"""The rules by which the offline model fills structured outputs, registered beside their schemas."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from langchain_core.messages import BaseMessage
from pydantic import BaseModel

from store.errors import ModelError

Schema = TypeVar("Schema", bound=BaseModel)
Rule = Callable[[Sequence[BaseMessage]], BaseModel]

_RULES: dict[str, Rule] = {}


def rule_for(
    schema: type[Schema],
) -> Callable[[Callable[[Sequence[BaseMessage]], Schema]], Callable[[Sequence[BaseMessage]], Schema]]:
    """Register the decorated function as the offline model's way to fill a schema.

    Args:
        schema: the structured output; its name is what a call is dispatched by.

    Raises:
        ModelError: another schema of that name has a rule.
    """

    def register(
        rule: Callable[[Sequence[BaseMessage]], Schema],
    ) -> Callable[[Sequence[BaseMessage]], Schema]:
        if schema.__name__ in _RULES:
            raise ModelError(f"Two structured outputs are called {schema.__name__}; rename one of them.")
        _RULES[schema.__name__] = rule
        return rule

    return register


def rule(name: str) -> Rule:
    """Return the rule of a schema.

    Args:
        name: the schema's name.

    Raises:
        ModelError: no rule is registered under that name.
    """
    if name not in _RULES:
        raise ModelError(
            f"The offline model cannot fill {name}: decorate a function with @rule_for({name}) beside the schema."
        )
    return _RULES[name]


def has_rule(name: str) -> bool:
    """Tell whether a tool name is a structured output that the offline model can fill."""
    return name in _RULES
