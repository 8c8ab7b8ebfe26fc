"""A text that a call only carries: whatever it says, the call touches the same and is judged the same.

Two writes of one file mostly differ in the file's new text alone, and that matters only
where it could make a lock or is a patch. With a stand-in for any other text such calls are
equal, and what was found out about one holds for the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from phasegate.core.call import Effect
from phasegate.core.header import claims_lock
from phasegate.targets.ids import MAX_ID, bare_name, compact
from phasegate.targets.keys import MAX_KEY, PATH_ROLES, role_of
from phasegate.targets.patch_forms import BEGIN
from phasegate.targets.tools import lookup

if TYPE_CHECKING:
    from phasegate.core.policy import ToolDeclaration

STAND_IN = "text"
_MOST_KEYS = 16
_LOCKED = "LOCKED"


def without_carried_text(tool: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
    """*args* with stand-ins for the texts that the file tool *tool* only carries; itself if there are none.

    This holds for the tools of the table that write a file: see `is_declared` for those
    that a policy describes, and a call for which no target is found has to be judged as
    it came, because then every text is looked at.
    """
    if len(args) > _MOST_KEYS or len(tool) > MAX_ID:
        return args
    carried = [
        key
        for key in _carrying(tool, tuple(args))
        if type(value := args[key]) is str and value != STAND_IN and _says_nothing(value)
    ]
    return {**args, **dict.fromkeys(carried, STAND_IN)} if carried else args


@lru_cache(maxsize=1024)
def _carrying(tool: str, keys: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments among *keys* whose texts the tool only carries."""
    row = lookup(tool).tool
    if row is None or row.effect is not Effect.WRITE or row.dialect or row.verbs or row.copies:
        return ()
    roles = {key: role_of(key) for key in keys if len(key) <= MAX_KEY}
    if not any(role in PATH_ROLES for role in roles.values()):
        return ()
    return tuple(key for key, role in roles.items() if role == "content" and compact(key) not in row.extra)


def is_declared(tool: str, declared: Mapping[str, ToolDeclaration]) -> bool:
    """Whether a policy describes *tool* itself."""
    return bool(declared) and any(
        name in declared for name in (tool.casefold(), lookup(tool).name, bare_name(tool))
    )


def _says_nothing(text: str) -> bool:
    """Whether *text* is neither blank nor a patch, and no header in it could be a lock's."""
    return _LOCKED not in text and BEGIN not in text and bool(text.strip()) and not claims_lock(text)
