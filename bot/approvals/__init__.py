"""Approvals: people decide on held Work. To the scheduler this is one start gate among others."""
