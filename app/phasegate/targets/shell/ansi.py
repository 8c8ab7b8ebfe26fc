"""Escapes of `$'...'`, `echo -e` and `printf`."""

from __future__ import annotations

from phasegate.targets.shell.limits import MAX_ROUNDS

_SIMPLE = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_LAST_CODE_POINT = 0x10FFFF
_OCTAL = frozenset("01234567")
_HEX = frozenset("0123456789abcdefABCDEF")


def unescape(text: str, *, echo: bool = False, output: bool = False) -> str:
    """*text* with its backslash escapes replaced.

    *echo*: by the rules of `echo -e` and of printf's `%b`, where octal needs a leading
    zero and `\\c` ends the output. *output*: for printing, where a NUL is kept; in
    `$'...'` it ends the text.
    """
    result = bytearray()
    index = 0
    while (backslash := text.find("\\", index)) >= 0 and backslash + 1 < len(text):
        result += text[index:backslash].encode("utf-8", "surrogateescape")
        if echo and text[backslash + 1] == "c":
            return result.decode("utf-8", "surrogateescape")
        value, index = _escape(text, backslash + 1, echo=echo)
        result += value
    result += text[index:].encode("utf-8", "surrogateescape")
    kept = result if output or echo else result.split(b"\0")[0]
    return kept.decode("utf-8", "surrogateescape")


def _escape(text: str, index: int, *, echo: bool) -> tuple[bytes, int]:
    char = text[index]
    if char in _SIMPLE and not (echo and char in "'\"?"):
        return _SIMPLE[char].encode(), index + 1
    if char == "x":
        digits = _take(text, index + 1, _HEX, 2)
        if digits:
            return bytes([int(digits, 16)]), index + 1 + len(digits)
    if char in "uU":
        digits = _take(text, index + 1, _HEX, 4 if char == "u" else 8)
        if digits and int(digits, 16) <= _LAST_CODE_POINT:
            return chr(int(digits, 16)).encode("utf-8", "surrogatepass"), index + 1 + len(digits)
    if char == "c" and not echo and index + 1 < len(text):
        return bytes([ord(text[index + 1].upper()) & 0x1F]), index + 2
    if char in _OCTAL and (not echo or char == "0"):
        digits = _take(text, index, _OCTAL, 4 if echo else 3)
        return bytes([int(digits, 8) & 0xFF]), index + len(digits)
    return b"\\" + char.encode("utf-8", "surrogateescape"), index + 1


def _take(text: str, index: int, alphabet: frozenset[str], limit: int) -> str:
    end = index
    while end < len(text) and end - index < limit and text[end] in alphabet:
        end += 1
    return text[index:end]


def printf(form: str, arguments: list[str]) -> str | None:
    """What `printf FORM ARGUMENTS` prints; None when a conversion is not known here."""
    result: list[str] = []
    pending = list(arguments)
    while True:
        before = len(pending)
        text = _printf_once(form, pending)
        if text is None:
            return None
        result.append(text)
        if not pending or len(pending) == before or len(result) > MAX_ROUNDS:
            return "".join(result)


def _printf_once(form: str, pending: list[str]) -> str | None:
    result: list[str] = []
    index = 0
    while (percent := form.find("%", index)) >= 0:
        result.append(unescape(form[index:percent], output=True))
        end = percent + 1
        while end < len(form) and form[end] in "-0123456789.# +":
            end += 1
        flags, letter = form[percent + 1 : end], form[end : end + 1]
        if letter == "%":
            result.append("%")
        else:
            piece = _converted(letter, flags, pending.pop(0) if pending else "")
            if piece is None:
                return None
            result.append(piece)
        index = end + 1
    result.append(unescape(form[index:], output=True))
    return "".join(result)


def _converted(letter: str, flags: str, argument: str) -> str | None:
    if letter in ("s", "b"):
        text = unescape(argument, echo=True) if letter == "b" else argument
    elif letter in ("d", "i"):
        digits = (argument or "0").removeprefix("-")
        if not digits.isascii() or not digits.isdigit() or (digits.startswith("0") and len(digits) > 1):
            return None
        text = argument or "0"
    elif letter == "c":
        text = argument[:1]
    else:
        return None
    if not flags:
        return text
    width = flags.lstrip("-0")
    if not width.isdigit() or width[3:] or set(flags) & set(".# +"):
        return None
    fill = "0" if flags.startswith("0") and letter in ("d", "i") else " "
    return text.ljust(int(width)) if flags.startswith("-") else text.rjust(int(width), fill)
