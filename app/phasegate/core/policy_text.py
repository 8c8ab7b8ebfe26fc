"""Policy text to `Policy`, or a named defect.

Every check raises `PolicyDefect` at the first fault, in the order of the file, so that
a person can fix one thing at a time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from phasegate.core.call import Effect, Mode
from phasegate.core.patterns import pattern_valid
from phasegate.core.policy import (
    PatternRule,
    Policy,
    PolicyVerdict,
    ToolDeclaration,
    allow_all,
    by_precedence,
    digest_of,
    pattern_entry,
)
from phasegate.errors import PolicyDefect

MAX_POLICY_BYTES = 256 * 1024
MAX_REASON = 2_000
_TOP_KEYS: dict[int, tuple[str, ...]] = {1: ("version", "description", "defaults", "rules")}
_TOP_KEYS[2] = (*_TOP_KEYS[1], "rules_off", "modes", "tools")
_RULE_KEYS = ("pattern", "verdict", "reason", "label")
_TOOL_KEYS = ("effect", "paths", "command")
_VERDICTS = ("allow", "deny", "ask")
_MODES = ("strict", "advisory")
_EFFECTS = {effect.value: effect for effect in Effect}
_QUOTED = 80


def parse_policy(text: bytes, base: Policy) -> Policy:
    """Read a policy file.

    *text*: the file's bytes. *base*: the built-in policy, which gives the workflow, the
    rules (their labels are the condition labels) and the service's options.
    Raises `PolicyDefect` naming the key or entry and the remedy.
    """
    data = _document(text)
    version = _version(data)
    _known_keys(data, _TOP_KEYS[version], "the policy")
    labels = tuple(rule.label for rule in base.rules)
    always = tuple(rule.label for rule in base.rules if rule.always)
    _defaults(data.get("defaults"))
    description = data.get("description")
    return replace(
        base,
        source="file",
        digest=digest_of(text),
        version=version,
        description=description if isinstance(description, str) else None,
        patterns=_patterns(data, version, labels),
        rules_off=_rules_off(data.get("rules_off"), labels, always),
        modes=_modes(data.get("modes"), labels),
        tools=_tools(data.get("tools")),
    )


def _document(text: bytes) -> Mapping[str, Any]:
    if len(text) > MAX_POLICY_BYTES:
        raise PolicyDefect(f"the policy file is over {MAX_POLICY_BYTES // 1024} KiB")
    if text.startswith(b"\xef\xbb\xbf"):
        raise PolicyDefect("the policy is not JSON: it begins with a byte order mark")
    try:
        data = json.loads(text.decode("utf-8"), object_pairs_hook=_unique_keys)
    except UnicodeDecodeError:
        raise PolicyDefect("the policy is not JSON: it is not valid UTF-8") from None
    except json.JSONDecodeError as error:
        raise PolicyDefect(f"the policy is not JSON: line {error.lineno}, column {error.colno}") from None
    except (RecursionError, ValueError):
        raise PolicyDefect(
            "the policy is not JSON: it is nested too deeply or holds an absurd number"
        ) from None
    if not isinstance(data, dict):
        raise PolicyDefect("the policy must be an object with `rules`")
    return data


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for key, value in pairs:
        if key in seen:
            raise PolicyDefect(f"the key `{_shown(key)}` stands twice")
        seen[key] = value
    return seen


def _version(data: Mapping[str, Any]) -> int:
    version = data.get("version", 1)
    if isinstance(version, bool) or version not in (1, 2) or not isinstance(version, int | float):
        raise PolicyDefect(f"`version` must be the number 1 or 2, not {_shown(version)}")
    return int(version)


def _known_keys(entry: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in entry:
        if key not in known:
            raise PolicyDefect(f"{where} has an unknown key `{_shown(key)}`")


def _defaults(defaults: object) -> None:
    if defaults is None:
        return
    if not isinstance(defaults, dict):
        raise PolicyDefect("`defaults` must be an object")
    _known_keys(defaults, ("no_match_verdict",), "`defaults`")
    if defaults.get("no_match_verdict", "ask") != "ask":
        raise PolicyDefect("`no_match_verdict` can only be `ask`")


def _patterns(data: Mapping[str, Any], version: int, labels: tuple[str, ...]) -> tuple[PatternRule, ...]:
    if version > 1 and "rules" not in data:
        return (allow_all(),)
    rules = data.get("rules")
    if not isinstance(rules, list):
        raise PolicyDefect("`rules` must be an array")
    if not rules:
        raise PolicyDefect("`rules` is empty, and an empty list does not mean allow all")
    return by_precedence([_rule(entry, index, labels) for index, entry in enumerate(rules)])


def _rule(entry: object, index: int, labels: tuple[str, ...]) -> PatternRule:
    if not isinstance(entry, dict):
        raise PolicyDefect(f"rule {index + 1} must be an object")
    pattern = entry.get("pattern")
    where = f"rule {index + 1} (`{_shown(pattern)}`)"
    _known_keys(entry, _RULE_KEYS, where)
    if not pattern_valid(pattern):
        raise PolicyDefect(f"rule {index + 1} has an invalid pattern `{_shown(pattern)}`")
    verdict, reason, label = entry.get("verdict"), entry.get("reason"), entry.get("label")
    if not isinstance(verdict, str) or verdict not in _VERDICTS:
        raise PolicyDefect(f"{where}: `verdict` must be allow, deny or ask, not `{_shown(verdict)}`")
    if not isinstance(reason, str) or not reason.strip() or len(reason) > MAX_REASON:
        raise PolicyDefect(f"{where}: `reason` must be a text of 1 to {MAX_REASON} characters")
    if label is not None:
        _label(label, labels, where)
    return pattern_entry(
        str(pattern), cast("PolicyVerdict", verdict), reason, label, conditional=label in labels
    )


def _label(label: object, labels: tuple[str, ...], where: str) -> None:
    if not isinstance(label, str) or not label.strip() or len(label) > _QUOTED:
        raise PolicyDefect(f"{where}: `label` must be a short text")
    if label in labels:
        return
    folded = _folded(label)
    for known in labels:
        if folded == _folded(known):
            raise PolicyDefect(f"{where}: the label `{_shown(label)}` is misspelt, write `{known}`")
    if folded in ("none", "transition"):
        raise PolicyDefect(f"{where}: the label `{_shown(label)}` is reserved")


def _folded(label: str) -> str:
    return label.casefold().replace("_", "").replace("-", "").strip()


def _rules_off(value: object, labels: tuple[str, ...], always: tuple[str, ...]) -> Mapping[str, str]:
    off = _object(value, "rules_off")
    for label, reason in off.items():
        _rule_label(label, labels, "rules_off")
        if label in always:
            raise PolicyDefect(f"`rules_off`: the rule `{label}` can't be switched off")
        if not isinstance(reason, str) or not reason.strip() or len(reason) > MAX_REASON:
            raise PolicyDefect(f"`rules_off`: `{label}` needs a reason, a text that is not blank")
    return cast("Mapping[str, str]", off)


def _modes(value: object, labels: tuple[str, ...]) -> Mapping[str, Mode]:
    modes = _object(value, "modes")
    for label, mode in modes.items():
        _rule_label(label, labels, "modes")
        if not isinstance(mode, str) or mode not in _MODES:
            raise PolicyDefect(f"`modes`: `{label}` must be strict or advisory, not `{_shown(mode)}`")
    return cast("Mapping[str, Mode]", modes)


def _rule_label(label: str, labels: tuple[str, ...], where: str) -> None:
    if label not in labels:
        raise PolicyDefect(f"`{where}` names no built-in rule: `{_shown(label)}`")


def _tools(value: object) -> Mapping[str, ToolDeclaration]:
    tools: dict[str, ToolDeclaration] = {}
    for name, entry in _object(value, "tools").items():
        if not name.strip():
            raise PolicyDefect("`tools` has a blank tool id")
        tools[name.casefold()] = _tool(entry, f"`tools`: `{_shown(name)}`")
    return tools


def _tool(entry: object, where: str) -> ToolDeclaration:
    if isinstance(entry, str):
        entry = {"effect": entry}
    if not isinstance(entry, dict):
        raise PolicyDefect(f"{where} must be an effect or an object with `effect`")
    _known_keys(entry, _TOOL_KEYS, where)
    effect, paths, command = entry.get("effect"), entry.get("paths", []), entry.get("command")
    if not isinstance(effect, str) or effect not in _EFFECTS:
        raise PolicyDefect(f"{where}: `effect` must be one of {', '.join(Effect)}")
    if not isinstance(paths, list) or not all(isinstance(path, str) and path for path in paths):
        raise PolicyDefect(f"{where}: `paths` must be an array of argument names")
    if command is not None and not isinstance(command, str):
        raise PolicyDefect(f"{where}: `command` must be an argument name")
    return ToolDeclaration(_EFFECTS[effect], tuple(paths), command)


def _object(value: object, key: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise PolicyDefect(f"`{key}` must be an object")
    return value


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= _QUOTED else text[:_QUOTED] + "…"
