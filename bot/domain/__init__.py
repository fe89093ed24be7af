"""Values and rules. Standard library only, no clock, no input or output."""
