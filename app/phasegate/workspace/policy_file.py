"""The policy in force in a workspace, read from its policy file.

Only a definite "no such file" means that there is none. Whatever else stands in the
way (a dangling link, a directory, no permission, a text with a defect) gives a policy
that denies everything and says why: otherwise breaking the file would switch it off.
"""

from __future__ import annotations

from phasegate.core.policy import Policy, broken_policy
from phasegate.core.policy_text import parse_policy
from phasegate.errors import PolicyDefect
from phasegate.files.cache import SignatureCache
from phasegate.files.kept import dangling_link, real_path
from phasegate.files.read import POLICY_BYTES, Absent, Content, Refused, file_signature, read_file
from phasegate.workspace.locate import Workspace

_POLICIES_KEPT = 256


class PolicyFiles:
    """Policies by workspace, checked again at each question. *base* is the built-in policy."""

    def __init__(self, base: Policy) -> None:
        self._base = base
        self._relative = base.workflow.policy_path
        self._cache: SignatureCache[str, Policy] = SignatureCache(_POLICIES_KEPT)

    def policy(self, workspace: Workspace) -> Policy:
        """The policy as of now. A derived workspace has that of its served root. Never raises."""
        path = self.path(workspace)
        signature = file_signature(path)
        if isinstance(signature, Absent):
            return self._without_file(workspace)
        if isinstance(signature, Refused):
            return broken_policy(self._base, f"the policy file is {signature.reason}")
        kept = self._cache.get(path, signature)
        return kept.value if kept is not None else self._read(workspace, path)

    def path(self, workspace: Workspace) -> str:
        """Where the policy file of *workspace* is, or would be."""
        return f"{workspace.policy_root}/{self._relative}"

    def _read(self, workspace: Workspace, path: str) -> Policy:
        started = self._cache.now()
        match read_file(real_path(path), POLICY_BYTES):
            case Absent():
                return self._without_file(workspace)
            case Refused(reason):
                return broken_policy(self._base, f"the policy file is {reason}")
            case Content(data, signature):
                policy = self._parsed(data)
                self._cache.put(path, signature, policy, started=started)
                return policy

    def _parsed(self, data: bytes) -> Policy:
        try:
            return parse_policy(data, self._base)
        except PolicyDefect as defect:
            return broken_policy(self._base, defect.detail, data)

    def _without_file(self, workspace: Workspace) -> Policy:
        parts = self._base.workflow.policy_path.split("/")
        prefixes = ["/".join((workspace.policy_root, *parts[:count])) for count in range(1, len(parts) + 1)]
        if any(dangling_link(path) for path in prefixes):
            return broken_policy(self._base, "the policy file is, or lies behind, a link that leads nowhere")
        return self._base
