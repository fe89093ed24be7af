"""The host: puts the parts together, turns the wheel, and serves HTTP."""
