"""phasegate: a policy guard that enforces write ordering for AI agents."""

__version__ = "0.1.0"
