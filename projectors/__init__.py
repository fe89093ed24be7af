"""What a Work should show in its thread, and the one place that writes it there."""
