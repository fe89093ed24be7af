"""Programs that take turns: the contract they share, and one module per kind."""
