"""Read models: what the thread, the command line and pages show, read from the store in one query."""
