"""
Setting a bot up, and looking for what keeps it from working.

``token`` makes a configuration for a token. For a GitHub App ``run`` serves the ``pages`` of a ``wizard`` behind a
``door``: it sends a ``manifest`` to the tracker's site, exchanges the code by ``github_app``, and keeps the App in
``progress`` until ``write`` has written it all.

``doctor`` tells the findings of ``local`` (this machine), of ``remote`` (the tracker, through the port
``bot.trackers.inspection``) and of ``app`` (a GitHub App). Findings are values; the command line writes them.
"""
