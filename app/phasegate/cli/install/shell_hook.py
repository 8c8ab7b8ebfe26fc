"""The spawned hook as a POSIX `sh` script around `curl`, for hosts without Python."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, urlencode

from phasegate.hook_client import BODIES

_SCRIPT = r"""#!/bin/sh
# phasegate hook for @RUNTIME@: standard input to the service, its answer to the runtime.
# Written by `phasegate install`; needs curl and nothing else.
nl='
'
cr='@CR@'
fail() {
  @FAIL@
}
answer=$(@QUICK@curl -q -s -i --max-time @TIMEOUT@ -H 'Expect:' -H 'Content-Type: application/json' \
  -H 'Phasegate-Transport: command' ${PHASEGATE_TOKEN:+-H "Authorization: Bearer $PHASEGATE_TOKEN"} \
  @WHERE@) || fail "no service at "@ADDRESS@
# The substitution took the last line feed, which without a body is the head's own.
answer=$answer$nl
head=${answer%%"$cr$nl$cr$nl"*}
body=${answer#*"$cr$nl$cr$nl"}
body=${body%"$nl"}
case $head in
  'HTTP/1.1 200'*'hasegate-'[Ee]'xit: '*) ;;
  *) line=${head%%"$cr"*}; fail "the service answered ${line#* }" ;;
esac
code=${head#*hasegate-[Ee]xit: }
case $head in
  *'hasegate-'[Ss]'tream: stderr'*) printf '%s' "$body" >&2 ;;
  *) printf '%s' "$body" ;;
esac
exit "${code%%"$cr"*}"
"""


# Over a socket curl needs neither TLS settings nor a locale; loading them is a twentieth of its time.
_QUICK = "LC_ALL=C OPENSSL_CONF=/dev/null "


@dataclass(frozen=True, slots=True)
class ShellHook:
    """What the script is for. Exactly one of `uds` and `url` is used; the socket wins."""

    runtime: str
    event: str = ""
    uds: str = ""
    url: str = ""
    mode: Literal["strict", "advisory"] | None = None
    timeout: int = 8
    run: str = ""
    cwd: str = ""


def script(hook: ShellHook) -> str:
    """The text of the script."""
    query = {"event": hook.event, "mode": hook.mode or "", "run": hook.run, "cwd": hook.cwd}
    pairs = urlencode({key: value for key, value in query.items() if value}, quote_via=quote)
    base = "http://localhost" if hook.uds else hook.url.rstrip("/")
    url = f"{base}/v1/hooks/{hook.runtime}" + (f"?{pairs}" if pairs else "")
    socket = f"--unix-socket {shlex.quote(hook.uds)} " if hook.uds else ""
    fills = {
        "@CR@": "\r",  # as itself: a substitution would start another process
        "@RUNTIME@": hook.runtime,
        "@FAIL@": _failure(hook),
        "@QUICK@": _QUICK if hook.uds else "",
        "@TIMEOUT@": str(hook.timeout),
        "@WHERE@": f"{socket}--data-binary @- {shlex.quote(url)}",
        "@ADDRESS@": shlex.quote(hook.uds or hook.url),
    }
    text = _SCRIPT
    for mark, value in fills.items():
        text = text.replace(mark, value)
    return text


def _failure(hook: ShellHook) -> str:
    """The body of `fail`: the same failure modes as the Python hook's."""
    if hook.mode == "advisory" or hook.event.lower().startswith(("post", "after")):
        return """printf 'phasegate: %s; the call was not checked' "$1" >&2; exit 0"""
    body = BODIES.get(hook.runtime) or BODIES.get(f"{hook.runtime} {hook.event}")
    text = "phasegate: %s; nothing runs unchecked; start it with `phasegate serve`"
    if body:
        filled = shlex.quote(body % text)
        return f"""printf {filled} "$(printf '%s' "$1" | tr '"\\\\' "'/")"; exit 0"""
    return f"""printf {shlex.quote(text)} "$1" >&2; exit 2"""
