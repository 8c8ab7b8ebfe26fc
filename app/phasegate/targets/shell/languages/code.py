"""What the text of a program in another language would do, whatever the language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from phasegate.core.call import TargetOp


@dataclass(frozen=True, slots=True)
class CodeWrite:
    """A file that a known call changes; `via` is the call's name.

    `inside`: the path of a copied file, whose base name is added when `path` is a
    directory; "?" when it is not known. `leads_to`: where a link that is made there
    leads to, as `via` is told.
    """

    path: str
    op: TargetOp
    via: str
    recursive: bool = False
    follow: bool = True
    inside: str = ""
    leads_to: str = ""

    @property
    def symbolic(self) -> bool:
        """Whether the link that is made is a symbolic one."""
        return LINKERS.get(self.via.rpartition(".")[2], False)

    @property
    def forced(self) -> bool:
        """Whether the link takes the place of a file."""
        return self.via.endswith("ln_sf")


LINKERS: Mapping[str, bool] = {
    **dict.fromkeys(("symlink", "symlinkSync", "symlink_to", "ln_s", "ln_sf"), True),
    **dict.fromkeys(("link", "linkSync", "hardlink_to", "ln"), False),
}
"""The last part of the names of calls that make links, and whether these are symbolic."""


@dataclass(slots=True)
class CodeEffects:
    """Known writes, shell texts and programs that the code starts, and what is not known.

    `unknown` names the first thing that was not understood ("" when everything was).
    `strings` are the string literals, which may name paths. `bare_stand_in`: an unknown
    part of the text stands where code is, not inside a string.
    """

    writes: list[CodeWrite] = field(default_factory=list)
    shells: list[str] = field(default_factory=list)
    programs: list[list[str]] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)
    unknown: str = ""
    bare_stand_in: bool = False

    def doubt(self, what: str) -> None:
        """Note that *what* is not understood."""
        self.unknown = self.unknown or what[:80]
