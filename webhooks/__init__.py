"""Intake: deliveries from the tracker become accepted events, and events become Work or input."""
