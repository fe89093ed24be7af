"""
Setting a bot up, and looking for what keeps it from working.

``token`` makes a configuration for a token. ``doctor`` tells the findings of ``local`` (this machine) and of ``remote``
(the tracker, through the port ``bot.trackers.inspection``). Findings are values; the command line writes them.
"""
