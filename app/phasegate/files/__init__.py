"""The only package that touches the disk: safe reads, atomic writes, a recording view of names."""
