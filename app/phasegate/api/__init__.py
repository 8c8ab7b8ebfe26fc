"""The HTTP surface: one module per resource, the decision route in front of all of them."""
