"""The pure core: values in, a decision out. No I/O, clock, randomness, logging or framework."""
