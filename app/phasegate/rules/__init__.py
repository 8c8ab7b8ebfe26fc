"""The built-in rules, one module each, found by looking into this package."""

from __future__ import annotations

import importlib
import pkgutil

from phasegate.core.rule import Rule


def discover() -> tuple[Rule, ...]:
    """Every module's `RULE`, in evaluation order.

    Raises `ValueError` when a module has none, or when a label or an order is used twice:
    a label is an identity in records and policies and is never reused.
    """
    rules = [
        importlib.import_module(f"{__name__}.{module.name}").RULE
        for module in pkgutil.iter_modules(__path__)
        if not module.name.startswith("_")
    ]
    return checked(rules)


def checked(rules: list[Rule]) -> tuple[Rule, ...]:
    """*rules* in order; refuses reuse of a label or an order."""
    for attribute in ("label", "order"):
        values = [getattr(rule, attribute) for rule in rules]
        for value in values:
            if values.count(value) > 1:
                raise ValueError(f"two rules share the {attribute} `{value}`")
    return tuple(sorted(rules, key=lambda rule: rule.order))
