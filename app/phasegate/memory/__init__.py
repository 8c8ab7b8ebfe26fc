"""The memory plane: what is loaded, what is selected for a phase, how it is shown."""
