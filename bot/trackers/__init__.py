"""Issue trackers: the narrow contract that the bot speaks, the GitHub adapter, and a small embedded tracker."""
