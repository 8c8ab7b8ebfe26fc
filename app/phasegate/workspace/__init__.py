"""Runs on disk: where they are, what they hold, and how they change."""
