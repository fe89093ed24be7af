"""The demo: an embedded tracker with a sample repository, and the bot beside it."""
