"""Which files a tool call would change: pure functions over a view of the disk and a shell parser."""
