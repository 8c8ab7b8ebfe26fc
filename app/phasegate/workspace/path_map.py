"""Path prefixes of the host rewritten to those of this machine, and back.

For a service that sees the workspaces elsewhere than the agents do (a container whose
mount point differs).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from phasegate.errors import SettingsError

# A prefix inside a text counts only where a path could begin and end.
_BEGINS = r"(?<![A-Za-z0-9._~/-])"
_ENDS = r"(?![A-Za-z0-9._-])"


@dataclass(frozen=True, slots=True)
class PathMap:
    """Pairs of (host prefix, local prefix); the longest matching prefix wins."""

    pairs: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, texts: Sequence[str]) -> PathMap:
        """Read `HOST=LOCAL` texts. Raises `SettingsError` naming the one that is not two absolute paths."""
        pairs: list[tuple[str, str]] = []
        for text in texts:
            host, equals, local = text.partition("=")
            if not equals or not host.startswith("/") or not local.startswith("/"):
                raise SettingsError(f"`{text}` is not a pair of absolute paths, HOST=LOCAL")
            pairs.append((_trimmed(host), _trimmed(local)))
        return cls(tuple(pairs))

    def to_local(self, path: str) -> str:
        """A path of the host as this machine's."""
        return _rewritten(path, self.pairs)

    def to_host(self, path: str) -> str:
        """A path of this machine as the host's."""
        return _rewritten(path, tuple((local, host) for host, local in self.pairs))

    def text_to_local(self, text: str) -> str:
        """*text* (a command line) with every host prefix in it rewritten, where a path can stand."""
        if not any(host in text for host, _ in self.pairs):
            return text
        local = dict(self.pairs)
        hosts = sorted(local, key=lambda host: -len(host))
        # Letters alone, no repetition: the search is linear.
        pattern = "|".join(f"{re.escape(host)}{_ENDS}" for host in hosts)
        return re.sub(f"{_BEGINS}(?:{pattern})", lambda found: local[found[0]], text)


def _rewritten(path: str, pairs: Sequence[tuple[str, str]]) -> str:
    for source, target in sorted(pairs, key=lambda pair: -len(pair[0])):
        if path == source:
            return target
        if path.startswith(source.rstrip("/") + "/"):
            return target.rstrip("/") + path[len(source.rstrip("/")) :]
    return path


def _trimmed(path: str) -> str:
    return path.rstrip("/") or "/"
