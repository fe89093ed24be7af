"""The JSON that GitHub sends: the same in answers and in webhooks. Pure."""
