"""Programs in other languages, read for what they do to files."""
