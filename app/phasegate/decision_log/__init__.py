"""The decision log: what a record says, how records are chained, and where they are kept."""
