"""Mask secrets in texts that go into a record.

A mask replaces the secret alone and says which shape it had: `--token [masked value]`.
Where the end of a secret can't be told for sure, more is masked rather than less. Every
scanner moves forward only: no pattern can be made to look at a character again and again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MARK = "[masked "

Span = tuple[int, int, str]

# Whatever a scanner below could match contains one of these in lower case; most records
# contain none. Plain searches: one expression for all of them costs fifty times as much.
_ANCHORS = (
    *("pass", "pwd", "secret", "token", "key", "credential", "authorization", "cookie", "bearer"),
    *("akia", "asia", "gho_", "ghp_", "ghr_", "ghs_", "ghu_", "github_pat_", "glpat-", "xox"),
    *("sk-", "sk_", "rk_", "aiza", "npm_", "pypi-", "hf_", "eyj"),
    *("://", "-u ", "-u=", "--user", "[masked "),
)

# Secrets known by their own shape. Quantifiers are possessive: a run of characters is read once.
_TOKENS = re.compile(
    r"(?P<aws>(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{12,}+)"
    r"|(?P<github>gh[oprsu]_[A-Za-z0-9]{16,}+|github_pat_[A-Za-z0-9_]{16,}+)"
    r"|(?P<gitlab>glpat-[A-Za-z0-9_-]{12,}+)"
    r"|(?P<slack>xox[abeoprs]-[A-Za-z0-9-]{8,}+)"
    r"|(?P<api>(?<![A-Za-z0-9])(?:sk-[A-Za-z0-9_-]{16,}+|[rs]k_(?:live|test)_[A-Za-z0-9]{8,}+))"
    r"|(?P<google>AIza[A-Za-z0-9_-]{30,}+)"
    r"|(?P<package>(?<![A-Za-z0-9])(?:npm_[A-Za-z0-9]{20,}+|pypi-[A-Za-z0-9_-]{20,}+|hf_[A-Za-z0-9]{20,}+))"
    r"|(?P<jwt>(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]++(?:\.[A-Za-z0-9_-]*+)?)"
    r"|\b(?i:bearer)[ \t]{1,4}+(?P<bearer>[^\s\"'`\[]{6,}+)"
)

_NAME = re.compile(
    r"(?:passw(?:or)?d|passphrase|pwd|secret|secret[_-]?key|token|api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key"
    r"|encryption[_-]?key|credential|authorization|cookie)"
    r"s?(?:[_-][A-Za-z0-9_-]{0,40}+)?[0-9]{0,4}+(?![A-Za-z0-9_-])",
    re.IGNORECASE,
)
_ASSIGNED = re.compile(r"(?:\\?[\"'])?[ \t]{0,4}(?::=|=>|={1,2}|:)[ \t]{0,4}")
_BLANKS = re.compile(r"[ \t]{1,8}(?!-)")
_SCHEME = re.compile(r"(?:basic|bearer|token|digest|negotiate|apikey)[ \t]+", re.IGNORECASE)
_VARIABLE = re.compile(r"[\"']?\$(?:[A-Za-z_][A-Za-z0-9_]*+|\{[A-Za-z_][A-Za-z0-9_]*+\})(?=$|[\s\"'`;&|)])")
_WORD_STOP = re.compile(r"[\s\"'`\\]")
_NAME_CHARS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_LONGEST_NAME = 64
_QUOTES = ('"', "'", "`")
_DIRECTORIES = frozenset({"PWD", "OLDPWD"})

_URL_STOP = re.compile(r"[\s/\"'`<>]")
_LONGEST_USERINFO = 1024
_SHORTEST_URL_TOKEN = 16
_USER_OPTION = re.compile(r"(?<![^\s\"'])(?:-u|--user)[ =]{1,3}[\"']?([^\s:\"'\[]{1,128}+):(?=\S)")
_SSHPASS = re.compile(r"\bsshpass[ \t]{1,4}-p[ \t]{0,4}")
_KEY_LABEL = "PRIVATE KEY"
_KEY_BEGIN, _KEY_END, _KEY_DASHES = "-----BEGIN ", "-----END ", "-----"
_LONGEST_LABEL = 64


def suspicious(text: str) -> bool:
    """Whether *text* could hold anything to mask."""
    lowered = text.lower()
    for anchor in _ANCHORS:  # noqa: SIM110 (every record comes by here, and a generator takes twice as long)
        if anchor in lowered:
            return True
    return False


def redact(text: str) -> str:
    """*text* with its secrets masked. Masking twice changes nothing more."""
    if not suspicious(text):
        return text
    spans = sorted((*_key_blocks(text), *_tokens(text), *_assignments(text), *_urls(text), *_logins(text)))
    parts: list[str] = []
    done = 0
    for start, end, shape in spans:
        if start >= done:
            parts += (text[done:start], f"{MARK}{shape}]")
        done = max(done, end)
    return "".join((*parts, text[done:]))


def _key_blocks(text: str) -> Iterator[Span]:
    """Private keys, up to their last line; one without an end hides the rest of the text."""
    at = text.find(_KEY_BEGIN)
    while at != -1:
        label_end = text.find(_KEY_DASHES, at + len(_KEY_BEGIN), at + _LONGEST_LABEL)
        end = at + len(_KEY_BEGIN)
        if label_end != -1 and _KEY_LABEL in text[at:label_end]:
            last = text.find(_KEY_END, label_end)
            closing = text.find(_KEY_DASHES, last + len(_KEY_END)) if last != -1 else -1
            end = closing + len(_KEY_DASHES) if closing != -1 else len(text)
            yield at, end, "key block"
        at = text.find(_KEY_BEGIN, end)


def _tokens(text: str) -> Iterator[Span]:
    for found in _TOKENS.finditer(text):
        shape = found.lastgroup or ""
        yield *found.span(shape), shape


def _assignments(text: str) -> Iterator[Span]:
    """Values of names that speak of secrets: `name=value`, `"name": "value"`, `--name value`."""
    at = 0
    while (found := _NAME.search(text, at)) is not None:
        at = found.end()
        start = _name_start(text, found.start())
        name = text[start : found.end()].lstrip("-").upper()
        value = _value_start(text, start, found.end())
        if value is None or name in _DIRECTORIES:
            continue
        if text.startswith(MARK, value) or _VARIABLE.match(text, value):
            continue
        end = _value_end(text, value, _enclosing_quote(text, start, found.end()))
        counted = name.endswith("TOKENS") and text[value:end].isdigit()
        if end > value and not counted:
            yield value, end, "value"
            at = end


def _name_start(text: str, at: int) -> int:
    """Where the whole name begins of which a part was found at *at*."""
    stop = max(0, at - _LONGEST_NAME)
    while at > stop and text[at - 1] in _NAME_CHARS:
        at -= 1
    return at


def _value_start(text: str, name: int, name_end: int) -> int | None:
    """Where the value of the name at *name* begins, the scheme of an authorization left out."""
    assigned = _ASSIGNED.match(text, name_end)
    if assigned is None and text.startswith("-", name):
        assigned = _BLANKS.match(text, name_end)
    if assigned is None:
        return None
    scheme = _SCHEME.match(text, assigned.end())
    return scheme.end() if scheme is not None else assigned.end()


def _enclosing_quote(text: str, name: int, name_end: int) -> str:
    """The quote that opens just before a name and does not close behind it; "" for none."""
    quote = text[name - 1 : name]
    return quote if quote in _QUOTES and text[name_end : name_end + 2].lstrip("\\")[:1] != quote else ""


def _value_end(text: str, start: int, outer: str) -> int:
    if outer:
        end = _find(text, outer, start)
        line = text.find("\n", start, end)
        return line if line != -1 else end
    if text.startswith(('\\"', "\\'"), start):
        return _closing(text, start + 2, text[start : start + 2])
    if text[start : start + 1] in _QUOTES and text[start - 1 : start] != "=":
        return _closing(text, start + 1, text[start])
    return _word_end(text, start)


def _closing(text: str, start: int, quote: str) -> int:
    """The end of a quoted value, its closing quote included; a backslash hides a lone quote."""
    at = start
    while True:
        at = _find(text, quote, at)
        if at >= len(text) or len(quote) > 1 or quote == "'" or text[at - 1] != "\\":
            return min(at + len(quote), len(text))
        at += 1


def _word_end(text: str, start: int) -> int:
    """The end of a shell word. Parts of it may be quoted; separators are taken in, not trusted."""
    at = start
    while (found := _WORD_STOP.search(text, at)) is not None:
        stop = found[0]
        if stop.isspace():
            return found.start()
        at = found.end() + 1 if stop == "\\" else _closing(text, found.end(), stop)
    return len(text)


def _find(text: str, part: str, start: int) -> int:
    at = text.find(part, start)
    return at if at != -1 else len(text)


def _urls(text: str) -> Iterator[Span]:
    """The password of `scheme://user:password@host`, or a lone user that is long enough to be a token."""
    at = text.find("://")
    while at != -1:
        start = at + len("://")
        stop = _URL_STOP.search(text, start, start + _LONGEST_USERINFO)
        end = stop.start() if stop is not None else min(len(text), start + _LONGEST_USERINFO)
        host = text.rfind("@", start, end)
        colon = text.find(":", start, host) if host != -1 else -1
        if colon != -1 and host > colon + 1:
            yield colon + 1, host, "password"
        elif host - start >= _SHORTEST_URL_TOKEN:
            yield start, host, "token"
        at = text.find("://", start)


def _logins(text: str) -> Iterator[Span]:
    """`-u user:password` (a numeric user and group is none) and `sshpass -p password`."""
    for found in _USER_OPTION.finditer(text):
        quote = text[found.start(1) - 1]
        end = _value_end(text, found.end(), quote if quote in _QUOTES else "")
        numeric = found[1].isdigit() and text[found.end() : end].isdigit()
        if not numeric and not text.startswith(MARK, found.end()):
            yield found.end(), end, "password"
    for found in _SSHPASS.finditer(text):
        if not text.startswith(MARK, found.end()):
            yield found.end(), _word_end(text, found.end()), "password"
