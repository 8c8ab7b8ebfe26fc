"""Path prefixes of the host rewritten to those of this machine, and back.

For a service that sees the workspaces elsewhere than the agents do (a container whose
mount point differs).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from phasegate.errors import SettingsError

# A prefix inside a text counts only where a path could begin and end.
_NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


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
        ordered = sorted(self.pairs, key=lambda pair: -len(pair[0]))
        parts: list[str] = []
        at = done = 0
        while at < len(text):
            pair = next((pair for pair in ordered if _stands_at(text, at, pair[0])), None)
            if pair is None:
                at += 1
                continue
            parts += [text[done:at], pair[1]]
            at = done = at + len(pair[0])
        return "".join((*parts, text[done:]))


def _rewritten(path: str, pairs: Sequence[tuple[str, str]]) -> str:
    for source, target in sorted(pairs, key=lambda pair: -len(pair[0])):
        if path == source or path.startswith(source.rstrip("/") + "/"):
            rest = path[len(source.rstrip("/")) :]
            return (target.rstrip("/") + rest) or "/"
    return path


def _stands_at(text: str, at: int, prefix: str) -> bool:
    if not text.startswith(prefix, at):
        return False
    before, after = text[at - 1 : at], text[at + len(prefix) : at + len(prefix) + 1]
    return before not in _NAME and before != "/" and after not in _NAME


def _trimmed(path: str) -> str:
    return path.rstrip("/") or "/"
