"""What the labels say while Work waits, fails, goes on and ends, and what taking them off does."""
