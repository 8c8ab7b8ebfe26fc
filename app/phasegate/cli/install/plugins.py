"""The plugin files of runtimes that call their hooks inside their own process."""

from __future__ import annotations

import json

from phasegate.cli.install.spawn import HOOK_TIMEOUT, Wanted

_HEAD = """// phasegate hook, written by `phasegate install @RUNTIME@`: asks before each tool call.
// @MARK@
const ENDPOINT = @URL@;
const SOCKET = @UDS@;
const STRICT = @STRICT@;
const TIMEOUT_MS = @TIMEOUT@;

async function ask(payload) {
  const headers = { "content-type": "application/json" };
  if (process.env.PHASEGATE_TOKEN) headers.authorization = `Bearer ${process.env.PHASEGATE_TOKEN}`;
  if (process.env.PHASEGATE_RUN_ID) headers["phasegate-run"] = process.env.PHASEGATE_RUN_ID;
  const response = await fetch(ENDPOINT, {
    method: "POST",
    headers,
    body: JSON.stringify(payload),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(SOCKET ? { unix: SOCKET } : {}),
  });
  // Another program on the port must not allow anything.
  if (response.status !== 200 || response.headers.get("phasegate-exit") === null)
    throw new Error(`the service answered ${response.status}`);
  return await response.json();
}

// The answer; without one: a denial, or in advisory mode a pass with a message.
async function decide(payload) {
  try {
    return await ask(payload);
  } catch (error) {
    const why = `phasegate: no answer (${error?.message ?? error})`;
    if (STRICT)
      return { decision: "deny", reason: `${why}; nothing runs unchecked; start it with \\`phasegate serve\\`` };
    return { decision: "allow", warning: `${why}; the call was not checked` };
  }
}
"""

_OPENCODE = """
export const Phasegate = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const said = await decide({
      runtime: "opencode",
      event: "tool.execute.before",
      tool: input.tool,
      sessionID: input.sessionID,
      callID: input.callID,
      directory,
      args: output.args,
    });
    if (said.decision !== "allow") throw new Error(said.reason || "denied by phasegate");
    if (said.warning) console.error(said.warning);
  },
  "tool.execute.after": async (input, output) => {
    const said = await ask({
      runtime: "opencode",
      event: "tool.execute.after",
      tool: input.tool,
      sessionID: input.sessionID,
      callID: input.callID,
      directory,
      args: input.args ?? {},
    }).catch(() => ({ decision: "allow" }));
    if (said.decision !== "allow" && output) output.output = `${output.output ?? ""}\\n\\n${said.reason}`;
  },
});
"""

_AMP = """
export default function (amp) {
  amp.on("tool.call", async (event, ctx) => {
    const said = await decide({
      runtime: "amp",
      event: "tool.call",
      tool: event.tool,
      input: event.input,
      thread: event.thread,
      toolUseID: event.toolUseID,
      workspaceRoot: ctx?.workspaceRoot ?? process.cwd(),
    });
    if (said.decision === "allow") {
      if (said.warning) console.error(said.warning);
      return { action: "allow" };
    }
    return { action: "reject-and-continue", message: said.reason || "denied by phasegate" };
  });
}
"""

_BODIES = {"opencode": _OPENCODE, "amp": _AMP}
RUNTIMES = tuple(_BODIES)


def plugin(runtime: str, wanted: Wanted) -> str:
    """The text of the plugin file of *runtime*."""
    base = "http://localhost" if wanted.uds else wanted.url.rstrip("/")
    query = f"?mode={wanted.mode}" if wanted.mode else ""
    fills = {
        "@RUNTIME@": runtime,
        "@MARK@": "Its place is known to phasegate, which keeps agents from editing it.",
        "@URL@": json.dumps(f"{base}/v1/hooks/{runtime}{query}"),
        "@UDS@": json.dumps(wanted.uds or None),
        "@STRICT@": json.dumps(wanted.closed),
        "@TIMEOUT@": str(HOOK_TIMEOUT * 1000),
    }
    text = _HEAD
    for mark, value in fills.items():
        text = text.replace(mark, value)
    return text + _BODIES[runtime]
